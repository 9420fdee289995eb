package tui_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui"
	"github.com/schedctl/schedctl/tui/postlist"
)

// threads is a daemon with a thread of three parts with files and a first comment.
func threads() *fake {
	f := gallery()
	f.accounts[0].Limits.MaxCharacters, f.accounts[1].Limits.MaxCharacters = ptr(1015), ptr(1010)
	p := scheduled("post_01KAK3R9ZC4VBX1D2E3F4G5H1C", "Release day", time.Hour)
	p.Media = []apiv1.PostMedia{}
	p.Thread = []apiv1.Part{
		{Content: "The search is ten times faster", Media: []apiv1.PostMedia{{ID: "med_clip"}}},
		{Content: "Thanks to all", Media: []apiv1.PostMedia{{ID: "med_door", AltText: door.AltText}}},
	}
	p.FirstComment = &apiv1.Part{Content: "Download: https://example.com", Media: []apiv1.PostMedia{}}
	p.Poll = &apiv1.Poll{Options: []string{"Yes", "No"}, ExpiresInSeconds: 86400}
	p.Visibility, p.ContentWarning = ptr("unlisted"), ptr("Software")
	p.MediaAssets = []apiv1.MediaAsset{door, clip}
	f.posts = []apiv1.Post{p}
	return f
}

// TestThreadScreens renders the screens with threads in two sizes and all color modes.
func TestThreadScreens(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{
		"thread-detail":  {"enter"},
		"thread-edit":    {"i"},
		"thread-media":   {"i", "tab", "down"},
		"thread-comment": {"i", "ctrl+r"},
		"thread-new":     {"n", "H", "i", "ctrl+l", "y", "o", "u"},
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

// The text is split into parts at lines ---. A file belongs to the part with the cursor,
// or to the first comment if that is in the field.
func TestComposeThread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := threads()
		d := drive(t, f, 80, 24, withFiles)
		attach := func(path string) {
			d.press("ctrl+o")
			d.typed(path)
			d.press("enter")
		}
		d.press("n")
		d.typed("One")
		d.seesNot("Parts")
		d.press("ctrl+l")
		d.sees("New post, part 2 of 2")
		d.press("ctrl+s")
		d.sees("part 2 is empty: write its text, attach a file, or remove the line ---")
		d.typed("Two")
		attach("images/clip.mp4")
		d.sees("part 2: clip.mp4 MP4")
		d.press("enter", "-", "-", "-", "enter")
		d.typed("Three")
		d.sees("part 3 of 3", "Parts  1 ~3  2 ~3  3 ~5")
		d.press("ctrl+r")
		d.sees("First comment, a reply to the last part")
		d.typed("More")
		attach("images/door.png")
		d.press("ctrl+l")
		d.sees("comment: door.png PNG", "a first comment has one part: press ctrl+r to go back to the text")
		d.press("ctrl+r")
		d.sees("part 3 of 3", "First comment  More", "comment ~4")
		d.press("ctrl+s")
		d.sees("saved: draft")
		got := apiv1.CreatePost{Content: f.lastCreate.Content, Media: f.lastCreate.Media, NewExtras: apiv1.NewExtras{Thread: f.lastCreate.Thread, FirstComment: f.lastCreate.FirstComment}}
		want := apiv1.CreatePost{
			Content: "One", Media: []apiv1.PostMedia{},
			NewExtras: apiv1.NewExtras{Thread: []apiv1.Part{{Content: "Two", Media: []apiv1.PostMedia{{ID: "med_clip", AltText: ptr("")}}}, {Content: "Three", Media: []apiv1.PostMedia{}}},
				FirstComment: &apiv1.Part{Content: "More", Media: []apiv1.PostMedia{{ID: "med_door", AltText: ptr("A red door")}}}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

// The counter of a part is that of the account with the least space left.
func TestPartCounters(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, threads(), 80, 24)
		d.press("i")
		d.sees("Parts  1 1011/1010, 1 too many  2 1030/1010, 20 too many", "3 1013/1010, 3 too many  comment 1029/1010, 19 too many")
		d.sees("part 2: 1030/1015, 15 too many", "part 2: 1030/1010, 20 too many")
	})
}

// An edit sends only the parts that have changed, and undo restores them.
func TestEditThread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := threads()
		before := f.post(t, "post_01KAK3R9ZC4VBX1D2E3F4G5H1C")
		d := drive(t, f, 80, 24)
		d.press("i", "ctrl+s")
		d.sees("nothing changed")
		d.press("i", "!", "ctrl+s")
		want := []apiv1.Part{{Content: before.Thread[0].Content, Media: []apiv1.PostMedia{{ID: "med_clip", AltText: ptr("")}}}, {Content: "Thanks to all!", Media: []apiv1.PostMedia{{ID: "med_door", AltText: ptr("A red door")}}}}
		if diff := cmp.Diff(apiv1.EditPost{ExtrasChange: apiv1.ExtrasChange{Thread: &want}}, f.lastEdit); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		d.press("u")
		if diff := cmp.Diff(apiv1.EditPost{ExtrasChange: apiv1.ExtrasChange{Thread: &before.Thread}}, f.lastEdit); diff != "" {
			t.Errorf("undo, -want +got:\n%s", diff)
		}
		d.press("i", "ctrl+r", "ctrl+u", "ctrl+s")
		if diff := cmp.Diff(apiv1.EditPost{ExtrasChange: apiv1.ExtrasChange{FirstComment: &apiv1.Part{Media: []apiv1.PostMedia{}}}}, f.lastEdit); diff != "" {
			t.Errorf("removed comment, -want +got:\n%s", diff)
		}
		d.press("u")
		if diff := cmp.Diff(apiv1.EditPost{ExtrasChange: apiv1.ExtrasChange{FirstComment: before.FirstComment}}, f.lastEdit); diff != "" {
			t.Errorf("undo, -want +got:\n%s", diff)
		}
	})
}

