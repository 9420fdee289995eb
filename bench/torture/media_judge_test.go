package main

import (
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// TestMediaJudge guards that the judge of posts with media finds each broken promise.
func TestMediaJudge(t *testing.T) {
	id := "1"
	failed := func(outcome schedctl.Outcome) apiv1.Target {
		return apiv1.Target{Status: schedctl.Failed, Error: &apiv1.TargetError{Outcome: outcome}}
	}
	published := apiv1.Target{Status: schedctl.Published, PlatformPostID: &id}
	for _, test := range []struct {
		name    string
		target  apiv1.Target
		ids     []string
		retries bool
		want    violation
	}{
		{"published once", published, []string{"1"}, false, ""},
		{"published twice", published, []string{"1", "2"}, false, doneTwice},
		{"another post", published, []string{"2"}, false, wrongStatus},
		{"published nowhere", published, nil, false, lostRecord},
		{"still publishing", apiv1.Target{Status: schedctl.Publishing}, nil, false, stuckRecord},
		{"failed, but published", failed(schedctl.OutcomeNotPublished), []string{"1"}, false, wrongStatus},
		{"failed without a refusal", failed(schedctl.OutcomeNotPublished), nil, false, lostRecord},
		{"unknown", failed(schedctl.OutcomeUnknown), []string{"1"}, false, ""},
		{"unknown, although it can be repeated", failed(schedctl.OutcomeUnknown), []string{"1"}, true, lostRecord},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := &mediaWorld{gatedWorld: &gatedWorld{world: &world{judged: new(verdictCollector)}}}
			s := &mediaStory{server: &mediaServer{networkGate: &networkGate{name: "test", retries: test.retries}}}
			m.judgeOutcome(s, test.target, test.ids)
			if got := m.judged.violations; test.want == "" && len(got) > 0 || test.want != "" && got[test.want] != 1 {
				t.Errorf("violations %v, want %q", got, test.want)
			}
		})
	}
}
