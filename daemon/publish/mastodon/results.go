package mastodon

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// maxBatch is how many statuses Mastodon returns by their ids, since version 4.3
// (https://docs.joinmastodon.org/methods/statuses/#index).
const maxBatch = 20

// ResultsRules returns the rules for readings. Only Mastodon and its forks, which count links
// with a fixed length, return several statuses at once.
func (p *Publisher) ResultsRules(a schedctl.Account) publish.ResultsRules {
	rules := publish.ResultsRules{Metrics: []string{"reactions", "reposts", "quotes", "replies"}, Batch: 1, Scope: "read:statuses"}
	if a.Limits.URLCharacters > 0 {
		rules.Batch = maxBatch
	}
	return rules
}

// Results reads statuses by their ids. Mastodon leaves out those that it does not have. A
// server that does not know this request is asked for each status.
func (p *Publisher) Results(ctx context.Context, r publish.ResultsRequest) (publish.ResultsReading, error) {
	reading := publish.ResultsReading{Results: map[string]publish.Result{}}
	u, err := parseServer(r.Credentials["instance_url"])
	if err != nil {
		return reading, err
	}
	if len(r.IDs) > 1 {
		served, err := p.readBatch(ctx, u, r, &reading)
		if served || err != nil {
			return reading, err
		}
	}
	for _, id := range r.IDs {
		if err := p.readOne(ctx, u, r, id, &reading); err != nil {
			return reading, err
		}
	}
	return reading, nil
}

// readBatch reads all statuses with one request. served is false if the server does not know
// the request.
func (p *Publisher) readBatch(ctx context.Context, u *url.URL, r publish.ResultsRequest, reading *publish.ResultsReading) (served bool, err error) {
	target := u.JoinPath("api/v1/statuses")
	target.RawQuery = url.Values{"id[]": r.IDs}.Encode()
	reading.Requests++
	a, err := outbound.Get(ctx, p.client, target.String(), p.header(r.Credentials))
	switch {
	case err != nil:
		return false, publish.NotPublished(err)
	case a.Status == http.StatusNotFound, a.Status == http.StatusMethodNotAllowed:
		return false, nil
	case a.Status != http.StatusOK:
		return false, refusedResults(a, r)
	}
	reading.NotBefore = outbound.LowUntil(a.Header, time.Now())
	var list []map[string]any
	if a.Cut || json.Unmarshal(a.Body, &list) != nil || list == nil {
		return false, outbound.NoResults(a, "the server")
	}
	for _, status := range list {
		if id, _ := status["id"].(string); id != "" {
			reading.Results[id] = publish.Result{Metrics: metricsOf(status)}
		}
	}
	for _, id := range r.IDs {
		if _, listed := reading.Results[id]; !listed {
			reading.Results[id] = publish.Result{Gone: true}
		}
	}
	return true, nil
}

// readOne reads one status. Only a 404 in JSON proves that the server does not have it.
func (p *Publisher) readOne(ctx context.Context, u *url.URL, r publish.ResultsRequest, id string, reading *publish.ResultsReading) error {
	reading.Requests++
	a, err := outbound.Get(ctx, p.client, u.JoinPath("api/v1/statuses", url.PathEscape(id)).String(), p.header(r.Credentials))
	if err != nil {
		return publish.NotPublished(err)
	}
	reading.NotBefore = outbound.LowUntil(a.Header, time.Now())
	var status map[string]any
	readable := !a.Cut && json.Unmarshal(a.Body, &status) == nil && status != nil
	switch named, _ := status["id"].(string); {
	case a.Status == http.StatusNotFound && readable && status["error"] != nil:
		reading.Results[id] = publish.Result{Gone: true}
	case a.Status != http.StatusOK && a.Status != http.StatusNotFound:
		return refusedResults(a, r)
	case !readable || named != id:
		return outbound.NoResults(a, "the server")
	default:
		reading.Results[id] = publish.Result{Metrics: metricsOf(status)}
	}
	return nil
}

// metricsOf returns the numbers of a status. No server reports views.
func metricsOf(status map[string]any) schedctl.Metrics {
	m := schedctl.Metrics{
		Reactions: publish.Count(status["favourites_count"]), Reposts: publish.Count(status["reblogs_count"]),
		Quotes: publish.Count(status["quotes_count"]), Replies: publish.Count(status["replies_count"]),
	}
	poll, _ := status["poll"].(map[string]any)
	if votes := publish.Count(poll["votes_count"]); votes != nil {
		m.Other = map[string]int64{"poll_votes": *votes}
	}
	return m
}

func refusedResults(a outbound.Response, r publish.ResultsRequest) error {
	words := outbound.ErrorText(a, r.Credentials["access_token"])
	e := outbound.Refusal(a, publish.PurposeResults, time.Now())
	e.Outcome = schedctl.OutcomeNotPublished
	if a.Status == http.StatusForbidden && lacksScope(a, strings.ToLower(words)) {
		e.Code = string(publish.HoldScope)
	}
	return outbound.WithErrorText(e, words)
}
