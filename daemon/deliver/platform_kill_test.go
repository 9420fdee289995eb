package deliver_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/networks"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// slowNetwork is a network that takes up to eight seconds for each request, and has
// accepted the post somewhere in between. Some connections break.
type slowNetwork struct {
	memoryNetwork

	randomMu sync.Mutex // randomMu guards random
	random   *rand.Rand
}

func (n *slowNetwork) pick(limit int) int {
	n.randomMu.Lock()
	defer n.randomMu.Unlock()
	return n.random.IntN(limit)
}

func (n *slowNetwork) wait() { time.Sleep(time.Duration(n.pick(4000)) * time.Millisecond) }

func (n *slowNetwork) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !n.IsPost(r) {
		n.wait()
		n.memoryNetwork.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	n.wait()
	if n.pick(10) == 0 {
		panic(http.ErrAbortHandler)
	}
	p := n.accept(r, body)
	n.wait()
	if n.pick(10) == 0 {
		panic(http.ErrAbortHandler)
	}
	io.WriteString(w, n.Accepted(p))
}

// slowRelay returns a relay of Nostr that behaves in the same way.
func slowRelay(random *rand.Rand) *publishtest.FakeRelay {
	n := &slowNetwork{random: random}
	relay := &publishtest.FakeRelay{}
	relay.Respond = func(_ int, e publishtest.RelayEvent) publishtest.RelayResponse {
		n.wait()
		if n.pick(10) == 0 {
			return publishtest.RelayResponse{Drop: true}
		}
		relay.Store(e)
		return publishtest.RelayResponse{Drop: n.pick(10) == 0, After: time.Duration(n.pick(4000)) * time.Millisecond}
	}
	return relay
}

// TestKillsOnNetworks kills the daemon at random times while it publishes to networks that
// recognize a repeat or can be asked; those with a fake that keeps state are in
// [TestKillsAtStepsOfNetworks]. Whatever happens, each post, and each part of a thread, is
// published once.
func TestKillsOnNetworks(t *testing.T) {
	t.Parallel()
	for _, a := range networks.Accounts() {
		if a.Memory != networks.Idempotent && a.Memory != networks.Findable || a.Unreliable != nil {
			continue
		}
		for _, seed := range testsize.Seeds(20, 100) {
			t.Run(fmt.Sprint(a.Name, "/", seed), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { killOnNetwork(t, platformOn(a), seed) })
			})
		}
	}
}

func killOnNetwork(t *testing.T, p platform, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 21))
	network := &slowNetwork{memoryNetwork: memoryNetwork{platform: p}, random: rand.New(rand.NewPCG(seed, 22))}
	relay := slowRelay(network.random)
	var handler http.Handler = network
	onNetwork := func() int { posts, _ := network.counts(); return posts }
	if p.Accepted == nil {
		handler, onNetwork = relay, func() int { return len(relay.Events()) }
	}
	wire := newWire(handler)
	defer wire.cut()
	r := newRig(t, storagetest.NewMemory())
	defer r.kill()
	a := r.connect(p, wire.client)
	parts := p.Parts()
	first := threadOf(parts, a)
	first.Now = true
	r.start()
	posts := []schedctl.Post{r.create(first), r.publishNow(a)}
	for range 1 + random.IntN(5) {
		r.after(time.Duration(random.Int64N(int64(15 * time.Second))))
		r.endFor(storage.ErrBroken)
		r.after(time.Duration(random.Int64N(int64(5 * time.Second))))
		r.start()
	}
	r.after(8 * time.Hour)
	for _, post := range posts {
		if target := r.target(post); target.Status != schedctl.Published || target.PlatformPostID == "" {
			t.Errorf("target %+v, error %+v\n%s", target, target.Error, r.logs.String())
		}
	}
	if n := onNetwork(); n != parts+1 {
		t.Errorf("%d posts on the network, want %d\n%s", n, parts+1, r.logs.String())
	}
}
