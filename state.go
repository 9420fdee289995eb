package schedctl

import (
	"fmt"
	"slices"
)

// Status is the state of a post or of one of its targets.
type Status string

// The statuses, of posts and of targets alike.
const (
	Draft      Status = "draft"      // not scheduled
	Scheduled  Status = "scheduled"  // waits for its time
	Publishing Status = "publishing" // queued, in progress, or between two attempts
	Published  Status = "published"  // on the network
	Failed     Status = "failed"     // given up; the target's error says why
	Canceled   Status = "canceled"   // final for a post
)

// Statuses lists every status in the order of a post's life.
func Statuses() []Status {
	return []Status{Draft, Scheduled, Publishing, Published, Failed, Canceled}
}

// Trigger is the cause of a status change of a target.
type Trigger string

// The triggers of target transitions.
const (
	TriggerSchedule Trigger = "schedule" // a time was set, or moved
	TriggerQueue    Trigger = "queue"    // publish now
	TriggerClaim    Trigger = "claim"    // an attempt starts
	TriggerDefer    Trigger = "defer"    // an attempt ended; another will follow
	TriggerPublish  Trigger = "publish"  // the network published it
	TriggerFail     Trigger = "fail"     // given up
	TriggerRetry    Trigger = "retry"    // a person retries a failed target
	TriggerCancel   Trigger = "cancel"   // the post was canceled

	TriggerUnschedule Trigger = "unschedule" // the post became a draft again
)

// transitions is the complete state machine of a target; all other transitions are
// forbidden. A canceled target can still become published, because a request in
// progress cannot be stopped.
var transitions = map[Status]map[Trigger]Status{
	Draft: {
		TriggerSchedule: Scheduled,
		TriggerQueue:    Publishing,
	},
	Scheduled: {
		TriggerSchedule: Scheduled,
		TriggerQueue:    Publishing,
		TriggerClaim:    Publishing,
		TriggerFail:     Failed,
		TriggerCancel:   Canceled,

		TriggerUnschedule: Draft,
	},
	Publishing: {
		TriggerClaim:   Publishing,
		TriggerDefer:   Publishing,
		TriggerPublish: Published,
		TriggerFail:    Failed,
		TriggerCancel:  Canceled,
	},
	Failed: {
		TriggerRetry:  Publishing,
		TriggerCancel: Canceled,
	},
	Canceled: {
		TriggerPublish: Published,
	},
}

// NextStatus returns the status that a trigger moves a target to, or an error
// when the transition table has no such move.
func NextStatus(from Status, by Trigger) (Status, error) {
	if to, ok := transitions[from][by]; ok {
		return to, nil
	}
	return from, fmt.Errorf("a %s target has no transition %q", from, by)
}

// Operation is something that a client can do with a post.
type Operation string

// The operations on a post.
const (
	OpEdit       Operation = "edit"
	OpDelete     Operation = "delete"
	OpSchedule   Operation = "schedule"
	OpPublishNow Operation = "publish-now"
	OpCancel     Operation = "cancel"
	OpRetry      Operation = "retry"
	OpUnschedule Operation = "unschedule"
	OpSubmit     Operation = "submit"
	OpApprove    Operation = "approve"
	OpWithdraw   Operation = "withdraw"

	OpRequestChanges Operation = "request-changes"

	OpArchive   Operation = "archive"
	OpUnarchive Operation = "unarchive"
	OpResend    Operation = "resend"

	OpAnnotate Operation = "annotate" // external id, managed and labels alone
)

// rule has the post statuses in which an operation is allowed, and the error for all
// others.
type rule struct {
	allowed []Status
	code    Code
	advice  string
}

var rules = map[Operation]rule{
	OpEdit:       {[]Status{Draft, Scheduled}, PostNotEditable, "only a draft or a scheduled post can be edited; create a new post"},
	OpDelete:     {[]Status{Draft}, PostNotDeletable, "only a draft can be deleted; a scheduled post can be canceled"},
	OpSchedule:   {[]Status{Draft}, PostNotDraft, "only a draft can be scheduled; to move a scheduled post, edit its publish time"},
	OpPublishNow: {[]Status{Draft, Scheduled}, PostNotDraft, "only a draft or a scheduled post can be published now"},
	OpCancel:     {[]Status{Scheduled, Publishing}, PostNotCancelable, "only a post that is scheduled or publishing can be canceled"},
	OpRetry:      {[]Status{Failed, Publishing}, PostNotRetryable, "only a failed post, or one that waits for its network, can be retried"},
	OpUnschedule: {[]Status{Draft, Scheduled}, PostNotScheduled, "only a scheduled post can become a draft again"},
	OpSubmit:     {[]Status{Draft}, PostNotDraft, "only a draft can be submitted for approval"},
	OpApprove:    {[]Status{Draft}, PostNotDraft, "only a draft can be approved"},
	OpWithdraw:   {[]Status{Draft, Scheduled}, PostNotDraft, "its approval cannot be taken back any more; a post that is publishing can be canceled"},
	OpAnnotate:   {Statuses(), PostNotEditable, ""},
	OpArchive:    {[]Status{Published, Failed, Canceled}, PostNotOver, "only a post that is published, failed or canceled can be archived"},
	OpUnarchive:  {Statuses(), PostNotOver, ""},
	OpResend:     {[]Status{Failed}, PostNotRetryable, "only a post with failed targets can be resent"},

	OpRequestChanges: {[]Status{Draft, Scheduled}, PostNotDraft, "its approval cannot be taken back any more; a post that is publishing can be canceled"},
}

// CheckOperation returns nil if the operation is allowed for a post with this status,
// and otherwise an [*Error] with the reason. For a canceled post, cancel and delete
// have their own codes; all others return [PostCanceled].
func CheckOperation(op Operation, status Status) error {
	r := rules[op]
	if slices.Contains(r.allowed, status) {
		return nil
	}
	if status == Canceled && op != OpCancel && op != OpDelete {
		return Errorf(PostCanceled, "", "the post is canceled, which is final; create a new post")
	}
	return Errorf(r.code, "", "the post is %s: %s", status, r.advice)
}

// deriveStatus is the only function that derives the status of a post, from its
// targets and from whether it was canceled.
func deriveStatus(canceled bool, s Summary) Status {
	finished := s.Published + s.Failed + s.Canceled
	switch {
	case canceled:
		return Canceled
	case s.Total == 0 || s.Draft > 0:
		return Draft
	case s.Publishing > 0 || (finished > 0 && s.Scheduled > 0):
		return Publishing
	case s.Scheduled > 0:
		return Scheduled
	case s.Failed > 0:
		return Failed
	default:
		return Published
	}
}
