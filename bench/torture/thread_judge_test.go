package main

import (
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// judgedThread is a thread of three parts on a network that shows parents and roots, and
// a single post of the same account.
type judgedThread struct {
	server *threadServer
	target apiv1.Target
	shown  []shownPost

	retried bool
}

func newJudgedThread() *judgedThread {
	j := &judgedThread{
		server: &threadServer{networkGate: &networkGate{name: "test"}, showsReply: true, showsRoot: true},
		target: apiv1.Target{ID: "pt_1", Status: schedctl.Published},
	}
	for i, id := range []string{"a", "b", "c"} {
		p := shownPost{id: id, text: "part " + id, files: []shownFile{{sha256: id}}}
		if i > 0 {
			p.parent, p.root = j.shown[i-1].id, "a"
		}
		j.shown = append(j.shown, p)
		j.target.Parts = append(j.target.Parts, apiv1.TargetPart{Index: i, Status: schedctl.Published, PlatformPostID: &id, Attempts: 1})
	}
	return j
}

// stop stops the thread after some parts, with an error of the outcome, and with the
// parts that the network has.
func (j *judgedThread) stop(done, present int, outcome schedctl.Outcome) {
	j.target.Status, j.target.Error = schedctl.Failed, &apiv1.TargetError{Outcome: outcome}
	for i := range j.target.Parts[done:] {
		j.target.Parts[done+i].Status, j.target.Parts[done+i].PlatformPostID = schedctl.Scheduled, nil
	}
	j.shown = j.shown[:present]
}

// judge judges the thread and the single post.
func (j *judgedThread) judge() *verdictCollector {
	w := &threadWorld{gatedWorld: &gatedWorld{world: &world{judged: new(verdictCollector)}}}
	thread := &threadStory{retried: j.retried, server: j.server, account: "me", post: "post_1", mark: "thread"}
	for _, id := range []string{"a", "b", "c"} {
		thread.parts = append(thread.parts, shownPart{text: "part " + id, files: []shownFile{{sha256: id}}})
	}
	single := &threadStory{server: j.server, account: "me", post: "post_2", mark: "single", parts: []shownPart{{text: "single"}}}
	id := "s"
	w.stories = []*threadStory{thread, single}
	w.judgeNetwork(j.server, j.shown, map[string]apiv1.Post{
		"post_1": {Targets: []apiv1.Target{j.target}},
		"post_2": {Targets: []apiv1.Target{{Status: schedctl.Published, Parts: []apiv1.TargetPart{{Status: schedctl.Published, PlatformPostID: &id}}}}},
	})
	return w.judged
}

// TestThreadJudge guards that the judge of threads finds each broken promise.
func TestThreadJudge(t *testing.T) {
	single := shownPost{id: "s", text: "single"}
	for _, test := range []struct {
		name   string
		change func(*judgedThread)
		want   violation
		detail string
	}{
		{"published", func(*judgedThread) {}, "", ""},
		{"a part twice", func(j *judgedThread) { j.shown = append(j.shown, j.shown[1]) }, doneTwice, "2 times"},
		{"under a wrong parent", func(j *judgedThread) { j.shown[2].parent = "a" }, wrongStatus, `replies to "a", want "b"`},
		{"in another thread", func(j *judgedThread) { j.shown[2].root = "b" }, wrongStatus, `in the thread "b"`},
		{"top-level", func(j *judgedThread) { j.shown[1].parent = "" }, wrongStatus, `replies to ""`},
		{"without a picture", func(j *judgedThread) { j.shown[1].files = nil }, wrongStatus, "has the files"},
		{"out of order", func(j *judgedThread) { j.shown[1], j.shown[2] = j.shown[2], j.shown[1] }, wrongStatus, "is before part"},
		{"a missing part", func(j *judgedThread) { j.shown = j.shown[:2] }, lostRecord, "part 2 is not on the network"},
		{"another id", func(j *judgedThread) { j.shown[2].id = "d" }, wrongStatus, "is d on the network"},
		{"an unknown post", func(j *judgedThread) { j.shown = append(j.shown, shownPost{text: "spam"}) }, wrongStatus, "no client requested"},
		{"still publishing", func(j *judgedThread) {
			j.stop(1, 1, schedctl.OutcomeUnknown)
			j.target.Status, j.target.Error = schedctl.Publishing, nil
		}, stuckRecord, "1 of 3 parts"},
		{"failed without a refusal", func(j *judgedThread) { j.stop(1, 1, schedctl.OutcomeNotPublished) }, lostRecord, "failed at part 1"},
		{"unknown, although it can be asked", func(j *judgedThread) { j.stop(1, 2, schedctl.OutcomeUnknown) }, lostRecord, "unknown outcome at part 1"},
		{"unknown", func(j *judgedThread) { j.server.cannotAsk = true; j.stop(1, 2, schedctl.OutcomeUnknown) }, "", ""},
		{"retried, and stopped again", func(j *judgedThread) {
			j.server.cannotAsk, j.retried = true, true
			j.stop(1, 2, schedctl.OutcomeUnknown)
		}, lostRecord, "was retried"},
		{"unknown, and continued", func(j *judgedThread) { j.server.cannotAsk = true; j.stop(1, 3, schedctl.OutcomeUnknown) }, wrongStatus, "the network has 3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := newJudgedThread()
			test.change(j)
			j.shown = append(j.shown, single)
			got := j.judge()
			if test.want == "" && len(got.violations) == 0 {
				return
			}
			if got.violations[test.want] == 0 || !strings.Contains(strings.Join(got.faults, "\n"), test.detail) {
				t.Errorf("%v: %q, want %q: %s", got.violations, got.faults, test.want, test.detail)
			}
		})
	}
	t.Run("another post between the parts", func(t *testing.T) {
		j := newJudgedThread()
		j.shown = []shownPost{j.shown[0], single, j.shown[1], j.shown[2]}
		if got := j.judge(); got.violations[wrongStatus] != 1 || !strings.Contains(got.faults[0], "between the parts") {
			t.Errorf("%q", got.faults)
		}
	})
}
