package tui_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui"
)

var (
	door = apiv1.MediaAsset{
		ID: "med_door", FileName: "door.png", MIMEType: "image/png", SizeBytes: 34_200, Width: ptr(800), Height: ptr(600),
		AltText: ptr("A red door"), Status: schedctl.MediaReady,
	}
	clip = apiv1.MediaAsset{
		ID: "med_clip", FileName: "clip.mp4", MIMEType: "video/mp4", SizeBytes: 12_345_678, Width: ptr(1920), Height: ptr(1080),
		DurationMS: ptr(int64(8500)), Status: schedctl.MediaReady,
	}
)

// gallery is a daemon with a post that has media and no text.
func gallery() *fake {
	f := newFake()
	f.calm = true
	p := scheduled("post_01KAK3R9ZC4VBX1D2E3F4G5H1C", "", time.Hour)
	p.Media = []apiv1.PostMedia{{ID: "med_door", AltText: door.AltText}, {ID: "med_clip"}}
	p.MediaAssets = []apiv1.MediaAsset{door, clip}
	f.posts = append(f.posts, p)
	f.uploads = map[string]apiv1.MediaAsset{"images/door.png": door, "images/copy.png": door, "images/clip.mp4": clip}
	return f
}

// withFiles makes the files of the gallery known to the completion.
func withFiles(c *tui.Config) {
	c.Complete = func(text string) (found []string) {
		for _, path := range []string{"images/", "images/clip.mp4", "images/copy.png", "images/door.png"} {
			if strings.HasPrefix(path, text) && (path != "images/" || len(text) < len(path)) {
				found = append(found, path)
			}
		}
		return found
	}
}

// TestMediaScreens renders the screens with media in two sizes and all color modes.
func TestMediaScreens(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{
		"media-queue":   nil,
		"media-detail":  {"enter"},
		"media-edit":    {"i", "tab", "down"},
		"media-alt":     {"i", "tab", "enter"},
		"media-attach":  {"n", "H", "i", "ctrl+o", "i", "m", "a", "g", "e", "s", "/", "c"},
		"media-refused": {"n", "H", "i", "ctrl+o", "x", "enter"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var golden txtar.Archive
			for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
				for _, look := range looks {
					change := func(c *tui.Config) {
						look.change(c)
						withFiles(c)
					}
					screen := draw(t, gallery(), size.width, size.height, change, keys)
					measure(t, screen, size.width, size.height)
					golden.Files = append(golden.Files, txtar.File{Name: fmt.Sprint(size.width, " ", look.name), Data: []byte(readable(screen))})
				}
			}
			compare(t, filepath.Join("testdata", name+".txtar"), string(txtar.Format(&golden)))
		})
	}
}

// A file is attached by its path, described, and sent with the post. The upload of a
// file that the post has already is not attached twice.
func TestAttach(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := gallery()
		d := drive(t, f, 80, 24, withFiles)
		d.press("n", "ctrl+o")
		d.typed("im")
		d.press("tab")
		d.sees("File to attach: images/", "images/clip.mp4")
		d.typed("cl")
		d.press("tab", "enter")
		d.sees("Media, 1 file", "clip.mp4 MP4, 12.3 MB, 1920×1080 pixels, 8.5 s", "no alt text")
		d.press("ctrl+o")
		d.typed("images/door.png")
		d.press("enter", "ctrl+o")
		d.typed("images/copy.png")
		d.press("enter")
		d.sees("Media, 2 files", "alt: A red door", "the post already has door.png")
		d.press("tab", "up", "up", "enter")
		d.typed("Waves at night")
		d.press("enter")
		d.sees("alt: Waves at night")
		d.press("ctrl+s")
		d.sees("saved: draft")
		want := []apiv1.PostMedia{{ID: "med_clip", AltText: ptr("Waves at night")}, {ID: "med_door", AltText: ptr("A red door")}}
		if diff := cmp.Diff(want, f.lastCreate.Media); diff != "" || f.lastCreate.Content != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

// A post is not saved while a file is uploading or after its upload failed.
func TestUploadsBlockSaving(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := gallery()
		d := drive(t, f, 80, 24)
		d.holds = func(msg tea.Msg) bool { return tui.IsUploaded(msg) || tui.IsUploadTick(msg) }
		d.press("n", "H", "i", "ctrl+o")
		d.typed("images/clip.mp4")
		d.press("enter")
		d.sees("uploading 12.3 MB, 50 %")
		d.press("ctrl+s")
		d.sees("wait until images/clip.mp4 is uploaded")
		d.release()
		d.sees("clip.mp4 MP4")
		d.press("ctrl+o", "enter")
		d.sees("name a file, or press esc")
		d.typed("none.png")
		d.press("enter")
		d.sees("no such file")
		d.press("ctrl+s")
		d.sees("none.png is not uploaded: remove it from the media")
		if f.called("Create") > 0 {
			t.Error("the post was created without its file")
		}
		d.press("tab", "x", "ctrl+s")
		if got := f.lastCreate.Media; !slices.EqualFunc(got, []string{"med_clip"}, func(m apiv1.PostMedia, id string) bool { return m.ID == id }) {
			t.Errorf("got %+v", got)
		}
	})
}

// An edit sends the media only if they have changed, and undo restores them.
func TestEditMedia(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := gallery()
		d := drive(t, f, 80, 24)
		d.sees("door.png, clip.mp4")
		d.press("i", "!", "ctrl+s")
		if f.lastEdit.Media != nil || *f.lastEdit.Content != "!" {
			t.Errorf("got %+v", f.lastEdit)
		}
		d.press("i", "tab", "x", "ctrl+s")
		if got := f.lastEdit.Media; got == nil || len(*got) != 1 || (*got)[0].ID != "med_clip" || f.lastEdit.Content != nil {
			t.Errorf("got %+v", got)
		}
		d.press("u")
		if got := f.lastEdit.Media; got == nil || len(*got) != 2 || *(*got)[0].AltText != "A red door" {
			t.Errorf("the undo sent %+v", got)
		}
	})
}

// A file that the daemon had lost can be uploaded again: the network has refused nothing,
// and a retry publishes the post.
func TestAFailureOfMediaIsRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.posts = append(f.posts, failedPost("post_lost", "A red door", apiv1.TargetError{
			Kind: schedctl.KindMedia, Message: "the bytes of door.png are missing", Outcome: schedctl.OutcomeNotPublished,
		}))
		d := drive(t, f, 100, 24)
		d.press("6")
		d.sees("media: the bytes of door.png are missing", "next: r retries when the cause is gone, i changes the", "files and sends the post again")
		d.seesNot("rejected")
		d.press("r", "y")
		if f.called("Retry") != 1 {
			t.Error("r has not retried the post")
		}
	})
}
