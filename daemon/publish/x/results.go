package x

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// What X charges for each post that it returns, in millionths of a US dollar
// (https://docs.x.com/x-api/getting-started/pricing). A post that it has charged is free until
// the end of the day in UTC, which X does not promise.
const (
	ownPrice   = 1_000 // for the posts of the account that owns the app
	otherPrice = 5_000
)

// smallestPage is the fewest posts of a page.
const smallestPage = 5

// scopeRead is the permission to read posts, which the login asks for.
const scopeRead = "tweet.read"

// metrics are the numbers of a post by their names in the API
// (https://docs.x.com/x-api/fundamentals/metrics).
var metrics = map[string]string{
	"impression_count": "views", "like_count": "reactions", "retweet_count": "reposts", "quote_count": "quotes", "reply_count": "replies",
	"bookmark_count": "saves", "url_link_clicks": "clicks", "user_profile_clicks": "",
}

// ResultsRules returns the rules for readings, which cost money. One post is read at a time:
// X charges for all posts in a range, and those between two of schedctl are not wanted.
func (p *Publisher) ResultsRules(a schedctl.Account) publish.ResultsRules {
	const day = 24 * time.Hour
	rules := publish.ResultsRules{
		Metrics: []string{"views", "reactions", "reposts", "quotes", "replies", "clicks", "saves"}, Batch: 1, Scope: scopeRead,
		Points: []time.Duration{time.Hour, day, 3 * day, 7 * day, 28 * day}, Window: 30 * day, AllReplies: true,
		Price: otherPrice, AtLeast: smallestPage, Off: true,
	}
	if a.Options.Bool(schedctl.OptionOwnApp) {
		rules.Price = ownPrice
	}
	return rules
}

// Results reads a post in the list of the account's posts, which X charges less for than a
// post by its id. A post that is not in the list is asked for by its id: only that proves that
// it is gone.
func (p *Publisher) Results(ctx context.Context, r publish.ResultsRequest) (publish.ResultsReading, error) {
	reading := publish.ResultsReading{Results: map[string]publish.Result{}}
	a, err := p.parseCredentials(r.Credentials)
	if err != nil {
		return reading, publish.NotPublished(err)
	}
	if !numericID().MatchString(a.owner) {
		return reading, publish.Contentf(fieldUser, "schedctl does not know the id of the account on X; verify the account")
	}
	for _, id := range r.IDs {
		n, err := strconv.ParseUint(id, 10, 64)
		if err != nil || n == 0 {
			continue // not an id of X
		}
		if err := p.readResult(ctx, a, p.ResultsRules(r.Account), id, n, &reading); err != nil {
			return reading, err
		}
	}
	return reading, nil
}

// readResult reads one post.
func (p *Publisher) readResult(ctx context.Context, a access, rules publish.ResultsRules, id string, n uint64, reading *publish.ResultsReading) error {
	query := url.Values{
		"since_id": {strconv.FormatUint(n-1, 10)}, "until_id": {strconv.FormatUint(n+1, 10)}, "max_results": {strconv.Itoa(smallestPage)},
		"tweet.fields": {"public_metrics,non_public_metrics"},
	}
	var page struct {
		Data []counted       `json:"data"`
		Meta json.RawMessage `json:"meta"`
	}
	if err := p.readCounts(ctx, a, a.endpoint(query, "users", a.owner, "tweets"), &page, reading, rules.Price); err != nil {
		return err
	}
	if page.Meta == nil || string(page.Meta) == "null" {
		reading.Cost += max(1, int64(len(page.Data))) * rules.Price
		return unreadableCounts()
	}
	reading.Cost += int64(len(page.Data)) * rules.Price
	for _, post := range page.Data {
		if post.ID == id {
			reading.Results[id] = publish.Result{Metrics: post.metrics()}
			return nil
		}
	}
	var one struct {
		Data   *counted `json:"data"`
		Errors []struct {
			ID    string `json:"resource_id"`
			Value string `json:"value"`
			Type  string `json:"type"`
		} `json:"errors"`
	}
	if err := p.readCounts(ctx, a, a.endpoint(url.Values{"tweet.fields": {"public_metrics"}}, "tweets", id), &one, reading, otherPrice); err != nil {
		return err
	}
	switch {
	case one.Data != nil && one.Data.ID == id:
		reading.Cost += otherPrice
		reading.Results[id] = publish.Result{Metrics: one.Data.metrics()}
	case len(one.Errors) == 1 && notFound(one.Errors[0].Type) && (one.Errors[0].ID == id || one.Errors[0].Value == id):
		reading.Results[id] = publish.Result{Gone: true}
	case len(one.Errors) == 0:
		return unreadableCounts()
	}
	return nil
}

// notFound reports whether a type of a problem is that of a post that X does not have.
func notFound(kind string) bool {
	return strings.HasSuffix(kind, "/2/problems/resource-not-found")
}

// readCounts sends a request for the numbers of a post. X may have charged its price also if
// the response is lost or cannot be read.
func (p *Publisher) readCounts(ctx context.Context, a access, u *url.URL, into any, reading *publish.ResultsReading, price int64) error {
	reading.Requests++
	response, err := p.get(ctx, a, u)
	if err != nil {
		if publish.AsError(err).Outcome == schedctl.OutcomeUnknown {
			reading.Cost += price
		}
		return publish.NotPublished(err)
	}
	if response.Status != http.StatusOK {
		return refusedResults(response, p.now(), a)
	}
	if at := outbound.LowUntil(response.Header, p.now()); at.After(reading.NotBefore) {
		reading.NotBefore = at
	}
	if response.Cut || json.Unmarshal(response.Body, into) != nil {
		reading.Cost += price
		return unreadableCounts()
	}
	return nil
}

func unreadableCounts() error {
	return outbound.NoResults(outbound.Response{Status: http.StatusOK}, "X")
}

// refusedResults returns the error of a refused reading. X has no words of its own for a
// session of OAuth 2.0 that lacks the permission to read.
func refusedResults(response outbound.Response, now time.Time, a access) error {
	e, known := refusal(response, publish.PurposeResults, now, a), parseProblem(response)
	e.Outcome = schedctl.OutcomeNotPublished
	if response.Status == http.StatusForbidden && known.title == "forbidden" && known.detail == "forbidden" {
		e.Code = string(publish.HoldScope)
	}
	return e
}

// counted is a post with its numbers.
type counted struct {
	ID        string         `json:"id"`
	Public    map[string]any `json:"public_metrics"`
	NonPublic map[string]any `json:"non_public_metrics"`
}

func (c counted) metrics() schedctl.Metrics {
	m := publish.MetricsOf(c.Public, metrics)
	private := publish.MetricsOf(c.NonPublic, metrics)
	m.Clicks, m.Other = private.Clicks, private.Other
	return m
}
