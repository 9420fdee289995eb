package tui_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// TestPictures renders the screens of the README in two color modes. The pictures
// are drawn from this golden file.
func TestPictures(t *testing.T) {
	t.Parallel()
	var golden txtar.Archive
	for _, v := range []struct {
		name string
		keys []string
	}{{"queue", nil}, {"week", []string{"2"}}, {"month", []string{"3"}}, {"forecast", []string{":", "f", "o", "r", "e", "c", "a", "s", "t", "enter"}}} {
		for _, look := range looks {
			if look.name == "dark" || look.name == "light" {
				screen := draw(t, studio(), 110, 24, look.change, v.keys)
				golden.Files = append(golden.Files, txtar.File{Name: v.name + " " + look.name, Data: []byte(readable(screen))})
			}
		}
	}
	compare(t, filepath.Join("testdata", "pictures.txtar"), string(txtar.Format(&golden)))
}

// studio is a daemon with a week of posts.
func studio() *fake {
	f := newFake()
	f.calm = true
	f.accounts = []apiv1.Account{
		{ID: "acct_1", Platform: "mastodon", Name: "fosstodon", Status: schedctl.AccountConnected},
		{ID: "acct_2", Platform: "bluesky", Name: "sky", Status: schedctl.AccountConnected},
	}
	add := func(p apiv1.Post, accounts ...string) {
		p.SocialAccountIDs = accounts
		for i := range p.Targets {
			p.Targets[i].SocialAccountID = accounts[i%len(accounts)]
		}
		p.Targets = p.Targets[:min(len(p.Targets), len(accounts))]
		f.posts = append(f.posts, p)
	}
	both := []string{"acct_1", "acct_2"}
	day := 24 * time.Hour
	for i, text := range []string{"Office hours today at five", "How we test clock changes", "Thanks to 40 contributors", "A year of releases, in numbers"} {
		add(published(fmt.Sprintf("post_01KAK3R9ZC4VBX1D2E3F4G5H%dA", i), text, time.Duration(4-i)*day+2*time.Hour), "acct_1")
	}
	late := failedPost("post_01KAK3R9ZC4VBX1D2E3F4G5H6A", "Slides of the talk", apiv1.TargetError{Kind: schedctl.KindContent, Message: "the text has 612 characters, and 500 are allowed", Outcome: schedctl.OutcomeNotPublished})
	late.PublishAt = at(-26 * time.Hour)
	add(late, "acct_1")
	for _, p := range []struct {
		id, text string
		in       time.Duration
		to       []string
	}{
		{"post_01KAK3R9ZC4VBX1D2E3F4G5H1C", "Version 2.1 is out 🎉 Faster search, dark mode at last, and a queue you can watch", 42 * time.Minute, both},
		{"post_01KAK3R9ZC4VBX1D2E3F4G5H2C", "We are hiring: a maintainer for the Go client, remote, four days a week", 3 * time.Hour, both},
		{"post_01KAK3R9ZC4VBX1D2E3F4G5H3C", "Tonight: how we moved a million posts without losing one", 7*time.Hour + 30*time.Minute, both[:1]},
		{"post_01KAK3R9ZC4VBX1D2E3F4G5H4C", "Good morning! What are you building today?", 21 * time.Hour, both},
		{"post_01KAK3R9ZC4VBX1D2E3F4G5H5C", "Five things nobody tells you about time zones 🕰️", 23*time.Hour + 15*time.Minute, both[1:]},
		{"post_01KAK3R9ZC4VBX1D2E3F4G5H6C", "Photos from the meetup 📷", 28 * time.Hour, both},
		{"post_01KAK3R9ZC4VBX1D2E3F4G5H7C", "日本語版のドキュメントを公開しました", 46 * time.Hour, both[1:]},
		{"post_01KAK3R9ZC4VBX1D2E3F4G5H8C", "Office hours: ask us anything, today at five", 48 * time.Hour, both[:1]},
		{"post_01KAK3R9ZC4VBX1D2E3F4G5H9C", "Version 2.1.1 fixes the export of calendars", 70 * time.Hour, both},
	} {
		add(scheduled(p.id, p.text, p.in), p.to...)
	}
	hours := scheduled("post_01KAK3R9ZC4VBX1D2E3F4G5H8C", "", 48*time.Hour)
	f.plan.forecast = []apiv1.ForecastEntry{
		{Kind: apiv1.ForecastDuplicate, At: hours.PublishAt, PostCount: 1, Message: "the account mastodon:fosstodon gets the same text more than once less than 24 h apart; its network may refuse it, or treat it as spam", Command: "schedctl post edit " + hours.ID + " --editor"},
		{Kind: apiv1.ForecastTokenEnds, At: apiv1.NewTime(now.Add(5 * day)), PostCount: 2, Message: "the credentials of the account bluesky:sky end on 2026-11-25 12:00 UTC, before it gets a post; get new ones and reconnect it", Command: "schedctl account reconnect bluesky:sky"},
	}
	return f
}
