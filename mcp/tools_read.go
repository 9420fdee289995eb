package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// The scopes of tools: one of a list is needed.
var (
	readsPosts    = []schedctl.Scope{schedctl.ScopePostsRead}
	readsAccounts = []schedctl.Scope{schedctl.ScopeAccountsRead}
	writesDrafts  = []schedctl.Scope{schedctl.ScopePostsDraft, schedctl.ScopePostsWrite}
	writesPosts   = []schedctl.Scope{schedctl.ScopePostsWrite}
)

// none are the arguments of tools without arguments.
type none struct{}

// onePost are the arguments of get_post and get_timeline.
type onePost struct {
	identified
	zoned
	detailed
}

// toolName are the arguments of describe_options.
type toolName struct {
	Tool   string `json:"tool" doc:"Its name." minLength:"1" maxLength:"100"`
	Option string `json:"option,omitempty" doc:"Only this one." minLength:"1" maxLength:"100"`
}

// daysAhead are the arguments of get_forecast.
type daysAhead struct {
	Days int `json:"days,omitempty" doc:"21 by default." minimum:"1" maximum:"366"`
}

// checking are the arguments of check_post.
type checking struct {
	postContent
	PublishAt string          `json:"publish_at,omitempty" doc:"Time to check for." maxLength:"200"`
	PostID    string          `json:"post_id,omitempty" doc:"Checks a change of this post; give all its fields." maxLength:"100"`
	Options   json.RawMessage `json:"options,omitempty" doc:"As in create_draft."`
	zoned
}

func readTools() []tool {
	return []tool{{
		name: "whoami", about: "What your API key may do, the workspace, its time zone and the time now.",
		in: reflect.TypeFor[none](), call: whoami,
	}, {
		name: "describe_options", about: "Describes the argument options of a tool.",
		in: reflect.TypeFor[toolName](), call: with(describeOptions),
	}, {
		name: "get_post", scopes: readsPosts, about: "A post with its version.",
		in: reflect.TypeFor[onePost](), call: with(getPost),
	}, {
		name: "get_timeline", scopes: readsPosts, about: "What happened to a post: events, and attempts to publish it with the errors of networks.",
		in: reflect.TypeFor[onePost](), call: with(getTimeline),
	}, {
		name: "get_forecast", scopes: readsPosts, about: "What will make planned posts fail or be late if no one acts.",
		in: reflect.TypeFor[daysAhead](), call: with(getForecast),
	}, {
		name: "check_post", scopes: readsPosts, about: "Says for each account whether its network takes a post. Stores nothing.",
		in: reflect.TypeFor[checking](), rare: rareFields{reflect.TypeFor[apiv1.CreatePost](), rareContent}, call: checkPost,
	}}
}

func whoami(ctx context.Context, c *call) (outcome, error) {
	d, err := c.look(ctx)
	if err != nil {
		return outcome{}, err
	}
	key := d.me.APIKey
	data := map[string]any{
		"key":       map[string]any{"id": key.ID, "name": key.Name, "kind": key.Kind, "scopes": key.Scopes},
		"workspace": map[string]any{"name": d.me.Workspace.Name, "timezone": d.me.Workspace.Timezone, "approvals": d.me.Workspace.Approvals},
		"now":       d.local(d.now),
	}
	if key.ExpiresAt != nil {
		data["key"].(map[string]any)["expires"] = d.local(key.ExpiresAt.Time)
	}
	if len(key.SocialAccountIDs) > 0 {
		data["key"].(map[string]any)["accounts"] = d.names(key.SocialAccountIDs)
	}
	scopes := make([]string, len(key.Scopes))
	for i, s := range key.Scopes {
		scopes[i] = string(s)
	}
	return outcome{fmt.Sprintf("Key %s with %s in workspace %s (%s); it is %s.", quote(key.Name, 40), strings.Join(scopes, ", "), quote(d.me.Workspace.Name, 40), d.me.Workspace.Timezone, data["now"]), data}, nil
}

func describeOptions(_ context.Context, _ *call, in toolName) (outcome, error) {
	var with []string
	for _, t := range allTools() {
		t.describe()
		if t.options == nil || t.unlisted {
			continue
		}
		if with = append(with, t.name); t.name == in.Tool {
			options, known := t.options.Properties, strings.Join(t.options.PropertyOrder, ", ")
			if in.Option != "" {
				if options[in.Option] == nil {
					return outcome{}, invalidArgument("option", "%s has no option %s; known options: %s", t.name, quote(in.Option, 40), known)
				}
				options = map[string]*jsonschema.Schema{in.Option: options[in.Option]}
			}
			return outcome{fmt.Sprintf("%s takes these options: %s.", t.name, known), map[string]any{"tool": t.name, "options": options}}, nil
		}
	}
	return outcome{}, invalidArgument("tool", "%s has no options; tools with options: %s", quote(in.Tool, 40), strings.Join(with, ", "))
}

func getPost(ctx context.Context, c *call, in onePost) (outcome, error) {
	p, err := c.Client.Post(ctx, in.ID)
	if err != nil {
		return outcome{}, err
	}
	return c.post(ctx, p, in.Full)
}

