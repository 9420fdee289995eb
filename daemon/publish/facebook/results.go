package facebook

import (
	"context"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
)

// scopeInsights is the permission to read views and clicks, which Facebook has for Pages with
// at least 100 likes. Reactions, comments and shares need only that of the Page.
const scopeInsights = "read_insights"

// scopeRead is the permission to read posts, which every account needs.
const scopeRead = "pages_read_engagement"

// kind is what Facebook reports about posts, or about videos that are posts of their own.
type kind struct {
	fields  string
	edge    string
	names   []string
	metrics map[string]string
}

// The numbers by their names in the API
// (https://developers.facebook.com/docs/graph-api/reference/insights).
var (
	posts = kind{
		"id,reactions.summary(true).limit(0),comments.summary(true).limit(0),shares", "insights",
		[]string{"post_media_view", "post_total_media_view_unique", "post_clicks"},
		map[string]string{"post_media_view": "views", "post_total_media_view_unique": "reach", "post_clicks": "clicks"},
	}
	videos = kind{
		"id,likes.summary(true).limit(0),comments.summary(true).limit(0)", "video_insights",
		[]string{"total_video_views", "total_video_views_unique"},
		map[string]string{"total_video_views": "views", "total_video_views_unique": "reach"},
	}
)

// ResultsRules returns the rules for readings. Facebook counts once a day, and keeps the
// numbers for two years.
func (p *Publisher) ResultsRules(schedctl.Account) publish.ResultsRules {
	return publish.ResultsRules{
		Metrics: []string{"views", "reach", "reactions", "reposts", "replies", "clicks"}, Batch: 1, Scope: scopeRead,
		Points: publish.DailyPoints(), Window: 2 * 365 * 24 * time.Hour, AllReplies: true,
	}
}

// Results reads posts and their numbers. A token that may not read all numbers still reads
// reactions, comments and shares.
func (p *Publisher) Results(ctx context.Context, r publish.ResultsRequest) (publish.ResultsReading, error) {
	reading := publish.ResultsReading{Results: map[string]publish.Result{}}
	a, err := p.parseCredentials(r.Credentials)
	if err != nil {
		return reading, publish.NotPublished(err)
	}
	results := meta.NewResults(a.API, version, r, &reading)
	for _, id := range r.IDs {
		if !meta.ObjectID(id) {
			continue
		}
		of := posts
		if !strings.Contains(id, "_") {
			of = videos
		}
		object, gone, err := results.Object(ctx, id, of.fields, meta.Own{User: a.page, Edge: "published_posts"})
		if err != nil {
			return reading, err
		}
		if gone {
			reading.Results[id] = publish.Result{Gone: true}
			continue
		}
		values, _, err := results.Insights(ctx, id, of.edge, of.names)
		if err = results.PartOnly(err, scopeInsights); err != nil {
			return reading, err
		}
		if m := metricsOf(object, values, of); m.Given() {
			reading.Results[id] = publish.Result{Metrics: m}
		}
	}
	return reading, nil
}

// metricsOf returns the numbers of a post. Facebook leaves out the number of shares
// if it is 0, and for videos.
func metricsOf(object, values map[string]any, of kind) schedctl.Metrics {
	m := publish.MetricsOf(values, of.metrics)
	total := func(edge string) *int64 {
		list, _ := object[edge].(map[string]any)
		summary, _ := list["summary"].(map[string]any)
		return publish.Count(summary["total_count"])
	}
	if m.Reactions = total("reactions"); of.edge == videos.edge {
		m.Reactions = total("likes")
	}
	shares, _ := object["shares"].(map[string]any)
	m.Replies, m.Reposts = total("comments"), publish.Count(shares["count"])
	return m
}
