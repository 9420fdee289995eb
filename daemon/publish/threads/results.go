package threads

import (
	"context"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
)

// scopeInsights is the permission to read the numbers of posts.
const scopeInsights = "threads_manage_insights"

// insights are the numbers of a post by their names in the API
// (https://developers.facebook.com/docs/threads/insights).
var insights = map[string]string{"views": "views", "likes": "reactions", "replies": "replies", "reposts": "reposts", "quotes": "quotes", "shares": ""}

var insightNames = []string{"views", "likes", "replies", "reposts", "quotes", "shares"}

// ResultsRules returns the rules for readings.
func (p *Publisher) ResultsRules(schedctl.Account) publish.ResultsRules {
	return publish.ResultsRules{
		Metrics: []string{"views", "reactions", "replies", "reposts", "quotes"}, Batch: 1, Scope: scopeInsights, AllReplies: true,
	}
}

// Results reads the numbers of posts. A post without numbers is gone if Threads does not
// have it, and shows others.
func (p *Publisher) Results(ctx context.Context, r publish.ResultsRequest) (publish.ResultsReading, error) {
	reading := publish.ResultsReading{Results: map[string]publish.Result{}}
	api, err := p.api(r.Credentials)
	if err != nil {
		return reading, publish.NotPublished(err)
	}
	results := meta.NewResults(api, version, r, &reading)
	for _, id := range r.IDs {
		if !meta.ObjectID(id) {
			continue
		}
		values, missing, err := results.Insights(ctx, id, "insights", insightNames)
		if err != nil {
			return reading, err
		}
		if missing {
			_, missing, err = results.Object(ctx, id, "id", meta.Own{User: "me", Edge: "threads"})
		}
		if err != nil {
			return reading, err
		}
		if m := publish.MetricsOf(values, insights); m.Given() || missing {
			reading.Results[id] = publish.Result{Metrics: m, Gone: missing}
		}
	}
	return reading, nil
}
