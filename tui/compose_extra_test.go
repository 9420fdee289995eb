package tui_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/threadtext"
	"github.com/schedctl/schedctl/tui"
)

// A text that is too long can be split into parts that fit every chosen account, and joined
// again.
func TestALongTextIsSplit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		d := drive(t, f, 100, 30)
		long := strings.TrimSpace(strings.Repeat("Words of a long text. ", 30)) // 659 characters
		d.press("n")
		d.typed(long)
		d.seesNot("too long")
		d.press("alt+s")
		d.sees("there is nothing to split")
		d.press("tab", " ", "down", " ", "shift+tab")
		d.sees("The text is too long for me, sky: alt+s splits it")
		d.press("alt+s")
		d.sees("part 3 of 3", "The text is split: alt+s joins it again")
		d.press("alt+s")
		d.sees("The text is too long for me, sky")
		d.press("alt+s", "ctrl+s")
		p := f.lastCreate
		if len(p.Thread) != 2 || threadtext.Join([]string{p.Content, p.Thread[0].Content, p.Thread[1].Content}) == long {
			t.Fatalf("sent %q and %d parts", p.Content, len(p.Thread))
		}
		for _, part := range append([]string{p.Content}, p.Thread[0].Content, p.Thread[1].Content) {
			if len(part) > 300 {
				t.Errorf("a part of %d characters", len(part))
			}
		}
	})
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, newFake(), 100, 30)
		d.press("n")
		d.typed(strings.Repeat("x", 400))
		d.press("tab", "down", " ", "alt+s")
		d.sees("New post")
	})
}

// The preview shows what each account gets: where a text is cut, shortened links, parts,
// the link card, the poll and the warning.
func TestPreviewOfEachNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.accounts[0].Limits.URLCharacters = ptr(23)
		d := drive(t, f, 100, 40)
		d.press("n")
		d.typed("See https://www.example.com/a/very/long/path/of/a/page now ")
		d.press("alt+p")
		d.sees("No account is chosen")
		d.press("esc", "tab", " ", "down", " ", "alt+p")
		d.sees("me, mastodon", "See example.com/a/very/lon… now", "sky, bluesky", "See https://www.example.com/a/very/long/path/of/a/page now",
			"link card of https://www.example.com/a/very/long/path")
		d.press("esc", "shift+tab")
		d.typed(strings.Repeat("many words ", 30))
		d.press("alt+p")
		d.sees("of 300: from here on it is too long")
		d.press("esc")
		d.sees("New post")
	})
}

// A repetition as the time of a new post makes a series.
func TestARepeatedPostIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		d := drive(t, f, 100, 30, func(c *tui.Config) { c.Zone = berlin })
		d.press("n")
		d.typed("Good morning, everyone")
		d.press("tab", "tab")
		d.typed("every monday 9am")
		d.sees("a series: weekly on monday at 9:00 from 2026-11-23")
		d.press("ctrl+s")
		d.sees("choose an account first")
		d.press("shift+tab", " ")
		f.fail("CreateSeries", schedctl.Errorf(schedctl.ValidationFailed, "name", "another series has this name"))
		d.press("ctrl+s")
		d.sees("another series has this name", "the name of the series is the title")
		f.fail("CreateSeries", nil)
		d.press("ctrl+s")
		d.sees("saved: the series “Good morning, everyone”")
		s := f.plan.made
		if s.Content != "Good morning, everyone" || s.Timezone != "Europe/Berlin" || s.Start != "2026-11-23T09:00" || s.Rule != "FREQ=WEEKLY;BYDAY=MO" || len(s.SocialAccountIDs) != 1 {
			t.Errorf("sent %+v", s)
		}
		d.press("u")
		d.sees("schedctl series end")
	})
}

// The accounts of the composer can be filtered, and the chosen ones are counted.
func TestAccountsOfTheComposerAreFiltered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := crowded(0)
		d := drive(t, f, 100, 30)
		d.press("n", "x", "tab", "/")
		d.typed("ND-17")
		d.sees("/ ND-17: 1 match", "[ ] brand-17")
		d.press("enter", " ")
		d.sees("To, 1 chosen", "[x] brand-17")
		d.press("/", "3", "3", "enter", " ", "/", "esc")
		d.sees("To, 2 chosen", "brand-00")
		d.press("ctrl+s")
		if ids := f.lastCreate.SocialAccountIDs; len(ids) != 2 || ids[0] != "acct_17" || ids[1] != "acct_33" {
			t.Errorf("the accounts are %v", ids)
		}
	})
}
