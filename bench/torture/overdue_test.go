package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// outcome is a target of the one account: its due time before the restart, its place in
// the order of calls, and whether it was missed.
type outcome struct {
	ago    time.Duration
	order  int
	missed bool
	called bool
}

func TestOverdueJudge(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		outcomes []outcome
		want     string // part of the violation, or empty
	}{
		"in order":               {[]outcome{{ago: 3 * time.Hour, order: 1}, {ago: time.Hour, order: 2}}, ""},
		"in another order":       {[]outcome{{ago: 3 * time.Hour, order: 2}, {ago: time.Hour, order: 1}}, "another order"},
		"missed":                 {[]outcome{{ago: 25 * time.Hour, missed: true}}, ""},
		"missed and called":      {[]outcome{{ago: 25 * time.Hour, missed: true, called: true}}, "was called"},
		"too late and sent":      {[]outcome{{ago: 25 * time.Hour, order: 1}}, "was too late"},
		"late because it waited": {[]outcome{{ago: 24*time.Hour - time.Second, missed: true}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := overdueCheck{verdictCollector: new(verdictCollector), started: time.Unix(1e9, 0), seen: map[string]delivery{}}
			posts := map[string]apiv1.Post{}
			for i, out := range tt.outcomes {
				target := apiv1.Target{ID: fmt.Sprint("pt_", i), SocialAccountID: "acct_1", Status: schedctl.Published, PublishAt: apiv1.NewTime(o.started.Add(-out.ago))}
				if out.missed {
					target.Status, target.Error = schedctl.Failed, &apiv1.TargetError{Kind: schedctl.KindMissed}
				}
				if out.called || !out.missed {
					o.seen[target.ID] = delivery{calls: 1, order: out.order}
				}
				posts[fmt.Sprint(i)] = apiv1.Post{Targets: []apiv1.Target{target}}
			}
			o.judge(posts)
			if r := o.result(nil); (tt.want == "") != (r.Verdict == pass) || !strings.Contains(r.Detail, tt.want) {
				t.Errorf("%s%s, want %q", r.Verdict, r.Detail, tt.want)
			}
		})
	}
}