// Files stay with their parts when parts are added, removed or moved, and can be moved to
// another part.
func TestFilesStayWithTheirParts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := threads()
		d := drive(t, f, 80, 24)
		d.press("i", "pgup", "pgup", "end", "ctrl+l")
		d.typed("Extra")
		d.sees("part 2 of 4", "part 3: clip.mp4", "part 4: door.png")
		d.press("pgdown", "alt+down")
		d.sees("part 4 of 4", "part 3: door.png", "part 4: clip.mp4")
		d.press("alt+down", "alt+up", "alt+up")
		d.sees("part 2 of 4", "part 2: clip.mp4", "part 4: door.png")
		d.press("pgdown")
		d.press("ctrl+k", "backspace", "backspace", "backspace", "backspace", "backspace")
		d.sees("part 2 of 3", "part 2: clip.mp4", "part 3: door.png")
		d.press("tab", "left", "left")
		d.sees("part 1: clip.mp4")
		d.press("down", "right")
		d.sees("comment: door.png")
		d.press("ctrl+s")
		none := []apiv1.PostMedia{}
		want := apiv1.EditPost{
			Media: &[]apiv1.PostMedia{{ID: "med_clip", AltText: ptr("")}},
			ExtrasChange: apiv1.ExtrasChange{Thread: &[]apiv1.Part{{Content: "The search is ten times faster", Media: none}, {Content: "Thanks to all", Media: none}},
				FirstComment: &apiv1.Part{Content: "Download: https://example.com", Media: []apiv1.PostMedia{{ID: "med_door", AltText: ptr("A red door")}}}},
		}
		if diff := cmp.Diff(want, f.lastEdit); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

