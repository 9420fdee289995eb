package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// life serves the states of a post, one for each request. An entry without a status
// is a daemon that does not respond.
type life []apiv1.Post

func (l *life) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/social-accounts") {
		json.NewEncoder(w).Encode(twoAccounts)
		return
	}
	if strings.HasSuffix(r.URL.Path, "/events") {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	p := (*l)[0]
	if len(*l) > 1 {
		*l = (*l)[1:]
	}
	if p.Status == "" {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	json.NewEncoder(w).Encode(apiv1.PostEnvelope{Post: p})
}

func as(statuses ...schedctl.Status) *life {
	var l life
	for _, s := range statuses {
		p := apiv1.Post{ID: "post_1", Status: s, PublishAt: at(time.Hour), TargetSummary: apiv1.TargetSummary{Total: 1}}
		if s == schedctl.Failed {
			p.Targets = published.Targets
		}
		l = append(l, p)
	}
	return &l
}

// withParts returns a post that ends with a target in a state, after a response in which
// its last part was not finished. statuses are those of the parts at the end; a
// published target has a first comment.
func withParts(target schedctl.Status, statuses ...schedctl.Status) *life {
	post := func(last schedctl.Status) apiv1.Post {
		t := apiv1.Target{SocialAccountID: hookID, Platform: "http", Status: target}
		for i, s := range statuses {
			part := apiv1.TargetPart{Index: i, Kind: schedctl.PartReply, Status: s}
			if i == len(statuses)-1 {
				part.Status = last
				if target == schedctl.Published {
					part.Kind = schedctl.PartComment
				}
			}
			t.Parts = append(t.Parts, part)
		}
		if slices.Contains(statuses, schedctl.Failed) {
			t.Error = &apiv1.TargetError{Kind: schedctl.KindContent, Message: "the part before it was deleted", Outcome: schedctl.OutcomeNotPublished}
		}
		return apiv1.Post{ID: "post_1", Status: target, Targets: []apiv1.Target{t}}
	}
	last := statuses[len(statuses)-1]
	if target != schedctl.Published {
		return &life{post(last)}
	}
	return &life{post(schedctl.Publishing), post(last)}
}

// afterError returns a post that is published after a response in which its target has
// the error of an earlier attempt and is due at a time.
func afterError(next *apiv1.Time) *life {
	t := apiv1.Target{SocialAccountID: hookID, Platform: "http", Status: schedctl.Scheduled, Attempts: 1, NextAttemptAt: next}
	t.Error = &apiv1.TargetError{Kind: schedctl.KindPlatform, Message: "status 500", Outcome: schedctl.OutcomeNotPublished}
	return &life{{ID: "post_1", Status: schedctl.Publishing, Targets: []apiv1.Target{t}}, {ID: "post_1", Status: schedctl.Published}}
}

const away = schedctl.Status("")

// These run in a bubble: the pauses between looks take no time.
func TestPostWait(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		posts           *life
		args            []string
		status          int
		attemptDuration time.Duration
		out, er         string
	}{
		"published":          {as(schedctl.Scheduled, schedctl.Publishing, schedctl.Published), nil, 0, 300 * time.Millisecond, "post_1\n", ""},
		"published before":   {as(schedctl.Published), nil, 0, 0, "post_1\n", ""},
		"canceled":           {as(schedctl.Scheduled, schedctl.Canceled), nil, 0, 100 * time.Millisecond, "post_1\n", ""},
		"with longer pauses": {as(schedctl.Scheduled, schedctl.Scheduled, schedctl.Scheduled, schedctl.Scheduled, schedctl.Scheduled, schedctl.Scheduled, schedctl.Published), nil, 0, 3500 * time.Millisecond, "post_1\n", ""},
		"failed": {as(schedctl.Publishing, schedctl.Failed), nil, 9, 100 * time.Millisecond, "post_1\n",
			"schedctl: post_1 was not published on hook (http): network: connection reset (it is not known whether the network has it); " +
				"next: look whether the account has the post; if not: schedctl post retry post_1 --force\n"},
		"a part that failed": {withParts(schedctl.Failed, schedctl.Published, schedctl.Failed, schedctl.Scheduled), nil, 9, 0, "post_1\n",
			"schedctl: part 2 of post_1 was not published on hook (http): content: the part before it was deleted; " +
				"next: schedctl post retry post_1\n"},
		"a first comment": {withParts(schedctl.Published, schedctl.Published, schedctl.Published), nil, 0, 100 * time.Millisecond, "post_1\n", ""},
		"a first comment that failed": {withParts(schedctl.Published, schedctl.Published, schedctl.Failed), nil, 9, 100 * time.Millisecond, "post_1\n",
			"schedctl: the first comment of post_1 was not published on hook (http): content: the part before it was deleted; " +
				"next: schedctl post retry post_1\n"},
		"a target that waits": {afterError(at(time.Minute)), nil, 0, 100 * time.Millisecond, "post_1\n",
			"post_1: hook (http): platform: status 500; next try 2026-11-21T12:01:00Z\n"},
		"a target that is retried now": {afterError(at(0)), nil, 0, 100 * time.Millisecond, "post_1\n", ""},
		"a draft": {as(schedctl.Draft), nil, 6, 0, "",
			"schedctl: post_1 is a draft, and drafts are not published; schedule it first: schedctl post schedule post_1 --at TIME\n"},
		"timed out": {as(schedctl.Scheduled), []string{"--timeout", "5s"}, 8, 5 * time.Second, "",
			"schedctl: post_1 is still scheduled after 5s, for Sat 21 Nov 2026 13:00 UTC; wait on with: schedctl post wait post_1\n"},
		"timed out while publishing": {as(schedctl.Publishing), []string{"--timeout", "5s"}, 8, 5 * time.Second, "",
			"schedctl: post_1 is still publishing after 5s; wait on with: schedctl post wait post_1\n"},
		"a daemon that is restarted": {as(schedctl.Scheduled, away, away, schedctl.Published), nil, 0, 700 * time.Millisecond, "post_1\n", ""},
		"an ended daemon": {as(schedctl.Scheduled, away), nil, 7, 30500 * time.Millisecond, "",
			"schedctl: http://daemon.test responded 502 Bad Gateway because a proxy in front of the daemon cannot reach it: check on its machine that the daemon runs, with schedctl daemon status, and where the proxy sends requests\n"},
		"no daemon at all": {as(away), nil, 7, 0, "",
			"schedctl: http://daemon.test responded 502 Bad Gateway because a proxy in front of the daemon cannot reach it: check on its machine that the daemon runs, with schedctl daemon status, and where the proxy sends requests\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := newMachine(t, tc.posts)
				start := time.Now()
				m.Now = func() time.Time { return noon.Add(time.Since(start)) }
				m.want(t, tc.status, tc.out, tc.er, append([]string{"post", "wait", "post_1", "-q"}, tc.args...)...)
				if took := time.Since(start); took != tc.attemptDuration {
					t.Errorf("took %v, want %v", took, tc.attemptDuration)
				}
			})
		})
	}
}

func TestPostCreateWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t, as(schedctl.Publishing, schedctl.Publishing, schedctl.Published))
		m.want(t, 0, `{"id":"post_1","status":"published"}`+"\n", "", "post", "create", "Hello", "--to", demoID, "--now", "--wait", "--json=id,status")
	})
}

// TestPostWaitTellsOfProgress guards that a terminal shows each change of state.
func TestPostWaitTellsOfProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t, as(schedctl.Scheduled, schedctl.Scheduled, schedctl.Publishing, schedctl.Published)).terminals().noColorEnv()
		m.env["TERM"] = "dumb"
		m.want(t, 0, "post_1 is published on 1 account\n", "post_1: publishing\npost_1: published\n", "post", "wait", "post_1")
	})
}
