package api

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

var (
	writesKeys       = []schedctl.Scope{schedctl.ScopeKeysWrite}
	writesWorkspaces = []schedctl.Scope{schedctl.ScopeWorkspacesWrite}
)

// workspaceRoutes are the routes about workspaces and about the daemon.
func (s *Server) workspaceRoutes() []route {
	return []route{{
		method: http.MethodGet, path: "/me", id: "getMe", tag: "Workspace",
		summary:     "Get the API key and its workspace",
		description: "Returns the workspace and the API key of the request. Use it to check credentials.",
		status:      http.StatusOK, response: reflect.TypeFor[apiv1.Me](),
		handle: s.getMe,
	}, {
		method: http.MethodGet, path: "/capabilities", id: "getCapabilities", tag: "Workspace",
		summary:     "Get the features and limits of this daemon",
		description: "The features, the limits, and the platforms with the fields that connect an account.",
		status:      http.StatusOK, response: reflect.TypeFor[apiv1.Capabilities](),
		handle: s.getCapabilities,
	}, {
		method: http.MethodGet, path: "/nodes", id: "listNodes", tag: "Workspace",
		summary:     "List the daemons on the database",
		description: "The daemons that share the database, including this one, in order of their ids; a daemon with its own file is the only one. Daemons that stopped within the last hour are listed as not alive. A daemon that was away for longer than its lease returns with a new id.",
		status:      http.StatusOK, response: reflect.TypeFor[apiv1.NodeList](),
		handle: s.listNodes,
	}, {
		method: http.MethodGet, path: "/workspaces", id: "listWorkspaces", tag: "Workspace",
		summary:     "List workspaces",
		description: "All workspaces of the daemon in order of creation.",
		scopes:      writesWorkspaces, codes: []schedctl.Code{schedctl.ValidationFailed},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.WorkspaceList](),
		handle: s.listWorkspaces,
	}, {
		method: http.MethodPost, path: "/workspaces", id: "createWorkspace", tag: "Workspace",
		summary: "Create a workspace",
		description: "Returns the workspace and its first API key, which has all scopes; the secret is shown only once. The new key expires when the key of the request does. Workspaces cannot see each other. " +
			"Repeating the request with its Idempotency-Key and the same API key shows the secret again.",
		scopes:  writesWorkspaces,
		request: reflect.TypeFor[apiv1.CreateWorkspace](), status: http.StatusCreated, response: reflect.TypeFor[apiv1.CreatedWorkspace](),
		handle: withBody(read[apiv1.CreateWorkspace], s.createWorkspace),
	}, {
		method: http.MethodPatch, path: "/workspaces/{id}", id: "editWorkspace", tag: "Workspace",
		summary: "Change the approval policy of a workspace",
		description: "Says which posts need an approval before they are published. If scheduled posts or active series lack an approval that they would need, existing has to say what becomes of them; otherwise the request is refused with EXISTING_POSTS, whose details have the next ten ids. Switching four_eyes on asks about posts that their last editor has approved. " +
			"The change and what becomes of the posts are one transaction, for at most 2,000 posts. " +
			"A key with workspaces:write can change every workspace, other keys only their own.",
		scopes: writesKeys, codes: []schedctl.Code{schedctl.ValidationFailed, schedctl.NotFound, schedctl.AccountNotAllowed, schedctl.ExistingPosts, schedctl.SelfApproval},
		request: reflect.TypeFor[apiv1.EditWorkspace](), status: http.StatusOK, response: reflect.TypeFor[apiv1.WorkspaceEnvelope](),
		handle: withBody(readEditWorkspace, s.editWorkspace),
	}, {
		method: http.MethodGet, path: "/audit", id: "listAudit", tag: "Workspace",
		summary:     "List the audit log",
		description: "All accepted changes of the last 90 days, newest first: what was changed, when, and with which API key. An API key that is limited to accounts sees the entries of its own requests. A page reads about 2,000 entries to find those that match; it can then be short, even empty, and still have a next one.",
		scopes:      writesKeys, params: auditParams(), codes: []schedctl.Code{schedctl.ValidationFailed, schedctl.InvalidCursor},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.AuditList](),
		handle: s.listAudit,
	}, {
		method: http.MethodGet, path: "/backup", id: "getBackup", tag: "Workspace",
		summary: "Copy the database and the media files",
		description: "A consistent copy of the database and of all media files, made while the daemon runs; secrets in it stay sealed. " +
			"Without media files it is a database file, on which the daemon can start. With media files it is a tar file: `schedctl.db`, then `blobs/SHA256` for each file, and `manifest.json` as the end mark. " +
			"In place of a file that the daemon has lost, there is an empty entry `missing/SHA256`; after a file whose bytes are damaged, there is an empty entry `damaged/SHA256`. `schedctl restore` reads both forms. " +
			"A copy that ends early cuts the connection. Needs the scope workspaces:write as well when there is more than one workspace.",
		params: []*huma.Param{queryParam("media", "false for the database alone, as a database file; true by default", &huma.Schema{Type: huma.TypeString, Enum: []any{"true", "false"}, Default: "true"})},
		scopes: writesKeys, codes: []schedctl.Code{schedctl.ValidationFailed, schedctl.AccountNotAllowed},
		status: http.StatusOK, response: reflect.TypeFor[[]byte](), media: mediaBytes,
		handle: s.getBackup,
	}}
}

