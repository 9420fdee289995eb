package api

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/usecase"
)

// postReadRoutes are the routes that read posts.
func (s *Server) postReadRoutes() []route {
	one := reflect.TypeFor[apiv1.PostEnvelope]()
	return []route{{
		method: http.MethodGet, path: "/posts", id: "listPosts", tag: "Posts",
		summary: "List posts",
		description: "One page of the posts that match all filters. next_cursor is null at the end; a page can be short, even empty, and still have a next page: " +
			"it ends after about 1 MiB of text, and a search reads at most 2,000 posts or 1 MiB of text for a page. " +
			"A key can run a few searches at once; further ones wait for a second and are then refused with 429.",
		scopes: readsPosts, params: postListParams(), codes: []schedctl.Code{schedctl.ValidationFailed, schedctl.InvalidCursor},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.PostList](),
		handle: s.cacheResponses(s.listPosts),
	}, {
		method: http.MethodGet, path: "/posts/{id}", id: "getPost", tag: "Posts",
		summary:     "Get a post",
		description: "Includes all targets. The ETag is derived from the version; send it in If-Match and If-None-Match.",
		scopes:      readsPosts, codes: []schedctl.Code{schedctl.NotFound},
		status: http.StatusOK, response: one,
		handle: s.cacheResponses(s.getPost),
	}, {
		method: http.MethodGet, path: "/posts/{id}/timeline", id: "getPostTimeline", tag: "Posts",
		summary:     "Get the history of a post",
		description: "The latest 1000 events of the last 30 days, and all targets with their latest 50 attempts.",
		scopes:      readsPosts, codes: []schedctl.Code{schedctl.NotFound},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.Timeline](),
		handle: s.getTimeline,
	}}
}

// postWriteRoutes are the routes that create, validate, edit and delete posts.
func (s *Server) postWriteRoutes() []route {
	one := reflect.TypeFor[apiv1.PostEnvelope]()
	invalid := []schedctl.Code{
		schedctl.ValidationFailed, schedctl.InvalidPublishAt, schedctl.ContentTooLong,
		schedctl.InvalidSocialAccounts, schedctl.AccountNotAllowed, schedctl.DuplicateContent, schedctl.InBlackout,
		schedctl.NoQueue, schedctl.QueueFull, schedctl.SlotTaken, schedctl.ApprovalMissing, schedctl.MediaNotReady,
	}
	return []route{{
		method: http.MethodPost, path: "/posts", id: "createPost", tag: "Posts", overrides: true,
		summary: "Create a post",
		description: "Without publish_at the post is a draft; with a time it is scheduled; with \"now\" it is published immediately; with \"next-slot\" it is scheduled in the next free slot of a queue, which no other post of its accounts can get. The response is sent when the post is on disk. " +
			"A post with a time is refused if the network of an account would refuse it; a draft may be too long. " +
			"An external_id makes the request safe to repeat without a time limit: while any post has it, even a canceled one, another request with it gets EXTERNAL_ID_EXISTS with the path of that post. " +
			"With replaces, the new post takes the external_id from a canceled post.",
		scopes: writesDrafts, codes: append([]schedctl.Code{schedctl.ExternalIDExists, schedctl.NotFound, schedctl.PostNotReplaceable}, invalid...),
		request: reflect.TypeFor[apiv1.CreatePost](), status: http.StatusCreated, response: one,
		handle: withBody(readCreatePost, s.createPost),
	}, {
		method: http.MethodPost, path: "/posts/validate", id: "validatePost", tag: "Posts",
		summary: "Validate a post",
		description: "Takes the body of createPost and stores nothing; with post_id it validates a change of that post. Returns for each account the length of the text as its network counts it, and all reasons why the post would be refused; without publish_at it is validated as if it were published now. " +
			"Reasons to refuse the post are part of the response; the request itself fails only if the body cannot be read.",
		scopes: readsPosts, readOnly: true, codes: []schedctl.Code{schedctl.InvalidPublishAt, schedctl.InvalidSocialAccounts},
		request: reflect.TypeFor[apiv1.ValidatePost](), status: http.StatusOK, response: reflect.TypeFor[apiv1.Validation](),
		handle: withBody(readValidatePost, s.validatePost),
	}, {
		method: http.MethodPatch, path: "/posts/{id}", id: "editPost", tag: "Posts", overrides: true,
		summary: "Edit a post",
		description: "Edits drafts, and scheduled posts that have no started target. publish_at schedules a draft and moves a scheduled post; a fixed time takes the post out of its queue. With changed accounts and without publish_at, a post keeps its slot if the slot is free for all of them. A request that changes nothing keeps the version. " +
			"external_id, managed and labels can be changed in every status if nothing else changes; this increases the version and emits no event. external_id can be set only if the post has none.",
		scopes:  writesDrafts,
		codes:   append([]schedctl.Code{schedctl.PostNotEditable, schedctl.PostCanceled, schedctl.ExternalIDExists, schedctl.VersionMismatch, schedctl.NotFound}, invalid...),
		request: reflect.TypeFor[apiv1.EditPost](), status: http.StatusOK, response: one,
		handle: withBody(readEditPost, s.editPost),
	}, {
		method: http.MethodDelete, path: "/posts/{id}", id: "deletePost", tag: "Posts",
		summary:     "Delete a draft",
		description: "Only a draft can be deleted; cancel other posts instead.",
		scopes:      writesDrafts, codes: []schedctl.Code{schedctl.PostNotDeletable, schedctl.VersionMismatch, schedctl.NotFound},
		status: http.StatusNoContent,
		handle: withoutBody(s.deletePost),
	}}
}

