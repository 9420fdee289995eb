package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
)

// tool is one tool.
type tool struct {
	name, about string

	scopes   []schedctl.Scope // one of them is needed; empty for none
	effect   effect
	in       reflect.Type // the struct type of the arguments
	rare     rareFields   // what the argument options takes
	call     func(ctx context.Context, c *call) (outcome, error)
	unlisted bool // an old name, which clients may still call
	ofSeries bool // the id is that of a series, or its name

	question string // asked before the call where the client can ask; empty for none

	once                     sync.Once // sets the fields below
	described                *sdk.Tool
	schema, checked, options *jsonschema.Schema // as listed, with all limits, and of options; nil for none
}

// rareFields are fields of a type of the API that a tool takes inside options. A list of
// the others would let agents use new ones.
type rareFields struct {
	of    reflect.Type
	names []string
}

// effect is what a tool does.
type effect int

const (
	reads     effect = iota
	drafts           // adds a draft, or something to one
	rewrites         // changes or removes a draft
	publishes        // changes what is published, and when
)

func (e effect) annotations() *sdk.ToolAnnotations {
	return &sdk.ToolAnnotations{
		ReadOnlyHint: e == reads, IdempotentHint: e != reads,
		DestructiveHint: new(e == rewrites || e == publishes), OpenWorldHint: new(e == publishes),
	}
}

// describe returns the tool as clients see it.
func (t *tool) describe() *sdk.Tool {
	t.once.Do(func() {
		t.schema = schemaMaker{brief: true}.object(t.in)
		t.checked = schemaMaker{}.object(t.in)
		if t.rare.of != nil {
			t.options = schemaMaker{}.object(t.rare.of, t.rare.names...)
		}
		t.described = &sdk.Tool{Name: t.name, Description: t.about, Annotations: t.effect.annotations(), InputSchema: t.schema}
	})
	return t.described
}

// call is one call of a tool.
type call struct {
	Caller
	tool      *tool
	given     arguments       // checked, as the client sent them
	values    arguments       // after [call.resolve], with ids and times of the API
	arguments json.RawMessage // the values
	key       string          // the Idempotency-Key of a write
	replayed  bool

	directory *directory // see [call.look]
}

// writeOptions returns the options of a write.
func (c *call) writeOptions() []client.Option {
	return []client.Option{client.IdempotencyKey(c.key), client.Replayed(&c.replayed)}
}

// onVersion returns the options of a write to a version of an object.
func (c *call) onVersion(v version) []client.Option {
	return append(c.writeOptions(), client.IfVersion(v.Version))
}

// with returns the call of a tool with its arguments decoded.
func with[In any](fn func(ctx context.Context, c *call, in In) (outcome, error)) func(context.Context, *call) (outcome, error) {
	return func(ctx context.Context, c *call) (outcome, error) {
		in, err := decode[In](c.arguments)
		if err != nil {
			return outcome{}, err
		}
		return fn(ctx, c, in)
	}
}

// handle calls the tool. Errors of the tool are results, so that the model sees them.
func (t *tool) handle(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	t.describe()
	c := &call{Caller: callerOf(ctx), tool: t}
	if !c.allows(t.scopes) {
		return c.failed(t.lacksScope())
	}
	var err error
	if c.arguments, err = c.check(r.Params.Arguments); err != nil {
		return c.failed(err)
	}
	if t.asks(ctx, r.Session) {
		if err := t.confirm(ctx, c, r.Session); err != nil {
			return c.failed(err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	if err := c.resolve(ctx); err != nil {
		return c.failed(err)
	}
	out, err := t.call(ctx, c)
	if err != nil {
		return c.failed(err)
	}
	return result(out)
}

// hashed returns an Idempotency-Key for texts.
func hashed(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(h, "%d %s ", len(text), text)
	}
	return "mcp-" + hex.EncodeToString(h.Sum(nil)[:24])
}

// result returns the result of a call: the data as structured content, and its text.
func result(out outcome) (*sdk.CallToolResult, error) {
	data, err := encode(out.data)
	if err != nil {
		return nil, err
	}
	text := strings.TrimRight(out.text, "\n")
	return &sdk.CallToolResult{StructuredContent: json.RawMessage(data), Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
}
