package postlist

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// IsProposal reports whether a post is a draft that waits for an approval and proposes a
// time.
func IsProposal(p apiv1.Post) bool {
	return p.Status == schedctl.Draft && HasApproval(p, schedctl.ApprovalPending) && p.ProposedAt != nil && !p.ProposedAt.NextSlot
}

// Planned returns the time at which lists show a post: its time, or the proposed one. It is
// nil for other drafts.
func Planned(p apiv1.Post) *apiv1.Time {
	if IsProposal(p) {
		return apiv1.NewTime(p.ProposedAt.Time)
	}
	return p.PublishAt
}

// StateWord is the status of a post for people.
func StateWord(p apiv1.Post) string {
	if IsProposal(p) {
		return "proposed"
	}
	return string(p.Status)
}
