package matrix

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// Reactions are counted page by page.
const (
	reactionPage  = "100"
	reactionPages = 5
)

// ResultsRules returns the rules for readings, which need two requests for a post.
func (p *Publisher) ResultsRules(schedctl.Account) publish.ResultsRules {
	return publish.ResultsRules{Metrics: []string{"reactions", "replies"}, Batch: 1, AllReplies: true}
}

// Results reads events and counts the reactions to them. An event that was redacted is gone.
// One that the homeserver does not show may have been made before the user joined.
func (p *Publisher) Results(ctx context.Context, r publish.ResultsRequest) (publish.ResultsReading, error) {
	reading := publish.ResultsReading{Results: map[string]publish.Result{}}
	s, err := p.parseRoom(r.Credentials)
	if err != nil {
		return reading, publish.NotPublished(err)
	}
	for _, id := range r.IDs {
		if !isEvent(id) {
			continue
		}
		result, err := p.readCounts(ctx, s, id, &reading)
		if err != nil {
			return reading, publish.NotPublished(err)
		}
		reading.Results[id] = result
	}
	return reading, nil
}

// countedEvent is an event with what the homeserver knows about others that relate to it.
type countedEvent struct {
	ID       string `json:"event_id"`
	Unsigned struct {
		RedactedBecause json.RawMessage `json:"redacted_because"`
		Relations       struct {
			Thread struct {
				Count any `json:"count"`
			} `json:"m.thread"`
		} `json:"m.relations"`
	} `json:"unsigned"`
}

func (p *Publisher) readCounts(ctx context.Context, s session, id string, reading *publish.ResultsReading) (publish.Result, error) {
	var e countedEvent
	if err := p.count(ctx, s, s.endpoint("rooms", s.room, "event", id), &e, reading); err != nil {
		return publish.Result{}, err
	}
	switch {
	case e.ID != id:
		return publish.Result{}, outbound.NoResults(outbound.Response{Status: http.StatusOK}, "the homeserver")
	case len(e.Unsigned.RedactedBecause) > 0 && string(e.Unsigned.RedactedBecause) != "null":
		return publish.Result{Gone: true}, nil
	}
	reactions, more, err := p.reactions(ctx, s, id, reading)
	return publish.Result{Metrics: schedctl.Metrics{Reactions: reactions, Replies: publish.Count(e.Unsigned.Relations.Thread.Count)}, Estimated: more}, err
}

// reactions counts the reactions to an event
// (https://spec.matrix.org/latest/client-server-api/#relationships-api), up to 500.
// more reports that there are more of them.
func (p *Publisher) reactions(ctx context.Context, s session, id string, reading *publish.ResultsReading) (n *int64, more bool, err error) {
	u := s.server.JoinPath("_matrix", "client", "v1", "rooms", url.PathEscape(s.room), "relations", url.PathEscape(id), "m.annotation")
	query, seen := url.Values{"limit": {reactionPage}}, map[string]bool{}
	for range reactionPages {
		u.RawQuery = query.Encode()
		var page struct {
			Chunk []struct {
				ID   string `json:"event_id"`
				Type string `json:"type"`
			} `json:"chunk"`
			Next string `json:"next_batch"`
		}
		if err := p.count(ctx, s, u, &page, reading); err != nil {
			return nil, false, err
		}
		if page.Chunk == nil {
			return nil, false, outbound.NoResults(outbound.Response{Status: http.StatusOK}, "the homeserver")
		}
		for _, e := range page.Chunk {
			if e.Type == "m.reaction" {
				seen[e.ID] = true
			}
		}
		if more = page.Next != "" && page.Next != query.Get("from"); !more {
			break
		}
		query.Set("from", page.Next)
	}
	return new(int64(len(seen))), more, nil
}

// count reads a document.
func (p *Publisher) count(ctx context.Context, s session, u *url.URL, into any, reading *publish.ResultsReading) error {
	reading.Requests++
	status, err := p.get(ctx, s, publish.PurposeResults, u, into)
	if err == nil && status != http.StatusOK {
		err = outbound.NoResults(outbound.Response{Status: status}, "the homeserver")
	}
	return err
}