// releases describes what becomes of open posts.
const releases = "Posts stay as they are, unless the query says what becomes of them: then the response is 200 with what is still open. That needs posts:write. Series and posts are changed first, as by their own operations, in several transactions: if one cannot be changed, nothing is, and details names up to 20. If the request ends early, repeat it: it continues."

func (s *Server) keyRoutes() []route {
	return []route{{
		method: http.MethodGet, path: "/api-keys", id: "listAPIKeys", tag: "API keys",
		summary:     "List API keys",
		description: "All keys of the workspace in order of creation, including revoked and expired ones, without their secrets. An API key that is limited to accounts sees only itself.",
		scopes:      writesKeys, codes: []schedctl.Code{schedctl.ValidationFailed},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.APIKeyList](),
		handle: s.listKeys,
	}, {
		method: http.MethodPost, path: "/api-keys", id: "createAPIKey", tag: "API keys",
		summary: "Create an API key",
		description: "The secret is shown only once. A new key has no permission that the creating key lacks: its scopes are a part of those of the creating key, and so are its accounts if those are limited. It does not outlive the creating key: if that key expires, the new one expires at the same time, or earlier with expires_at. " +
			"Repeating the request with its Idempotency-Key and the same API key shows the secret again.",
		scopes:  writesKeys,
		codes:   []schedctl.Code{schedctl.InvalidSocialAccounts, schedctl.AccountNotAllowed},
		request: reflect.TypeFor[apiv1.CreateAPIKey](), status: http.StatusCreated, response: reflect.TypeFor[apiv1.CreatedAPIKey](),
		handle: withBody(read[apiv1.CreateAPIKey], s.createKey),
	}, {
		method: http.MethodGet, path: "/api-keys/{id}", id: "getAPIKey", tag: "API keys",
		summary:     "Get an API key",
		description: "Revoked and expired keys can be read too. open counts the posts and series that the key created and that are not over. An API key that is limited to accounts sees only itself.",
		scopes:      writesKeys, codes: []schedctl.Code{schedctl.ValidationFailed, schedctl.NotFound},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.APIKeyEnvelope](),
		handle: s.getKey,
	}, {
		method: http.MethodDelete, path: "/api-keys/{id}", id: "revokeAPIKey", tag: "API keys",
		summary: "Revoke an API key",
		description: "Takes effect at once and cannot be undone; repeating the request changes nothing. Event streams and downloads with the key end. " +
			"Keys that it created remain valid; the audit log lists them. A key can revoke itself; a key that is limited to accounts can revoke only itself. " +
			"The last unlimited key with keys:write or workspaces:write is refused, unless another such key lasts as long: otherwise no key could grant that scope. " + releases,
		scopes: writesKeys, params: []*huma.Param{postsParam()}, codes: []schedctl.Code{schedctl.ValidationFailed, schedctl.NotFound},
		status: http.StatusNoContent, response: reflect.TypeFor[apiv1.Released](), actsEarly: true,
		handle: withoutBody(s.revokeKey),
	}}
}