// postOperationRoutes are the routes that change the status of posts.
func (s *Server) postOperationRoutes() []route {
	one := reflect.TypeFor[apiv1.PostEnvelope]()
	return []route{{
		method: http.MethodPost, path: "/posts/{id}/schedule", id: "schedulePost", tag: "Posts", overrides: true,
		summary:     "Schedule a draft",
		description: "Sets the publish time of a draft, and its accounts if social_account_ids is given.",
		scopes:      writesPosts,
		codes: []schedctl.Code{
			schedctl.PostNotDraft, schedctl.PostCanceled, schedctl.VersionMismatch, schedctl.NotFound, schedctl.ValidationFailed,
			schedctl.InvalidPublishAt, schedctl.InvalidSocialAccounts, schedctl.AccountNotAllowed, schedctl.ContentTooLong, schedctl.DuplicateContent, schedctl.InBlackout,
			schedctl.NoQueue, schedctl.QueueFull, schedctl.SlotTaken, schedctl.ApprovalMissing, schedctl.MediaNotReady,
		},
		request: reflect.TypeFor[apiv1.SchedulePost](), status: http.StatusOK, response: one,
		handle: withBody(readSchedulePost, s.schedulePost),
	}, {
		method: http.MethodPost, path: "/posts/{id}/publish-now", id: "publishPostNow", tag: "Posts", overrides: true,
		summary:     "Publish a draft or a scheduled post now",
		description: "The response is sent when the post is queued. Read the post again, or wait for events, to see the result.",
		scopes:      writesPosts,
		codes: []schedctl.Code{
			schedctl.PostNotDraft, schedctl.PostCanceled, schedctl.VersionMismatch, schedctl.NotFound, schedctl.ValidationFailed,
			schedctl.InvalidSocialAccounts, schedctl.AccountNotAllowed, schedctl.ContentTooLong, schedctl.DuplicateContent, schedctl.ApprovalMissing, schedctl.MediaNotReady,
		},
		request: reflect.TypeFor[apiv1.PublishPost](), optionalBody: true, status: http.StatusAccepted, response: one,
		handle: withOptionalBody(readPublishPost, s.publishPost),
	}, {
		method: http.MethodPost, path: "/posts/{id}/cancel", id: "cancelPost", tag: "Posts",
		summary:     "Cancel a post",
		description: "Every target that is not published becomes canceled. A running request to a network cannot be recalled; if it succeeds, that target becomes published. A canceled post stays canceled. The body may change managed in the same step.",
		scopes:      writesPosts, codes: []schedctl.Code{schedctl.PostNotCancelable, schedctl.VersionMismatch, schedctl.NotFound, schedctl.ValidationFailed},
		request: reflect.TypeFor[apiv1.CancelPost](), optionalBody: true, status: http.StatusOK, response: one,
		handle: withOptionalBody(readCancelPost, operation(s, (*usecase.Request).CancelPost, s.posts(http.StatusOK))),
	}, {
		method: http.MethodPost, path: "/posts/{id}/unschedule", id: "unschedulePost", tag: "Posts",
		summary:     "Make a scheduled post a draft",
		description: "The post keeps its text, accounts and target ids. Its publish time becomes the proposed time of the draft. A draft is left unchanged. A post that is publishing or has finished is refused.",
		scopes:      writesPosts, codes: []schedctl.Code{schedctl.PostNotScheduled, schedctl.PostCanceled, schedctl.VersionMismatch, schedctl.NotFound},
		status: http.StatusOK, response: one,
		handle: withOptionalBody(read[struct{}], operation(s, bare((*usecase.Request).UnschedulePost), s.posts(http.StatusOK))),
	}, {
		method: http.MethodPost, path: "/posts/{id}/retry", id: "retryPost", tag: "Posts", overrides: true,
		summary:     "Retry failed targets",
		description: "Queues all failed targets, or those in target_ids. A target that may have been published already is queued only with force. A publishing target that waits for its network, or whose outcome is uncertain, is not sent again, even with force: the daemon checks with the network immediately. A publishing target that waits for the end of a rate limit, or for its next attempt, is tried immediately, and so is its account.",
		scopes:      writesPosts,
		codes:       []schedctl.Code{schedctl.PostNotRetryable, schedctl.PostCanceled, schedctl.ApprovalMissing, schedctl.VersionMismatch, schedctl.NotFound, schedctl.ValidationFailed},
		request:     reflect.TypeFor[apiv1.RetryPost](), optionalBody: true, status: http.StatusAccepted, response: one,
		handle: withOptionalBody(readRetryPost, operation(s, (*usecase.Request).RetryPost, s.sentPosts(http.StatusAccepted))),
	}}
}

