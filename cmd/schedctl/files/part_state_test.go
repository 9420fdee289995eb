package files

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
)

// postWithParts returns a published post with everything that files describe besides the
// first part. If deleted is set, its assets were deleted.
func postWithParts(deleted bool) apiv1.Post {
	sum, alt, image := strings.Repeat("b", 64), "A cat", "med_2"
	warning, visibility, language := "Hot drinks", "unlisted", "en"
	p := statePost(asWritten, schedctl.Published)
	media := []apiv1.PostMedia{{ID: "med_2", AltText: &alt}}
	p.Thread = []apiv1.Part{{Content: "Two", Media: []apiv1.PostMedia{}}, {Media: media}}
	p.FirstComment = &apiv1.Part{Content: "Ask here", Media: media}
	p.Poll = &apiv1.Poll{Options: []string{"Tea", "Coffee"}, ExpiresInSeconds: 86400, Multiple: true}
	p.LinkPreview.Card = &apiv1.LinkCard{URL: "https://example.org", Title: "Notes", Image: &image}
	p.ContentWarning, p.Visibility, p.Language = &warning, &visibility, &language
	p.MediaAssets = []apiv1.MediaAsset{{ID: "med_2", FileName: "cat.png", SizeBytes: 34_200, SHA256: &sum, Status: schedctl.MediaReady}}
	if deleted {
		p.MediaAssets = []apiv1.MediaAsset{}
	}
	return p
}

// Daemons store digests: another version of the program must compute the same one. Every
// change of a field gives another digest and one difference.
func TestDigestsOfPartsAreStable(t *testing.T) {
	t.Parallel()
	s := stateOf(postWithParts(false))
	if got, want := s.digest(), "v1:6027bb65bc4b21e30851c5226069869e468ead0288b452fcbebedac097b435b5"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for name, change := range map[string]func(*apiv1.Post){
		"a text":             func(p *apiv1.Post) { p.Thread[0].Content = "Second" },
		"a part less":        func(p *apiv1.Post) { p.Thread = p.Thread[:1] },
		"media of a part":    func(p *apiv1.Post) { p.Thread[0].Media = p.Thread[1].Media },
		"a comment":          func(p *apiv1.Post) { p.FirstComment.Content = "Ask there" },
		"media of a comment": func(p *apiv1.Post) { p.FirstComment.Media = nil },
		"no poll":            func(p *apiv1.Post) { p.Poll = nil },
		"options":            func(p *apiv1.Post) { p.Poll.Options = []string{"Tea, Coffee"} },
		"time of a poll":     func(p *apiv1.Post) { p.Poll.ExpiresInSeconds++ },
		"one choice":         func(p *apiv1.Post) { p.Poll.Multiple = false },
		"hidden votes":       func(p *apiv1.Post) { p.Poll.HideTotals = true },
		"no preview":         func(p *apiv1.Post) { p.LinkPreview = apiv1.LinkPreview{Mode: apiv1.PreviewNone} },
		"the usual preview":  func(p *apiv1.Post) { p.LinkPreview = apiv1.LinkPreview{Mode: apiv1.PreviewAuto} },
		"a title":            func(p *apiv1.Post) { p.LinkPreview.Card.Title = "News" },
		"a description":      func(p *apiv1.Post) { p.LinkPreview.Card.Description = "News" },
		"no picture":         func(p *apiv1.Post) { p.LinkPreview.Card.Image = nil },
		"no content warning": func(p *apiv1.Post) { p.ContentWarning = nil },
		"another visibility": func(p *apiv1.Post) { *p.Visibility = "direct" },
		"another language":   func(p *apiv1.Post) { *p.Language = "de" },
		"a thread of one": func(p *apiv1.Post) {
			p.TargetOverrides = []apiv1.Override{{SocialAccountID: demoID, Thread: &[]apiv1.Part{{Content: "x"}}}}
		},
		"a poll of one": func(p *apiv1.Post) {
			p.TargetOverrides = []apiv1.Override{{SocialAccountID: demoID, Poll: &apiv1.Poll{}}}
		},
		"a visibility of one": func(p *apiv1.Post) {
			p.TargetOverrides = []apiv1.Override{{SocialAccountID: demoID, Visibility: p.Visibility}}
		},
	} {
		p := postWithParts(false)
		change(&p)
		if changed := stateOf(p); changed.digest() == s.digest() || len(differencesBetween(s, changed, nil)) != 1 || len(differencesBetween(changed, s, nil)) != 1 {
			t.Errorf("%s: %v", name, differencesBetween(s, changed, nil))
		}
	}
}

// A published post whose assets the daemon has deleted is unchanged.
func TestDecideDeletedAssetsOfParts(t *testing.T) {
	t.Parallel()
	state := stateOf(postWithParts(false))
	p, s := decideSetup(t, state, state, asWritten, schedctl.Published)
	s.post = postWithParts(true)
	s.post.Managed = &apiv1.Managed{Digest: state.digest()}
	if err := p.decide(s); err != nil {
		t.Error(err)
	}
	checkStep(t, s, isUnchanged, "", "")
	s.wanted.Poll = nil
	p.decide(s)
	checkStep(t, s, isUnchanged, "already published; the new settings have no effect", "poll")
}

// Changes have only the fields in which two states differ.
func TestChanges(t *testing.T) {
	t.Parallel()
	has := postWithParts(false)
	full, request := stateOf(has), requestOf(has)
	if diff := cmp.Diff(apiv1.EditPost{}, changes(full, stateOf(postWithParts(false)), request)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	want := apiv1.EditPost{
		ExtrasChange: apiv1.ExtrasChange{Thread: &[]apiv1.Part{}, FirstComment: &apiv1.Part{Media: []apiv1.PostMedia{}}, Poll: &apiv1.Poll{Options: []string{}},
			LinkPreview: &apiv1.LinkPreview{Mode: apiv1.PreviewAuto}, ContentWarning: new(""), Visibility: new(""), Language: new("")},
	}
	if diff := cmp.Diff(want, changes(full, asWritten, apiv1.CreatePost{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	want = apiv1.EditPost{
		ExtrasChange: apiv1.ExtrasChange{Thread: &has.Thread, FirstComment: has.FirstComment, Poll: has.Poll, LinkPreview: &has.LinkPreview,
			ContentWarning: has.ContentWarning, Visibility: has.Visibility, Language: has.Language},
	}
	if diff := cmp.Diff(want, changes(asWritten, full, request)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The state has every setting that is one text.
func TestStatesHaveAllTexts(t *testing.T) {
	t.Parallel()
	for _, text := range fields.Texts {
		if _, has := (postState{}).texts()[text.Name]; !has {
			t.Errorf("the state lacks %s", text.Name)
		}
	}
}
