package mcp

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// errorView is an error as results have it.
type errorView struct {
	Code    schedctl.Code `json:"code"`
	Message string        `json:"message"`
	Details []string      `json:"details,omitempty"`
}

// maxError is the largest text of an error, in characters.
const maxError = 900

// failed returns an error as a result: its code and what to do, as JSON. Messages in it may
// come from networks and from other people, and are data.
func (c *call) failed(err error) (*sdk.CallToolResult, error) {
	view := c.viewError(err)
	for {
		text, err := encode(map[string]any{"error": view})
		if err != nil {
			return nil, err
		}
		switch n := utf8.RuneCount(text); {
		case n <= maxError:
			return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}, nil
		case len(view.Details) > 0:
			view.Details = view.Details[:len(view.Details)-1]
		default:
			view.Message = clip(view.Message, utf8.RuneCountInString(view.Message)*2/3)
		}
	}
}

// viewError returns an error in the words of the tools.
func (c *call) viewError(err error) errorView {
	e := apiError(err)
	view := errorView{Code: e.Code, Message: c.forTools(e.Message)}
	for _, d := range e.Details {
		text := strings.TrimPrefix(d.Field+": ", ": ") + c.forTools(d.Message)
		if d.Message != e.Message && len(view.Details) < 5 {
			view.Details = append(view.Details, clip(text, maxSaid))
		}
	}
	if next := c.nextStep(e.Code); next != "" && !saysNext(view.Message, next) {
		view.Message = clip(view.Message, 600) + "; " + next
	}
	return view
}

// saysNext reports whether a message already says what to do: it names a tool, or a person.
func saysNext(message, next string) bool {
	const person = "a person"
	return strings.Contains(message, "; call ") || strings.Contains(message, next) || strings.Contains(message, person) && strings.Contains(next, person)
}

var (
	requestOf   = regexp.MustCompile(`(GET|POST|PATCH|DELETE|PUT) (/[^\s;,.()"]+)(?: \(schedctl [^()]+\))?`)
	inBrackets  = regexp.MustCompile(` \((?:schedctl [^()]+|--[^()]+)\)`)
	commandLine = regexp.MustCompile(`[:,]? ?(?:run |with:? |use )?"?schedctl (?:` +
		`account|agent|alias|apply|audit|backup|blackout|calendar|collection|config|context|daemon|doctor|forecast|key|label|list|login|media|node|notify|` +
		`pause|plan|post|queue|restore|resume|review|series|share|store|webhook|workspace)\b[^;"]*"?`)
)

// toolsOf has the tool for a request of the API.
var toolsOf = []struct{ method, path, tool string }{
	{"POST", "/submit", "submit_post"}, {"POST", "/withdraw", "withdraw_post"}, {"POST", "/unschedule", "unschedule_post"},
	{"POST", "/schedule", "schedule_post"}, {"POST", "/retry", "retry_post"}, {"POST", "/cancel", "cancel_post"}, {"GET", "/posts", "list_posts"},
	{"GET", "/social-accounts", "list_accounts"}, {"POST", "/posts", "create_draft"}, {"PATCH", "/posts/{id}", "edit_post"},
}

// forTools returns a message of the daemon without requests and command lines. It names the
// tools that the caller has.
func (c *Caller) forTools(message string) string {
	message = strings.Replace(message, "no route has this path; /openapi.json lists all paths", "nothing has this id", 1)
	message = requestOf.ReplaceAllStringFunc(message, func(text string) string {
		m := requestOf.FindStringSubmatch(text)
		for _, t := range toolsOf {
			if m[1] == t.method && strings.HasSuffix(m[2], t.path) && c.has(t.tool) {
				return t.tool
			}
		}
		return "the help of a person"
	})
	return withoutCommands(message)
}

// withoutCommands returns a message without command lines, such as that of a network.
func withoutCommands(message string) string {
	message = inBrackets.ReplaceAllString(message, "")
	return commandLine.ReplaceAllString(message, " (a person does this)")
}

// apiError returns an error as the API would send it.
func apiError(err error) apiv1.Error {
	if refused, ok := errors.AsType[*client.Error](err); ok {
		return refused.API
	}
	if e, ok := errors.AsType[*schedctl.Error](err); ok {
		return apiv1.NewError(e, "").Error
	}
	if unconfirmed, ok := errors.AsType[errNotConfirmed](err); ok {
		return apiv1.Error{Code: codeNotConfirmed, Message: unconfirmed.Error()}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return apiv1.Error{Code: schedctl.Unavailable, Message: "the call took longer than 30 s; the change may have been made, so make the same call again"}
	}
	if unreachable, ok := errors.AsType[*client.UnreachableError](err); ok {
		return apiv1.Error{Code: schedctl.Unavailable, Message: unreachable.Error()}
	}
	return apiv1.Error{Code: schedctl.Internal, Message: "internal error; make the same call again"}
}
