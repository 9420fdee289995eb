package matrix

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// ThreadRules allows threads.
func (p *Publisher) ThreadRules(schedctl.Account) publish.ThreadRules { return publish.ThreadRules{} }

// PollRules refuses polls. Their events are not part of the stable specification
// (https://github.com/matrix-org/matrix-spec-proposals/pull/3381), so many clients do not
// show them.
func (p *Publisher) PollRules(schedctl.Account) publish.PollRules {
	return publish.PollRules{Refused: "schedctl publishes no polls to Matrix, because many clients do not show them; remove the poll, or leave the account out"}
}

// relation makes an event a part of a thread
// (https://spec.matrix.org/latest/client-server-api/#threading). Clients without threads
// show it as a reply to the event before it.
type relation struct {
	RelType       string  `json:"rel_type"`
	EventID       string  `json:"event_id"` // of the root
	IsFallingBack bool    `json:"is_falling_back"`
	InReplyTo     replyTo `json:"m.in_reply_to"`
}

type replyTo struct {
	EventID string `json:"event_id"`
}

// newRelation returns the relation of the events of a part, or nil for part 0.
func newRelation(r publish.Request) *relation {
	if r.Part == 0 {
		return nil
	}
	return &relation{RelType: "m.thread", EventID: r.Root.ID, IsFallingBack: true, InReplyTo: replyTo{r.Parent.ID}}
}

// checkParent returns an error unless the root of the thread and the part before this
// one exist. A homeserver accepts relations to any event.
func (p *Publisher) checkParent(ctx context.Context, s session, r publish.Request) error {
	if err := publish.CheckReplyIDs(&r); err != nil || r.Part == 0 {
		return err
	}
	err := p.checkEvent(ctx, s, r.Root.ID)
	if err == nil && r.Parent.ID != r.Root.ID {
		err = p.checkEvent(ctx, s, r.Parent.ID)
	}
	return err
}

// checkEvent returns an error if an event does not exist, or was redacted, which removes
// its content.
func (p *Publisher) checkEvent(ctx context.Context, s session, id string) error {
	a, err := outbound.Get(ctx, p.client, s.endpoint("rooms", s.room, "event", id).String(), outbound.Header(p.userAgent, s.token))
	if err != nil {
		return publish.NotPublished(err)
	}
	var event struct {
		Content  map[string]json.RawMessage `json:"content"`
		Unsigned struct {
			RedactedBecause json.RawMessage `json:"redacted_because"`
		} `json:"unsigned"`
	}
	switch {
	case a.Status == http.StatusNotFound && refusal(a, publish.PurposeLookup, time.Now()).Code == codeNotFound:
		return publish.ParentMissing(a.Status)
	case a.Status == http.StatusOK && !a.Cut && json.Unmarshal(a.Body, &event) == nil && event.Content != nil:
		if because := event.Unsigned.RedactedBecause; len(event.Content) == 0 || len(because) > 0 && !bytes.Equal(because, []byte("null")) {
			return publish.ParentMissing(a.Status)
		}
		return nil
	}
	return notSaid(a, publish.PurposeLookup, s, "whether the post that this part replies to exists")
}
