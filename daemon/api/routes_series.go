package api

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/usecase"
)

// seriesReadRoutes are the routes that read series.
func (s *Server) seriesReadRoutes() []route {
	text, at := &huma.Schema{Type: huma.TypeString}, &huma.Schema{Type: huma.TypeString, Format: "date-time"}
	return []route{{
		method: http.MethodGet, path: "/series", id: "listSeries", tag: "Series",
		summary:     "List series",
		description: "One page of the series of the workspace, newest first, with those that have ended. next_cursor is null at the end. A key that is limited to accounts sees the series that name only its accounts; its pages can be short, and so can pages with approval.",
		scopes:      readsPosts, codes: []schedctl.Code{schedctl.ValidationFailed, schedctl.InvalidCursor},
		params: append([]*huma.Param{
			queryParam("external_id", "only the series with this external_id", &huma.Schema{Type: huma.TypeString, MinLength: new(1), MaxLength: new(schedctl.MaxExternalID)}),
			queryParam("created_by", "only series that this API key created", &huma.Schema{Type: huma.TypeString}),
			queryParam("approval", "only series whose last review has this state", &huma.Schema{Type: huma.TypeString, Enum: values(schedctl.ApprovalStates())}),
		}, pageParams("series")...),
		status: http.StatusOK, response: reflect.TypeFor[apiv1.SeriesList](),
		handle: s.listSeries,
	}, {
		method: http.MethodGet, path: "/series/{id}", id: "getSeries", tag: "Series",
		summary:     "Get a series",
		description: "The ETag is derived from the version; send it in If-Match and If-None-Match.",
		scopes:      readsPosts, codes: []schedctl.Code{schedctl.NotFound},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.SeriesEnvelope](),
		handle: s.getSeries,
	}, {
		method: http.MethodGet, path: "/series/{id}/occurrences", id: "listOccurrences", tag: "Series",
		summary: "List the occurrences of a series",
		description: "One page in order of local times: posts, and occurrences that are not posts yet. Occurrences that passed without a post are left out, and so are those of a series that makes none. " +
			"A series without an end always has a next page; use before.",
		scopes: readsPosts, codes: []schedctl.Code{schedctl.NotFound, schedctl.ValidationFailed, schedctl.InvalidCursor},
		params: append([]*huma.Param{
			queryParam("after", "only occurrences at this time or later; default now; "+utcOnly, at),
			queryParam("before", "only occurrences before this time; "+utcOnly, at),
		}, &huma.Param{Name: "limit", In: "query", Description: "occurrences on a page", Schema: &huma.Schema{
			Type: huma.TypeInteger, Minimum: new(1.0), Maximum: new(float64(maxLimit)), Default: defaultLimit,
		}}, queryParam("cursor", "next_cursor of the previous page, of the same series", text)),
		status: http.StatusOK, response: reflect.TypeFor[apiv1.OccurrenceList](),
		handle: s.listOccurrences,
	}, {
		method: http.MethodPost, path: "/series/preview", id: "previewSeries", tag: "Series",
		summary:     "Preview a rule",
		description: "Returns the next ten occurrences of a rule, and hints about it. Stores nothing.",
		scopes:      readsPosts, readOnly: true,
		request: reflect.TypeFor[apiv1.PreviewSeries](), status: http.StatusOK, response: reflect.TypeFor[apiv1.SeriesPreview](),
		handle: withBody(read[apiv1.PreviewSeries], s.previewSeries),
	}}
}

