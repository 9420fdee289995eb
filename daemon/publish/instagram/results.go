package instagram

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
)

// scopeInsights is the permission to read all numbers of posts. Likes and comments need only
// that of the account.
const scopeInsights = "instagram_business_manage_insights"

// insights are the numbers of a post by their names in the API
// (https://developers.facebook.com/docs/instagram-platform/reference/instagram-media/insights),
// and fields are those of the post itself.
var (
	insights     = map[string]string{"views": "views", "reach": "reach", "saved": "saves", "shares": ""}
	insightNames = []string{"views", "reach", "saved", "shares"}
	fields       = map[string]string{"like_count": "reactions", "comments_count": "replies"}
)

// ResultsRules returns the rules for readings. The numbers are up to two days late, and
// Instagram keeps them for two years.
func (p *Publisher) ResultsRules(schedctl.Account) publish.ResultsRules {
	return publish.ResultsRules{
		Metrics: []string{"views", "reach", "reactions", "replies", "saves"}, Batch: 1, Scope: scopeInsights,
		Points: publish.DailyPoints(), Window: 2 * 365 * 24 * time.Hour, AllReplies: true,
	}
}

// Results reads posts and their numbers. A token that may not read all numbers still reads
// likes and comments.
func (p *Publisher) Results(ctx context.Context, r publish.ResultsRequest) (publish.ResultsReading, error) {
	reading := publish.ResultsReading{Results: map[string]publish.Result{}}
	api, err := p.containers(r.Credentials)
	if err != nil {
		return reading, publish.NotPublished(err)
	}
	results := meta.NewResults(api.API, version, r, &reading)
	for _, id := range r.IDs {
		if !meta.ObjectID(id) {
			continue
		}
		object, gone, err := results.Object(ctx, id, "id,like_count,comments_count", meta.Own{User: api.User, Edge: "media"})
		if err != nil {
			return reading, err
		}
		if gone {
			reading.Results[id] = publish.Result{Gone: true}
			continue
		}
		values, _, err := results.Insights(ctx, id, "insights", insightNames)
		if err = results.PartOnly(err, scopeInsights); err != nil {
			return reading, err
		}
		m := publish.MetricsOf(values, insights)
		of := publish.MetricsOf(object, fields)
		m.Reactions, m.Replies = of.Reactions, of.Replies
		if m.Given() {
			reading.Results[id] = publish.Result{Metrics: m}
		}
	}
	return reading, nil
}
