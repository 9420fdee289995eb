package webhook_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// With random failures of endpoints and of the store, and random restarts, every wanted
// event is sent, first attempts are in order, and each stored delivery matches the last
// response of its endpoint.
func TestNothingIsLostInAnyWeather(t *testing.T) {
	for _, seed := range testsize.Seeds(10, 20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			faulty(t, func(r *rig, store *storagetest.Faulty) { weather(r, store, rand.New(rand.NewPCG(seed, 0))) })
		})
	}
}

func weather(r *rig, store *storagetest.Faulty, random *rand.Rand) {
	hooks, moods := map[string]schedctl.Webhook{}, map[string]*moody{}
	for _, host := range []string{"a.example", "b.example", "c.example"} {
		hooks[host] = r.hook(host)
		moods[host] = &moody{random: rand.New(rand.NewPCG(random.Uint64(), 0)), taken: map[string]bool{}}
		r.endpoints.at(host).fromNow(moods[host].answer)
	}
	r.start()
	var want []string
	for range 60 {
		switch random.IntN(8) {
		case 0:
			r.stop()
			after(time.Duration(random.Int64N(int64(time.Minute))))
			r.start()
		case 1:
			store.FailUpdates(random.IntN(4), storagetest.FailurePoint(random.IntN(3)))
		case 2:
			store.FailViews(random.IntN(4))
		case 3:
			r.emit(schedctl.EventPostCreated)
		default:
			want = append(want, r.publish(random.IntN(5))...)
		}
		after(time.Duration(random.Int64N(int64(20 * time.Second))))
	}
	after(3 * 24 * time.Hour)
	for host, w := range hooks {
		wantDelivered(r, w, want, moods[host].taken)
		wantFirstTries(r, host, want)
	}
}

// moody responds in random ways, two of three times with a success.
type moody struct {
	mu     sync.Mutex // mu guards what follows
	random *rand.Rand
	taken  map[string]bool // events with a successful response
}

func (m *moody) answer(req *http.Request) (*http.Response, error) {
	m.mu.Lock()
	mood, wait := m.random.IntN(12), time.Duration(m.random.Int64N(int64(12*time.Second)))
	m.mu.Unlock()
	switch mood {
	case 0:
		return refused(req)
	case 1:
		return status(500)(req)
	case 2:
		return slow(wait, status(302))(req)
	case 3:
		return slow(wait, m.take)(req)
	default:
		return m.take(req)
	}
}

func (m *moody) take(req *http.Request) (*http.Response, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.taken[req.Header.Get("webhook-id")] = true
	return status(204)(req)
}

func wantFirstTries(r *rig, host string, want []string) {
	r.Helper()
	var firsts []string
	for _, id := range r.endpoints.at(host).eventIDs() {
		if !slices.Contains(firsts, id) {
			firsts = append(firsts, id)
		}
	}
	if diff := cmp.Diff(want, firsts); diff != "" {
		r.Errorf("%s: first attempts (-want +got):\n%s", host, diff)
	}
}

// wantDelivered checks that each event has one delivery with the right result.
func wantDelivered(r *rig, w schedctl.Webhook, want []string, taken map[string]bool) {
	r.Helper()
	var received []string
	for _, d := range r.deliveries(w) {
		received = append(received, d.EventID)
		if (d.Status == schedctl.DeliveryDelivered) != taken[d.EventID] || d.Status == schedctl.DeliveryPending {
			r.Errorf("%s took event %s: %v, delivery %+v", w.URL, d.EventID, taken[d.EventID], d)
		}
	}
	if diff := cmp.Diff(want, received); diff != "" {
		r.Errorf("%s: deliveries (-want +got):\n%s", w.URL, diff)
	}
}
