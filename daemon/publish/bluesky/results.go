package bluesky

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// maxPosts is how many posts app.bsky.feed.getPosts returns
// (https://docs.bsky.app/docs/api/app-bsky-feed-get-posts).
const maxPosts = 25

// ResultsRules returns the rules for readings.
func (p *Publisher) ResultsRules(schedctl.Account) publish.ResultsRules {
	return publish.ResultsRules{Metrics: []string{"reactions", "reposts", "quotes", "replies", "saves"}, Batch: maxPosts}
}

// Results reads posts through the account's server. The app of Bluesky, which counts, leaves
// out posts that it does not show. Whether such a post still exists, only the account's server
// knows: a post that is hidden or not indexed yet is not gone.
func (p *Publisher) Results(ctx context.Context, r publish.ResultsRequest) (publish.ResultsReading, error) {
	reading := publish.ResultsReading{Results: map[string]publish.Result{}}
	u, err := parseServer(r.Credentials["service_url"])
	if err == nil && (r.Credentials[fieldDID] == "" || r.Credentials[fieldAccess] == "") {
		err = noSession()
	}
	if err != nil {
		return reading, err
	}
	if err := p.readPosts(ctx, u, r, &reading); err != nil {
		return reading, err
	}
	for _, uri := range r.IDs {
		key := keyOf(r.Credentials[fieldDID], uri)
		if _, shown := reading.Results[uri]; shown || key == "" {
			continue
		}
		reading.Requests++
		_, exists, err := p.stored(ctx, publish.PurposeResults, u, r.Credentials, key)
		if err != nil {
			return reading, err
		}
		if !exists {
			reading.Results[uri] = publish.Result{Gone: true}
		}
	}
	return reading, nil
}

// readPosts adds the posts that the app of Bluesky shows.
func (p *Publisher) readPosts(ctx context.Context, u *url.URL, r publish.ResultsRequest, reading *publish.ResultsReading) error {
	target := u.JoinPath("xrpc", "app.bsky.feed.getPosts")
	target.RawQuery = url.Values{"uris": r.IDs}.Encode()
	reading.Requests++
	a, err := outbound.Get(ctx, p.client, target.String(), outbound.Header(p.userAgent, r.Credentials[fieldAccess]))
	if err != nil {
		return publish.NotPublished(err)
	}
	if a.Status != http.StatusOK {
		e := refusal(a, publish.PurposeResults, time.Now(), secrets(r.Credentials)...)
		e.Outcome = schedctl.OutcomeNotPublished
		return e
	}
	reading.NotBefore = outbound.LowUntil(a.Header, time.Now())
	var body struct {
		Posts []map[string]any `json:"posts"`
	}
	if a.Cut || json.Unmarshal(a.Body, &body) != nil || body.Posts == nil {
		return outbound.NoResults(a, "the server")
	}
	for _, post := range body.Posts {
		if uri, _ := post["uri"].(string); uri != "" {
			reading.Results[uri] = publish.Result{Metrics: schedctl.Metrics{
				Reactions: publish.Count(post["likeCount"]), Reposts: publish.Count(post["repostCount"]), Quotes: publish.Count(post["quoteCount"]),
				Replies: publish.Count(post["replyCount"]), Saves: publish.Count(post["bookmarkCount"]),
			}}
		}
	}
	return nil
}
