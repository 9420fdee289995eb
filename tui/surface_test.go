package tui_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/apiv1/apiv1test"
	"github.com/schedctl/schedctl/tui"
)

// fullPost is a post with every field, as the API returns it: a golden file of the tests
// of the whole program.
func fullPost(t *testing.T) apiv1.Post {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "cmd", "schedctl", "testdata", "surface", "post", "api-get.golden"))
	if err != nil {
		t.Fatal(err)
	}
	var out apiv1.PostEnvelope
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out.Post
}

// screenTable says which fields of a post a screen does not show.
type screenTable struct {
	hidden     map[string]string // reasons by fields; a field may end with *
	wrongToday map[string]string // what should be shown and is not
}

var (
	detailTable = screenTable{
		hidden: map[string]string{
			"workspace_id media_asset_ids media_assets target_summary targets managed.* created_at updated_at external_id created_by.id created_by.kind updated_by.*": "for programs",
			"allow_blackout allow_duplicate approved_by submit.note replaces":                                                                                         "settings of requests",
			"series_id occurrence detached approval proposed_at archived_at resend_of resent_as source_id source_item_id warnings proposed_also":                      "the post has none of them; other goldens show them",
		},
	}
	formTable = screenTable{
		hidden: map[string]string{
			"id workspace_id status media_asset_ids media_assets target_summary targets managed.* created_at updated_at external_id version created_by.* updated_by.*": "set by the daemon or by programs",
			"allow_blackout allow_duplicate approved_by submit.note replaces":                                                                                          "settings of requests",
			"series_id occurrence detached approval proposed_at slot archived_at resend_of resent_as source_id source_item_id warnings proposed_also":                  "changed by other actions",
			"target_overrides[].*": "texts are edited after pressing o on the account; the form keeps the other fields",
		},
	}
)

// TestEveryFieldInDetails draws the details of a post with every field.
func TestEveryFieldInDetails(t *testing.T) {
	t.Parallel()
	checkFields(t, detailTable, drawFull(t, "enter"), "every-field-detail.txt")
}

// TestEveryFieldInForm draws the form that edits a post with every field.
func TestEveryFieldInForm(t *testing.T) {
	t.Parallel()
	checkFields(t, formTable, drawFull(t, "i")+drawFull(t, "i", "ctrl+g"), "every-field-form.txt")
}

// An edit of the text in the form sends the text, and so keeps everything else.
func TestFormKeepsEveryField(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, f := driveFull(t)
		d.press("i", "!", "ctrl+s")
		got, err := json.MarshalIndent(f.lastEdit, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		compare(t, filepath.Join("testdata", "every-field-edit.json"), string(got)+"\n")
	})
}

// driveFull opens a browser with the post. The screen is high enough for everything.
func driveFull(t *testing.T) (*driver, *fake) {
	f := newFake()
	f.posts, f.accounts = []apiv1.Post{fullPost(t)}, nil
	for id, platform := range map[string]string{"blog": "feed", "hook": "http", "own": "http", "social": "mastodon"} {
		f.accounts = append(f.accounts, apiv1.Account{ID: "acct_" + id, Platform: platform, Name: id, Username: id, Status: schedctl.AccountConnected, Limits: apiv1.Limits{Unit: "characters"}})
	}
	slices.SortFunc(f.accounts, func(a, b apiv1.Account) int { return strings.Compare(a.ID, b.ID) })
	return drive(t, f, 100, 150, func(c *tui.Config) {
		c.Now = func() time.Time { return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) }
		c.Zone = time.UTC
	}), f
}

var emptyLines = regexp.MustCompile(`\n{4,}`)

// drawFull returns the screen of the post after some key presses.
func drawFull(t *testing.T, keys ...string) (screen string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d, _ := driveFull(t)
		d.press(keys...)
		screen = emptyLines.ReplaceAllString(readable(d.model.View()), "\n\n\n")
	})
	return screen
}

// checkFields compares a screen with its golden file, and checks that it shows every field
// of a post, except for those in the table.
func checkFields(t *testing.T, table screenTable, screen, golden string) {
	t.Helper()
	compare(t, filepath.Join("testdata", golden), screen)
	has := func(list map[string]string, field string) bool {
		for patterns := range list {
			for p := range strings.FieldsSeq(patterns) {
				prefix, below := strings.CutSuffix(p, "*")
				if p == field || below && strings.HasPrefix(field, prefix) {
					return true
				}
			}
		}
		return false
	}
	for _, field := range apiv1test.PostFields() {
		shown := regexp.MustCompile(apiv1test.Marks[field]).MatchString(screen)
		exempt, wrong := has(table.hidden, field), has(table.wrongToday, field)
		switch {
		case shown && wrong && !exempt:
			t.Errorf("%s is shown now: remove it from wrongToday", field)
		case !shown && !exempt && !wrong:
			t.Errorf("%s is not shown: add it, or say why it is hidden", field)
		}
	}
}
