package mcp_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

var three = []string{"blog", "mastodon", "company news"}

// in returns a time some days after the start of a job, at 9:00 in Rome.
func in(days int) *apiv1.PublishTime {
	return apiv1.At(time.Date(2026, time.November, 30+days, 8, 0, 0, 0, time.UTC))
}

// planned schedules a post for a job.
func (s *session) planned(c *client.Client, text string, days int) apiv1.Post {
	s.f.t.Helper()
	p, err := c.CreatePost(s.f.t.Context(), apiv1.CreatePost{Content: text, SocialAccountIDs: []string{s.f.account}, PublishAt: in(days)})
	s.f.ok(err)
	time.Sleep(time.Second)
	return p
}

// submitted makes a draft that waits for an approval.
func (s *session) submitted(c *client.Client, text string, days int) apiv1.Post {
	s.f.t.Helper()
	at := &apiv1.ProposedTime{Time: in(days).Time}
	p, err := c.CreatePost(s.f.t.Context(), apiv1.CreatePost{Content: text, SocialAccountIDs: []string{s.f.account}, ProposedAt: at, Submit: &apiv1.SubmitNew{}})
	s.f.ok(err)
	time.Sleep(time.Second)
	return p
}

// pending returns the drafts that wait for an approval.
func (s *session) pending(c *client.Client) []apiv1.Post {
	return s.posts(c, client.PostQuery{Approval: schedctl.ApprovalPending})
}

