package fields

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
)

// Changes returns the change that gives a post the content that want sets. Fields that want
// leaves out, and those that the post has already, are nil. Labels, accounts and overrides
// are compared in any order.
func Changes(want apiv1.CreatePost, have apiv1.Post) (edit apiv1.EditPost) {
	if want.Content != have.Content {
		edit.Content = &want.Content
	}
	if len(want.Media) > 0 && !SameMedia(want.Media, have.Media) {
		edit.Media = &want.Media
	}
	if len(want.Thread) > 0 && !slices.EqualFunc(want.Thread, have.Thread, SamePart) {
		edit.Thread = &want.Thread
	}
	if want.FirstComment != nil && (have.FirstComment == nil || !SamePart(*want.FirstComment, *have.FirstComment)) {
		edit.FirstComment = want.FirstComment
	}
	if want.Poll != nil && !same(want.Poll, have.Poll) {
		edit.Poll = want.Poll
	}
	if want.LinkPreview != nil && !same(*want.LinkPreview, have.LinkPreview) {
		edit.LinkPreview = want.LinkPreview
	}
	if len(want.SocialAccountIDs) > 0 && !slices.Equal(sorted(want.SocialAccountIDs), sorted(have.SocialAccountIDs)) {
		edit.SocialAccountIDs = &want.SocialAccountIDs
	}
	if len(want.TargetOverrides) > 0 && !SameOverrides(want.TargetOverrides, have.TargetOverrides) {
		edit.TargetOverrides = &want.TargetOverrides
	}
	if len(want.Labels) > 0 && !slices.Equal(sorted(want.Labels), sorted(have.Labels)) {
		edit.Labels = &want.Labels
	}
	for _, t := range Texts {
		if value := *t.Of(&want); value != nil && *value != t.Get(&have) {
			*t.Of(&edit) = value
		}
	}
	return edit
}

// SameMedia reports whether a post has the wanted files in the same order. An alt text that
// is not wanted matches every alt text.
func SameMedia(want, have []apiv1.PostMedia) bool {
	return slices.EqualFunc(want, have, func(w, h apiv1.PostMedia) bool {
		return w.ID == h.ID && (w.AltText == nil || *w.AltText == deref(h.AltText))
	})
}

// SamePart reports whether a part has the wanted text and files.
func SamePart(want, have apiv1.Part) bool {
	return want.Content == have.Content && SameMedia(want.Media, have.Media)
}

// SameOverrides reports whether a post has the wanted overrides, in any order.
func SameOverrides(want, have []apiv1.Override) bool {
	return len(want) == len(have) && !slices.ContainsFunc(want, func(w apiv1.Override) bool {
		return !slices.ContainsFunc(have, func(h apiv1.Override) bool { return sameOverride(w, h) })
	})
}

func sameOverride(want, have apiv1.Override) bool {
	w, h := OfAccount(want), OfAccount(have)
	return want.SocialAccountID == have.SocialAccountID && want.Content == nil == (have.Content == nil) && w.Content == h.Content &&
		(want.Media == nil) == (have.Media == nil) && SameMedia(w.Media, h.Media) &&
		(want.Thread == nil) == (have.Thread == nil) && slices.EqualFunc(w.Thread, h.Thread, SamePart) &&
		same(want.Poll, have.Poll) && (len(want.Options)+len(have.Options) == 0 || same(want.Options, have.Options)) &&
		!slices.ContainsFunc(Texts, func(t Text) bool { return t.Get(&w) != t.Get(&h) })
}

// IsEmpty reports whether an override changes nothing.
func IsEmpty(o apiv1.Override) bool {
	return sameOverride(o, apiv1.Override{SocialAccountID: o.SocialAccountID})
}

// same reports whether two values are the same on the wire.
func same[T any](a, b T) bool {
	x, _ := json.Marshal(a) // values that have a form
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

func sorted(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }

// DefaultPollTime is how long a poll runs if nothing says it.
const DefaultPollTime = 24 * time.Hour

// PollTime returns how long a poll runs, as the flag --poll-for and files have it: in days
// if that is a whole number, such as 2d, or else in hours, minutes and seconds.
func PollTime(p apiv1.Poll) string {
	d := time.Duration(p.ExpiresInSeconds) * time.Second
	if days := d / (24 * time.Hour); d%(24*time.Hour) == 0 {
		return fmt.Sprintf("%dd", days)
	}
	return when.DurationText(d)
}

// Difference returns the change that gives the post have the content, the accounts, the
// overrides and the labels of want.
func Difference(want, have apiv1.Post) (edit apiv1.EditPost) {
	var wanted, had apiv1.EditPost
	Copy(&wanted, want)
	Copy(&had, have)
	for _, name := range copied {
		w, h := reflect.ValueOf(wanted).FieldByName(name), reflect.ValueOf(had).FieldByName(name)
		if isNone(w) && isNone(h) || same(w.Interface(), h.Interface()) {
			continue
		}
		to := reflect.ValueOf(&edit).Elem().FieldByName(name)
		switch {
		case !isNone(w):
			to.Set(w)
		case name == "FirstComment":
			edit.FirstComment = &apiv1.Part{Media: []apiv1.PostMedia{}}
		case name == "Poll":
			edit.Poll = &apiv1.Poll{Options: []string{}}
		case to.Type().Elem().Kind() == reflect.Slice:
			to.Set(reflect.New(to.Type().Elem()))
			to.Elem().Set(reflect.MakeSlice(to.Type().Elem(), 0, 0))
		default:
			to.Set(reflect.New(to.Type().Elem()))
		}
	}
	return edit
}

// isNone reports whether a field of a change is nil or an empty list.
func isNone(v reflect.Value) bool {
	return v.IsNil() || v.Elem().Kind() == reflect.Slice && v.Elem().Len() == 0
}
