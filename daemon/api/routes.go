package api

import (
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/schedctl/schedctl"
)

// routes lists every operation below the prefix.
func (s *Server) routes() []route {
	return slices.Concat(s.workspaceRoutes(), s.keyRoutes(), s.accountRoutes(), s.postReadRoutes(), s.postWriteRoutes(),
		s.postOperationRoutes(), s.postRestRoutes(), s.resultsRoutes(), s.resultsWriteRoutes(), s.forecastRoutes(), s.reviewRoutes(), s.webhookRoutes(), s.notificationRoutes(), s.deliveryRoutes(), s.eventRoutes(), s.blackoutRoutes(), s.collectionRoutes(), s.labelRoutes(), s.aliasRoutes(), s.calendarFeedRoutes(), s.shareRoutes(), s.sourceRoutes(), s.sourceItemRoutes(), s.mediaReadRoutes(), s.mediaWriteRoutes(), s.mediaUploadRoutes(), s.uploadLinkRoutes(),
		s.queueRoutes(), s.queueMoveRoutes(), s.seriesReadRoutes(), s.seriesWriteRoutes(), s.seriesOperationRoutes(), s.seriesReviewRoutes())
}

var (
	readsAccounts  = []schedctl.Scope{schedctl.ScopeAccountsRead}
	writesAccounts = []schedctl.Scope{schedctl.ScopeAccountsWrite}
	readsPosts     = []schedctl.Scope{schedctl.ScopePostsRead}
	writesPosts    = []schedctl.Scope{schedctl.ScopePostsWrite}
	writesDrafts   = []schedctl.Scope{schedctl.ScopePostsWrite, schedctl.ScopePostsDraft}
)

const utcOnly = "RFC 3339 in UTC, such as 2026-06-02T15:00:00Z"

func queryParam(name, about string, schema *huma.Schema) *huma.Param {
	return &huma.Param{Name: name, In: "query", Description: about, Schema: schema}
}

// values returns texts as the values of an enum.
func values[T ~string](texts []T) []any {
	return convert(texts, func(t T) any { return string(t) })
}

// convert returns f of each element, and never nil.
func convert[T, U any](list []T, f func(T) U) []U {
	out := make([]U, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}
