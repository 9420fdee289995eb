package postlist

import (
	"cmp"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// SortProposed sorts posts by their proposed times. The daemon cannot do that.
const SortProposed = "proposed_at"

// CompareProposed compares the proposed times of two posts. Posts for the next free slot
// are after those with a time, and posts without a proposed time are last.
func CompareProposed(a, b apiv1.Post) int {
	rank := func(p apiv1.Post) (int, time.Time) {
		switch {
		case p.ProposedAt == nil:
			return 2, time.Time{}
		case p.ProposedAt.NextSlot:
			return 1, time.Time{}
		}
		return 0, p.ProposedAt.Time
	}
	x, at := rank(a)
	y, other := rank(b)
	return cmp.Or(cmp.Compare(x, y), at.Compare(other), strings.Compare(a.ID, b.ID))
}

// HasApproval reports whether the approval of a post has a state.
func HasApproval(p apiv1.Post, state schedctl.ApprovalState) bool {
	return p.Approval != nil && p.Approval.State == state
}

// IsPending reports whether a post waits for an approval.
func IsPending(p apiv1.Post) bool { return HasApproval(p, schedctl.ApprovalPending) }

// Why a key may not decide, and what to do.
const (
	NoApproverText = "this API key may not decide about posts: use a key with the scope posts:approve"
	OwnRequestText = "your key asked for this approval, or edited a text that needs two people: another person has to decide"
)
