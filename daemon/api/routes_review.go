package api

import (
	"net/http"
	"reflect"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/usecase"
)

var (
	approvesPosts = []schedctl.Scope{schedctl.ScopePostsApprove}
	writesNotes   = []schedctl.Scope{schedctl.ScopePostsWrite, schedctl.ScopePostsDraft, schedctl.ScopePostsApprove}
)

// reviewRoutes are the routes of approvals and notes.
func (s *Server) reviewRoutes() []route {
	one := reflect.TypeFor[apiv1.PostEnvelope]()
	step := []schedctl.Code{schedctl.ApprovalNotPending, schedctl.PostNotDraft, schedctl.PostCanceled, schedctl.VersionMismatch, schedctl.NotFound, schedctl.ValidationFailed}
	return []route{{
		method: http.MethodPost, path: "/posts/{id}/submit", id: "submitPost", tag: "Approvals",
		summary:     "Ask for the approval of a draft",
		description: "The draft stays a draft, and its approval becomes pending. List such posts with GET /posts?approval=pending.",
		scopes:      writesDrafts, codes: append([]schedctl.Code{schedctl.InvalidPublishAt, schedctl.InvalidSocialAccounts, schedctl.MediaNotReady}, step...),
		request: reflect.TypeFor[apiv1.SubmitPost](), optionalBody: true, status: http.StatusOK, response: one,
		handle: withOptionalBody(readSubmitPost, s.submitPost),
	}, {
		method: http.MethodPost, path: "/posts/{id}/approve", id: "approvePost", tag: "Approvals",
		summary: "Approve and schedule a draft",
		description: "In one step, the approval becomes approved, and the post is scheduled at publish_at, or at its proposed time. " +
			"If-Match must have the ETag that was read, so that no text is approved that was not seen. The key that asked for the approval cannot approve it. An approver who has edited the post can, unless the workspace has four_eyes; the event post.approved then has edited: true.",
		scopes: approvesPosts,
		codes: append([]schedctl.Code{
			schedctl.SelfApproval, schedctl.VersionRequired, schedctl.InvalidPublishAt, schedctl.InvalidSocialAccounts, schedctl.AccountNotAllowed,
			schedctl.ContentTooLong, schedctl.DuplicateContent, schedctl.InBlackout, schedctl.NoQueue, schedctl.QueueFull, schedctl.SlotTaken, schedctl.MediaNotReady,
		}, step...),
		request: reflect.TypeFor[apiv1.ApprovePost](), optionalBody: true, status: http.StatusOK, response: one,
		handle: withOptionalBody(readApprovePost, s.approvePost),
	}, {
		method: http.MethodPost, path: "/posts/{id}/request-changes", id: "requestPostChanges", tag: "Approvals",
		summary:     "Ask for changes of a post",
		description: "The approval becomes changes_requested, until the draft is submitted again. This also takes back an approval, until a target is claimed: the post becomes a draft, with its time as proposed_at. If-Match must have the ETag that was read.",
		scopes:      approvesPosts, codes: append([]schedctl.Code{schedctl.SelfApproval, schedctl.VersionRequired}, step...),
		request: reflect.TypeFor[apiv1.RequestChanges](), status: http.StatusOK, response: one,
		handle: withBody(readNote[apiv1.RequestChanges], operation(s, (*usecase.Request).RequestChanges, s.posts(http.StatusOK))),
	}, {
		method: http.MethodPost, path: "/posts/{id}/withdraw", id: "withdrawPost", tag: "Approvals",
		summary:     "Withdraw a post from review",
		description: "Ends a review that is pending or changes_requested. It also takes back an approval, until a target is claimed: the post becomes a draft, with its time as proposed_at.",
		scopes:      writesDrafts, codes: step,
		status: http.StatusOK, response: one,
		handle: withOptionalBody(read[struct{}], operation(s, bare((*usecase.Request).WithdrawPost), s.posts(http.StatusOK))),
	}, {
		method: http.MethodGet, path: "/posts/{id}/notes", id: "listPostNotes", tag: "Approvals",
		summary:     "List the notes of a post",
		description: "Oldest first. A post has at most 50 notes.",
		scopes:      readsPosts, codes: []schedctl.Code{schedctl.NotFound, schedctl.ValidationFailed},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.PostNoteList](),
		handle: s.listNotes,
	}, {
		method: http.MethodPost, path: "/posts/{id}/notes", id: "addPostNote", tag: "Approvals",
		summary:     "Add a note to a post",
		description: "A note is never published, and does not change the version of the post.",
		scopes:      writesNotes, codes: []schedctl.Code{schedctl.NotFound, schedctl.ValidationFailed},
		request: reflect.TypeFor[apiv1.AddNote](), status: http.StatusCreated, response: reflect.TypeFor[apiv1.PostNoteEnvelope](),
		handle: withBody(readAddNote, s.addNote),
	}}
}
