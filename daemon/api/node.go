package api

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl/client/apiv1"
)

// listNodes handles GET /nodes.
func (s *Server) listNodes(context.Context, *request) (response, error) {
	list := apiv1.NodeList{Results: []apiv1.Node{}}
	if s.nodes != nil {
		list.Results = append(list.Results, s.nodes()...)
	}
	list.Count = len(list.Results)
	return newResponse(http.StatusOK, list)
}