// seriesWriteRoutes are the routes that create, edit and delete series.
func (s *Server) seriesWriteRoutes() []route {
	one := reflect.TypeFor[apiv1.SeriesEnvelope]()
	invalid := []schedctl.Code{
		schedctl.NameTaken, schedctl.ValidationFailed, schedctl.ContentTooLong, schedctl.InvalidSocialAccounts, schedctl.AccountNotAllowed, schedctl.ExternalIDExists, schedctl.MediaNotReady,
	}
	return []route{{
		method: http.MethodPost, path: "/series", id: "createSeries", tag: "Series",
		summary: "Create a series",
		description: "Occurrences are ordinary posts with series_id and occurrence. They are made ahead_days before their time, at least one and at most 200, the first ones in this request. " +
			"A rule is expanded as local times in its zone: 9:00 stays 9:00 when the clocks change. Occurrences that have passed are not made. " +
			"An occurrence in a blackout is left out. One that a duplicate guard refuses, or for which the queue has no free slot on its day, is left out with the event series.skipped.",
		scopes: writesPosts, codes: invalid,
		request: reflect.TypeFor[apiv1.CreateSeries](), status: http.StatusCreated, response: one,
		handle: withBody(readCreateSeries, s.createSeries),
	}, {
		method: http.MethodPatch, path: "/series/{id}", id: "editSeries", tag: "Series",
		summary: "Edit a series",
		description: "Changes all future occurrences; edit a post to change one alone. With from, the series ends before that occurrence, and a new series continues it; the response then has the new one, and the old one in previous. " +
			"Posts that are scheduled change with the series. Posts that were changed alone, or that are no longer scheduled, stay as they are and are listed in kept. " +
			"No edit makes a second occurrence on a local day on which one is being published or may have been. " +
			"Keys of agents, and keys with approval: required, cannot change the times of an approved series: start, timezone, rule, exdates, queue_id and ahead_days. " +
			"external_id and managed can be changed in every state. A request that changes nothing keeps the version.",
		scopes: writesPosts, codes: append([]schedctl.Code{schedctl.NotFound, schedctl.VersionMismatch, schedctl.SeriesIsOver, schedctl.ApprovalMissing}, invalid...),
		params: []*huma.Param{queryParam("from", "the local time of the future occurrence from which on the series changes, such as 2026-12-08T09:00", &huma.Schema{
			Type: huma.TypeString, Pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$",
		})},
		request: reflect.TypeFor[apiv1.EditSeries](), status: http.StatusOK, response: one,
		handle: withBody(readEditSeries, s.editSeries),
	}, {
		method: http.MethodDelete, path: "/series/{id}", id: "deleteSeries", tag: "Series",
		summary:     "Delete a series",
		description: "Removes its scheduled posts, also those that were changed alone. Other posts stay.",
		scopes:      writesPosts, codes: []schedctl.Code{schedctl.NotFound, schedctl.VersionMismatch},
		status: http.StatusNoContent,
		handle: withoutBody(s.deleteSeries),
	}}
}

// seriesOperationRoutes are the routes that change the state of series.
func (s *Server) seriesOperationRoutes() []route {
	one := reflect.TypeFor[apiv1.SeriesEnvelope]()
	codes := []schedctl.Code{schedctl.NotFound, schedctl.VersionMismatch, schedctl.SeriesIsOver}
	return []route{{
		method: http.MethodPost, path: "/series/{id}/skip", id: "skipOccurrence", tag: "Series",
		summary:     "Skip an occurrence",
		description: "Adds the occurrence to exdates and removes its post, if that is a draft or scheduled. To undo it, edit the series with exdates that lack the occurrence: its post is made again.",
		scopes:      writesPosts, codes: append([]schedctl.Code{schedctl.ValidationFailed, schedctl.PostNotCancelable}, codes...),
		request: reflect.TypeFor[apiv1.SkipOccurrence](), status: http.StatusOK, response: one,
		handle: withBody(readSkipOccurrence, operation(s, (*usecase.Request).SkipOccurrence, s.changedSeries)),
	}, {
		method: http.MethodPost, path: "/series/{id}/pause", id: "pauseSeries", tag: "Series",
		summary:     "Pause a series",
		description: "Removes its scheduled posts and makes no more. Posts that were changed alone stay and are listed in kept.",
		scopes:      writesPosts, codes: codes, status: http.StatusOK, response: one,
		handle: withOptionalBody(read[struct{}], operation(s, bare((*usecase.Request).PauseSeries), s.changedSeries)),
	}, {
		method: http.MethodPost, path: "/series/{id}/resume", id: "resumeSeries", tag: "Series",
		summary:     "Resume a series",
		description: "Continues with the next occurrence. What the series missed is not made.",
		scopes:      writesPosts, codes: codes, status: http.StatusOK, response: one,
		handle: withOptionalBody(read[struct{}], operation(s, bare((*usecase.Request).ResumeSeries), s.changedSeries)),
	}, {
		method: http.MethodPost, path: "/series/{id}/end", id: "endSeries", tag: "Series",
		summary:     "End a series",
		description: "Removes its scheduled posts, also those that were changed alone, and makes no more. An ended series stays readable and cannot be resumed.",
		scopes:      writesPosts, codes: []schedctl.Code{schedctl.NotFound, schedctl.VersionMismatch}, status: http.StatusOK, response: one,
		handle: withOptionalBody(read[struct{}], operation(s, bare((*usecase.Request).EndSeries), s.changedSeries)),
	}}
}

