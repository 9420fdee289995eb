package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

// PostResults returns what became of a post: the numbers that its networks report, and whether
// they still have it.
func (c *Client) PostResults(ctx context.Context, id string) (apiv1.PostResults, error) {
	return get[apiv1.PostResults](ctx, c, "/posts/"+url.PathEscape(id)+"/results", nil)
}

// PostAnalytics returns the numbers of PostResults with totals that are never null.
func (c *Client) PostAnalytics(ctx context.Context, id string) (apiv1.AnalyticsPost, error) {
	return get[apiv1.AnalyticsPost](ctx, c, "/analytics/post/"+url.PathEscape(id), nil)
}

// RefreshResults lets the targets of a post be read soon: those with the ids, or all.
func (c *Client) RefreshResults(ctx context.Context, id string, p apiv1.RefreshResults, options ...Option) (apiv1.ResultsRefresh, error) {
	return write[apiv1.ResultsRefresh](ctx, c, http.MethodPost, itemPath(posts, id, "results", "refresh"), p, options)
}

// ReportResults stores numbers of a target that its network does not give.
func (c *Client) ReportResults(ctx context.Context, id string, p apiv1.ReportResults, options ...Option) (apiv1.PostResults, error) {
	return write[apiv1.PostResults](ctx, c, http.MethodPut, itemPath(posts, id, "results"), p, options)
}

// ResultsQuery selects published targets. Zero fields do not filter; for the order and the page
// size the daemon then uses its defaults.
type ResultsQuery struct {
	After, Before time.Time // when they were published; After is inclusive, Before is not
	Accounts      []string  // on any of these
	Platform      string
	Labels        []string // of posts with all of these
	SeriesID      string
	Removed       *bool // whether the network no longer has them
	Sort          apiv1.ResultsSort
	Limit         int    // results on a page, 1–100
	Cursor        string // from ResultsList.NextCursor
}

func (q ResultsQuery) values() url.Values {
	v := pageValues(q.Limit, q.Cursor)
	setTimes(v, "after", q.After, "before", q.Before)
	for _, id := range q.Accounts {
		v.Add("social_account_id", id)
	}
	for _, label := range q.Labels {
		v.Add("label", label)
	}
	for name, value := range map[string]string{"platform": q.Platform, "series_id": q.SeriesID, "sort": string(q.Sort)} {
		if value != "" {
			v.Set(name, value)
		}
	}
	if q.Removed != nil {
		v.Set("removed", strconv.FormatBool(*q.Removed))
	}
	return v
}

// Results returns a page of published targets with their results.
func (c *Client) Results(ctx context.Context, q ResultsQuery) (apiv1.ResultsList, error) {
	return get[apiv1.ResultsList](ctx, c, "/results", q.values())
}

// EachResult iterates over all published targets that q selects. q.Limit is the size of a page.
// It ends after the first error.
func (c *Client) EachResult(ctx context.Context, q ResultsQuery) iter.Seq2[apiv1.AnalyticsRow, error] {
	return eachItem(q.Cursor, func(cursor string) ([]apiv1.AnalyticsRow, *string, error) {
		q.Cursor = cursor
		page, err := c.Results(ctx, q)
		return page.Results, page.NextCursor, err
	})
}

// ResultsSummary returns the published targets that q selects in groups. q needs a window: After,
// at most 366 days before Before. Removed ones are left out, and there is one page in one order.
func (c *Client) ResultsSummary(ctx context.Context, by apiv1.ResultsBy, q ResultsQuery) (apiv1.ResultsSummary, error) {
	q.Removed, q.Sort, q.Limit, q.Cursor = nil, "", 0, ""
	v := q.values()
	v.Set("by", string(by))
	return get[apiv1.ResultsSummary](ctx, c, "/results/summary", v)
}

// WorkspaceAnalytics returns what the posts of the workspace gained lately, and a page of its
// published targets, the latest first. With a limit of 0, the daemon uses its default of 20.
func (c *Client) WorkspaceAnalytics(ctx context.Context, limit, offset int) (apiv1.AnalyticsWorkspace, error) {
	v := url.Values{}
	if limit != 0 {
		v.Set("limit", strconv.Itoa(limit))
	}
	if offset != 0 {
		v.Set("offset", strconv.Itoa(offset))
	}
	return get[apiv1.AnalyticsWorkspace](ctx, c, "/analytics/workspace", v)
}
