package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

const (
	// maxClockSkew is how much the clocks of Slack and of this machine may differ. A
	// clock may be changed by an hour between an attempt and the search for its
	// message.
	maxClockSkew = 2 * time.Hour

	pageSize = "50"
	maxPages = 20
)

// Find reads the history of the channel from two hours before since and looks for
// the request's key. For a reply it reads the thread first. It returns an error if the
// account is a webhook, if the bot lacks the scope channels:history, or if there are
// more messages than it reads.
func (p *Publisher) Find(ctx context.Context, r publish.Request, since time.Time) (schedctl.Receipt, bool, error) {
	a, err := p.parseCredentials(r.Credentials)
	if err != nil {
		return schedctl.Receipt{}, false, err
	}
	if a.webhook != nil {
		return schedctl.Receipt{}, false, publish.CannotAsk("a webhook cannot list its messages")
	}
	query := url.Values{
		"channel": {a.channel}, "limit": {pageSize}, "include_all_metadata": {"true"},
	}
	if !since.IsZero() {
		query.Set("oldest", fmt.Sprintf("%d.000000", since.Add(-maxClockSkew).Unix()))
	}
	if r.Part > 0 && r.Root != nil && r.Root.ID != "" {
		ts, err := p.search(ctx, a, "conversations.replies", r, withTS(query, r.Root.ID))
		if err != nil || ts != "" {
			return receipt(r, a.channel, ts), err == nil, err
		}
	}
	ts, err := p.search(ctx, a, "conversations.history", r, query)
	if err != nil || ts == "" {
		return schedctl.Receipt{}, false, err
	}
	found := receipt(r, a.channel, ts)
	if r.Part > 0 {
		found.Degraded = publish.LostParent()
	}
	return found, true, nil
}

// withTS returns a copy of a query for the thread of a message.
func withTS(query url.Values, ts string) url.Values {
	query = maps.Clone(query)
	query.Set("ts", ts)
	return query
}

// search returns the ts of the message with the request's key in the messages that a
// method lists, or the empty string.
func (p *Publisher) search(ctx context.Context, a access, method string, r publish.Request, query url.Values) (string, error) {
	for range maxPages {
		var h history
		err := p.get(ctx, a, publish.PurposeLookup, method, query, &h)
		e, refused := errors.AsType[*publish.Error](err)
		if refused && e.Code == threadMissing {
			return "", nil
		}
		if refused && e.Kind == schedctl.KindAuth && !tokenEnded[e.Code] {
			return "", publish.CannotAsk(e.Message)
		}
		if err != nil {
			return "", err
		}
		if ts := h.find(r.Key); ts != "" {
			return ts, nil
		}
		if h.Metadata.NextCursor == "" || h.Metadata.NextCursor == query.Get("cursor") {
			return "", nil
		}
		query.Set("cursor", h.Metadata.NextCursor)
	}
	return "", publish.CannotAsk("the channel has too many newer messages to search")
}

// history is a page of a channel's messages.
type history struct {
	Messages []struct {
		TS       string          `json:"ts"`
		Metadata json.RawMessage `json:"metadata"` // may have any form: other apps write it too
	} `json:"messages"`
	Metadata struct {
		NextCursor string `json:"next_cursor"`
	} `json:"response_metadata"`
}

// find returns the ts of the message with the key, or the empty string.
func (h history) find(key string) string {
	for _, m := range h.Messages {
		var own metadata
		if json.Unmarshal(m.Metadata, &own) == nil && own == (metadata{eventType, eventPayload{key}}) && timestamp().MatchString(m.TS) {
			return m.TS
		}
	}
	return ""
}
