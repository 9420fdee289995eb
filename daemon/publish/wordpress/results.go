package wordpress

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// codeMissing is the code of a post that the site does not have.
const codeMissing = "rest_post_invalid_id"

var postID = pattern.Lazy(`^[1-9][0-9]{0,18}$`)

// ResultsRules returns the rules for readings. WordPress counts comments and nothing else.
func (p *Publisher) ResultsRules(schedctl.Account) publish.ResultsRules {
	return publish.ResultsRules{Metrics: []string{"replies"}, Batch: 1, AllReplies: true}
}

// Results reads posts, and how many comments on them are approved.
func (p *Publisher) Results(ctx context.Context, r publish.ResultsRequest) (publish.ResultsReading, error) {
	reading := publish.ResultsReading{Results: map[string]publish.Result{}}
	s, err := p.parseCredentials(r.Credentials)
	if err != nil {
		return reading, notPublished(err)
	}
	for _, id := range r.IDs {
		if !postID().MatchString(id) {
			continue
		}
		gone, err := p.isGone(ctx, s, r.Credentials, id, &reading)
		if err != nil {
			return reading, err
		}
		if gone {
			reading.Results[id] = publish.Result{Gone: true}
			continue
		}
		comments, err := p.comments(ctx, s, r.Credentials, id, &reading)
		if err != nil {
			return reading, err
		}
		if comments != nil {
			reading.Results[id] = publish.Result{Metrics: schedctl.Metrics{Replies: comments}}
		}
	}
	return reading, nil
}

// isGone reports whether the site no longer has a post, or has it in the trash.
func (p *Publisher) isGone(ctx context.Context, s site, given publish.Credentials, id string, reading *publish.ResultsReading) (bool, error) {
	a, err := p.read(ctx, s, url.Values{"context": {"edit"}, "_fields": {"id,status"}}, reading, "posts", id)
	switch {
	case err != nil:
		return false, err
	case a.Status == http.StatusNotFound && codeOf(a) == codeMissing:
		return true, nil
	case a.Status != http.StatusOK:
		return false, notPublished(refusal(a, publish.PurposeResults, time.Now(), s.hidden(given)...))
	}
	var post struct {
		ID     json.Number `json:"id"`
		Status string      `json:"status"`
	}
	if a.Cut || json.Unmarshal(a.Body, &post) != nil || post.ID.String() != id {
		return false, outbound.NoResults(a, "the site")
	}
	return post.Status == "trash", nil
}

// comments returns how many comments on a post are approved, which WordPress says in a header.
func (p *Publisher) comments(ctx context.Context, s site, given publish.Credentials, id string, reading *publish.ResultsReading) (*int64, error) {
	a, err := p.read(ctx, s, url.Values{"post": {id}, "per_page": {"1"}, "_fields": {"id"}}, reading, "comments")
	if err != nil {
		return nil, err
	}
	if a.Status != http.StatusOK {
		return nil, notPublished(refusal(a, publish.PurposeResults, time.Now(), s.hidden(given)...))
	}
	var list []json.RawMessage
	if a.Cut || json.Unmarshal(a.Body, &list) != nil || list == nil {
		return nil, outbound.NoResults(a, "the site")
	}
	n, err := strconv.ParseInt(a.Header.Get("X-WP-Total"), 10, 64)
	if err != nil || n < int64(len(list)) {
		return nil, nil
	}
	return publish.Count(float64(n)), nil
}

// read sends a request that reads.
func (p *Publisher) read(ctx context.Context, s site, query url.Values, reading *publish.ResultsReading, path ...string) (outbound.Response, error) {
	reading.Requests++
	a, err := outbound.Get(ctx, p.client, s.endpoint(query, path...), p.header(s))
	if err != nil {
		return a, notPublished(err)
	}
	if at := outbound.LowUntil(a.Header, time.Now()); at.After(reading.NotBefore) {
		reading.NotBefore = at
	}
	return a, nil
}
