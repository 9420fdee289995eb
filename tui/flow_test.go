package tui_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui"
	"github.com/schedctl/schedctl/tui/screen"
)

// flow runs a test in a synctest bubble, with a daemon that has content in every
// view.
func flow(t *testing.T, test func(t *testing.T, f *fake, d *driver)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := world()
		test(t, f, drive(t, f, 80, 24))
	})
}

func TestANewPostIsScheduled(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("n")
		d.typed("Hello, world")
		d.press("tab", " ", "tab")
		d.typed("tomorrow 9am")
		d.sees("Sun 22 Nov 2026 09:00 CET")
		d.press("ctrl+s")
		d.sees("saved: scheduled for Sun 22 Nov 2026 09:00 CET", "▌ 09:00 ○ Hello, world")
		if p := f.post(t, "post_new0"); p.PublishAt.String() != "2026-11-22T08:00:00Z" || len(p.SocialAccountIDs) != 1 {
			t.Errorf("created %+v", p)
		}
	})
}

// One account has its own text until the text is emptied.
func TestATextForOneAccount(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("4", "nHello", "tab", " ", "down", "o")
		d.sees("For sky only", "Hello")
		d.typed(", sky")
		d.press("tab", "o")
		d.sees("New post", "[x] sky bluesky, its own text")
		d.typed("!")
		d.press("ctrl+s")
		p := f.post(t, "post_new0")
		want := []apiv1.Override{{SocialAccountID: "acct_2", Content: ptr("Hello, sky")}}
		if diff := cmp.Diff(want, p.TargetOverrides); diff != "" || p.Content != "Hello!" || len(p.SocialAccountIDs) != 2 {
			t.Errorf("created %q for %v, overrides (-want +got):\n%s", p.Content, p.SocialAccountIDs, diff)
		}
		d.press("i", "tab", "down", "o")
		d.sees("For sky only", "Hello, sky")
		d.press("ctrl+u", "ctrl+s")
		if e := f.lastEdit; e.TargetOverrides == nil || len(*e.TargetOverrides) > 0 || e.Content != nil || e.SocialAccountIDs != nil {
			t.Errorf("sent %+v", e)
		}
		d.press("u")
		if diff := cmp.Diff(want, f.post(t, "post_new0").TargetOverrides); diff != "" {
			t.Errorf("after undo, overrides (-want +got):\n%s", diff)
		}
	})
}

// A lost response must not create a second post when the user saves again.
func TestSavingAgainCreatesOnce(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		f.fail("Create", fmt.Errorf("nothing answers: %w", screen.ErrUnreachable))
		d.press("n")
		d.typed("Once")
		d.press("ctrl+s")
		d.sees("no response; your text is kept", "Once")
		f.fail("Create", nil)
		d.press("ctrl+s")
		d.sees("saved: draft")
		if len(f.created) != 1 || f.called("Create") != 2 {
			t.Errorf("%d posts of %d calls", len(f.created), f.called("Create"))
		}
	})
}

// A retry of "in 2h" keeps the time that was parsed first. After a lost response,
// another text is another post, and the user is warned before it is created.
func TestSavingAgainAfterAWhile(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		f.fail("Create", fmt.Errorf("nothing answers: %w", screen.ErrUnreachable))
		d.press("nOnce", "tab", " ", "tab")
		d.typed("in 2h")
		d.press("ctrl+s")
		d.send(tui.Tick(now.Add(time.Minute)))
		d.press("ctrl+s")
		if len(f.created) != 1 || f.called("Create") != 2 {
			t.Errorf("%d posts of %d calls", len(f.created), f.called("Create"))
		}
		d.press("tab", "!", "ctrl+s")
		d.sees("this would create a second post", "Once!")
		if f.called("Create") != 2 {
			t.Error("it was sent anyway")
		}
		f.fail("Create", nil)
		d.press("ctrl+s")
		d.sees("saved: scheduled for")
	})
}

func TestAnEditSendsWhatChanged(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("down", "i", "end")
		d.typed("!")
		d.press("ctrl+s")
		d.sees("saved: scheduled for Sat 21 Nov 2026 15:00 CET   u undo the edit of “The second")
		if e := f.lastEdit; e.Content == nil || *e.Content != "The second\npost of the day!" || e.PublishAt != nil || e.SocialAccountIDs != nil {
			t.Errorf("sent %+v", e)
		}
	})
}

