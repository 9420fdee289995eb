package api

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// collectionRoutes are the routes of collections. The id in their paths is the name.
func (s *Server) collectionRoutes() []route {
	one := reflect.TypeFor[apiv1.CollectionEnvelope]()
	return []route{{
		method: http.MethodGet, path: "/collections", id: "listCollections", tag: "Collections",
		summary:     "List collections",
		description: "All of the workspace, sorted by name. Posts can be in a collection that is not listed, because its files were never applied or it was deleted.",
		scopes:      readsPosts, codes: []schedctl.Code{schedctl.ValidationFailed},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.CollectionList](),
		handle: s.listCollections,
	}, {
		method: http.MethodGet, path: "/collections/{id}", id: "getCollection", tag: "Collections",
		summary:     "Get a collection",
		description: "The id is the name.",
		scopes:      readsPosts, codes: []schedctl.Code{schedctl.NotFound},
		status: http.StatusOK, response: one,
		handle: s.getCollection,
	}, {
		method: http.MethodPost, path: "/collections/{id}/apply", id: "applyCollection", tag: "Collections",
		summary: "Announce that the files of a collection are applied",
		description: "Clients send it before they change posts of the collection. The first request creates the collection and binds it to the source. Another source is refused with SOURCE_MISMATCH, " +
			"and a commit that is older than the last applied one with OLDER_REVISION, unless allow_older is set. A request without a revision keeps that of the collection. " +
			"The check and the change are one transaction: of two sources, one gets the collection. A workspace can have 500 collections. The id is the name.",
		scopes: writesDrafts, codes: []schedctl.Code{schedctl.SourceMismatch, schedctl.OlderRevision},
		request: reflect.TypeFor[apiv1.ApplyCollection](), status: http.StatusOK, response: one,
		handle: withBody(read[apiv1.ApplyCollection], s.applyCollection),
	}, {
		method: http.MethodPut, path: "/collections/{id}", id: "adoptCollection", tag: "Collections", people: true,
		summary:     "Give a collection to another source",
		description: "From then on, only that source can apply the files, and the last applied commit is not known. A missing collection is created. The id is the name. A key that is limited to accounts is refused.",
		scopes:      writesPosts, codes: []schedctl.Code{schedctl.AccountNotAllowed},
		request: reflect.TypeFor[apiv1.AdoptCollection](), status: http.StatusOK, response: one,
		handle: withBody(read[apiv1.AdoptCollection], s.adoptCollection),
	}, {
		method: http.MethodDelete, path: "/collections/{id}", id: "deleteCollection", tag: "Collections", people: true,
		summary:     "Forget a collection",
		description: "Its posts stay in it. The next apply, from any source, creates the collection again. A key that is limited to accounts is refused.",
		scopes:      writesPosts, codes: []schedctl.Code{schedctl.NotFound, schedctl.AccountNotAllowed},
		status: http.StatusNoContent,
		handle: withoutBody(s.deleteCollection),
	}}
}

// listCollections handles GET /collections.
func (s *Server) listCollections(ctx context.Context, c *request) (response, error) {
	if q := parseQuery(c.query, nil, nil); q.err != nil {
		return response{}, q.err
	}
	list, err := storage.Read(ctx, s.view, func(r storage.Reader) ([]schedctl.Collection, error) { return r.Collections(c.Key.WorkspaceID) })
	if err != nil {
		return response{}, err
	}
	slices.SortFunc(list, func(a, b schedctl.Collection) int { return cmp.Compare(a.Name, b.Name) })
	return newResponse(http.StatusOK, apiv1.CollectionList{Results: convert(list, apiv1.NewCollection), Count: len(list)})
}

// getCollection handles GET /collections/{id}.
func (s *Server) getCollection(ctx context.Context, c *request) (response, error) {
	return collectionResponse(storage.Read(ctx, s.view, c.Collection))
}

// applyCollection handles POST /collections/{id}/apply.
func (s *Server) applyCollection(ctx context.Context, c *request, b apiv1.ApplyCollection) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		return collectionResponse(c.ApplyCollection(tx, b.Source, b.Revision.Domain(), b.AllowOlder))
	})
}

// adoptCollection handles PUT /collections/{id}.
func (s *Server) adoptCollection(ctx context.Context, c *request, b apiv1.AdoptCollection) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) { return collectionResponse(c.AdoptCollection(tx, b.Source)) })
}

// deleteCollection handles DELETE /collections/{id}.
func (s *Server) deleteCollection(ctx context.Context, c *request) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) { return noContent, c.DeleteCollection(tx) })
}

func collectionResponse(found schedctl.Collection, err error) (response, error) {
	if err != nil {
		return response{}, err
	}
	return newResponse(http.StatusOK, apiv1.CollectionEnvelope{Collection: apiv1.NewCollection(found)})
}
