package api

import (
	"net/http"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// routes lists every operation below the prefix.
func (s *Server) routes() []route {
	return slices.Concat(s.workspaceRoutes(), s.keyRoutes(), s.accountRoutes(), s.postRoutes(), s.postOperationRoutes(),
		s.webhookRoutes(), s.notificationRoutes(), s.deliveryRoutes(), s.eventRoutes())
}

var (
	readsAccounts  = []schedctl.Scope{schedctl.ScopeAccountsRead}
	writesAccounts = []schedctl.Scope{schedctl.ScopeAccountsWrite}
	readsPosts     = []schedctl.Scope{schedctl.ScopePostsRead}
	writesPosts    = []schedctl.Scope{schedctl.ScopePostsWrite}
	writesDrafts   = []schedctl.Scope{schedctl.ScopePostsWrite, schedctl.ScopePostsDraft}
)

func (s *Server) accountRoutes() []route {
	one := reflect.TypeFor[apiv1.AccountEnvelope]()
	return []route{{
		method: http.MethodGet, path: "/social-accounts", id: "listSocialAccounts", tag: "Social accounts",
		summary:     "List social accounts",
		description: "In order of creation. Accounts that were disconnected are left out unless status is all.",
		scopes:      readsAccounts, params: accountListParams(), codes: []schedctl.Code{schedctl.ValidationFailed},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.AccountList](),
		handle: s.listAccounts,
	}, {
		method: http.MethodPost, path: "/social-accounts", id: "addSocialAccount", tag: "Social accounts",
		summary:     "Connect a social account",
		description: "The network is asked whether it knows the account before anything is stored. Credentials are encrypted at rest and never shown again.",
		scopes:      writesAccounts,
		codes:       []schedctl.Code{schedctl.ValidationFailed, schedctl.AccountVerificationFailed, schedctl.AccountNotAllowed},
		request:     reflect.TypeFor[apiv1.AddAccount](), status: http.StatusCreated, response: one,
		asksNetwork: true, handle: withBody(readAddAccount, s.addAccount),
	}, {
		method: http.MethodGet, path: "/social-accounts/{id}", id: "getSocialAccount", tag: "Social accounts",
		summary:     "Get a social account",
		description: "Also one that was disconnected.",
		scopes:      readsAccounts, codes: []schedctl.Code{schedctl.NotFound},
		status: http.StatusOK, response: one,
		handle: s.getAccount,
	}, {
		method: http.MethodPatch, path: "/social-accounts/{id}", id: "editSocialAccount", tag: "Social accounts",
		summary:     "Rename, configure or reconnect a social account",
		description: "New credentials replace all old ones; they, and options of the platform's own, are verified with the network first. An option set to null goes back to its default. Credentials of somebody else than the account has been are refused: they make a new account.",
		scopes:      writesAccounts,
		codes:       []schedctl.Code{schedctl.ValidationFailed, schedctl.AccountVerificationFailed, schedctl.NotFound},
		request:     reflect.TypeFor[apiv1.EditAccount](), status: http.StatusOK, response: one,
		asksNetwork: true, handle: withBody(readEditAccount, s.editAccount),
	}, {
		method: http.MethodDelete, path: "/social-accounts/{id}", id: "removeSocialAccount", tag: "Social accounts",
		summary:     "Disconnect a social account",
		description: "Erases its credentials. The account can still be read; what is due on it fails. Repeating the call changes nothing.",
		scopes:      writesAccounts, codes: []schedctl.Code{schedctl.NotFound},
		status: http.StatusNoContent,
		handle: withoutBody(s.removeAccount),
	}, {
		method: http.MethodPost, path: "/social-accounts/{id}/verify", id: "verifySocialAccount", tag: "Social accounts",
		summary:     "Ask the network about a social account again",
		description: "Answers with the account whether its network accepts it (status connected) or not (status error). When the network is out of reach nothing changes and the answer is 503.",
		scopes:      writesAccounts, codes: []schedctl.Code{schedctl.ValidationFailed, schedctl.NotFound},
		status: http.StatusOK, response: one,
		asksNetwork: true, handle: withoutBody(s.verifyAccount),
	}}
}