// An own text can have other parts. Everything else that an account gets is kept.
func TestOwnThread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := threads()
		poll := &apiv1.Poll{Options: []string{"A", "B"}, ExpiresInSeconds: 3600}
		f.posts[0].TargetOverrides = []apiv1.Override{{SocialAccountID: "acct_1", Poll: poll, Visibility: ptr("public"), ContentWarning: ptr("x"), Language: ptr("en")}}
		d := drive(t, f, 80, 24)
		d.press("i", "tab", "tab", "down", "o")
		d.sees("For sky only", "Thanks to all")
		d.press("!")
		d.press("ctrl+s")
		want := []apiv1.Override{f.posts[0].TargetOverrides[0], {SocialAccountID: "acct_2", Thread: &[]apiv1.Part{
			{Content: "The search is ten times faster", Media: []apiv1.PostMedia{{ID: "med_clip", AltText: ptr("")}}},
			{Content: "Thanks to all!", Media: []apiv1.PostMedia{{ID: "med_door", AltText: ptr("A red door")}}},
		}}}
		if diff := cmp.Diff(apiv1.EditPost{TargetOverrides: &want}, f.lastEdit); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		d.press("i", "tab", "tab", "down", "o", "ctrl+u", "backspace", "backspace", "backspace", "backspace", "backspace")
		d.sees("sky: its own text has no part 3, so the files of that part are not published")
	})
}

// Parts that the daemon has are not changed by opening them.
func TestUneditedPartsStayExact(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := threads()
		f.posts[0].Content = "\tTabs\n---\nand lines "
		f.posts[0].Thread[0].Content = "\n spaces\n"
		d := drive(t, f, 80, 40)
		d.press("i")
		d.sees(`\---`, "part 3 of 3")
		d.press("ctrl+s")
		d.sees("nothing changed")
		if f.called("Edit") > 0 {
			t.Error("the post was changed")
		}
	})
}

// A thread in the composer is kept as a text that the command line reads as a thread.
func TestUnsavedThread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, threads(), 80, 24)
		d.press("n", "a", "ctrl+l", "b", "ctrl+r", "c", "ctrl+c", "ctrl+c")
		if got := tui.UnsavedText(d.model); got != "a\n---\nb\n\nc" || !d.quit {
			t.Errorf("got %q", got)
		}
	})
}

// The state of each part is shown once the target has several.
func TestPartStates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := threads()
		f.posts[0].Targets[0].Parts = []apiv1.TargetPart{
			{Index: 0, Kind: schedctl.PartPost, Status: schedctl.Published},
			{Index: 1, Kind: schedctl.PartReply, Status: schedctl.Failed, Error: &apiv1.TargetError{Message: "the part before it was deleted"}},
			{Index: 2, Kind: schedctl.PartComment, Status: schedctl.Scheduled},
		}
		d := drive(t, f, 80, 50)
		d.press("enter")
		d.sees("part 1: published", "part 2: failed: the part before it was deleted", "first comment: scheduled")
	})
}

// The key for pictures says why there is nothing to show. The line of keys offers it only
// if there is.
func TestPicturesOfAPost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := threads()
		d := drive(t, f, 80, 24)
		d.press("v")
		d.sees("pictures are not shown here: the details describe the files")
		d.press("enter")
		d.seesNot("v pictures")
		d = drive(t, f, 80, 24, func(c *tui.Config) {
			c.Show = func(context.Context, []postlist.Picture) error { return nil }
		})
		d.press("enter")
		d.sees("v pictures")
		f.posts[0].Thread = nil
		d.press("esc", "R", "v")
		d.sees("the post has no pictures")
		d.press("enter")
		d.seesNot("v pictures")
	})
	want := []postlist.Picture{
		{Asset: door, Lines: []string{"1 of 2: door.png  PNG, 34.2 kB, 800×600 pixels, part 3", "alt: A red door"}},
		{Asset: door, Lines: []string{"2 of 2: door.png  PNG, 34.2 kB, 800×600 pixels, first comment", "no alt text"}},
	}
	p := threads().posts[0]
	p.FirstComment.Media = []apiv1.PostMedia{{ID: "med_door"}}
	if diff := cmp.Diff(want, tui.Pictures(p)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
