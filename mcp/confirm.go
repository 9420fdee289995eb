package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// AskTimeout is how long a person has to confirm a call, in addition to [CallTimeout].
const AskTimeout = 5 * time.Minute

// codeNotConfirmed is the code of the result of a call that a person was asked about and
// did not confirm.
const codeNotConfirmed = "NOT_CONFIRMED"

// errNotConfirmed is the error of a call that was not confirmed.
type errNotConfirmed string

func (e errNotConfirmed) Error() string { return string(e) }

type sessionKey struct{}

// withSession returns a context for the handlers of a session in which the client can be
// asked until ended is closed.
func withSession(ctx context.Context, ended <-chan struct{}) context.Context {
	return context.WithValue(ctx, sessionKey{}, ended)
}

// asks reports whether a call of the tool is confirmed by a person first: if the transport
// has a session, and the client has declared that it can show forms. The revision
// 2026-07-28 has no requests from the server to the client.
func (t *tool) asks(ctx context.Context, session *sdk.ServerSession) bool {
	const withoutSessions = "2026-07-28"
	if t.question == "" || session == nil || ctx.Value(sessionKey{}) == nil {
		return false
	}
	p := session.InitializeParams()
	if p == nil || p.ProtocolVersion >= withoutSessions || p.Capabilities == nil || p.Capabilities.Elicitation == nil {
		return false
	}
	can := p.Capabilities.Elicitation
	return can.Form != nil || can.URL == nil // older clients declare neither
}

// confirm asks the person at the client about a call. It returns an error unless the person
// accepts. This is a courtesy: what a caller may do depends only on the key.
func (t *tool) confirm(ctx context.Context, c *call, session *sdk.ServerSession) error {
	var of struct {
		identified
		version
	}
	if err := json.Unmarshal(c.arguments, &of); err != nil {
		return nil // the call reports it
	}
	p, err := c.Client.Post(ctx, of.ID)
	if err != nil || p.Version != of.Version {
		return nil // a repeated call, or one that the daemon refuses
	}
	ctx, cancel := context.WithTimeout(ctx, AskTimeout)
	defer cancel()
	go func() {
		select {
		case <-ctx.Value(sessionKey{}).(<-chan struct{}):
			cancel()
		case <-ctx.Done():
		}
	}()
	answer, err := session.Elicit(ctx, &sdk.ElicitParams{
		Mode: "form", Message: t.describePost(p, accountNames(ctx, c.Client)),
		RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`),
	})
	switch {
	case err != nil:
		return errNotConfirmed("the client could not ask for a confirmation; nothing was changed")
	case answer.Action != "accept":
		return errNotConfirmed("the person declined; nothing was changed")
	}
	return nil
}

// accountNames returns the names of the accounts by their ids, as far as the key may read
// them.
func accountNames(ctx context.Context, c *client.Client) map[string]string {
	names := map[string]string{}
	list, _ := c.Accounts(ctx, client.AccountQuery{Status: "all"}) // without them, ids are shown
	for _, a := range list {
		names[a.ID] = a.Name + " (" + a.Platform + ")"
	}
	return names
}

// maxWords is how many characters of a text are shown.
const maxWords = 120

// describePost returns the question about a call of the tool, with the first words of the
// post, its accounts and its time.
func (t *tool) describePost(p apiv1.Post, names map[string]string) string {
	accounts := make([]string, len(p.SocialAccountIDs))
	for i, id := range p.SocialAccountIDs {
		accounts[i] = plain(cmp.Or(names[id], id), maxWords)
	}
	at := "none, it is a draft"
	if p.PublishAt != nil {
		at = p.PublishAt.UTC().Format("Mon 2 Jan 2006 15:04 MST")
	}
	text := plain(p.Content, maxWords)
	if text == "" {
		text = fmt.Sprintf("no text, %d media files", len(p.Media))
	}
	return fmt.Sprintf("%s\n\nText: %s\nAccounts: %s\nScheduled time: %s", t.question, text, strings.Join(accounts, ", "), at)
}