func (s *Server) postRoutes() []route {
	one := reflect.TypeFor[apiv1.PostEnvelope]()
	invalid := []schedctl.Code{
		schedctl.ValidationFailed, schedctl.InvalidPublishAt, schedctl.ContentTooLong,
		schedctl.InvalidSocialAccounts, schedctl.AccountNotAllowed, schedctl.DuplicateContent,
	}
	return []route{{
		method: http.MethodGet, path: "/posts", id: "listPosts", tag: "Posts",
		summary: "List posts",
		description: "One page of the posts that match all filters. next_cursor is null at the end; a page can be short, even empty, and still have a next one: " +
			"it ends after about 1 MiB of text, and a search reads at most 2,000 posts or 1 MiB of text for a page. " +
			"A key can run a few searches at once; more of them wait for a second and are then refused with 429.",
		scopes: readsPosts, params: postListParams(), codes: []schedctl.Code{schedctl.ValidationFailed, schedctl.InvalidCursor},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.PostList](),
		handle: s.cacheResponses(s.listPosts),
	}, {
		method: http.MethodPost, path: "/posts", id: "createPost", tag: "Posts",
		summary: "Create a post",
		description: "Without publish_at the post is a draft; with a time it is scheduled; with \"now\" it goes out at once. The answer is sent when the post is on disk. " +
			"A post that is to go out is refused when the network of an account would not take it; a draft may be too long. " +
			"An external_id makes the request safe to repeat for ever: while a post has it, also a canceled one, no other post gets it, and EXTERNAL_ID_EXISTS names the existing post. " +
			"replaces takes it over from a canceled post.",
		scopes: writesDrafts, codes: append([]schedctl.Code{schedctl.ExternalIDExists, schedctl.NotFound, schedctl.PostNotReplaceable}, invalid...),
		request: reflect.TypeFor[apiv1.CreatePost](), status: http.StatusCreated, response: one,
		handle: withBody(readCreatePost, s.createPost),
	}, {
		method: http.MethodPost, path: "/posts/validate", id: "validatePost", tag: "Posts",
		summary: "Tell whether a post would be taken",
		description: "Takes the body of createPost and stores nothing; with post_id it is about what a change would make of a post that there is. Tells for each account how long its network counts the text to be, and every reason for which the post would be refused when it is to go out; without publish_at, as if it went out now. " +
			"What would be refused is no error here: only a body that cannot be read is.",
		scopes: readsPosts, readOnly: true, codes: []schedctl.Code{schedctl.InvalidPublishAt, schedctl.InvalidSocialAccounts},
		request: reflect.TypeFor[apiv1.ValidatePost](), status: http.StatusOK, response: reflect.TypeFor[apiv1.Validation](),
		handle: withBody(readValidatePost, s.validatePost),
	}, {
		method: http.MethodGet, path: "/posts/{id}", id: "getPost", tag: "Posts",
		summary:     "Get a post",
		description: "With all its targets. The ETag is the version, for If-Match and If-None-Match.",
		scopes:      readsPosts, codes: []schedctl.Code{schedctl.NotFound},
		status: http.StatusOK, response: one,
		handle: s.cacheResponses(s.getPost),
	}, {
		method: http.MethodGet, path: "/posts/{id}/timeline", id: "getPostTimeline", tag: "Posts",
		summary:     "Tell what happened to a post",
		description: "Its events, the latest 1000 of the last 30 days, and its targets with the latest 50 attempts to publish each of them.",
		scopes:      readsPosts, codes: []schedctl.Code{schedctl.NotFound},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.Timeline](),
		handle: s.getTimeline,
	}, {
		method: http.MethodPatch, path: "/posts/{id}", id: "editPost", tag: "Posts",
		summary: "Edit a post",
		description: "Drafts and scheduled posts, as long as no target has begun to go out. publish_at schedules a draft and moves a scheduled post. A change that changes nothing keeps the version. " +
			"external_id, managed and labels alone can be changed in every status; that raises the version and causes no event. external_id can be set where the post has none.",
		scopes:  writesDrafts,
		codes:   append([]schedctl.Code{schedctl.PostNotEditable, schedctl.PostCanceled, schedctl.ExternalIDExists, schedctl.VersionMismatch, schedctl.NotFound}, invalid...),
		request: reflect.TypeFor[apiv1.EditPost](), status: http.StatusOK, response: one,
		handle: withBody(readEditPost, s.editPost),
	}, {
		method: http.MethodDelete, path: "/posts/{id}", id: "deletePost", tag: "Posts",
		summary:     "Delete a draft",
		description: "Only a draft can be deleted; other posts can be canceled.",
		scopes:      writesDrafts, codes: []schedctl.Code{schedctl.PostNotDeletable, schedctl.VersionMismatch, schedctl.NotFound},
		status: http.StatusNoContent,
		handle: withoutBody(s.deletePost),
	}}
}

