package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// labelRoutes are the routes of labels.
func (s *Server) labelRoutes() []route {
	return []route{{
		method: http.MethodGet, path: "/labels", id: "listLabels", tag: "Posts",
		summary: "List labels",
		description: "The labels of posts with the number of posts and their first and last time. Canceled and archived posts do not count, and neither do posts that the API key may not see. " +
			"At most the newest 5,000 posts are counted.",
		scopes: readsPosts, codes: []schedctl.Code{schedctl.ValidationFailed},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.LabelList](),
		handle: s.listLabels,
	}}
}

// listLabels handles GET /labels.
func (s *Server) listLabels(ctx context.Context, c *request) (response, error) {
	if q := parseQuery(c.query, nil, nil); q.err != nil {
		return response{}, q.err
	}
	list, err := storage.Read(ctx, s.scanner(c), c.Labels)
	if err != nil {
		return response{}, err
	}
	return newResponse(http.StatusOK, list)
}
