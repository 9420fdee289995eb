package slack

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// scopeHistory is the permission to read a public channel. A private one needs
// groups:history.
const scopeHistory = "channels:history"

// ResultsRules returns the rules for readings. A webhook cannot read its messages.
func (p *Publisher) ResultsRules(a schedctl.Account) publish.ResultsRules {
	rules := publish.ResultsRules{Metrics: []string{"reactions", "replies"}, Batch: 1, Scope: scopeHistory, AllReplies: true}
	if isWebhook(a) {
		rules.Refused = "A webhook cannot read its messages. On Slack, connect a bot instead to have their numbers."
	}
	return rules
}

// isWebhook reports whether an account is a webhook, whose page is a server and no channel.
func isWebhook(a schedctl.Account) bool {
	u, err := url.Parse(a.ProfileURL)
	return err == nil && u.Host != "" && strings.Trim(u.Path, "/") == ""
}

// Results reads messages in the history of the channel, which lists the message before if
// one was deleted.
func (p *Publisher) Results(ctx context.Context, r publish.ResultsRequest) (publish.ResultsReading, error) {
	reading := publish.ResultsReading{Results: map[string]publish.Result{}}
	a, err := p.parseCredentials(r.Credentials)
	if err == nil && a.webhook != nil {
		err = publish.CannotAsk("a webhook cannot list its messages")
	}
	if err != nil {
		return reading, publish.NotPublished(err)
	}
	for _, ts := range r.IDs {
		if !timestamp().MatchString(ts) {
			continue
		}
		if err := p.readMessage(ctx, a, ts, &reading); err != nil {
			return reading, err
		}
	}
	return reading, nil
}

// counted is a page of the history with numbers.
type counted struct {
	Messages []struct {
		TS        string           `json:"ts"`
		Subtype   string           `json:"subtype"`
		Reactions []map[string]any `json:"reactions"`
		Replies   json.RawMessage  `json:"reply_count"`
	} `json:"messages"`
	Limited bool `json:"is_limited"` // the plan of the workspace hides older messages
}

func (p *Publisher) readMessage(ctx context.Context, a access, ts string, reading *publish.ResultsReading) error {
	query := url.Values{"channel": {a.channel}, "latest": {ts}, "inclusive": {"true"}, "limit": {"1"}}
	reading.Requests++
	var page counted
	header, err := p.getWithHeader(ctx, a, publish.PurposeResults, "conversations.history", query, &page)
	if err != nil {
		return refusedResults(err)
	}
	reading.NotBefore = outbound.LowUntil(header, time.Now())
	if page.Messages == nil {
		return outbound.NoResults(outbound.Response{Status: http.StatusOK}, "Slack")
	}
	for _, m := range page.Messages {
		if m.TS != ts {
			continue
		}
		if reading.Results[ts] = (publish.Result{Gone: true}); m.Subtype != "tombstone" {
			reading.Results[ts] = publish.Result{Metrics: schedctl.Metrics{Reactions: total(m.Reactions), Replies: replies(m.Replies)}}
		}
		return nil
	}
	if !page.Limited {
		reading.Results[ts] = publish.Result{Gone: true}
	}
	return nil
}

// refusedResults returns the error of a refused reading, which does not hold the account.
func refusedResults(err error) error {
	e, ok := errors.AsType[*publish.Error](publish.NotPublished(err))
	if ok && e.Code == codeMissingScope {
		e.Kind = schedctl.KindContent
		e.Message = "the token has no scope to read the channel, such as " + scopeHistory + ": add it to the app, reinstall it, and reconnect the account with the new token"
	}
	return e
}

// total returns the sum of reactions, 0 for none: Slack leaves them out of a message without
// any.
func total(reactions []map[string]any) *int64 {
	sum := new(int64(0))
	for _, reaction := range reactions {
		n := publish.Count(reaction["count"])
		if n == nil {
			return nil
		}
		sum = schedctl.AddGiven(sum, n)
	}
	return sum
}

// replies returns how many replies a message has. Slack leaves the number out of a message
// without any.
func replies(raw json.RawMessage) *int64 {
	if raw == nil {
		return new(int64(0))
	}
	var n any
	_ = json.Unmarshal(raw, &n)
	return publish.Count(n)
}
