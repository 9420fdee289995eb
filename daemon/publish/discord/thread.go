package discord

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// codeUnknownMessage is Discord's code of a message that does not exist.
const codeUnknownMessage = "10008"

// ThreadRules allows threads. A part is a message after the one before it.
func (p *Publisher) ThreadRules(schedctl.Account) publish.ThreadRules { return publish.ThreadRules{} }

// checkParent returns an error if the message before a part was deleted. A webhook reads
// only its own messages, so the check is left out if the account got another webhook
// since. Servers without this method, or that do not allow it, do not prevent threads.
func (p *Publisher) checkParent(ctx context.Context, w webhook, r publish.Request) error {
	if err := publish.CheckReplyIDs(&r); err != nil {
		return err
	}
	if r.Part == 0 || parseReference(r.Parent.Ref).webhook != w.id {
		return nil
	}
	a, err := outbound.Get(ctx, p.client, w.messageURL(url.PathEscape(r.Parent.ID)), outbound.Header(p.userAgent, ""))
	if err != nil {
		return publish.NotPublished(err)
	}
	if a.Status == http.StatusOK || a.Status == http.StatusMethodNotAllowed {
		return nil
	}
	e := refusal(a, publish.PurposePart, time.Now(), w.token)
	switch {
	case e.Code == codeUnknownMessage:
		return publish.ParentMissing(a.Status)
	case a.Status == http.StatusNotFound && e.Code == "":
		return nil
	case a.Status == http.StatusForbidden && e.Kind == schedctl.KindContent: // about the question, not the part
		return nil
	}
	return publish.NotPublished(e)
}
