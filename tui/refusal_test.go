package tui_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui"
	"github.com/schedctl/schedctl/tui/screen"
)

// refusals are the errors that can interrupt an action, and a part of the message
// shown for each.
var refusals = map[string]struct {
	err  error
	line string
}{
	"401": {schedctl.Errorf(schedctl.InvalidAPIKey, "", "the key is not known"), "the key is not known"},
	"409": {schedctl.Errorf(schedctl.PostCanceled, "", "the post is canceled"), "the post is canceled"},
	"412": {schedctl.Errorf(schedctl.VersionMismatch, "", "the post was changed"), "omeone else has changed"},
	"429": {schedctl.Errorf(schedctl.RateLimited, "", "20 a second are enough"), "too many requests"},
	"net": {fmt.Errorf("nothing answers: %w", screen.ErrUnreachable), "no response"},
}

// actions are all actions of the user, up to the request to the daemon, and the text
// that must stay on the screen when it is refused.
var actions = []struct {
	name, method string
	keys         []string
	kept         string
}{
	{"cancel", "Cancel", []string{"down", "c", "y"}, "15:00 ○ The second post of the day"},
	{"publish", "Publish", []string{"down", "P", "y"}, "15:00 ○ The second post of the day"},
	{"move by keys", "Edit", []string{"down", ">"}, "15:00 ○ The second post of the day"},
	{"move to a time", "Edit", []string{"down", "s", "9", "p", "m", "enter"}, "15:00 ○ The second post of the day"},
	{"delete", "Delete", []string{"4", "d", "y"}, "An idea"},
	{"schedule", "Schedule", []string{"4", "s", "9", "p", "m", "enter"}, "◌ An idea"},
	{"retry", "Retry", []string{"6", "r", "y"}, "✕ Too late"},
	{"edit", "Edit", []string{"down", "i", "end", " ", "m", "i", "n", "e", "ctrl+s"}, "post of the day mine"},
	{"write", "Create", []string{"n", "m", "i", "n", "e", "ctrl+s"}, "mine"},
	{"copy", "Create", []string{"D", "!", "ctrl+s"}, "Good morning"},
}

// Every refusal is shown on a line, nothing that was typed is lost, and no row shows
// a change that was refused.
// A refusal has the names of accounts and the flags of the command line, not the words of
// the API.
func TestRefusalsAreInWordsOfPeople(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := full(3)
		f.fail("Edit", schedctl.Errorf(schedctl.SlotTaken, "publish_at", "another post for acct_1 has the slot; take the next one with publish_at: next-slot (--next-slot)"))
		d := drive(t, f, 120, 40)
		d.press("}")
		d.sees("another post for “me” has the slot; take the next one with --next-slot")
		d.seesNot("acct_1", "publish_at", "SLOT_TAKEN")
	})
}

func TestEveryActionMayBeRefused(t *testing.T) {
	for _, a := range actions {
		for name, refused := range refusals {
			if name == "412" && (a.method == "Create" || a.method == "Delete" || a.method == "Retry") {
				continue // these have no version
			}
			t.Run(a.name+"/"+name, func(t *testing.T) {
				flow(t, func(t *testing.T, f *fake, d *driver) {
					f.fail(a.method, refused.err)
					d.press(a.keys...)
					if f.called(a.method) != 1 {
						t.Fatalf("%s was called %d times", a.method, f.called(a.method))
					}
					d.sees(refused.line, a.kept)
					d.seesNot("saving…")
					f.fail(a.method, nil)
					d.press("q")
					if a.method != "Create" && a.name != "edit" && !d.quit {
						t.Error("the browser waits for a change that has failed")
					}
				})
			})
		}
	}
}

// A change is shown while its request is in progress.
func TestAChangeShowsAtOnce(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		f.fail("Cancel", refusals["409"].err)
		d.holds = func(tea.Msg) bool { return true }
		d.press("down", "c", "y")
		d.sees("⊘ The second", "saving…")
		d.press("c")
		d.sees("still being saved")
		d.release()
		d.sees("○ The second", "in 3h00m")
		d.seesNot("⊘")
	})
}

// Reading a post again does not remove a pending change from the screen.
func TestAChangeStaysOnTheScreen(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		sends := false
		d.holds = func(msg tea.Msg) bool { return !sends && tui.IsNudge(msg) }
		d.press("down", ">")
		d.send(tui.Happened(event("evt_1", "post_b")))
		d.press("R")
		d.sees("▌ 16:00 ○ The second")
		d.press("<")
		d.sees("▌ 15:00 ○ The second")
		f.posts[1].Content = "Theirs"
		d.send(tui.Happened(event("evt_2", "post_b")))
		d.seesNot("Theirs")
		sends = true
		d.release()
		d.sees("▌ 15:00 ○ Theirs")
		if n := f.called("Edit"); n != 0 {
			t.Errorf("%d changes were sent for an unchanged time", n)
		}
	})
}

// An undo can be refused, too.
func TestAnUndoMayBeRefused(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("down", "i", "end", "!", "ctrl+s")
		f.fail("Edit", refusals["429"].err)
		d.press("u")
		d.sees("too many requests", "The second post of the day!")
		f.fail("Create", refusals["net"].err)
		d.press("4", "d", "y", "u")
		d.sees("nothing answers", "u restore “An idea”")
		f.fail("Create", nil)
		d.press("u")
		d.sees("created a copy, draft", "An idea")
	})
}

func TestAnEditIsUndone(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("down", "i", "end", "!", "tab", " ", "tab")
		d.press("ctrl+u")
		d.typed("in 5h")
		d.press("ctrl+s")
		d.sees("17:00 ○ The second post of the day!")
		d.press("u")
		d.sees("15:00 ○ The second post of the day ", "undone: scheduled for")
		if p := f.post(t, "post_b"); p.Content != "The second\npost of the day" || len(p.SocialAccountIDs) != 2 || !p.PublishAt.Equal(now.Add(3*time.Hour)) {
			t.Errorf("the post is %+v", p)
		}
	})
}

// After a conflict, unedited fields keep the values of the other version.
func TestAConflictKeepsWhatWasNotTouched(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("down", "i", "tab", "tab", "ctrl+u")
		d.typed("in 5h")
		if _, err := f.Edit(context.Background(), screen.Version{ID: "post_b"}, apiv1.EditPost{Content: ptr("theirs")}); err != nil {
			t.Fatal(err)
		}
		d.press("ctrl+s", "ctrl+s")
		if p := f.post(t, "post_b"); p.Content != "theirs" || !p.PublishAt.Equal(now.Add(5*time.Hour)) {
			t.Errorf("the post is %q at %v", p.Content, p.PublishAt)
		}
	})
}
