package matrix_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// Every part of a thread is published once, in order and in the thread, although
// connections are cut and the homeserver forgets transaction ids.
func TestThreadsOnAFlakyHomeserver(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		s := newRoomServer(t)
		p, r := serve(t, publishtest.Flaky(s, seed))
		var published []schedctl.Receipt
		var want []string
		for i := range 5 {
			part := r
			if i > 0 {
				part = partOf(r, published...)
			}
			part.Content = fmt.Sprintf("part %d", i)
			want = append(want, part.Content)
			if files := random.IntN(4); files > 1 {
				for n := range files {
					part.Files = append(part.Files, publishtest.TestFile("image/png", n))
					want = append(want, fmt.Sprintf("holiday %d.png", n))
				}
				part.Files = uploaded(part.Files...)
			}
			published = append(published, publishtest.PublishUntilKnown(t, p, part, func() {
				if random.IntN(3) == 0 {
					s.forget()
				}
			}))
		}
		if diff := cmp.Diff(want, s.bodies()); diff != "" {
			t.Errorf("seed %d (-want +got):\n%s", seed, diff)
		}
		for _, e := range s.events {
			relation, _ := e.content["m.relates_to"].(map[string]any)
			if isReply := strings.HasPrefix(e.key, publishtest.TargetID+"-"); isReply != (relation["event_id"] == "$1") {
				t.Errorf("seed %d: the event %s has the relation %v", seed, e.key, relation)
			}
		}
	}
}
