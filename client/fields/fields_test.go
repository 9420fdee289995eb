package fields_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/apiv1/apiv1test"
	"github.com/schedctl/schedctl/client/fields"
)

func post() apiv1.CreatePost {
	return apiv1test.Post(apiv1test.References{Blog: "acct_blog", Hook: "acct_hook", Own: "acct_own", Social: "acct_social", Queue: "que_1", Files: [apiv1test.Files]string{"a", "b", "c", "d", "e", "f"}})
}

// Everything that a post says goes through a change, a post and a series.
func TestCopyKeepsContent(t *testing.T) {
	t.Parallel()
	want := post()
	var edit apiv1.EditPost
	fields.Copy(&edit, want)
	var made apiv1.CreatePost
	fields.Apply(edit, &made)
	var shown apiv1.Post
	fields.Copy(&shown, made)
	got := fields.Request(shown)
	got.PublishAt, got.QueueID, got.NotBefore = want.PublishAt, want.QueueID, want.NotBefore
	got.ExternalID, got.Managed, got.AllowBlackout, got.AllowDuplicate = want.ExternalID, want.Managed, true, true
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the request differs (-want +got):\n%s", diff)
	}
	var series apiv1.CreateSeries
	fields.Copy(&series, want)
	var change apiv1.EditSeries
	fields.Copy(&change, edit)
	if series.Content != want.Content || *change.Content != want.Content || !reflect.DeepEqual(series.NewExtras, want.NewExtras) || !reflect.DeepEqual(change.ExtrasChange, edit.ExtrasChange) {
		t.Errorf("the series has %+v and %+v", series, change)
	}
}

// A field of requests is copied, or this test says why it is not.
func TestCopyKnowsEveryField(t *testing.T) {
	t.Parallel()
	other := []string{"MediaAssetIDs", "PublishAt", "QueueID", "NotBefore", "AllowBlackout", "ProposedAt", "ApprovedBy", "Submit", "AllowDuplicate", "ExternalID", "Managed", "Replaces"}
	var full, copied apiv1.CreatePost
	fill(reflect.ValueOf(&full).Elem())
	fields.Copy(&copied, full)
	for _, f := range reflect.VisibleFields(reflect.TypeOf(copied)) {
		if got := reflect.ValueOf(copied).FieldByIndex(f.Index); !f.Anonymous && got.IsZero() != slices.Contains(other, f.Name) {
			t.Errorf("%s: copied: %v", f.Name, !got.IsZero())
		}
	}
}

// fill gives every field of a struct a value that is not zero.
func fill(v reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Struct:
			fill(f)
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		case reflect.String:
			f.SetString("x")
		case reflect.Bool:
			f.SetBool(true)
		}
	}
}

// A change that removes a setting leaves nothing in a request.
func TestApplyRemoves(t *testing.T) {
	t.Parallel()
	got := post()
	edit := apiv1.EditPost{Title: new(""), PostStyle: new(""), Labels: &[]string{}}
	edit.FirstComment, edit.Poll, edit.Thread = &apiv1.Part{}, &apiv1.Poll{Options: []string{}}, &[]apiv1.Part{}
	edit.ContentWarning, edit.Visibility, edit.Language = new(""), new(""), new("")
	fields.Apply(edit, &got)
	if got.Title != nil || got.PostStyle != nil || len(got.Labels) > 0 || got.FirstComment != nil || got.Poll != nil || len(got.Thread) > 0 || got.ContentWarning != nil || got.Visibility != nil || got.Language != nil {
		t.Errorf("the request keeps %+v", got)
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	want := post()
	var have apiv1.Post
	fields.Copy(&have, post())
	slices.Reverse(have.SocialAccountIDs)
	slices.Reverse(have.TargetOverrides)
	if edit := fields.Changes(want, have); edit != (apiv1.EditPost{}) {
		t.Errorf("the same post differs in %+v", edit)
	}
	edit := fields.Changes(want, apiv1.Post{})
	var all apiv1.EditPost
	fields.Copy(&all, want)
	if diff := cmp.Diff(all, edit); diff != "" {
		t.Errorf("a change of everything differs (-want +got):\n%s", diff)
	}
	want.TargetOverrides[0].Language = new("fr")
	if edit := fields.Changes(want, have); edit.TargetOverrides == nil {
		t.Error("another language of an account is no change")
	}
}

// A copy of a post has the alt texts of the post, and none where the post has none: a missing
// alt text in a request is that of the asset.
func TestRequestHasAllAltTexts(t *testing.T) {
	t.Parallel()
	media := []apiv1.PostMedia{{ID: "med_1", AltText: new("of the post")}, {ID: "med_2"}}
	parts := []apiv1.Part{{Media: media}}
	p := apiv1.Post{Media: media, TargetOverrides: []apiv1.Override{{Media: &media, Thread: &parts}}}
	p.Thread, p.FirstComment = parts, &apiv1.Part{Media: media}
	got := fields.Request(p)
	own := got.TargetOverrides[0]
	for name, list := range map[string][]apiv1.PostMedia{
		"post": got.Media, "thread": got.Thread[0].Media, "comment": got.FirstComment.Media, "override": *own.Media, "thread of an override": (*own.Thread)[0].Media,
	} {
		if *list[0].AltText != "of the post" || list[1].AltText == nil || *list[1].AltText != "" || media[1].AltText != nil {
			t.Errorf("the %s has %+v", name, list)
		}
	}
}

func TestPollTime(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[int64]string{172800: "2d", 129600: "36h", 5400: "1h30m", 300: "5m"} {
		if got := fields.PollTime(apiv1.Poll{ExpiresInSeconds: seconds}); got != want {
			t.Errorf("%d seconds are %q, not %q", seconds, got, want)
		}
	}
}

func TestDifference(t *testing.T) {
	t.Parallel()
	var full apiv1.Post
	fields.Copy(&full, post())
	if edit := fields.Difference(full, full); edit != (apiv1.EditPost{}) {
		t.Errorf("the same post differs in %+v", edit)
	}
	var all apiv1.EditPost
	fields.Copy(&all, full)
	all.LinkPreview = &full.LinkPreview
	if diff := cmp.Diff(all, fields.Difference(full, apiv1.Post{})); diff != "" {
		t.Errorf("a change of everything differs (-want +got):\n%s", diff)
	}
	var got apiv1.CreatePost
	fields.Copy(&got, full)
	fields.Apply(fields.Difference(apiv1.Post{}, full), &got)
	if got.Content != "" || got.Title != nil || got.Poll != nil || got.FirstComment != nil || len(got.Thread)+len(got.Media)+len(got.Labels)+len(got.SocialAccountIDs) > 0 {
		t.Errorf("an empty post keeps %+v", got)
	}
}

func TestPresentation(t *testing.T) {
	override := apiv1.Override{ContentWarning: new("spoilers"), Language: new("de")}
	want := schedctl.Presentation{ContentWarning: "spoilers", Language: "de"}
	if got := fields.Presentation(&override); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, f := range want.Fields() {
		if i := slices.IndexFunc(fields.Texts, func(t fields.Text) bool { return t.Name == f.Name && t.Label == f.Label }); i < 0 {
			t.Errorf("no setting has the name and the label of %s, %s", f.Name, f.Label)
		}
	}
}
