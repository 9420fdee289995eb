package tui_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/schedctl/schedctl/client/apiv1"
)

// TestSettingsScreens renders the settings of a post in two sizes and all color modes.
func TestSettingsScreens(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{
		"settings-new":  {"n", "H", "i", "ctrl+g", "T"},
		"settings-edit": {"i", "ctrl+g"},
		"settings-set":  {"n", "H", "i", "ctrl+g", "T", "esc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var golden txtar.Archive
			for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
				for _, look := range looks {
					screen := draw(t, threads(), size.width, size.height, look.change, keys)
					measure(t, screen, size.width, size.height)
					golden.Files = append(golden.Files, txtar.File{Name: fmt.Sprint(size.width, " ", look.name), Data: []byte(readable(screen))})
				}
			}
			compare(t, filepath.Join("testdata", name+".txtar"), string(txtar.Format(&golden)))
		})
	}
}

// The settings page sets every setting of a new post.
func TestComposeSettings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := threads()
		d := drive(t, f, 80, 40)
		d.press("n")
		d.typed("Tabs or spaces?")
		d.press("ctrl+g")
		for _, value := range []string{"Question", "text", "Opinions", "unlisted", "en", "launch, poll", `tabs\;; spaces`, "", " ", "n ", "", "Card", "About", "med_door"} {
			d.typed(value)
			d.press("tab")
		}
		d.press("ctrl+s")
		d.sees("a card of your own needs the URL of its link")
		d.press("ctrl+u")
		d.typed("https://example.org/a")
		d.press("esc")
		d.sees("Settings  title: Question, post style: text, content warning: Opinions")
		d.press("ctrl+s")
		want := apiv1.CreatePost{
			Content: "Tabs or spaces?", Title: ptr("Question"), PostStyle: ptr("text"), Labels: []string{"launch", "poll"}, Media: []apiv1.PostMedia{},
			NewExtras: apiv1.NewExtras{
				Thread: []apiv1.Part{}, ContentWarning: ptr("Opinions"), Visibility: ptr("unlisted"), Language: ptr("en"),
				Poll:        &apiv1.Poll{Options: []string{"tabs;", "spaces"}, ExpiresInSeconds: 86400, Multiple: true, HideTotals: true},
				LinkPreview: &apiv1.LinkPreview{Card: &apiv1.LinkCard{URL: "https://example.org/a", Title: "Card", Description: "About", Image: ptr("med_door")}},
			},
		}
		if diff := cmp.Diff(want, f.lastCreate); diff != "" {
			t.Errorf("the post differs (-want +got):\n%s", diff)
		}
	})
}

// An edit sends the settings that were changed alone, and undo brings them back.
func TestEditSettings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := threads()
		d := drive(t, f, 80, 40)
		clear := func(value string) {
			d.press("ctrl+u")
			d.typed(value)
		}
		d.press("i", "ctrl+g", "down", "down")
		clear("")
		d.press("down")
		clear("nowhere")
		d.press("ctrl+s")
		d.sees("use one of public, unlisted, followers, direct")
		clear("public")
		d.press("down", "down", "down")
		clear("")
		d.press("ctrl+s")
		want := apiv1.EditPost{ExtrasChange: apiv1.ExtrasChange{ContentWarning: ptr(""), Visibility: ptr("public"), Poll: &apiv1.Poll{Options: []string{}}}}
		if diff := cmp.Diff(want, f.lastEdit); diff != "" {
			t.Errorf("the edit differs (-want +got):\n%s", diff)
		}
		d.press("u")
		want = apiv1.EditPost{ExtrasChange: apiv1.ExtrasChange{ContentWarning: ptr("Software"), Visibility: ptr("unlisted"), Poll: &apiv1.Poll{Options: []string{"Yes", "No"}, ExpiresInSeconds: 86400}}}
		if diff := cmp.Diff(want, f.lastEdit); diff != "" {
			t.Errorf("the undo differs (-want +got):\n%s", diff)
		}
	})
}
