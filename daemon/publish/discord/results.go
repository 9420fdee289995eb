package discord

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// codeUnknownChannel is Discord's code of a channel or thread that does not exist.
const codeUnknownChannel = "10003"

// ResultsRules returns the rules for readings: a webhook reads its own messages, one at a time.
func (p *Publisher) ResultsRules(schedctl.Account) publish.ResultsRules {
	return publish.ResultsRules{Metrics: []string{"reactions"}, Batch: 1}
}

// Results reads messages of the webhook. In a forum, a post is the first message of a thread
// with the same id.
func (p *Publisher) Results(ctx context.Context, r publish.ResultsRequest) (publish.ResultsReading, error) {
	reading := publish.ResultsReading{Results: map[string]publish.Result{}}
	w, err := p.parseWebhook(r.Credentials["webhook_url"])
	if err != nil {
		return reading, publish.NotPublished(err)
	}
	for _, id := range r.IDs {
		if !snowflake().MatchString(id) {
			continue
		}
		in := w
		forum := w.thread == "" && r.Account.Options.Bool("forum")
		if forum {
			in.thread = id
		}
		result, err := p.readMessage(ctx, in, id, forum, &reading)
		if err != nil {
			return reading, err
		}
		if result != nil {
			reading.Results[id] = *result
		}
	}
	return reading, nil
}

// readMessage reads a message. It returns nil if nothing is known about it.
func (p *Publisher) readMessage(ctx context.Context, w webhook, id string, forum bool, reading *publish.ResultsReading) (*publish.Result, error) {
	reading.Requests++
	a, err := outbound.Get(ctx, p.client, w.messageURL(id), outbound.Header(p.userAgent, ""))
	if err != nil {
		return nil, publish.NotPublished(err)
	}
	reading.NotBefore = outbound.LowUntil(a.Header, time.Now())
	if a.Status != http.StatusOK {
		e := refusal(a, publish.PurposeResults, time.Now(), w.token)
		e.Outcome = schedctl.OutcomeNotPublished
		switch {
		case a.Status != http.StatusNotFound || e.Code != codeUnknownMessage && !(forum && e.Code == codeUnknownChannel):
			return nil, e
		case !older(w.id, id):
			return nil, nil // a message of the webhook that the account had before
		}
		return &publish.Result{Gone: true}, nil
	}
	var message struct {
		ID        any              `json:"id"`
		Reactions []map[string]any `json:"reactions"`
	}
	if a.Cut || json.Unmarshal(a.Body, &message) != nil || message.ID != id {
		return nil, outbound.NoResults(a, "Discord")
	}
	return &publish.Result{Metrics: schedctl.Metrics{Reactions: total(message.Reactions)}}, nil
}

// older reports whether an object of Discord was made before another one. Ids grow with time.
func older(a, b string) bool {
	first, err := strconv.ParseUint(a, 10, 64)
	second, err2 := strconv.ParseUint(b, 10, 64)
	return err == nil && err2 == nil && first < second
}

// total returns the sum of reactions. It is nil without reactions: Discord leaves them out of
// a message that has none, and some servers do so for every message of a webhook.
func total(reactions []map[string]any) *int64 {
	var sum *int64
	for _, reaction := range reactions {
		n := publish.Count(reaction["count"])
		if n == nil {
			return nil
		}
		sum = schedctl.AddGiven(sum, n)
	}
	return sum
}
