package api

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

var writesSources = []schedctl.Scope{schedctl.ScopeSourcesWrite}

// sourceRoutes are the routes of sources.
func (s *Server) sourceRoutes() []route {
	one := reflect.TypeFor[apiv1.SourceEnvelope]()
	invalid := []schedctl.Code{schedctl.ValidationFailed, schedctl.InvalidSocialAccounts, schedctl.AccountNotAllowed, schedctl.KeyNotAllowed, schedctl.SourceExists}
	step := []schedctl.Code{schedctl.NotFound, schedctl.KeyNotAllowed, schedctl.VersionMismatch}
	return []route{{
		method: http.MethodGet, path: "/sources", id: "listSources", tag: "Sources",
		summary:     "List sources",
		description: "In order of creation. A key that is limited to accounts sees those whose accounts it may use.",
		scopes:      readsPosts, codes: []schedctl.Code{schedctl.ValidationFailed},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.SourceList](),
		handle: s.listSources,
	}, {
		method: http.MethodPost, path: "/sources", id: "createSource", tag: "Sources",
		summary: "Create a source",
		description: "A source makes posts of the items of a feed, or of those that another program sends. An item becomes a post at most once. " +
			"The first fetch makes nothing, or drafts of the newest items with take. A source never does more than the key that makes it: it is held when the key ends. " +
			"The key of an agent makes up to 5 sources, which make drafts.",
		scopes: writesSources, codes: invalid,
		request: reflect.TypeFor[apiv1.CreateSource](), status: http.StatusCreated, response: one,
		handle: withBody(s.readCreateSource, s.createSource),
	}, {
		method: http.MethodPost, path: "/sources/preview", id: "previewSource", tag: "Sources", readOnly: true,
		summary:     "Preview a source",
		description: "Reads the feed of a source that is not stored, and returns what it would make of the newest three items. Stores nothing.",
		scopes:      writesSources, codes: append([]schedctl.Code{schedctl.SourceNotAFeed, schedctl.Unavailable}, invalid...),
		request: reflect.TypeFor[apiv1.CreateSource](), status: http.StatusOK, response: reflect.TypeFor[apiv1.SourcePreview](),
		handle: withBody(s.readCreateSource, s.previewSource),
	}, {
		method: http.MethodPost, path: "/sources/{id}/fetch", id: "fetchSource", tag: "Sources", actsEarly: true,
		summary:     "Read a source now",
		description: "Without regard to its interval and to failures before. 200 also if the feed could not be read; see fetch.",
		scopes:      writesSources, codes: []schedctl.Code{schedctl.NotFound, schedctl.KeyNotAllowed, schedctl.SourceHeldBack, schedctl.ValidationFailed, schedctl.Unavailable},
		status: http.StatusOK, response: one,
		handle: withoutBody(s.fetchSource),
	}, {
		method: http.MethodGet, path: "/sources/{id}", id: "getSource", tag: "Sources",
		summary:     "Get a source",
		description: "The ETag is derived from the version; send it in If-Match.",
		scopes:      readsPosts, codes: []schedctl.Code{schedctl.NotFound},
		status: http.StatusOK, response: one,
		handle: s.getSource,
	}, {
		method: http.MethodPatch, path: "/sources/{id}", id: "editSource", tag: "Sources",
		summary:     "Edit a source",
		description: "The source acts for the key that changes its mode or its accounts. Another url removes its secrets.",
		scopes:      writesSources, codes: append([]schedctl.Code{schedctl.NotFound, schedctl.VersionMismatch}, invalid...),
		request: reflect.TypeFor[apiv1.EditSource](), status: http.StatusOK, response: one,
		handle: withBody(s.readEditSource, s.editSource),
	}, {
		method: http.MethodDelete, path: "/sources/{id}", id: "deleteSource", tag: "Sources",
		summary:     "Remove a source",
		description: "Its posts stay. Its items are known for 90 days, if its url is added again.",
		scopes:      writesSources, codes: step,
		status: http.StatusNoContent,
		handle: withoutBody(s.deleteSource),
	}, {
		method: http.MethodPost, path: "/sources/{id}/pause", id: "pauseSource", tag: "Sources",
		summary: "Pause a source", description: "It is not read until it is resumed.",
		scopes: writesSources, codes: append([]schedctl.Code{schedctl.SourceHeldBack}, step...),
		status: http.StatusOK, response: one,
		handle: withoutBody(s.pauseSource),
	}, {
		method: http.MethodPost, path: "/sources/{id}/resume", id: "resumeSource", tag: "Sources",
		summary:     "Resume a source",
		description: "Continues a source that is paused or fails, or is held for another reason than flood. After owner_gone it acts for this key; after moved it reads the new address.",
		scopes:      writesSources, codes: append([]schedctl.Code{schedctl.SourceHeldBack, schedctl.AccountNotAllowed}, step...),
		status: http.StatusOK, response: one,
		handle: withoutBody(s.resumeSource),
	}, {
		method: http.MethodPost, path: "/sources/{id}/release", id: "releaseSource", tag: "Sources",
		summary:     "Release a source with too many items",
		description: "Decides about the items that the flood guard holds.",
		scopes:      writesSources, codes: append([]schedctl.Code{schedctl.ValidationFailed}, step...),
		request: reflect.TypeFor[apiv1.ReleaseSource](), status: http.StatusOK, response: one,
		handle: withBody(read[apiv1.ReleaseSource], s.releaseSource),
	}}
}

