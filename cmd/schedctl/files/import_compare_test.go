package files

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/client/apiv1"
)

// TestLinesOfCSVChangeOnlyTextsOfOverrides compares a line, which has texts for two
// accounts, with a post that has more for one of them and something for a third.
func TestLinesOfCSVChangeOnlyTextsOfOverrides(t *testing.T) {
	t.Parallel()
	have := apiv1.Post{TargetOverrides: []apiv1.Override{
		{SocialAccountID: "a", Content: new("old"), Language: new("de"), Thread: &[]apiv1.Part{{Content: "own"}}},
		{SocialAccountID: "b", Visibility: new("unlisted")},
	}}
	line := importLine{csv: true, post: apiv1.CreatePost{TargetOverrides: []apiv1.Override{
		{SocialAccountID: "a", Content: new("new")}, {SocialAccountID: "c", Content: new("third")},
	}}}
	want := []apiv1.Override{
		{SocialAccountID: "a", Content: new("new"), Language: new("de"), Thread: &[]apiv1.Part{{Content: "own"}}},
		{SocialAccountID: "b", Visibility: new("unlisted")},
		{SocialAccountID: "c", Content: new("third")},
	}
	if diff := cmp.Diff(want, line.comparable(have).TargetOverrides); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if *have.TargetOverrides[0].Content != "old" {
		t.Error("the post itself changed")
	}
	line.csv = false
	if got := line.comparable(have).TargetOverrides; len(got) != 2 {
		t.Errorf("a line of JSON Lines keeps %d overrides", len(got))
	}
}
