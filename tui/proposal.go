package tui

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// isProposal reports whether a post is a draft that waits for an approval and proposes a
// time.
func isProposal(p apiv1.Post) bool {
	return p.Status == schedctl.Draft && hasApproval(p, schedctl.ApprovalPending) && p.ProposedAt != nil && !p.ProposedAt.NextSlot
}

// planned returns the time at which lists show a post: its time, or the proposed one. It is
// nil for other drafts.
func planned(p apiv1.Post) *apiv1.Time {
	if isProposal(p) {
		return apiv1.NewTime(p.ProposedAt.Time)
	}
	return p.PublishAt
}

// stateWord is the status of a post for people.
func stateWord(p apiv1.Post) string {
	if isProposal(p) {
		return "proposed"
	}
	return string(p.Status)
}
