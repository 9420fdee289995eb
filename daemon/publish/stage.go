package publish

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
)

// Stager is a publisher whose network publishes in two steps: one request creates a post
// that is not visible yet, and a second one publishes it by its id. Publish sends only the second
// one, for Request.Stage. The network publishes a staged post at most once, however often
// it is asked to.
type Stager interface {
	Finder

	// Stage creates a staged post with the content of r, whose Stage is empty. It is
	// not visible before it is published, so it may be created again at any time: before the
	// post is due, after a lost response, and after the post was edited. The error is an
	// [*Error] with the outcome not_published. [CodeUploadLost] asks for other uploads.
	Stage(ctx context.Context, r Request) (Stage, error)

	// Staged asks whether the network has processed a staged post, and returns it with
	// Ready set when it has. It is called only while Ready is false, first after a second
	// and then less and less often. It may take a further step, such as putting processed
	// files together, and return another ID. Errors are those of Stage, and [CodeStageLost] or
	// [CodeStagePublished].
	Staged(ctx context.Context, r Request, s Stage) (Stage, error)
}

// Stage is a post that a network has and does not show yet.
type Stage struct {
	ID        string
	Ready     bool      // it can be published
	ExpiresAt time.Time // when the network may forget it; zero if it stays
}

// Codes of an [*Error] about a staged post.
const (
	// CodeStageLost means that the network no longer has the staged post, or can never
	// publish it. The outcome is not_published if this request was the only one to
	// publish it.
	CodeStageLost = "stage_lost"

	// CodeStagePublished means that the network has already published the staged post.
	// Only [Finder].Find knows which post that is.
	CodeStagePublished = "stage_published"
)

// StageLost returns the error for a staged post that the network can no longer publish.
func StageLost(status int, message string) *Error {
	return &Error{Kind: schedctl.KindPlatform, Code: CodeStageLost, HTTPStatus: status, Message: message, Outcome: schedctl.OutcomeNotPublished}
}

// StagePublished returns the error for a staged post that was published earlier.
func StagePublished() *Error {
	return &Error{
		Kind: schedctl.KindUnknown, Code: CodeStagePublished, Outcome: schedctl.OutcomeUnknown,
		Message: "the network has published the post already; schedctl looks for it",
	}
}
