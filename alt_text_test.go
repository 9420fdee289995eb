package schedctl

import (
	"errors"
	"testing"
)

// everywhere returns a post that shows the asset med_1 in every place where a post can have
// files, and none of them with an alt text of its own.
func everywhere(t *testing.T) Post {
	t.Helper()
	p := reviewDraft(t, author)
	media := func() []PostMedia { return []PostMedia{{AssetID: "med_1", SHA256: [32]byte{1}}} }
	p.Media, p.FirstComment, p.Thread = media(), &Part{Content: "c", Media: media()}, []Part{{Content: "two", Media: media()}}
	p.LinkPreview = LinkPreview{Mode: PreviewCard, URL: "https://example.org/", Image: media()[0]}
	p.Targets[0].Media, p.Targets[0].Thread = media(), []Part{{Content: "own", Media: media()}}
	return p
}

func catOf(assetID string) (string, error) { return "a cat (" + assetID + ")", nil }

func TestCopyAltTexts(t *testing.T) {
	t.Parallel()
	p := everywhere(t)
	p.Media = append(p.Media, PostMedia{AssetID: "med_2", AltText: "its own", HasAltText: true}, PostMedia{AssetID: "med_3", HasAltText: true})
	if changed, err := p.CopyAltTexts(catOf); !changed || err != nil {
		t.Fatalf("changed %v, error %v", changed, err)
	}
	seen := 0
	for m := range p.AllMedia() {
		want := "a cat (med_1)"
		switch m.AssetID {
		case "med_2":
			want = "its own"
		case "med_3":
			want = ""
		}
		if seen++; !m.HasAltText || m.AltText != want && m != p.LinkPreview.Image {
			t.Errorf("file %d is %+v", seen, m)
		}
	}
	if seen != 8 || p.LinkPreview.Image.AltText != "" {
		t.Errorf("%d files; the picture of the card is %+v", seen, p.LinkPreview.Image)
	}
	if !p.ShowsAltText("med_1", "a cat (med_1)") || p.ShowsAltText("med_1", "") || p.ShowsAltText("med_2", "a cat (med_1)") {
		t.Error("ShowsAltText does not compare the files of the post")
	}
	if changed, err := p.CopyAltTexts(catOf); changed || err != nil {
		t.Errorf("again: changed %v, error %v", changed, err)
	}
	failed := everywhere(t)
	no := errors.New("no")
	if changed, err := failed.CopyAltTexts(func(string) (string, error) { return "", no }); changed || !errors.Is(err, no) {
		t.Errorf("changed %v, error %v", changed, err)
	}
}

// A review stays what it was: valid if it was valid, and with the same differences.
func TestCopyAltTextsKeepsReviews(t *testing.T) {
	t.Parallel()
	approve := func(p Post) Post {
		t.Helper()
		_, err := p.Submit(Submission{By: author}, reviewTime)
		_, err2 := p.Approve(Decision{By: reviewer, PublishAt: reviewTime.Add(1)}, reviewTime)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := approve(everywhere(t))
	was := p.Clone()
	if _, err := p.CopyAltTexts(catOf); err != nil || !p.Approved() || p.LastDecided() != nil {
		t.Errorf("error %v, approved %v, last decided %+v", err, p.Approved(), p.LastDecided())
	}
	if was.Approval.Digest != was.ReviewDigest() {
		t.Error("the copy has changed the approval of another post")
	}
	edited := approve(everywhere(t))
	edited.Text = "edited"
	if _, err := edited.CopyAltTexts(catOf); err != nil || edited.Approved() {
		t.Errorf("an edited post: error %v, approved %v", err, edited.Approved())
	}
	if last := edited.LastDecided(); last == nil || len(last.Changed(edited.Reviewed())) != 1 || last.Changed(edited.Reviewed())[0] != "content" {
		t.Errorf("the last decision was about %+v", last)
	}

	s := Series{Template: everywhere(t), State: SeriesActive, Rule: "FREQ=DAILY"}
	s.Template.Approval = &Approval{State: ApprovalApproved, Digest: s.ReviewDigest()}
	before := s.Clone()
	if changed, err := s.CopyAltTexts(catOf); !changed || err != nil || !s.Approved() || !before.Approved() {
		t.Errorf("series: changed %v, error %v, approved %v, before %v", changed, err, s.Approved(), before.Approved())
	}
}
