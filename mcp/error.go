package mcp

import (
	"context"
	"errors"
	"regexp"
	"slices"
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
func failed(err error) (*sdk.CallToolResult, error) {
	view := viewError(err)
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
func viewError(err error) errorView {
	e := apiError(err)
	view := errorView{Code: e.Code, Message: forTools(e.Message)}
	for _, d := range e.Details {
		text := strings.TrimPrefix(d.Field+": ", ": ") + forTools(d.Message)
		if d.Message != e.Message && len(view.Details) < 5 {
			view.Details = append(view.Details, clip(text, maxSaid))
		}
	}
	if next := nextStep[e.Code]; next != "" && !saysNext(view.Message, next) {
		view.Message = clip(view.Message, 600) + "; " + next
	}
	return view
}

// saysNext reports whether a message already says what to do: it names a tool, or a person.
func saysNext(message, next string) bool {
	const person = "a person"
	return strings.Contains(message, "; call ") || strings.Contains(message, next) || strings.Contains(message, person) && strings.Contains(next, person)
}

// nextStep says what a model can do about an error.
var nextStep = map[schedctl.Code]string{
	schedctl.NotFound:              "list_posts, list_accounts, list_slots and list_series have what exists",
	schedctl.VersionMismatch:       "call get_post, look at the change, and pass its version",
	schedctl.InvalidCursor:         "call list_posts again without cursor",
	schedctl.ContentTooLong:        "check_post has the length for each account; split_text makes a thread",
	schedctl.PostNotDraft:          "reschedule_post and edit_post change scheduled posts",
	schedctl.PostNotScheduled:      "get_post has its status; schedule_post schedules drafts",
	schedctl.PostNotEditable:       "call get_post for its status; create_draft makes another one",
	schedctl.PostNotDeletable:      "delete_draft deletes drafts only; get_post has the status",
	schedctl.ApprovalMissing:       "call submit_post; a person approves it",
	schedctl.ApprovalNotPending:    "call get_post for the state of its approval",
	schedctl.NotYourDraft:          "it belongs to someone else: leave a note with add_note, or make another one with create_draft",
	schedctl.NoQueue:               "a person has to create a queue; give a time instead",
	schedctl.QueueFull:             "list_slots has the free slots; or give a time",
	schedctl.InBlackout:            "choose another time; list_slots has free ones",
	schedctl.SlotTaken:             "list_slots has the free slots",
	schedctl.MediaInvalid:          "check_post says what each account takes",
	schedctl.MediaNotReady:         "wait until the upload is complete, then make the same call again",
	schedctl.IdempotencyRunning:    "wait a second, then make the same call again",
	schedctl.RateLimited:           "wait a minute, then make the same call again",
	schedctl.DuplicateContent:      "change the text or the time; list_posts with q finds the other post",
	schedctl.InsufficientScope:     "only a person can give a key another scope",
	schedctl.KeyNotAllowed:         "a person has to do this",
	schedctl.InvalidPublishAt:      `use a time in the future, such as "friday 9am"`,
	schedctl.PostNotRetryable:      "get_timeline says what happened",
	schedctl.InvalidAPIKey:         "a person has to give you a new API key",
	schedctl.APIKeyRevoked:         "a person has to give you a new API key",
	schedctl.APIKeyExpired:         "a person has to give you a new API key",
	schedctl.InvalidSocialAccounts: "list_accounts has the accounts",
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

// forTools returns a message of the daemon without requests and command lines.
func forTools(message string) string {
	message = requestOf.ReplaceAllStringFunc(message, func(text string) string {
		m := requestOf.FindStringSubmatch(text)
		for _, t := range toolsOf {
			if m[1] == t.method && strings.HasSuffix(m[2], t.path) {
				return t.tool
			}
		}
		return "the help of a person"
	})
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

// lacksScope is the error of a tool that the key may not use.
func (t *tool) lacksScope() error {
	words := make([]string, len(t.scopes))
	for i, s := range t.scopes {
		words[i] = string(s)
	}
	return schedctl.Errorf(schedctl.InsufficientScope, "", "%s needs an API key with the scope %s, and yours lacks it: whoami has your scopes", t.name, strings.Join(words, " or "))
}

// forPeople are names of tools that models look for and that no key of an agent can have.
var forPeople = []string{
	"approve_post", "approve", "reject_post", "request_changes", "add_account", "connect_account", "remove_account", "create_key", "create_queue", "delete_post",
	"resend_post", "create_webhook", "create_share", "pause", "resume",
}

// forPerson returns the result of a call of a tool that no agent has, nil for other names.
func forPerson(name string) *sdk.CallToolResult {
	if !slices.Contains(forPeople, name) {
		return nil
	}
	result, err := failed(schedctl.Errorf(schedctl.KeyNotAllowed, "", "there is no tool %s: only a person can do this", name))
	if err != nil {
		return nil
	}
	return result
}
