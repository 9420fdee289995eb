package publish

import (
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
)

// Threader is a publisher whose network can reply to a post. A publisher that is no
// Threader is never given a thread or a first comment.
type Threader interface {
	// ThreadRules returns the rules for an account. It sends no request and reads only
	// the account's limits and options.
	ThreadRules(schedctl.Account) ThreadRules
}

// ThreadRules say how a network publishes the parts of a thread.
type ThreadRules struct {
	Refused string // why the account takes no threads, and what to do; otherwise empty

	// Whole means that one request publishes all parts, or none of them. Publish gets
	// the further parts in Request.Rest, and returns their receipts in Receipt.Rest.
	// Otherwise there is one request for each part.
	Whole bool

	// Replies is how many parts after the first one the network accepts in any period of
	// RepliesWindow. They do not count toward [schedctl.Limits].Posts. Both are 0 if it has
	// no such limit.
	Replies       int
	RepliesWindow time.Duration
}

// Poller is a publisher whose network has polls. Others are never given one.
type Poller interface {
	// PollRules returns the rules for an account. It sends no request and reads only the
	// account's limits and options.
	PollRules(schedctl.Account) PollRules
}

// PollRules are the limits of polls. Zero means no limit.
type PollRules struct {
	Refused    string // why the account takes no polls, and what to do; otherwise empty
	MaxOptions int
	MaxOption  int           // characters of an option
	MinTime    time.Duration // how long a poll runs at least
	MaxTime    time.Duration
	WithMedia  bool // a post may have a poll and media
	NoMultiple bool // people can choose only one option
	NoHiding   bool // the votes are always shown
	WholeHours bool // the network knows only whole hours
}

// RequestPart is a part of a thread that a request publishes after its first part.
type RequestPart struct {
	Kind    schedctl.PartKind
	Content string
	Files   []File
	Key     string
}

// PartKeyer is a [Keyer] whose keys of further parts have a format of their own. The
// default is the key of part 0, a hyphen and the index of the part.
type PartKeyer interface {
	// PartKey returns the key of the part with this index, above 0, for the key of part
	// 0. The same arguments always give the same key.
	PartKey(first string, part int) string
}

// PartKey returns the key of a part for the key of part 0.
func PartKey(p Publisher, first string, part int) string {
	if part == 0 {
		return first
	}
	if keyer, ok := p.(PartKeyer); ok {
		return keyer.PartKey(first, part)
	}
	return fmt.Sprintf("%s-%d", first, part)
}

// CodeParentMissing is the code of an [*Error] of kind content and outcome
// not_published: the post that the part replies to is no longer on the network.
const CodeParentMissing = "parent_missing"

// ParentMissing returns the error for a part whose parent is no longer on the network.
func ParentMissing(status int) *Error {
	return &Error{
		Kind: schedctl.KindContent, Code: CodeParentMissing, HTTPStatus: status, Outcome: schedctl.OutcomeNotPublished,
		Message: "the post that this part replies to no longer exists on the network; nothing was published in its place",
	}
}

// LostParent returns the degradation of a reply that the network published as a post of
// its own. The rest of the thread is not published.
func LostParent() schedctl.Degradation {
	return schedctl.Degradation{
		Code:    schedctl.DegradedReply,
		Message: "the network published this part as a post of its own instead of a reply; delete it there, and publish the rest by hand",
	}
}