// A conflict shows the other version and keeps what was typed.
func TestAConflictKeepsWhatWasTyped(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("down", "i", "end")
		d.typed(" mine")
		_, err := f.Edit(context.Background(), screen.Version{ID: "post_b"}, apiv1.EditPost{Content: ptr("theirs")})
		if err != nil {
			t.Fatal(err)
		}
		d.press("ctrl+s")
		d.sees("Someone else has changed this post", "their text: theirs", "post of the day mine")
		d.press("ctrl+s")
		d.sees("saved")
		if p := f.post(t, "post_b"); p.Content != "The second\npost of the day mine" {
			t.Errorf("the post is %q", p.Content)
		}
	})
}

func TestTheirsCanBeTaken(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("down", "i", "end")
		d.typed(" mine")
		if _, err := f.Edit(context.Background(), screen.Version{ID: "post_b"}, apiv1.EditPost{Content: ptr("written by others")}); err != nil {
			t.Fatal(err)
		}
		d.press("ctrl+s", "ctrl+t")
		d.sees("written by others")
		d.seesNot("mine", "Someone else")
	})
}

func TestACounterIsTheNetworksOwn(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		f.fail("Validate", errors.New("not now"))
		d.press("n")
		d.typed("日本")
		d.press("tab", " ", "down", " ")
		d.sees("~2/500", "~2/300")
		f.fail("Validate", nil)
		d.press("shift+tab")
		d.typed("!")
		d.sees("1007/500, 507 too many", "1007/300")
	})
}

// An edited post is validated as itself: its own text is not a duplicate.
func TestAnEditIsValidatedAsTheSamePost(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("n")
		d.typed("Something new")
		d.sees("Something new")
		if got := f.lastValidated(); got != "" {
			t.Errorf("a new post is validated as %s", got)
		}
		d.press("esc", "d")
		d.press("i")
		d.typed("!")
		if got := f.lastValidated(); !strings.HasPrefix(got, "post_") {
			t.Errorf("an edit is validated as the post %q", got)
		}
	})
}

func TestAPostIsMovedByKeys(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("down")
		d.holds = func(msg tea.Msg) bool { return true }
		d.press("+", "+", ">", "}")
		d.sees("16:30")
		d.release()
		if p := f.post(t, "post_b"); !p.PublishAt.Equal(now.Add(28*time.Hour + 30*time.Minute)) {
			t.Errorf("scheduled for %v", p.PublishAt)
		}
		if n := f.called("Edit"); n != 1 {
			t.Errorf("%d changes were sent for keys that were pressed together", n)
		}
		d.sees("scheduled for Sun 22 Nov 2026 16:30 CET   u move back to Sat 21 Nov 15:00")
		d.press("u")
		if p := f.post(t, "post_b"); !p.PublishAt.Equal(now.Add(3 * time.Hour)) {
			t.Errorf("after undo it is scheduled for %v", p.PublishAt)
		}
	})
}

func TestAPostIsNotMovedIntoThePast(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("-")
		d.sees("that time is in the past")
		if n := f.called("Edit"); n != 0 {
			t.Errorf("%d changes were sent", n)
		}
	})
}

func TestADraftIsScheduledByATypedTime(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("4", "s")
		d.typed("yesterday 9am")
		d.press("enter")
		d.sees("has passed")
		d.press("ctrl+u")
		d.typed("in 2h")
		d.press("enter")
		d.sees("scheduled for Sat 21 Nov 2026 14:00 CET")
		if p := f.post(t, "post_e"); p.Status != schedctl.Scheduled {
			t.Errorf("the draft is %s", p.Status)
		}
		d.press("1")
		d.sees("14:00 ○ An idea")
	})
}

func TestPublishAsksFirst(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("P")
		d.sees("Publish this now, to me, sky?")
		d.press("n")
		if n := f.called("Publish"); n != 0 {
			t.Fatalf("it was published %d times without a yes", n)
		}
		d.press("P", "y")
		d.sees("◐ Good morning")
	})
}

func TestACanceledPostComesBackAsACopy(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("down", "c", "y")
		d.sees("canceled; it is in 5 History   u create a copy of “The second post of the …”")
		d.seesNot("○ The second post")
		d.press("u")
		d.sees("created a copy, scheduled for", "▌ 15:00 ○ The second post")
		if p := f.post(t, "post_new0"); !p.PublishAt.Equal(now.Add(3*time.Hour)) || len(p.SocialAccountIDs) != 2 {
			t.Errorf("the copy is %+v", p)
		}
	})
}

