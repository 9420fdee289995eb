package publish_test

import (
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// bare is a publisher without any optional interface.
type bare struct{ publish.Publisher }

func (bare) Platform() string { return "bare" }

// able is a publisher with threads and polls.
type able struct {
	bare
	threads publish.ThreadRules
	polls   publish.PollRules
}

func (a able) ThreadRules(schedctl.Account) publish.ThreadRules { return a.threads }
func (a able) PollRules(schedctl.Account) publish.PollRules     { return a.polls }

func TestCheckExtras(t *testing.T) {
	t.Parallel()
	poll := func(change func(*schedctl.Poll)) publish.Content {
		p := &schedctl.Poll{Options: []string{"yes", "no", "maybe"}, ExpiresIn: 90 * time.Minute}
		change(p)
		return publish.Content{Extras: publish.Extras{Poll: p}}
	}
	plain := poll(func(*schedctl.Poll) {})
	withMedia := plain
	withMedia.Media = []publish.Media{{}}
	rules := func(r publish.PollRules) publish.Publisher { return able{polls: r} }
	for name, tt := range map[string]struct {
		publisher publish.Publisher
		content   publish.Content
		code      string // empty for no problem
		says      string
	}{
		"a post":                 {bare{}, publish.Content{}, "", ""},
		"a reply":                {able{}, publish.Content{Kind: schedctl.PartReply}, "", ""},
		"no threads":             {bare{}, publish.Content{Kind: schedctl.PartReply}, "thread", "bare"},
		"no comments":            {bare{}, publish.Content{Kind: schedctl.PartComment}, "first_comment", "bare"},
		"refused threads":        {able{threads: publish.ThreadRules{Refused: "use a bot"}}, publish.Content{Kind: schedctl.PartComment}, "first_comment", "use a bot"},
		"a poll":                 {able{}, plain, "", ""},
		"no polls":               {bare{}, plain, "poll", "bare has no polls"},
		"refused polls":          {rules(publish.PollRules{Refused: "use a bot"}), plain, "poll", "use a bot"},
		"as many options":        {rules(publish.PollRules{MaxOptions: 3, MaxOption: 5}), plain, "", ""},
		"too many options":       {rules(publish.PollRules{MaxOptions: 2}), plain, "poll", "3 options"},
		"a long option":          {rules(publish.PollRules{MaxOption: 4}), plain, "poll", "option 3 of the poll has 5"},
		"too short":              {rules(publish.PollRules{MinTime: 2 * time.Hour}), plain, "poll", "at least 2h"},
		"too long":               {rules(publish.PollRules{MaxTime: time.Hour}), plain, "poll", "allows 1h"},
		"no whole hours":         {rules(publish.PollRules{WholeHours: true}), plain, "poll", "whole hours"},
		"media":                  {able{}, withMedia, "poll", "media"},
		"media allowed":          {rules(publish.PollRules{WithMedia: true}), withMedia, "", ""},
		"several options chosen": {rules(publish.PollRules{NoMultiple: true}), poll(func(p *schedctl.Poll) { p.Multiple = true }), "poll", "only one option"},
		"hidden votes":           {rules(publish.PollRules{NoHiding: true}), poll(func(p *schedctl.Poll) { p.HideTotals = true }), "poll", "hide_totals"},
	} {
		var c publish.Check
		publish.CheckExtras(&c, tt.publisher, schedctl.Account{}, tt.content)
		switch {
		case tt.code == "" && len(c.Problems) == 0:
		case len(c.Problems) != 1 || c.Problems[0].Code != tt.code || !strings.Contains(c.Problems[0].Message, tt.says):
			t.Errorf("%s: got %v, want %q and %q", name, c.Problems, tt.code, tt.says)
		}
	}
}

func TestCheckPresentation(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		extras             publish.Extras
		problems, warnings int
	}{
		{publish.Extras{}, 0, 0},
		{publish.Extras{Presentation: schedctl.Presentation{Visibility: schedctl.VisibilityPublic}}, 0, 0},
		{publish.Extras{Presentation: schedctl.Presentation{Visibility: schedctl.VisibilityUnlisted, ContentWarning: "spiders", Language: "de"}}, 2, 1},
		{publish.Extras{Preview: schedctl.LinkPreview{Mode: schedctl.PreviewNone}}, 0, 1},
	} {
		var c publish.Check
		content := publish.Content{Extras: tt.extras}
		c.RefuseVisibility(content, "X")
		c.RefuseWarning(content, "X")
		c.WarnLanguage(content, "X")
		c.WarnPreview(content, "X")
		if len(c.Problems) != tt.problems || len(c.Warnings) != tt.warnings {
			t.Errorf("%+v: got %v, %v", tt.extras, c.Problems, c.Warnings)
		}
	}
}