// postRestRoutes are the routes for posts whose work is over.
func (s *Server) postRestRoutes() []route {
	one := reflect.TypeFor[apiv1.PostEnvelope]()
	return []route{{
		method: http.MethodPost, path: "/posts/{id}/resend", id: "resendPost", tag: "Posts", overrides: true,
		summary: "Send failed targets again with changes",
		description: "Makes a new post for the failed targets of a post, with the fields of the body, and archives the failed one. Without publish_at the new post is a draft. " +
			"Targets that may have published something are sent again only with force. A post can be resent once, and cannot be retried afterwards. Retry instead when the cause was not the content.",
		scopes: writesPosts,
		codes: []schedctl.Code{
			schedctl.PostNotRetryable, schedctl.PostCanceled, schedctl.VersionMismatch, schedctl.NotFound, schedctl.ExternalIDExists, schedctl.ValidationFailed,
			schedctl.InvalidPublishAt, schedctl.InvalidSocialAccounts, schedctl.AccountNotAllowed, schedctl.ContentTooLong, schedctl.DuplicateContent, schedctl.InBlackout,
			schedctl.NoQueue, schedctl.QueueFull, schedctl.SlotTaken, schedctl.ApprovalMissing, schedctl.MediaNotReady,
		},
		request: reflect.TypeFor[apiv1.ResendPost](), optionalBody: true, status: http.StatusCreated, response: one,
		handle: withOptionalBody(readResendPost, s.resendPost),
	}, {
		method: http.MethodPost, path: "/posts/{id}/archive", id: "archivePost", tag: "Posts",
		summary:     "Archive a post",
		description: "Lists leave an archived post out unless they are asked for it. Only a post that is published, failed or canceled can be archived. An archived post is left unchanged.",
		scopes:      writesPosts, codes: []schedctl.Code{schedctl.PostNotOver, schedctl.VersionMismatch, schedctl.NotFound},
		status: http.StatusOK, response: one,
		handle: withOptionalBody(read[struct{}], operation(s, bare((*usecase.Request).ArchivePost), s.posts(http.StatusOK))),
	}, {
		method: http.MethodPost, path: "/posts/{id}/unarchive", id: "unarchivePost", tag: "Posts",
		summary:     "List an archived post again",
		description: "A post that is not archived is left unchanged.",
		scopes:      writesPosts, codes: []schedctl.Code{schedctl.VersionMismatch, schedctl.NotFound},
		status: http.StatusOK, response: one,
		handle: withOptionalBody(read[struct{}], operation(s, bare((*usecase.Request).UnarchivePost), s.posts(http.StatusOK))),
	}}
}