func (s *Server) postOperationRoutes() []route {
	one := reflect.TypeFor[apiv1.PostEnvelope]()
	return []route{{
		method: http.MethodPost, path: "/posts/{id}/schedule", id: "schedulePost", tag: "Posts",
		summary:     "Schedule a draft",
		description: "Gives a draft its time, and its accounts when social_account_ids is given.",
		scopes:      writesPosts,
		codes: []schedctl.Code{
			schedctl.PostNotDraft, schedctl.PostCanceled, schedctl.VersionMismatch, schedctl.NotFound, schedctl.ValidationFailed,
			schedctl.InvalidPublishAt, schedctl.InvalidSocialAccounts, schedctl.AccountNotAllowed, schedctl.ContentTooLong, schedctl.DuplicateContent,
		},
		request: reflect.TypeFor[apiv1.SchedulePost](), status: http.StatusOK, response: one,
		handle: withBody(readSchedulePost, s.schedulePost),
	}, {
		method: http.MethodPost, path: "/posts/{id}/publish-now", id: "publishPostNow", tag: "Posts",
		summary:     "Publish a draft or a scheduled post at once",
		description: "The post is queued when the answer is sent; read it again, or wait for events, to see it go out.",
		scopes:      writesPosts,
		codes: []schedctl.Code{
			schedctl.PostNotDraft, schedctl.PostCanceled, schedctl.VersionMismatch, schedctl.NotFound, schedctl.ValidationFailed,
			schedctl.InvalidSocialAccounts, schedctl.AccountNotAllowed, schedctl.ContentTooLong, schedctl.DuplicateContent,
		},
		request: reflect.TypeFor[apiv1.PublishPost](), optionalBody: true, status: http.StatusAccepted, response: one,
		handle: withOptionalBody(readPublishPost, s.publishPost),
	}, {
		method: http.MethodPost, path: "/posts/{id}/cancel", id: "cancelPost", tag: "Posts",
		summary:     "Cancel a post",
		description: "Every target that is not published becomes canceled. A call to a network that is under way cannot be recalled; if it succeeds, that target becomes published. A canceled post stays canceled. The body may change managed in the same step.",
		scopes:      writesPosts, codes: []schedctl.Code{schedctl.PostNotCancelable, schedctl.VersionMismatch, schedctl.NotFound, schedctl.ValidationFailed},
		request: reflect.TypeFor[apiv1.CancelPost](), optionalBody: true, status: http.StatusOK, response: one,
		handle: withOptionalBody(readCancelPost, s.cancelPost),
	}, {
		method: http.MethodPost, path: "/posts/{id}/unschedule", id: "unschedulePost", tag: "Posts",
		summary:     "Make a scheduled post a draft",
		description: "The post loses its time and keeps its text, its accounts and the ids of its targets. A draft stays as it is. A post that is publishing, or has finished, is refused.",
		scopes:      writesPosts, codes: []schedctl.Code{schedctl.PostNotScheduled, schedctl.PostCanceled, schedctl.VersionMismatch, schedctl.NotFound},
		status: http.StatusOK, response: one,
		handle: withoutBody(s.unschedulePost),
	}, {
		method: http.MethodPost, path: "/posts/{id}/retry", id: "retryPost", tag: "Posts",
		summary:     "Queue failed targets again",
		description: "All failed targets, or those named. A target that may have been published already is queued only with force. A target that is still publishing and waits for its network, or whose outcome is in doubt, is not sent blindly, with force neither: its network is asked at once.",
		scopes:      writesPosts,
		codes:       []schedctl.Code{schedctl.PostNotRetryable, schedctl.PostCanceled, schedctl.VersionMismatch, schedctl.NotFound, schedctl.ValidationFailed},
		request:     reflect.TypeFor[apiv1.RetryPost](), optionalBody: true, status: http.StatusAccepted, response: one,
		handle: withOptionalBody(readRetryPost, s.retryPost),
	}}
}