func TestAnUnknownOutcomeIsRetriedWithAWarning(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("6", "down")
		d.sees("next: check the network first", "i changes the post")
		d.press("r")
		d.sees("Retry which?", "all 2 that failed")
		d.press("down", "down", "enter")
		d.sees("The network may already have this post")
		d.press("y")
		if r := f.lastRetry; !r.Force || len(r.TargetIDs) != 1 || r.TargetIDs[0] != "pt_post_h1" {
			t.Errorf("sent %+v", r)
		}
		d.seesNot("Not everywhere")
		d.press("r", "y")
		if r := f.lastRetry; r.Force || r.TargetIDs != nil {
			t.Errorf("sent %+v", r)
		}
		d.sees("No failed posts.")
	})
}

// A failed post is changed and sent again: saving makes a new post for the failed targets.
func TestFailedPostIsResent(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("6", "i")
		d.sees("Send again with changes")
		d.typed(" shorter")
		d.press("ctrl+s")
		d.sees("saved: draft")
		if f.called("Resend") != 1 || f.called("Edit") != 0 {
			t.Errorf("%d resends, %d edits", f.called("Resend"), f.called("Edit"))
		}
	})
}

func TestForbiddenOperationsAreExplained(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("5", "G", "i")
		d.sees("only a draft or a scheduled post can be edited")
		d.press("c")
		d.sees("only a post that is scheduled or publishing can be")
		if n := len(f.calls); f.called("Edit")+f.called("Cancel") != 0 {
			t.Errorf("sent to the daemon anyway: %d calls", n)
		}
	})
}

func TestAddressesAreCopiedAndOpened(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var clipboard bytes.Buffer
		var opened string
		d := drive(t, world(), 80, 24, func(c *tui.Config) {
			c.Clipboard = &clipboard
			c.Browse = func(_ context.Context, url string) error { opened = url; return nil }
		})
		d.press("5", "end", "y")
		d.sees("copied https://example.social/@me/post_g")
		if want := "\x1b]52;c;aHR0cHM6Ly9leGFtcGxlLnNvY2lhbC9AbWUvcG9zdF9n\a"; clipboard.String() != want {
			t.Errorf("wrote %q", clipboard.String())
		}
		d.press("o")
		if opened != "https://example.social/@me/post_g" {
			t.Errorf("opened %q", opened)
		}
	})
}

func TestSearchAndFilter(t *testing.T) {
	flow(t, func(t *testing.T, _ *fake, d *driver) {
		d.press("/")
		d.typed("Tomorrow")
		d.press("enter")
		d.sees("Tomorrow's post", `with "Tomorrow"`)
		d.seesNot("Good morning")
		d.press("esc")
		d.sees("Good morning")
		d.press("f", "down", "down", "down", "down", "down", "enter")
		d.sees("No posts match.")
		d.press("esc", "S")
		d.sees("sorted: latest first")
	})
}

func TestAccountsAreVerifiedAndDeliveriesReplayed(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("7", "end", "v")
		d.sees("hook works")
		d.press("8", "enter", "down", "r")
		d.sees("queued again", "pending")
	})
}

// Quitting waits for pending changes.
func TestQuitWaitsForChanges(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.holds = func(tea.Msg) bool { return true }
		d.press("down", "+", "q")
		if d.quit {
			t.Fatal("left before the change was sent")
		}
		d.release()
		if !d.quit || f.called("Edit") != 1 {
			t.Errorf("left: %v, changes sent: %d", d.quit, f.called("Edit"))
		}
	})
}

func TestHelpShowsEveryKeyOnce(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, name := range tui.KeyNames() {
		if seen[name] {
			t.Errorf("the key %q does two things", name)
		}
		seen[name] = true
	}
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, world(), 120, 70)
		d.press("?")
		d.sees("15 minutes later", "edit here", "change to a draft", "add an account", "edit in $EDITOR", "save", "use theirs")
		d.press("?")
		d.sees("Good morning")
	})
}

func TestTheCountdownRuns(t *testing.T) {
	flow(t, func(t *testing.T, _ *fake, d *driver) {
		d.sees("in 45s")
		d.send(tui.Tick(now.Add(2 * time.Second)))
		d.sees("in 43s")
	})
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "now", 119 * time.Second: "in 119s", -3 * time.Minute: "3m ago", 61 * time.Minute: "in 1h01m", 49 * time.Hour: "in 2d",
	} {
		if got := tui.Distance(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestCleanTakesEscapesOut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\x1b[31mb": "a\ufffd[31mb", "a\r\nb\tc": "a\nb    c", "\u202eabc": "␣U+202Eabc", "👩‍👧": "👩‍👧",
	} {
		if got := tui.Clean(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	if got := tui.Clean(strings.Repeat("x", 9)); got != "xxxxxxxxx" {
		t.Errorf("got %q", got)
	}
}
