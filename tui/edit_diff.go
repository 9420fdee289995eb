package tui

import (
	"reflect"
	"slices"

	"github.com/schedctl/schedctl/client/apiv1"
)

// noComment returns the first comment of an edit that removes it.
func noComment() *apiv1.Part { return &apiv1.Part{Media: []apiv1.PostMedia{}} }

// sameMedia reports whether two files of posts are the same, with the same alt text.
func sameMedia(a, b apiv1.PostMedia) bool {
	return a.ID == b.ID && equalStrings(a.AltText, b.AltText)
}

// samePart reports whether two parts of posts are the same.
func samePart(a, b apiv1.Part) bool {
	return a.Content == b.Content && slices.EqualFunc(a.Media, b.Media, sameMedia)
}

// editTo returns the edit that turns the post have into want.
func editTo(want, have apiv1.Post) (body apiv1.EditPost) {
	if want.Content != have.Content {
		body.Content = &want.Content
	}
	if !slices.EqualFunc(want.Media, have.Media, sameMedia) {
		body.Media = new(append([]apiv1.PostMedia{}, want.Media...))
	}
	if !slices.EqualFunc(want.Thread, have.Thread, samePart) {
		body.Thread = new(append([]apiv1.Part{}, want.Thread...))
	}
	switch {
	case want.FirstComment == nil && have.FirstComment != nil:
		body.FirstComment = noComment()
	case want.FirstComment != nil && (have.FirstComment == nil || !samePart(*want.FirstComment, *have.FirstComment)):
		body.FirstComment = want.FirstComment
	}
	moved := !slices.Equal(want.SocialAccountIDs, have.SocialAccountIDs)
	if moved {
		body.SocialAccountIDs = new(append([]string{}, want.SocialAccountIDs...))
	}
	if moved || !slices.EqualFunc(want.TargetOverrides, have.TargetOverrides, func(a, b apiv1.Override) bool { return reflect.DeepEqual(a, b) }) {
		body.TargetOverrides = new(append([]apiv1.Override{}, want.TargetOverrides...))
	}
	if want.PublishAt != nil && (have.PublishAt == nil || !want.PublishAt.Equal(have.PublishAt.Time) || want.Slot != nil && have.Slot == nil) {
		b := bookingOf(want)
		body.PublishAt, body.QueueID, body.NotBefore = b.publishAt, b.queueID, b.notBefore
	}
	return body
}
