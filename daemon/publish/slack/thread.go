package slack

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

const webhookCannotReply = "an incoming webhook cannot reply; connect a bot of the same channel as another account, or remove the thread and the first comment"

// ThreadRules allows threads of bots. All parts reply to part 0, because Slack's threads
// have one level.
func (p *Publisher) ThreadRules(a schedctl.Account) publish.ThreadRules {
	if isWebhookProfile(a.ProfileURL) {
		return publish.ThreadRules{Refused: webhookCannotReply}
	}
	return publish.ThreadRules{}
}

// tombstone is the subtype of a deleted message that has replies.
const tombstone = "tombstone"

// The errors of a message that does not exist: those of a thread and of a message.
const (
	threadMissing  = "thread_not_found"
	messageMissing = "message_not_found"
)

// checkParent returns an error unless the root of the thread and the part before this one
// exist. Slack posts a reply to a missing message as a message of its own.
func (p *Publisher) checkParent(ctx context.Context, to access, r publish.Request) error {
	if err := publish.CheckReplyIDs(&r); err != nil || r.Part == 0 {
		return err
	}
	asked, err := p.checkRoot(ctx, to, r.Root.ID)
	if err == nil && !asked {
		err = p.checkMessage(ctx, to, r.Root.ID)
	}
	if err == nil && r.Parent.ID != r.Root.ID {
		err = p.checkMessage(ctx, to, r.Parent.ID)
	}
	return err
}

// checkRoot returns an error if the first message of a thread was deleted. asked is false
// if the bot may not read the thread, or not so often.
func (p *Publisher) checkRoot(ctx context.Context, to access, ts string) (asked bool, err error) {
	var thread struct {
		Messages []struct {
			TS      string `json:"ts"`
			Subtype string `json:"subtype"`
		} `json:"messages"`
	}
	err = p.get(ctx, to, publish.PurposePart, "conversations.replies", url.Values{"channel": {to.channel}, "ts": {ts}, "limit": {"1"}}, &thread)
	var e *publish.Error
	switch {
	case errors.As(err, &e) && e.Code == threadMissing:
		return true, publish.ParentMissing(e.HTTPStatus)
	case errors.As(err, &e) && (e.Kind == schedctl.KindRateLimited || e.HTTPStatus == http.StatusOK && e.Kind != schedctl.KindPlatform):
		return false, nil
	case err != nil:
		return false, err
	case len(thread.Messages) == 0, thread.Messages[0].TS != ts, thread.Messages[0].Subtype == tombstone:
		return true, publish.ParentMissing(http.StatusOK)
	}
	return true, nil
}

// checkMessage returns an error if a message does not exist. It needs no scope, but it
// may not notice a deleted message that has replies.
func (p *Publisher) checkMessage(ctx context.Context, to access, ts string) error {
	var link struct{}
	err := p.get(ctx, to, publish.PurposePart, "chat.getPermalink", url.Values{"channel": {to.channel}, "message_ts": {ts}}, &link)
	var e *publish.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code {
	case messageMissing:
		return publish.ParentMissing(e.HTTPStatus)
	case "channel_not_found", "not_in_channel", "missing_scope":
		// Not of kind auth, which would hold the posts without threads too.
		e.Kind = schedctl.KindContent
		e.Message = "the bot may not see the thread to which this part belongs; invite the bot to the channel, then retry"
	}
	return e
}

// replyRefusal returns the error of a refused reply.
func replyRefusal(err error, r publish.Request) error {
	if e := publish.AsError(err); r.Part > 0 && (e.Code == threadMissing || e.Code == messageMissing) {
		return publish.ParentMissing(e.HTTPStatus)
	}
	return err
}

// lostParent returns a degradation if the message in a response is certainly not in the
// thread of the request.
func lostParent(a outbound.Response, r publish.Request) schedctl.Degradation {
	var body struct {
		Message *struct {
			ThreadTS any `json:"thread_ts"`
		} `json:"message"`
	}
	if r.Part == 0 || json.Unmarshal(a.Body, &body) != nil || body.Message == nil || body.Message.ThreadTS == r.Root.ID {
		return schedctl.Degradation{}
	}
	return publish.LostParent()
}
