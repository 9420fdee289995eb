package tui_test

import (
	"fmt"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/tui"
	"github.com/schedctl/schedctl/tui/screen"
)

const leaving = "Leave? Your text is not saved."

func TestLeavingOffersToSaveADraft(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("n")
		d.typed("precious")
		d.press("tab", " ", "tab")
		d.typed("in 2h")
		d.press("esc")
		d.sees(leaving, "s save as a draft   esc keep editing   d discard")
		d.press("esc")
		d.seesNot(leaving)
		d.press("ctrl+c", "s")
		d.sees("saved: draft, without a time")
		p := f.post(t, "post_new0")
		if p.Status != schedctl.Draft || p.Content != "precious" || len(p.SocialAccountIDs) != 1 {
			t.Errorf("saved %+v", p)
		}
		d.press("i", "esc")
		d.seesNot(leaving, "Edit scheduled")
	})
}

// Saving a draft changes the draft. A scheduled post stays unchanged because its new
// text is not approved for publication: the text becomes another draft.
func TestLeavingAnEdit(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("4", "i", "end", "!", "esc", "s")
		if p := f.post(t, "post_e"); p.Content != "An idea!" {
			t.Errorf("the draft is %q", p.Content)
		}
		d.press("1", "down", "i", "end", "!", "esc")
		d.sees("s save as a new draft")
		d.press("s")
		if p := f.post(t, "post_b"); p.Content != "The second\npost of the day" || p.Status != schedctl.Scheduled {
			t.Errorf("the scheduled post is %s: %q", p.Status, p.Content)
		}
		if p := f.post(t, "post_new0"); p.Content != "The second\npost of the day!" || p.Status != schedctl.Draft {
			t.Errorf("the draft is %s: %q", p.Status, p.Content)
		}
	})
}

// Undo restores discarded text, and nothing is lost while the daemon is unreachable.
func TestNothingTypedIsLost(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("n")
		d.typed("precious")
		d.press("esc", "d")
		d.sees("discarded   u continue writing “precious”")
		d.press("u")
		d.sees("New post", "precious")
		f.fail("Create", fmt.Errorf("nothing answers: %w", screen.ErrUnreachable))
		d.press("esc", "s")
		d.sees("no response; your text is kept", "precious")
		if got := tui.UnsavedText(d.model); got != "precious" {
			t.Errorf("%q would be saved at the end", got)
		}
		f.fail("Create", nil)
		d.press("esc", "s")
		d.sees("saved: draft")
		if len(f.created) != 1 {
			t.Errorf("%d posts were created", len(f.created))
		}
	})
}

// A post that was deleted while it was edited is saved as a new post.
func TestADeletedPostIsSavedAsANewOne(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("4", "i", "end", "!")
		f.Delete(t.Context(), "post_e")
		d.press("ctrl+s")
		d.sees("the post was deleted: save again", "An idea!")
		d.press("ctrl+s")
		if p := f.post(t, "post_new0"); p.Content != "An idea!" {
			t.Errorf("saved %q", p.Content)
		}
	})
}

// A draft needs a text.
func TestADraftWithoutATextIsNotSaved(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("n", "tab", " ", "esc", "s")
		d.sees("a draft needs a text", "New post")
		if n := f.called("Create"); n != 0 {
			t.Errorf("%d posts were sent", n)
		}
	})
}
