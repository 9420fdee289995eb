package files

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
)

// postWithMedia returns a published post whose files are a picture that exists and, if
// deleted is set, one that was deleted.
func postWithMedia(deleted bool) apiv1.Post {
	sum, alt := strings.Repeat("a", 64), "A door\n"
	p := statePost(asWritten, schedctl.Published)
	p.Media = []apiv1.PostMedia{{ID: "med_1", AltText: &alt}}
	p.MediaAssets = []apiv1.MediaAsset{{ID: "med_1", FileName: "upload.png", SizeBytes: 34_200, SHA256: &sum, Status: schedctl.MediaReady}}
	if deleted {
		p.MediaAssets = []apiv1.MediaAsset{}
	}
	return p
}

// Only the bytes and the alt texts of media are part of the digest, which daemons store:
// another version of the program must compute the same one.
func TestDigestsOfMediaAreStable(t *testing.T) {
	t.Parallel()
	s := stateOf(postWithMedia(false))
	renamed := asWritten
	renamed.Media = []mediaState{{SHA256: strings.Repeat("a", 64), Alt: "A door", Name: "images/door.png"}}
	const want = "v1:5b47835fa1f3e0c1b506e1dcef5670f3713c8f6d8e017c883ba4bef39573189a"
	if got := s.digest(); got != want || renamed.digest() != want {
		t.Errorf("got %s and %s, want %s", got, renamed.digest(), want)
	}
	for name, media := range map[string][]mediaState{
		"no media": nil, "other bytes": {{SHA256: strings.Repeat("b", 64), Alt: "A door"}}, "another alt text": {{SHA256: strings.Repeat("a", 64)}},
	} {
		changed := renamed
		changed.Media = media
		if changed.digest() == want || len(differencesBetween(s, changed, nil)) != 1 {
			t.Errorf("%s is no difference", name)
		}
	}
	own := renamed
	own.Overrides = []overrideState{{Account: demoID, Media: &[]mediaState{}}}
	if own.digest() == want || len(differencesBetween(s, own, nil)) != 1 {
		t.Error("no media for one account is no difference")
	}
}

// The names of files in a difference are those of the directory.
func TestMediaDifferences(t *testing.T) {
	t.Parallel()
	want := asWritten
	want.Media = []mediaState{{SHA256: strings.Repeat("a", 64), Name: "images/door.png", Size: 34_200}}
	got := differencesBetween(stateOf(postWithMedia(false)), want, nil)
	if diff := cmp.Diff([]difference{{"media", "images/door.png, 34.2 kB, alt: A door", "images/door.png, 34.2 kB, no alt text"}}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A published post whose assets the daemon has deleted is unchanged.
func TestDecideDeletedAssets(t *testing.T) {
	t.Parallel()
	p, s := decideSetup(t, stateOf(postWithMedia(false)), stateOf(postWithMedia(false)), asWritten, schedctl.Published)
	managed := s.post.Managed
	s.post = postWithMedia(true)
	s.post.Managed = managed
	if err := p.decide(s); err != nil {
		t.Error(err)
	}
	checkStep(t, s, isUnchanged, "", "")
	s.wanted.Media, s.wanted.request.Media = nil, nil
	p.decide(s)
	checkStep(t, s, isUnchanged, "", "")
}

func TestMediaProblemsAreAtTheirFiles(t *testing.T) {
	t.Parallel()
	f, _ := postfile.Parse("a.md", []byte("---\nid: a\nmedia:\n- file: a.png\n\n- file: b.png\n\n---\nHello"))
	v := apiv1.Validation{
		Problems: []apiv1.Problem{{Field: "media", Message: "too many"}},
		Accounts: []apiv1.AccountValidation{{SocialAccountID: demoID, Problems: []apiv1.Problem{{Field: "media[1]", Message: "large"}, {Field: "media[1].id", Message: "missing"}, {Field: "content", Message: "long"}}}},
	}
	var got []string
	var c checked
	(&planner{names: AccountRefs{demoID: "feed:demo"}}).readValidation(&f, v, &c)
	for _, p := range c.problems {
		got = append(got, p.String())
	}
	if diff := cmp.Diff([]string{"a.md:4: too many", "a.md:6: feed:demo: large", "a.md:6: feed:demo: missing", "a.md:9: feed:demo: long"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