// seriesReviewRoutes are the routes of approvals of series.
func (s *Server) seriesReviewRoutes() []route {
	one := reflect.TypeFor[apiv1.SeriesEnvelope]()
	step := []schedctl.Code{schedctl.ApprovalNotPending, schedctl.SeriesIsOver, schedctl.VersionMismatch, schedctl.NotFound, schedctl.ValidationFailed}
	return []route{{
		method: http.MethodPost, path: "/series/{id}/submit", id: "submitSeries", tag: "Approvals",
		summary:     "Ask for the approval of a series",
		description: "A series whose accounts, policy or authors demand an approval makes no posts before it. It is approved once: texts, accounts, media, overrides and the rule. An edit of those asks again.",
		scopes:      writesDrafts, codes: step,
		request: reflect.TypeFor[apiv1.SubmitSeries](), optionalBody: true, status: http.StatusOK, response: one,
		handle: withOptionalBody(readNote[apiv1.SubmitSeries], operation(s, (*usecase.Request).SubmitSeries, s.changedSeries)),
	}, {
		method: http.MethodPost, path: "/series/{id}/approve", id: "approveSeries", tag: "Approvals",
		summary: "Approve a series",
		description: "The series makes its next posts in this request. If-Match must have the ETag that was read, so that no text is approved that was not seen. " +
			"The key that asked for the approval cannot approve it. An approver who has edited the series can, unless the workspace has four_eyes.",
		scopes: approvesPosts, codes: append([]schedctl.Code{schedctl.SelfApproval, schedctl.VersionRequired, schedctl.AccountNotAllowed}, step...),
		request: reflect.TypeFor[apiv1.ApproveSeries](), optionalBody: true, status: http.StatusOK, response: one,
		handle: withOptionalBody(readNote[apiv1.ApproveSeries], operation(s, (*usecase.Request).ApproveSeries, s.changedSeries)),
	}, {
		method: http.MethodPost, path: "/series/{id}/request-changes", id: "requestSeriesChanges", tag: "Approvals",
		summary:     "Ask for changes of a series",
		description: "The approval becomes changes_requested, until the series is submitted again. This also takes back an approval: the scheduled posts are removed, and made again after the next one. If-Match must have the ETag that was read.",
		scopes:      approvesPosts, codes: append([]schedctl.Code{schedctl.SelfApproval, schedctl.VersionRequired}, step...),
		request: reflect.TypeFor[apiv1.RequestChanges](), status: http.StatusOK, response: one,
		handle: withBody(readNote[apiv1.RequestChanges], operation(s, (*usecase.Request).RequestSeriesChanges, s.changedSeries)),
	}, {
		method: http.MethodPost, path: "/series/{id}/withdraw", id: "withdrawSeries", tag: "Approvals",
		summary:     "Withdraw a series from review",
		description: "Ends a review that is pending or changes_requested, or takes back an approval, as request-changes does.",
		scopes:      writesDrafts, codes: step, status: http.StatusOK, response: one,
		handle: withOptionalBody(read[struct{}], operation(s, bare((*usecase.Request).WithdrawSeries), s.changedSeries)),
	}}
}
