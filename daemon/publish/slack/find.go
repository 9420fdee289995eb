package slack

import (
	"context"
	"encoding/json"
	"fmt"
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
// the request's key. It returns an error if the account is a webhook, if the bot
// lacks the scope channels:history, or if the history has more messages than it
// reads.
func (p *Publisher) Find(ctx context.Context, r publish.Request, since time.Time) (schedctl.Receipt, bool, error) {
	a, err := p.parseCredentials(r.Credentials)
	if err != nil {
		return schedctl.Receipt{}, false, err
	}
	if a.webhook != nil {
		return schedctl.Receipt{}, false, cannotAsk("a webhook cannot list its messages")
	}
	query := url.Values{
		"channel": {a.channel}, "limit": {pageSize}, "include_all_metadata": {"true"},
	}
	if !since.IsZero() {
		query.Set("oldest", fmt.Sprintf("%d.000000", since.Add(-maxClockSkew).Unix()))
	}
	for range maxPages {
		var h history
		if err := p.get(ctx, a, "conversations.history", query, &h); err != nil {
			return schedctl.Receipt{}, false, err
		}
		if ts := h.find(r.Key); ts != "" {
			return receipt(r.Account.ProfileURL, a.channel, ts), true, nil
		}
		if h.Metadata.NextCursor == "" || h.Metadata.NextCursor == query.Get("cursor") {
			return schedctl.Receipt{}, false, nil
		}
		query.Set("cursor", h.Metadata.NextCursor)
	}
	return schedctl.Receipt{}, false, cannotAsk("the channel has too many newer messages to search")
}

func cannotAsk(why string) error {
	return &publish.Error{Kind: schedctl.KindPlatform, Code: publish.CodeCannotAsk, Message: why, Outcome: schedctl.OutcomeUnknown}
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