// sourceItemRoutes are the routes of the items of sources.
func (s *Server) sourceItemRoutes() []route {
	one := reflect.TypeFor[apiv1.SourceItemEnvelope]()
	invalid := []schedctl.Code{schedctl.ValidationFailed, schedctl.ContentTooLong, schedctl.InvalidSocialAccounts, schedctl.AccountNotAllowed, schedctl.DuplicateContent, schedctl.ExternalIDExists, schedctl.ApprovalMissing, schedctl.QueueFull, schedctl.NoQueue, schedctl.InBlackout}
	states := &huma.Schema{Type: huma.TypeString, Enum: values(schedctl.ItemStates())}
	return []route{{
		method: http.MethodGet, path: "/sources/{id}/items", id: "listSourceItems", tag: "Sources",
		summary: "List the items of a source", description: "Newest first; kept for 400 days after they left the feed.",
		scopes: readsPosts, params: append(pageParams("items"), queryParam("state", "only items in this state", states)),
		codes:  []schedctl.Code{schedctl.NotFound, schedctl.ValidationFailed, schedctl.InvalidCursor},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.SourceItemList](),
		handle: s.listSourceItems,
	}, {
		method: http.MethodPost, path: "/sources/{id}/items", id: "sendSourceItem", tag: "Sources", actsEarly: true, alsoOK: true,
		summary:     "Send an item",
		description: "To a source of kind webhook. It waits while the source is held or paused. 200 with the same item for an external_id that is known. What a key without posts:write sends becomes a draft.",
		scopes:      writesDrafts, codes: []schedctl.Code{schedctl.NotFound, schedctl.ValidationFailed, schedctl.Unavailable},
		request: reflect.TypeFor[apiv1.SendSourceItem](), status: http.StatusCreated, response: one,
		handle: withBody(s.readSentItem, s.sendSourceItem),
	}, {
		method: http.MethodPost, path: "/sources/{id}/items/{item_id}/post", id: "postSourceItem", tag: "Sources", actsEarly: true,
		summary: "Make the post of an item", description: "Of one that made none, or that has changed, now and without the limits of the source.",
		scopes: writesSources, codes: append([]schedctl.Code{schedctl.NotFound, schedctl.KeyNotAllowed, schedctl.SourceHeldBack, schedctl.Unavailable}, invalid...),
		status: http.StatusOK, response: one,
		handle: withoutBody(s.postSourceItem),
	}, {
		method: http.MethodPost, path: "/sources/{id}/items/{item_id}/skip", id: "skipSourceItem", tag: "Sources",
		summary: "Skip an item", description: "It makes no post.",
		scopes: writesSources, codes: []schedctl.Code{schedctl.NotFound, schedctl.KeyNotAllowed, schedctl.ValidationFailed},
		status: http.StatusOK, response: one,
		handle: withoutBody(s.skipSourceItem),
	}}
}
