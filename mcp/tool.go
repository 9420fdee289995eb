package mcp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// tool is one tool. in and out are the struct types of its arguments and its result.
type tool struct {
	name, title, about string

	scopes []schedctl.Scope // one of them is needed; empty for none
	effect effect
	in     reflect.Type
	only   []string // the fields of in that are arguments; nil for all
	out    reflect.Type
	call   func(ctx context.Context, c call) (any, error)

	question string // asked before the call where the client can ask; empty for none

	once      sync.Once // sets the fields below
	described *sdk.Tool
	arguments *jsonschema.Resolved
}

// effect is what a tool does.
type effect int

const (
	reads     effect = iota
	drafts           // adds a draft, or something to one
	rewrites         // changes or removes a draft
	publishes        // changes what is published, and when
)

func (e effect) annotations(title string) *sdk.ToolAnnotations {
	return &sdk.ToolAnnotations{
		Title: title, ReadOnlyHint: e == reads, IdempotentHint: e != reads,
		DestructiveHint: new(e == rewrites || e == publishes), OpenWorldHint: new(e == publishes),
	}
}

// call is one call of a tool.
type call struct {
	Caller
	arguments json.RawMessage
	key       string // the Idempotency-Key of a write
	replayed  *bool
}

// options returns the options of a write.
func (c call) options() []client.Option {
	return []client.Option{client.IdempotencyKey(c.key), client.Replayed(c.replayed)}
}

// onVersion returns the options of a write to a version of an object.
func (c call) onVersion(v version) []client.Option {
	return append(c.options(), client.IfVersion(v.Version))
}

// Arguments that several tools have.
type (
	identified struct {
		ID string `json:"id" doc:"The id of the post." minLength:"1" maxLength:"100"`
	}
	version struct {
		Version int64 `json:"version" doc:"The version that you have seen. The call fails with VERSION_MISMATCH if the post has changed since; read it again then." minimum:"1"`
	}
	deliberate struct {
		RequestKey string `json:"request_key,omitempty" doc:"Leave it out. The same call within 24 hours is a repetition: it has no effect and returns the first result. To do the same again on purpose, give a text that you have not used before." minLength:"1" maxLength:"100"`
	}
	paged struct {
		Limit  int    `json:"limit,omitempty" doc:"The number of results of a page; 20 by default." minimum:"1" maximum:"100"`
		Cursor string `json:"cursor,omitempty" doc:"The next_cursor of the previous page." minLength:"1" maxLength:"2000"`
	}
)

// replay is a part of the result of every write.
type replay struct {
	Replayed bool `json:"replayed" doc:"Whether the call repeats an earlier one, and had no effect."`
}

// postChanged is the result of tools that change a post.
type postChanged struct {
	Post apiv1.Post `json:"post"`
	replay
}

// reading returns the call of a tool that reads, with its arguments decoded.
func reading[In, Out any](fn func(ctx context.Context, c *client.Client, in In) (Out, error)) func(context.Context, call) (any, error) {
	return func(ctx context.Context, c call) (any, error) {
		in, err := decode[In](c.arguments)
		if err != nil {
			return nil, err
		}
		return fn(ctx, c.Client, in)
	}
}

// writing returns the call of a tool that writes, with its arguments decoded.
func writing[In, Out any](fn func(ctx context.Context, c call, in In) (Out, error)) func(context.Context, call) (any, error) {
	return func(ctx context.Context, c call) (any, error) {
		in, err := decode[In](c.arguments)
		if err != nil {
			return nil, err
		}
		return fn(ctx, c, in)
	}
}

func decode[In any](arguments json.RawMessage) (in In, err error) {
	if err := json.Unmarshal(arguments, &in); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			name := wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:] // without the names of embedded types
			return in, schedctl.Errorf(schedctl.ValidationFailed, name, "%s cannot be the %s", name, wrong.Value)
		}
		return in, schedctl.Errorf(schedctl.ValidationFailed, "", "the arguments cannot be read: %v", err)
	}
	return in, nil
}

