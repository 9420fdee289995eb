package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// TestShownPostsAreBounded guards the size and the mode of the file of shown posts, and that
// several processes lose no version.
func TestShownPostsAreBounded(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	process := func() *App { return &App{System: System{StateHome: state}, peer: "daemon here"} }
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			a := process()
			for v := range int64(80) {
				a.RememberShown(apiv1.Post{ID: fmt.Sprintf("post_%d", i), Version: v + 1, Content: strings.Repeat("x", 2000)})
			}
		})
	}
	all.Wait()
	for i := range 8 {
		id := fmt.Sprintf("post_%d", i)
		if s := process().LastShown(id)[id]; s.Version != 80 {
			t.Errorf("post %d was shown with version %d", i, s.Version)
		}
	}
	other := process()
	other.peer = "daemon there"
	if len(other.LastShown("post_1")) > 0 {
		t.Error("another daemon shares the file")
	}
	err := filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == state {
			return err
		}
		info, err := d.Info()
		if info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
			t.Errorf("%s has the mode %s", path, info.Mode())
		}
		if info.Size() > 2*maxShownFile {
			t.Errorf("%s has %d bytes", path, info.Size())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestLowerVersionIsShownLast guards that a post which was restored from a backup, with a
// lower version, does not conflict for ever.
func TestLowerVersionIsShownLast(t *testing.T) {
	t.Parallel()
	a := &App{System: System{StateHome: t.TempDir()}, peer: "daemon here"}
	a.RememberShown(apiv1.Post{ID: "post_1", Version: 5, Content: "New"}, apiv1.Post{ID: "post_2", Version: 7})
	a.RememberShown(apiv1.Post{ID: "post_1", Version: 3, Content: "Old"})
	shown := a.LastShown("post_1", "post_3")
	if s := shown["post_1"]; s.Version != 3 || s.Fields["text"] != "Old" || len(shown) != 1 {
		t.Errorf("shown last: %+v", shown)
	}
}

// TestShownChanges guards how differences are named, also behind the cut of a long text.
func TestShownChanges(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 400)
	before := apiv1.Post{ID: "post_1", Version: 1, Content: long + "a", Status: schedctl.Draft, Labels: []string{"a"}}
	after := before
	after.Content, after.Labels, after.Version = long+"b", nil, 2
	s := Shown{ID: "post_1", Version: 1, Fields: ShownFields(before)}
	got := s.Changes(after, func(f ShownField) string { return f.Value })
	if len(got) != 2 || !strings.HasPrefix(got[0], "text: üü") || got[1] != "labels: a -> none" {
		t.Errorf("the changes are %q", got)
	}
	texts := before
	texts.Thread, texts.FirstComment = []apiv1.Part{{Content: "Second"}, {Media: []apiv1.PostMedia{{ID: "med_1"}}}}, &apiv1.Part{Content: "Link"}
	texts.Poll = &apiv1.Poll{Options: []string{"Yes", "No"}, ExpiresInSeconds: 86400}
	own, none := "Own", []apiv1.Part{}
	texts.TargetOverrides = []apiv1.Override{{SocialAccountID: "acct_1", Content: &own, Thread: &none, Language: &own}}
	got = s.Changes(texts, ShownField.Text)
	want := []string{"thread: none -> Second / [1 file]", "first comment: none -> Link", "poll: none -> Yes, No (for 1d)", "overrides: none -> acct_1: Own, no further parts, language Own"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("structured fields, -want +got:\n%s", diff)
	}
	alike := texts
	alike.Thread = []apiv1.Part{{Content: "Second"}, {Media: []apiv1.PostMedia{{ID: "med_2"}}}}
	if diff := cmp.Diff([]string{"thread: Second / [1 file], changed"}, NewShown(texts).Changes(alike, ShownField.Text)); diff != "" {
		t.Errorf("another file, -want +got:\n%s", diff)
	}
	if got := s.Changes(before, nil); got != nil {
		t.Errorf("an equal post has the changes %q", got)
	}
	if got := (Shown{Version: 1}).Changes(after, nil); got != nil {
		t.Errorf("without fields, the changes are %q", got)
	}
	a := &App{System: System{StateHome: "/dev/null/nowhere"}, peer: "x"}
	if err := a.writeShown([]apiv1.Post{before}); err == nil && os.PathSeparator == '/' {
		t.Error("a file below a device was written")
	}
}