// tenJobs are the jobs that the tools are measured by.
func tenJobs() []job {
	return []job{{
		asked: "Plan a week for three accounts from five facts.",
		prepare: func(s *session, c *client.Client) {
			s.planned(c, "The autumn release is out.", 1)
			s.planned(c, "Meet us at the fair.", 3)
		},
		run: func(s *session) {
			s.call("whoami", nil)
			s.call("list_accounts", nil)
			s.call("get_calendar", nil)
			posts := []any{}
			for i, fact := range facts {
				posts = append(posts, map[string]any{"content": fact, "social_account_ids": three, "proposed_at": fmt.Sprintf("2026-12-%02d 10:30", i+1), "submit": true})
			}
			s.call("create_draft", map[string]any{"posts": posts})
		},
		done: func(s *session, c *client.Client) bool { return len(s.pending(c)) == len(facts) },
	}, {
		asked: "Make a thread from a changelog.",
		run: func(s *session) {
			text := strings.Repeat(changelog, 6)
			parts := s.call("split_text", map[string]any{"content": text, "social_account_ids": []string{"mastodon"}})["parts"].([]any)
			thread := []any{}
			for _, part := range parts[1:] {
				thread = append(thread, map[string]any{"content": part})
			}
			s.call("create_draft", map[string]any{"content": parts[0], "social_account_ids": []string{"mastodon"}, "options": map[string]any{"thread": thread}})
		},
		done: func(s *session, c *client.Client) bool {
			list := s.posts(c, client.PostQuery{})
			return len(list) == 1 && len(list[0].Thread) > 0
		},
	}, {
		asked: "Move the post about the fair to Friday.", publish: true,
		prepare: func(s *session, c *client.Client) {
			s.key = s.f.publisher()
			own := s.f.direct(s.key)
			s.planned(own, "Meet us at the fair.", 1)
			s.planned(own, "The autumn release is out.", 2)
		},
		run: func(s *session) {
			p := first(s.call("list_posts", map[string]any{"q": "fair"}), "results")
			s.call("reschedule_post", map[string]any{"id": p["id"], "version": p["version"], "publish_at": "friday 9am"})
		},
		done: func(s *session, c *client.Client) bool {
			list := s.posts(c, client.PostQuery{Search: "fair"})
			return len(list) == 1 && list[0].PublishAt.Equal(in(4).Time)
		},
	}, {
		asked: "Post a picture with alt text.",
		run: func(s *session) {
			file := s.call("upload_media", map[string]any{"data": dot, "file_name": "office.gif", "alt_text": "The new office, seen from the street"})["media"].(map[string]any)
			s.call("create_draft", map[string]any{"content": "Our new office.", "social_account_ids": three, "media": []any{map[string]any{"id": file["id"]}}, "submit": true, "proposed_at": "tomorrow 9am"})
		},
		done: func(s *session, c *client.Client) bool {
			list := s.pending(c)
			return len(list) == 1 && len(list[0].Media) == 1
		},
	}, {
		asked: "Say what failed, and why.",
		prepare: func(s *session, c *client.Client) {
			for i, failure := range []schedctl.TargetError{
				{Kind: schedctl.KindContent, Message: "the text has a link that is not allowed"},
				{Kind: schedctl.KindAuth, Message: "the access token was revoked"},
				{Kind: schedctl.KindNetwork, Message: "the network did not respond in time"},
			} {
				failure.Outcome = schedctl.OutcomeNotPublished
				s.f.failPostWith(s.planned(c, facts[i], i+1).ID, failure)
			}
			s.planned(c, facts[3], 5)
		},
		run: func(s *session) { s.call("attention", nil) },
		done: func(s *session, c *client.Client) bool {
			return strings.Count(s.lines.String(), " next: ") == 3
		},
	}, {
		asked: "Fill the three next empty slots.",
		run: func(s *session) {
			slots := s.call("list_slots", map[string]any{"limit": 3})["results"].([]any)
			posts := []any{}
			for i, slot := range slots {
				posts = append(posts, map[string]any{"content": facts[i], "social_account_ids": []string{"blog"}, "proposed_at": slot.(map[string]any)["at"], "submit": true})
			}
			s.call("create_draft", map[string]any{"posts": posts})
		},
		done: func(s *session, c *client.Client) bool { return len(s.pending(c)) == 3 },
	}, {
		asked: "Remind people each Friday of the open hour.", publish: true,
		run: func(s *session) {
			s.call("create_series", map[string]any{
				"name": "open hour", "content": "Our open hour starts at noon. Ask us anything.", "social_account_ids": []string{"blog"}, "repeat": "weekly on fri at 11:00", "submit": true,
			})
		},
		done: func(s *session, c *client.Client) bool {
			page, err := c.SeriesList(s.f.t.Context(), client.SeriesQuery{Approval: schedctl.ApprovalPending})
			return err == nil && len(page.Results) == 1
		},
	}, {
		asked: "Post with a first comment.",
		run: func(s *session) {
			s.call("create_draft", map[string]any{
				"content": facts[3], "social_account_ids": []string{"blog"}, "proposed_at": "tomorrow 9am", "submit": true,
				"options": map[string]any{"first_comment": map[string]any{"content": "The slides: https://example.com/slides"}},
			})
		},
		done: func(s *session, c *client.Client) bool {
			list := s.pending(c)
			return len(list) == 1 && list[0].FirstComment != nil
		},
	}, {
		asked: "Say what waits for someone.",
		prepare: func(s *session, c *client.Client) {
			for i := range 3 {
				s.submitted(c, facts[i], i+1)
			}
		},
		run: func(s *session) { s.call("attention", nil) },
		done: func(s *session, c *client.Client) bool {
			return strings.Count(s.lines.String(), "a person approves it") == 3
		},
	}, {
		asked: "Undo your own last step.",
		prepare: func(s *session, c *client.Client) {
			s.submitted(s.f.direct(s.key), facts[0], 1)
		},
		run: func(s *session) {
			p := first(s.call("list_posts", map[string]any{"limit": 1, "options": map[string]any{"created_by": "me"}}), "results")
			s.call("withdraw_post", map[string]any{"id": p["id"], "version": p["version"]})
		},
		done: func(s *session, c *client.Client) bool {
			list := s.posts(c, client.PostQuery{})
			return len(s.pending(c)) == 0 && len(list) == 1 && list[0].Status == schedctl.Draft
		},
	}}
}