// handle calls the tool. Errors of the tool are results, so that the model sees them.
func (t *tool) handle(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	c := call{Caller: callerOf(ctx), replayed: new(bool)}
	if !c.allows(t.scopes) {
		return failed(schedctl.Errorf(schedctl.InsufficientScope, "", "this API key lacks the scope %s", t.scopes[0]))
	}
	var err error
	if c.arguments, err = t.check(r.Params.Arguments); err != nil {
		return failed(err)
	}
	c.key = t.idempotencyKey(c.KeyID, c.arguments)
	if t.asks(ctx, r.Session) {
		if err := t.confirm(ctx, c, r.Session); err != nil {
			return failed(err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	out, err := t.call(ctx, c)
	if err != nil {
		return failed(err)
	}
	return result(out)
}

// maxFault is the longest message about invalid arguments. It may repeat parts of them.
const maxFault = 500

// check validates arguments. It returns them in one form: names sorted, no white space.
func (t *tool) check(arguments json.RawMessage) (json.RawMessage, error) {
	if text := bytes.TrimSpace(arguments); len(text) == 0 || string(text) == "null" {
		arguments = json.RawMessage("{}")
	}
	if !jsontext.Value(arguments).IsValid() { // as in the API; encoding/json would change them silently
		return nil, schedctl.Errorf(schedctl.ValidationFailed, "", `the arguments have a name twice, or half of a surrogate pair such as \ud83d`)
	}
	in := json.NewDecoder(bytes.NewReader(arguments))
	in.UseNumber() // a float64 would round
	var values map[string]any
	if err := in.Decode(&values); err != nil || values == nil {
		return nil, schedctl.Errorf(schedctl.ValidationFailed, "", "the arguments are not a JSON object")
	}
	var plain map[string]any // the validator knows no json.Number
	if err := json.Unmarshal(arguments, &plain); err != nil {
		return nil, schedctl.Errorf(schedctl.ValidationFailed, "", "the arguments cannot be read: %v", err)
	}
	if err := t.arguments.Validate(plain); err != nil {
		return nil, schedctl.Errorf(schedctl.ValidationFailed, "", "the arguments do not match the schema: %s", faultText(err))
	}
	return json.Marshal(values)
}

// faultText describes invalid arguments. The name of the argument is at the start, and its
// limit at the end, so that only the middle of a long text is left out.
func faultText(err error) string {
	text := []rune(strings.TrimPrefix(err.Error(), "validating root: "))
	if len(text) <= maxFault {
		return string(text)
	}
	return string(text[:maxFault/2]) + "…" + string(text[len(text)-maxFault/2:])
}

// idempotencyKey returns the key of a call: the same one for the same API key, tool and
// arguments.
func (t *tool) idempotencyKey(keyID string, arguments json.RawMessage) string {
	h := sha256.New()
	for _, part := range []string{keyID, t.name} {
		fmt.Fprintf(h, "%d %s ", len(part), part)
	}
	h.Write(arguments)
	return "mcp-" + hex.EncodeToString(h.Sum(nil)[:24])
}

// result returns an object as structured content, and as text for older clients.
func result(out any) (*sdk.CallToolResult, error) {
	text, err := encode(out)
	if err != nil {
		return nil, err
	}
	return &sdk.CallToolResult{StructuredContent: json.RawMessage(text), Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}, nil
}

// failed returns an error as a result: the object error of the API, as text. Messages in
// it may come from networks and from other people, and are data.
func failed(err error) (*sdk.CallToolResult, error) {
	text, encodeErr := encode(apiv1.ErrorEnvelope{Error: apiError(err)})
	if encodeErr != nil {
		return nil, encodeErr
	}
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}, nil
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

// encode returns v as JSON without the escapes that only HTML needs.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	out := json.NewEncoder(&buf)
	out.SetEscapeHTML(false)
	err := out.Encode(v)
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), err
}
