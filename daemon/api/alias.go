package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// aliasRoutes are the routes of account groups and snippets. The id in their paths is the
// name.
func (s *Server) aliasRoutes() []route {
	return []route{{
		method: http.MethodGet, path: "/account-groups", id: "listAccountGroups", tag: "Account groups",
		summary:     "List account groups",
		description: "All of the workspace, sorted by name. A key that is limited to accounts sees the groups with one of its accounts.",
		scopes:      readsPosts, codes: []schedctl.Code{schedctl.ValidationFailed},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.AccountGroupList](),
		handle: s.listAccountGroups,
	}, {
		method: http.MethodPut, path: "/account-groups/{id}", id: "setAccountGroup", tag: "Account groups", people: true,
		summary: "Create or change an account group",
		description: "Clients put the accounts of a group in place of its name when they send a post, so a change of a group changes no post. The id is the name: 1 to 50 lower-case letters, digits, hyphens and underscores. " +
			"A workspace can have 200 groups. A key that is limited to accounts can use only these.",
		scopes: writesPosts, codes: []schedctl.Code{schedctl.NameTaken, schedctl.AccountNotAllowed, schedctl.InvalidSocialAccounts},
		request: reflect.TypeFor[apiv1.SetAccountGroup](), status: http.StatusOK, response: reflect.TypeFor[apiv1.AccountGroupEnvelope](),
		handle: withBody(read[apiv1.SetAccountGroup], s.setAccountGroup),
	}, {
		method: http.MethodDelete, path: "/account-groups/{id}", id: "deleteAccountGroup", tag: "Account groups", people: true,
		summary:     "Delete an account group",
		description: "Its accounts and their posts stay. The id is the name.",
		scopes:      writesPosts, codes: []schedctl.Code{schedctl.NotFound, schedctl.AccountNotAllowed},
		status: http.StatusNoContent,
		handle: withoutBody(s.deleteAlias(schedctl.AliasGroup)),
	}, {
		method: http.MethodGet, path: "/snippets", id: "listSnippets", tag: "Snippets",
		summary:     "List snippets",
		description: "All of the workspace, sorted by name.",
		scopes:      readsPosts, codes: []schedctl.Code{schedctl.ValidationFailed},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.SnippetList](),
		handle: s.listSnippets,
	}, {
		method: http.MethodPut, path: "/snippets/{id}", id: "setSnippet", tag: "Snippets", people: true,
		summary: "Create or change a snippet",
		description: "Clients put the text in place of the name when they send a post, so a change of a snippet changes no post. The id is the name: 1 to 50 lower-case letters, digits, hyphens and underscores. " +
			"A workspace can have 200 snippets.",
		scopes: writesPosts, codes: []schedctl.Code{schedctl.ContentTooLong},
		request: reflect.TypeFor[apiv1.SetSnippet](), status: http.StatusOK, response: reflect.TypeFor[apiv1.SnippetEnvelope](),
		handle: withBody(read[apiv1.SetSnippet], s.setSnippet),
	}, {
		method: http.MethodDelete, path: "/snippets/{id}", id: "deleteSnippet", tag: "Snippets", people: true,
		summary:     "Delete a snippet",
		description: "The posts that were made with it keep their texts. The id is the name.",
		scopes:      writesPosts, codes: []schedctl.Code{schedctl.NotFound},
		status: http.StatusNoContent,
		handle: withoutBody(s.deleteAlias(schedctl.AliasSnippet)),
	}}
}

// listAccountGroups handles GET /account-groups.
func (s *Server) listAccountGroups(ctx context.Context, c *request) (response, error) {
	if q := parseQuery(c.query, nil, nil); q.err != nil {
		return response{}, q.err
	}
	list, err := storage.Read(ctx, s.view, c.Groups)
	if err != nil {
		return response{}, err
	}
	return newResponse(http.StatusOK, apiv1.AccountGroupList{Results: convert(list, newGroup), Count: len(list)})
}

func newGroup(g usecase.Group) apiv1.AccountGroup { return apiv1.NewAccountGroup(g.Alias, g.Hidden) }

// setAccountGroup handles PUT /account-groups/{id}.
func (s *Server) setAccountGroup(ctx context.Context, c *request, b apiv1.SetAccountGroup) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		g, err := c.SetGroup(tx, b.SocialAccountIDs, b.CreateOnly)
		if err != nil {
			return response{}, err
		}
		return newResponse(http.StatusOK, apiv1.AccountGroupEnvelope{AccountGroup: newGroup(g)})
	})
}

// listSnippets handles GET /snippets.
func (s *Server) listSnippets(ctx context.Context, c *request) (response, error) {
	if q := parseQuery(c.query, nil, nil); q.err != nil {
		return response{}, q.err
	}
	list, err := storage.Read(ctx, s.view, c.Snippets)
	if err != nil {
		return response{}, err
	}
	return newResponse(http.StatusOK, apiv1.SnippetList{Results: convert(list, apiv1.NewSnippet), Count: len(list)})
}

// setSnippet handles PUT /snippets/{id}.
func (s *Server) setSnippet(ctx context.Context, c *request, b apiv1.SetSnippet) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		a, err := c.SetSnippet(tx, b.Text)
		if err != nil {
			return response{}, err
		}
		return newResponse(http.StatusOK, apiv1.SnippetEnvelope{Snippet: apiv1.NewSnippet(a)})
	})
}

// deleteAlias handles DELETE /account-groups/{id} and DELETE /snippets/{id}.
func (s *Server) deleteAlias(kind schedctl.AliasKind) func(context.Context, *request) (response, error) {
	return func(ctx context.Context, c *request) (response, error) {
		return s.commit(ctx, c, func(tx storage.Tx) (response, error) { return noContent, c.DeleteAlias(tx, kind) })
	}
}
