package postlist

import (
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
)

// NoComment returns the first comment of an edit that removes it.
func NoComment() *apiv1.Part { return &apiv1.Part{Media: []apiv1.PostMedia{}} }

// EditTo returns the edit that turns the post have into want.
func EditTo(want, have apiv1.Post) (body apiv1.EditPost) {
	body = fields.Difference(want, have)
	if body.SocialAccountIDs != nil {
		body.TargetOverrides = new(append([]apiv1.Override{}, want.TargetOverrides...))
	}
	if want.PublishAt != nil && (have.PublishAt == nil || !want.PublishAt.Equal(have.PublishAt.Time) || want.Slot != nil && have.Slot == nil) {
		b := BookingOf(want)
		body.PublishAt, body.QueueID, body.NotBefore = b.PublishAt, b.QueueID, b.NotBefore
	}
	if at := want.ProposedAt; IsProposal(want) && IsProposal(have) && *at != *have.ProposedAt {
		body.ProposedAt = at
	}
	return body
}
