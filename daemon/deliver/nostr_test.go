package deliver_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// relays serves relays by the first label of their host names.
type relays map[string]*publishtest.FakeRelay

func (r relays) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	name, _, _ := strings.Cut(request.Host, ".")
	r[name].ServeHTTP(w, request)
}

// TestNostr gives the first event on a relay every mishap. Later ones are accepted.
func TestNostr(t *testing.T) {
	t.Parallel()
	type response = publishtest.RelayResponse
	for _, tt := range []struct {
		name  string
		first response
		want  end
	}{
		{"accepts", response{}, atOnce},
		{"slow", response{After: 15 * time.Second}, atOnce},
		{"accepts, then drops the connection", response{Drop: true, Store: true}, repeated(schedctl.KindNetwork)},
		{"accepts, then says nothing", response{Silent: true, Store: true}, repeated(schedctl.KindNetwork)},
		{"accepts and reports an error", response{Refusal: "error: timeout", Store: true}, repeated(schedctl.KindPlatform)},
		{"drops the connection unasked", response{Drop: true}, repeated(schedctl.KindNetwork)},
		{"says nothing", response{Silent: true}, repeated(schedctl.KindNetwork)},
		{"too slow", response{After: 25 * time.Second}, repeated(schedctl.KindNetwork)},
		{"reports an error", response{Refusal: "error: timeout"}, repeated(schedctl.KindPlatform)},
		{"refuses as a duplicate", response{Refusal: "duplicate: known", Store: true}, atOnce},
		{"blocked", response{Refusal: "blocked: no"}, held},
		{"restricted", response{Refusal: "restricted: no"}, held},
		{"auth-required", response{Refusal: "auth-required: no"}, held},
		{"rate-limited", response{Refusal: "rate-limited: no"}, sentAgain(schedctl.KindRateLimited)},
		{"another reason", response{Refusal: "no"}, sentAgain(schedctl.KindPlatform)},
		{"invalid", response{Refusal: "invalid: no"}, refusedPost(schedctl.KindContent)},
		{"pow", response{Refusal: "pow: no"}, refusedPost(schedctl.KindContent)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				relay := &publishtest.FakeRelay{Respond: func(n int, _ publishtest.RelayEvent) (r response) {
					if n == 1 {
						r = tt.first
					}
					return r
				}}
				wire := newWire(relay)
				defer wire.cut()
				r := newRig(t, storagetest.NewMemory())
				defer r.kill()
				p := platformOf("nostr")
				a := r.connect(p, wire.client)
				r.start()
				post := r.publishNow(a)
				r.after(time.Hour)
				got := r.end(post, &memoryNetwork{})
				got.Posts, got.Calls = len(relay.Events()), relay.Calls()
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s\n%s", diff, r.logs.String())
				}
				r.wantDiscretionOf(p)
			})
		})
	}
}

// TestRelaysRequired publishes to two relays. One is down for ten minutes.
func TestRelaysRequired(t *testing.T) {
	t.Parallel()
	for required, within := range map[string]time.Duration{"1": 30 * time.Second, "2": 12 * time.Minute} {
		t.Run(required, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := relays{"one": {}, "two": {Status: http.StatusBadGateway}}
				wire := newWire(network)
				defer wire.cut()
				r := newRig(t, storagetest.NewMemory())
				defer r.kill()
				p := platformOf("nostr")
				p.given["relays"], p.Stored.Options = "wss://one.test,wss://two.test", schedctl.Options{"relays_required": required}
				a := r.connect(p, wire.client)
				r.start()
				post := r.publishNow(a)
				r.after(10 * time.Minute)
				network["two"] = &publishtest.FakeRelay{}
				if required == "2" {
					r.wantStatus(post, schedctl.Publishing)
				}
				r.after(within)
				r.wantStatus(post, schedctl.Published)
				if n, second := len(network["one"].Events()), len(network["two"].Events()); n != 1 || fmt.Sprint(second+1) != required {
					t.Errorf("%d and %d events", n, second)
				}
			})
		})
	}
}