// postListParams describes the query of GET /posts.
func postListParams() []*huma.Param {
	text := &huma.Schema{Type: huma.TypeString}
	at := &huma.Schema{Type: huma.TypeString, Format: "date-time"}
	return []*huma.Param{
		queryParam("status", "only posts with this status; repeat it to match any of several",
			&huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString, Enum: values(schedctl.Statuses())}}),
		queryParam("social_account_id", "only posts with a target on this account", text),
		queryParam("publish_after", "only posts with a publish_at at this time or later; "+utcOnly, at),
		queryParam("publish_before", "only posts with a publish_at before this time; "+utcOnly, at),
		queryParam("external_id", "only the post with this external_id", &huma.Schema{Type: huma.TypeString, MinLength: new(1), MaxLength: new(schedctl.MaxExternalID)}),
		queryParam("collection", "only posts that are managed in this collection", &huma.Schema{Type: huma.TypeString, MinLength: new(1), MaxLength: new(schedctl.MaxCollection)}),
		queryParam("queue_id", "only posts with a slot of this queue", text),
		queryParam("series_id", "only occurrences of this series", text),
		queryParam("approval", "only posts whose last review has this state; by times, and in sorts by publish_at, a draft counts with its proposed_at then", &huma.Schema{Type: huma.TypeString, Enum: values(schedctl.ApprovalStates())}),
		queryParam("proposed", "true: of drafts, list those that wait for an approval and propose a time, among the other posts at that time, whatever status says; needs a sort by publish_at, and cannot be combined with q, external_id, collection, queue_id, series_id, approval, created_by and label",
			&huma.Schema{Type: huma.TypeString, Enum: []any{"false", "true"}, Default: "false"}),
		queryParam("archived", "whether archived posts are left out (false), the only ones (true), or listed with the others (all); a list with external_id has them by default",
			&huma.Schema{Type: huma.TypeString, Enum: []any{"false", "true", "all"}, Default: "false"}),
		queryParam("created_by", "only posts that this API key created; with a sort by publish_at or with another filter than status, a page reads at most 2,000 posts, like q", text),
		queryParam("label", "only posts with this label; repeat it to require several; reads at most 2,000 posts for a page, like q",
			&huma.Schema{Type: huma.TypeArray, MaxItems: new(schedctl.MaxLabels), Items: &huma.Schema{Type: huma.TypeString, MinLength: new(1), MaxLength: new(schedctl.MaxLabel)}}),
		queryParam("q", "only posts whose content contains this text, ignoring case",
			&huma.Schema{Type: huma.TypeString, MaxLength: new(schedctl.MaxSearch)}),
		queryParam("sort", "posts without publish_at come last when sorting by it",
			&huma.Schema{Type: huma.TypeString, Enum: values(listSorts), Default: string(listSorts[0])}),
		queryParam("limit", "posts on a page", &huma.Schema{
			Type: huma.TypeInteger, Minimum: new(1.0), Maximum: new(float64(maxLimit)), Default: defaultLimit,
		}),
		queryParam("cursor", "next_cursor of the previous page, with the same filter and sort", text),
		queryParam("offset", "number of posts to skip; cannot be combined with cursor", &huma.Schema{
			Type: huma.TypeInteger, Minimum: new(0.0), Maximum: new(float64(maxOffset)), Default: 0,
		}),
	}
}
