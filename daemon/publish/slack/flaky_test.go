package slack_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// Every part of a thread is published once, in order and in the thread, although
// connections are cut.
func TestThreadsOnAFlakyWorkspace(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		s := newChannel(t)
		p, c := serve(t, publishtest.Flaky(s, seed))
		r := request(c)
		var published []schedctl.Receipt
		var want, got []string
		for i := range 5 {
			part := r
			if i > 0 {
				part = replyTo(r, published[0], published[i-1])
				part.Part, part.Key = i, fmt.Sprintf("%s-%d", r.Key, i)
			}
			part.Content = fmt.Sprintf("part %d", i)
			want = append(want, part.Content)
			published = append(published, publishtest.PublishUntilKnown(t, p, part, func() {}))
		}
		for i, m := range s.messages {
			got = append(got, fmt.Sprint(m.sent["text"]))
			if inThread := m.ThreadTS == published[0].ID; inThread != (i > 0) {
				t.Errorf("seed %d: message %d is in the thread %q", seed, i, m.ThreadTS)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("seed %d (-want +got):\n%s", seed, diff)
		}
	}
}