// accountListParams describes the query of GET /social-accounts.
func accountListParams() []*huma.Param {
	return []*huma.Param{
		queryParam("status", "all adds accounts that were disconnected", &huma.Schema{Type: huma.TypeString, Enum: []any{"all"}}),
	}
}

// postListParams describes the query of GET /posts.
func postListParams() []*huma.Param {
	text := &huma.Schema{Type: huma.TypeString}
	at := &huma.Schema{Type: huma.TypeString, Format: "date-time"}
	return []*huma.Param{
		queryParam("status", "only posts with this status; give it several times for any of several",
			&huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString, Enum: values(schedctl.Statuses())}}),
		queryParam("social_account_id", "only posts with a target on this account", text),
		queryParam("publish_after", "only posts with a publish_at at this time or later; "+utcOnly, at),
		queryParam("publish_before", "only posts with a publish_at before this time; "+utcOnly, at),
		queryParam("external_id", "only the post with this external_id", &huma.Schema{Type: huma.TypeString, MinLength: ptr(1), MaxLength: ptr(schedctl.MaxExternalID)}),
		queryParam("collection", "only posts that are managed in this collection", &huma.Schema{Type: huma.TypeString, MinLength: ptr(1), MaxLength: ptr(schedctl.MaxCollection)}),
		queryParam("label", "only posts with this label; give it several times for all of several; reads at most 2,000 posts for a page, as q does",
			&huma.Schema{Type: huma.TypeArray, MaxItems: ptr(schedctl.MaxLabels), Items: &huma.Schema{Type: huma.TypeString, MinLength: ptr(1), MaxLength: ptr(schedctl.MaxLabel)}}),
		queryParam("q", "only posts whose content contains this text, ignoring case",
			&huma.Schema{Type: huma.TypeString, MaxLength: ptr(schedctl.MaxSearch)}),
		queryParam("sort", "posts without a publish_at come last under the sorts by it",
			&huma.Schema{Type: huma.TypeString, Enum: values(listSorts), Default: string(listSorts[0])}),
		queryParam("limit", "posts on a page", &huma.Schema{
			Type: huma.TypeInteger, Minimum: ptr(1.0), Maximum: ptr(float64(maxLimit)), Default: defaultLimit,
		}),
		queryParam("cursor", "next_cursor of the page before, with the same filter and sort", text),
		queryParam("offset", "posts to leave out at the beginning; not together with cursor", &huma.Schema{
			Type: huma.TypeInteger, Minimum: ptr(0.0), Maximum: ptr(float64(maxOffset)), Default: 0,
		}),
	}
}

const utcOnly = "RFC 3339 in UTC, such as 2026-06-02T15:00:00Z"

func queryParam(name, about string, schema *huma.Schema) *huma.Param {
	return &huma.Param{Name: name, In: "query", Description: about, Schema: schema}
}

// values returns texts as the values of an enum.
func values[T ~string](texts []T) []any {
	out := make([]any, len(texts))
	for i, t := range texts {
		out[i] = string(t)
	}
	return out
}

func ptr[T any](v T) *T { return &v }
