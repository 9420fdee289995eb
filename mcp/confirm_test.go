package mcp_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/mcp"
)

// asker is a client over stdio that may be asked for confirmations.
type asker struct {
	session  *sdk.ClientSession
	messages []string
	hangUp   func()        // ends the client's requests
	done     chan struct{} // closed when the server has ended
}

// dial connects a client that speaks a revision. answer is its reaction to a question, nil
// for a client that cannot be asked.
func (f *fixture) dial(secret, revision string, answer func(*asker) (*sdk.ElicitResult, error)) *asker {
	f.t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	a := &asker{hangUp: func() { fromClient.Close() }, done: make(chan struct{})}
	caller, err := mcp.Read(f.t.Context(), f.client(secret))
	f.ok(err)
	go func() {
		(&mcp.Server{Version: "test"}).RunStdio(f.t.Context(), caller, toServer, fromServer)
		fromServer.Close()
		close(a.done)
	}()
	options := &sdk.ClientOptions{}
	if answer != nil {
		options.ElicitationHandler = func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			a.messages = append(a.messages, r.Params.Message)
			return answer(a)
		}
	}
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options)
	a.session, err = c.Connect(f.t.Context(), &sdk.IOTransport{Reader: toClient, Writer: fromClient}, &sdk.ClientSessionOptions{ProtocolVersion: revision})
	f.ok(err)
	f.t.Cleanup(func() {
		a.hangUp()
		<-a.done
	})
	return a
}

// scheduledPost returns a new post that is scheduled.
func (f *fixture) scheduledPost(c *client.Client, text string) apiv1.Post {
	f.t.Helper()
	at := time.Date(2090, time.January, 2, 3, 4, 0, 0, time.UTC)
	p, err := c.CreatePost(f.t.Context(), apiv1.CreatePost{Content: text, SocialAccountIDs: []string{f.account}, PublishAt: apiv1.At(at)})
	f.ok(err)
	return p
}

func TestConfirmation(t *testing.T) {
	t.Parallel()
	const session, sessionless = "2025-11-25", "2026-07-28"
	action := func(name string) func(*asker) (*sdk.ElicitResult, error) {
		return func(*asker) (*sdk.ElicitResult, error) { return &sdk.ElicitResult{Action: name}, nil }
	}
	for name, tt := range map[string]struct {
		revision string
		answer   func(*asker) (*sdk.ElicitResult, error)
		asked    bool
		refused  string // a part of the error; empty for a call that is made
	}{
		"accepts":               {session, action("accept"), true, ""},
		"declines":              {session, action("decline"), true, "the person declined; nothing was changed"},
		"cancels":               {session, action("cancel"), true, "the person declined; nothing was changed"},
		"fails":                 {session, func(*asker) (*sdk.ElicitResult, error) { return nil, errors.New("no window") }, true, "could not ask"},
		"hangs up":              {session, func(a *asker) (*sdk.ElicitResult, error) { a.hangUp(); return nil, io.EOF }, true, "-"},
		"cannot be asked":       {session, nil, false, ""},
		"of the new revision":   {sessionless, action("decline"), false, ""},
		"cannot, and is as new": {sessionless, nil, false, ""},
	} {
		for tool, after := range map[string]schedctl.Status{"cancel_post": schedctl.Canceled, "publish_now": schedctl.Publishing} {
			t.Run(name+" "+tool, func(t *testing.T) {
				t.Parallel()
				f := newFixture(t)
				secret := f.publisher()
				c := f.client(secret)
				p := f.scheduledPost(c, "First words\nof a \x1b[2Jpost. "+strings.Repeat("x", 200))
				a := f.dial(secret, tt.revision, tt.answer)
				result, err := a.session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: map[string]any{"id": p.ID, "version": p.Version}})
				if tt.refused != "-" {
					f.ok(err)
					text := result.Content[0].(*sdk.TextContent).Text
					if result.IsError != (tt.refused != "") || !strings.Contains(text, tt.refused) || tt.refused != "" && !strings.Contains(text, "NOT_CONFIRMED") {
						t.Errorf("the result is %s", text)
					}
				} else {
					<-a.done // long before the person's time is over
				}
				got, err := c.Post(t.Context(), p.ID)
				f.ok(err)
				if want := map[bool]schedctl.Status{true: schedctl.Scheduled, false: after}[tt.refused != ""]; got.Status != want {
					t.Errorf("the post is %s, want %s", got.Status, want)
				}
				if tt.refused != "" && got.Version != p.Version {
					t.Errorf("version %d after %d", got.Version, p.Version)
				}
				if (len(a.messages) == 1) != tt.asked {
					t.Fatalf("asked %q", a.messages)
				}
				for _, want := range []string{"Text: First words of a [2Jpost. xxx", "…", "Accounts: blog (fake)", "Scheduled time: Mon 2 Jan 2090 03:04 UTC"} {
					if tt.asked && !strings.Contains(a.messages[0], want) {
						t.Errorf("the message lacks %q: %q", want, a.messages[0])
					}
				}
			})
		}
	}
}

// Calls that change nothing that is published at once are not confirmed, and neither are
// calls that the daemon refuses or that repeat an earlier one.
func TestWhatIsNotConfirmed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	secret := f.publisher()
	p := f.scheduledPost(f.client(secret), "text")
	a := f.dial(secret, "2025-11-25", func(*asker) (*sdk.ElicitResult, error) { return &sdk.ElicitResult{Action: "accept"}, nil })
	call := func(tool string, arguments map[string]any) string {
		t.Helper()
		result, err := a.session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
		f.ok(err)
		return result.Content[0].(*sdk.TextContent).Text
	}
	call("create_draft", map[string]any{"content": "x"})
	call("reschedule_post", map[string]any{"id": p.ID, "version": p.Version, "publish_at": "2090-01-03T00:00:00Z"})
	if text := call("cancel_post", map[string]any{"id": p.ID, "version": p.Version}); !strings.Contains(text, "VERSION_MISMATCH") {
		t.Errorf("the result is %s", text)
	}
	if text := call("cancel_post", map[string]any{"id": "post_no", "version": 1}); !strings.Contains(text, "error") {
		t.Errorf("the result is %s", text)
	}
	if len(a.messages) > 0 {
		t.Errorf("asked %q", a.messages)
	}
	call("cancel_post", map[string]any{"id": p.ID, "version": p.Version + 1})
	if text := call("cancel_post", map[string]any{"id": p.ID, "version": p.Version + 1}); !strings.Contains(text, "the call was made before") {
		t.Errorf("the result is %s", text)
	}
	if len(a.messages) != 1 {
		t.Errorf("asked %q", a.messages)
	}
}
