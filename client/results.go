package client

import (
	"context"
	"net/url"
	"strconv"

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