// post returns a post as a result.
func (c *call) post(ctx context.Context, p apiv1.Post, full bool) (outcome, error) {
	d, err := c.look(ctx)
	if err != nil {
		return outcome{}, err
	}
	v := d.view(&p)
	data := map[string]any{"post": v}
	text := v.row(maxText)
	if full {
		data["post"] = p
		v.Content = p.Content
		text = v.row(len(p.Content))
	}
	if c.replayed {
		data["replayed"] = true
		text = "Nothing changed, the call was made before: " + text
	}
	return outcome{text, data}, nil
}

// attemptView is an attempt to publish.
type attemptView struct {
	Account string `json:"account"`
	Number  int    `json:"number"`
	At      string `json:"at"`
	Outcome string `json:"outcome"`
	Error   string `json:"error,omitempty"`
}

// eventView is an event of a post.
type eventView struct {
	At      string `json:"at"`
	Type    string `json:"type"`
	Account string `json:"account,omitempty"`
	Error   string `json:"error,omitempty"`
}

func getTimeline(ctx context.Context, c *call, in onePost) (outcome, error) {
	timeline, err := c.Client.PostTimeline(ctx, in.ID)
	if err != nil {
		return outcome{}, err
	}
	d, err := c.look(ctx)
	if err != nil {
		return outcome{}, err
	}
	data := map[string]any{"post_id": timeline.PostID, "status": timeline.Status}
	events, attempts := []eventView{}, []attemptView{}
	for i := range timeline.Events {
		e := &timeline.Events[i]
		events = append(events, eventView{d.local(e.CreatedAt.Time), string(e.Type), d.optionalName(e.SocialAccountID), d.saidBy(e.Error)})
	}
	for i := range timeline.Targets {
		t := &timeline.Targets[i]
		for _, a := range t.Attempts {
			attempts = append(attempts, attemptView{d.name(t.SocialAccountID), a.Number, d.local(a.StartedAt.Time), string(a.Outcome), d.saidBy(a.Error)})
		}
	}
	data["events"], data["attempts"] = events, attempts
	text := fmt.Sprintf("%s is %s: %s, %s.", timeline.PostID, timeline.Status, plural(len(events), "event"), plural(len(attempts), "attempt"))
	for _, a := range attempts {
		text += fmt.Sprintf("\n%s attempt %d on %s: %s %s", a.At, a.Number, quote(a.Account, 40), a.Outcome, quoted(a.Error))
	}
	if in.Full {
		data = map[string]any{"timeline": timeline}
	}
	return outcome{text, data}, nil
}

func (d *directory) optionalName(id *string) string {
	if id == nil {
		return ""
	}
	return d.name(*id)
}

// saidBy returns the message of an error of a network, empty for none.
func (d *directory) saidBy(e *apiv1.TargetError) string {
	if e == nil {
		return ""
	}
	return clip(withoutCommands(e.Message), maxSaid)
}

// quoted is quote, and nothing for an empty text.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	return quote(text, maxSaid)
}

// forecastView is what will make posts fail.
type forecastView struct {
	Kind    string   `json:"kind"`
	At      string   `json:"at,omitempty"`
	Account string   `json:"account,omitempty"`
	Posts   []string `json:"posts,omitempty"`
	Count   int      `json:"count"`
	Message string   `json:"message"`
}

func getForecast(ctx context.Context, c *call, in daysAhead) (outcome, error) {
	list, err := c.Client.Forecast(ctx, in.Days)
	if err != nil {
		return outcome{}, err
	}
	views, text, err := c.forecast(ctx, list)
	if err != nil {
		return outcome{}, err
	}
	data := map[string]any{"results": views}
	if list.Truncated {
		data["incomplete"] = true
	}
	return outcome{plural(len(views), "warning") + "." + text, data}, nil
}

// forecast returns what will make posts fail, and lines about it.
func (c *call) forecast(ctx context.Context, list apiv1.ForecastList) ([]forecastView, string, error) {
	d, err := c.look(ctx)
	if err != nil {
		return nil, "", err
	}
	views, text := []forecastView{}, strings.Builder{}
	for i := range list.Results {
		e := &list.Results[i]
		v := forecastView{Kind: string(e.Kind), Account: d.optionalName(e.SocialAccountID), Posts: e.PostIDs, Count: e.PostCount, Message: clip(c.forTools(e.Message), maxText)}
		if len(v.Posts) > 5 {
			v.Posts = v.Posts[:5]
		}
		if e.At != nil {
			v.At = d.local(e.At.Time)
		}
		views = append(views, v)
		fmt.Fprintf(&text, "\n%s %s %s", v.Kind, v.At, quote(v.Message, maxSaid))
		if len(v.Posts) > 0 {
			text.WriteString(" " + v.Posts[0])
			if v.Count > 1 {
				fmt.Fprintf(&text, " and %s", plural(v.Count-1, "other post"))
			}
		}
	}
	return views, text.String(), nil
}
