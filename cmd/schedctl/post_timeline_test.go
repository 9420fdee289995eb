package main

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

var timeline = apiv1.Timeline{
	PostID: "post_1", Status: schedctl.Failed,
	Events: []apiv1.TimelineEvent{
		{ID: "evt_1", Type: "post.created", CreatedAt: at(0)},
		{ID: "evt_2", Type: "post.failed", CreatedAt: at(72 * time.Second), SocialAccountID: ptr(hookID)},
	},
	Targets: []apiv1.TargetTimeline{
		{
			Target: apiv1.Target{ID: "pt_1", SocialAccountID: demoID, Platform: "feed", Status: schedctl.Published, PlatformPostURL: ptr("https://feed.test/1")},
			Attempts: []apiv1.Attempt{{
				ID: "att_1", Number: 1, StartedAt: at(time.Minute), FinishedAt: at(time.Minute + 20*time.Millisecond), Outcome: "published",
			}},
		},
		{
			Target: apiv1.Target{ID: "pt_2", SocialAccountID: hookID, Platform: "http", Status: schedctl.Failed,
				Error: &apiv1.TargetError{Kind: schedctl.KindUnknown, Message: "no response", Outcome: schedctl.OutcomeUnknown}},
			Attempts: []apiv1.Attempt{
				{ID: "att_2", Number: 1, StartedAt: at(time.Minute), FinishedAt: at(61 * time.Second), Outcome: schedctl.OutcomeNotPublished, HTTPStatus: ptr(503),
					Error: &apiv1.TargetError{Kind: schedctl.KindPlatform, Message: "busy", Outcome: schedctl.OutcomeNotPublished}},
				{ID: "att_3", Number: 2, StartedAt: at(71 * time.Second), FinishedAt: at(72 * time.Second), Outcome: schedctl.OutcomeUnknown,
					Error: &apiv1.TargetError{Kind: schedctl.KindUnknown, Message: "no response", Outcome: schedctl.OutcomeUnknown}},
			},
		},
	},
}

func TestPostTimeline(t *testing.T) {
	t.Parallel()
	daemon := routes{"GET /social-accounts": twoAccounts, "GET /posts/post_1/timeline": timeline}
	m := newMachine(t, daemon)
	m.want(t, 0, `pt_1	demo	feed	1	2026-11-21T12:01:00Z	2026-11-21T12:01:00.020Z	published			
pt_2	hook	http	1	2026-11-21T12:01:00Z	2026-11-21T12:01:01Z	not_published	503	platform	busy
pt_2	hook	http	2	2026-11-21T12:01:11Z	2026-11-21T12:01:12Z	unknown		unknown	no response
`, "", "post", "timeline", "post_1")
	m.want(t, 0, "att_1\natt_2\natt_3\n", "", "post", "timeline", "post_1", "-q")
	m.want(t, 0, `{"post_id":"post_1","status":"failed"}`+"\n", "", "post", "timeline", "post_1", "--json=post_id,status")
	m.want(t, 3, "", "schedctl: there is no post \"post_2\"; see: schedctl post list\n", "post", "timeline", "post_2")

	m = newMachine(t, daemon).terminals()
	m.env["NO_COLOR"] = "1"
	m.want(t, 0, `post_1 is failed

WHEN                 EVENT         ACCOUNT
2026-11-21 12:00:00  post.created
2026-11-21 12:01:12  post.failed   hook

demo (feed), pt_1: published; https://feed.test/1
TRY  WHEN                 TOOK  OUTCOME    HTTP  REASON
1    2026-11-21 12:01:00  20ms  published

hook (http), pt_2: failed; unknown: no response (it is not known whether the network has it)
TRY  WHEN                 TOOK  OUTCOME        HTTP  REASON
1    2026-11-21 12:01:00  1s    not published  503   platform: busy
2    2026-11-21 12:01:11  1s    unknown              unknown: no response (it is not known whether the network has it)

next: look whether the account has the post; if not: schedctl post retry post_1 --force
`, "", "post", "timeline", "post_1")
}

func TestTimelineOfAPostThatWasNotTried(t *testing.T) {
	t.Parallel()
	waiting := apiv1.Timeline{PostID: "post_1", Status: schedctl.Scheduled, Targets: []apiv1.TargetTimeline{
		{Target: apiv1.Target{ID: "pt_1", SocialAccountID: demoID, Platform: "feed", Status: schedctl.Scheduled, PublishAt: at(time.Hour)}},
	}}
	m := newMachine(t, routes{"GET /social-accounts": twoAccounts, "GET /posts/post_1/timeline": waiting})
	m.want(t, 0, "", "", "post", "timeline", "post_1")
	m = m.terminals()
	m.env["NO_COLOR"] = "1"
	m.want(t, 0, "post_1 is scheduled\n\ndemo (feed), pt_1: scheduled\n\nnext: schedctl post edit post_1 --at TIME\nnext: schedctl post cancel post_1\n", "",
		"post", "timeline", "post_1")
}
