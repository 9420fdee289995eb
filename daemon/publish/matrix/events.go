package matrix

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// A request is one event: its text, or its file with the text as caption. With several
// files it is an event for the text, followed by one for each file. All of them belong
// to the same part, and each has a key of its own.

// eventKey returns the key of an event of a request. Keys of parts have no dots; see
// [publish.PartKey].
func eventKey(r publish.Request, index int) string {
	if index == 0 {
		return r.Key
	}
	return fmt.Sprintf("%s.%d", r.Key, index)
}

// eventCount returns the number of events of a request.
func eventCount(r publish.Request) int {
	if len(r.Files) > 1 && strings.TrimSpace(r.Content) != "" {
		return len(r.Files) + 1
	}
	return max(1, len(r.Files))
}

// newMessages returns the messages of a request in the order in which they are sent.
func newMessages(r publish.Request) []message {
	var list []message
	if len(r.Files) != 1 && (len(r.Files) == 0 || strings.TrimSpace(r.Content) != "") {
		list = append(list, message{MsgType: "m.text", Body: r.Content})
	}
	for _, f := range r.Files {
		caption := ""
		if len(r.Files) == 1 {
			caption = r.Content
		}
		list = append(list, fileMessage(r, f, caption))
	}
	for i := range list {
		list[i].Key, list[i].Relation = eventKey(r, i), newRelation(r)
	}
	return list
}

// sendAll sends the messages of a request that the room does not have yet. The receipt is
// that of the first one.
func (p *Publisher) sendAll(ctx context.Context, s session, r publish.Request) (first schedctl.Receipt, err error) {
	messages := newMessages(r)
	sent, err := p.sentBefore(ctx, s, r)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	for i, m := range messages {
		receipt, known := sent[m.Key]
		if !known {
			if receipt, err = p.send(ctx, s, r, m); err != nil {
				return incomplete(first, err, r, i, time.Now())
			}
		}
		if i == 0 {
			first = receipt
		}
	}
	return first, nil
}

// sentBefore returns the events of a request that earlier attempts have sent, by key.
// The transaction ids alone do not suffice: an attempt can be much later than the one
// before it, and with another access token. A single event is found by Find.
func (p *Publisher) sentBefore(ctx context.Context, s session, r publish.Request) (map[string]schedctl.Receipt, error) {
	if r.Attempt < 2 || eventCount(r) == 1 {
		return nil, nil
	}
	since := r.PublishAt
	if !since.IsZero() {
		since = since.Add(-24 * time.Hour) // the post may have been rescheduled
	}
	sent, err := p.search(ctx, s, r, since)
	if e, ok := errors.AsType[*publish.Error](err); ok && e.Code == publish.CodeCannotAsk {
		return sent, nil
	}
	return sent, err
}

// incomplete returns the result of a request whose event with the given index was not
// accepted. After the first event, a permanent refusal leaves a degraded post. After
// other errors the outcome is unknown, so that the request is repeated.
func incomplete(first schedctl.Receipt, err error, r publish.Request, index int, now time.Time) (schedctl.Receipt, error) {
	e := *publish.AsError(err)
	missing := eventCount(r) - index
	if wait := e.RetryAt.Sub(now); e.Kind == schedctl.KindRateLimited && wait > 0 {
		// A homeserver says when it takes the next event.
		e.RetryAt = now.Add(wait * time.Duration(missing))
	}
	refused := e.Outcome == schedctl.OutcomeNotPublished
	switch {
	case index == 0, e.Code == publish.CodeLeaseLapsed:
		return schedctl.Receipt{}, &e
	case refused && (e.Kind == schedctl.KindContent || e.Kind == schedctl.KindMedia):
		first.Degraded = publish.DegradedMedia(len(r.Files), len(r.Files)-missing)
		return first, nil
	}
	e.Outcome = schedctl.OutcomeUnknown
	e.Message = fmt.Sprintf("%d of the %d messages of the post are in the room: %s", index, eventCount(r), e.Message)
	return schedctl.Receipt{}, &e
}

// send sends a message with its key as the transaction id.
func (p *Publisher) send(ctx context.Context, s session, r publish.Request, m message) (schedctl.Receipt, error) {
	header := outbound.Header(p.userAgent, s.token)
	header.Set("Content-Type", "application/json")
	to := s.endpoint("rooms", s.room, "send", "m.room.message", m.Key)
	response, err := outbound.Put(ctx, p.client, to.String(), header, outbound.EncodeJSON(m))
	if err != nil {
		return schedctl.Receipt{}, err
	}
	return s.readResponse(response, r, time.Now(), r.Content)
}
