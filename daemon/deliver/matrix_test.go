package deliver_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/networks"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// mishap is what happens to the first call.
type mishap struct {
	name    string
	accepts bool // the network has the post afterwards
	answer  func(w http.ResponseWriter, r *http.Request, accepted string)
	want    end
	unless  map[string]end // by memory or trait
}

// end is the final state of a post whose first call had a mishap.
type end struct {
	Status  schedctl.Status
	Kind    schedctl.ErrorKind // of the first attempt
	Outcome schedctl.Outcome   // of the first attempt
	Posts   int                // on the network
	Calls   int                // calls to publish
}

// The possible ends. A post that the network has accepted is published once, or a person
// has to decide.
var (
	atOnce         = end{schedctl.Published, "", yes, 1, 1}
	found          = end{schedctl.Published, "", yes, 1, 1} // the network was asked
	refusedPost    = func(kind schedctl.ErrorKind) end { return end{schedctl.Failed, kind, no, 0, 1} }
	sentAgain      = func(kind schedctl.ErrorKind) end { return end{schedctl.Published, kind, no, 1, 2} }
	repeated       = func(kind schedctl.ErrorKind) end { return end{schedctl.Published, kind, maybe, 1, 2} }
	repeatedWithin = end{schedctl.Published, "", yes, 1, 2} // within its attempt
	mayBePublished = func(kind schedctl.ErrorKind) end { return end{schedctl.Failed, kind, maybe, 1, 1} }
	held           = end{schedctl.Publishing, schedctl.KindAuth, no, 0, 1} // until the account works again
)

// ambiguous is the end of a post that the network accepted without a response.
func ambiguous(kind schedctl.ErrorKind) (want end, unless map[string]end) {
	return mayBePublished(kind), map[string]end{"idempotent": repeated(kind), "findable": found}
}

func status(code int, header ...string) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, _ *http.Request, _ string) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

func mishaps() []mishap {
	lost, lostUnless := ambiguous(schedctl.KindNetwork)
	broken, brokenUnless := ambiguous(schedctl.KindPlatform)
	unreadable := map[string]end{"any body": atOnce, "idempotent": repeated(schedctl.KindPlatform), "findable": found}
	untilTomorrow := map[string]end{"daily limit": {schedctl.Publishing, schedctl.KindRateLimited, no, 0, 1}}
	return []mishap{
		{name: "accepts", accepts: true, want: atOnce, answer: func(w http.ResponseWriter, _ *http.Request, accepted string) {
			io.WriteString(w, accepted)
		}},
		{name: "accepts, then drops the connection", accepts: true, want: lost, unless: lostUnless, answer: func(http.ResponseWriter, *http.Request, string) {
			panic(http.ErrAbortHandler)
		}},
		{name: "accepts, then says nothing", accepts: true, want: lost, unless: lostUnless, answer: func(_ http.ResponseWriter, r *http.Request, _ string) {
			<-r.Context().Done()
		}},
		{name: "slow", accepts: true, want: atOnce, answer: func(w http.ResponseWriter, _ *http.Request, accepted string) {
			time.Sleep(20 * time.Second)
			io.WriteString(w, accepted)
		}},
		{name: "malformed body", accepts: true, want: broken, unless: unreadable, answer: func(w http.ResponseWriter, _ *http.Request, accepted string) {
			io.WriteString(w, `{"id":`+accepted)
		}},
		{name: "huge body", accepts: true, want: broken, unless: unreadable, answer: func(w http.ResponseWriter, _ *http.Request, accepted string) {
			io.WriteString(w, accepted+strings.Repeat(" ", outbound.MaxBody))
		}},
		{name: "drops the connection unasked", want: end{schedctl.Failed, schedctl.KindNetwork, maybe, 0, 1}, answer: func(http.ResponseWriter, *http.Request, string) {
			panic(http.ErrAbortHandler)
		}, unless: map[string]end{"idempotent": repeated(schedctl.KindNetwork), "findable": sentAgain(schedctl.KindNetwork), "repeats within": repeatedWithin}},

		{name: "401", answer: status(401), want: held},
		{name: "403", answer: status(403), want: sentAgain(schedctl.KindPlatform)},
		{name: "404", answer: status(404), want: sentAgain(schedctl.KindPlatform)},
		{name: "409", answer: status(409), want: refusedPost(schedctl.KindDuplicate)},
		{name: "422", answer: status(422), want: refusedPost(schedctl.KindContent)},
		{name: "429", answer: status(429), want: sentAgain(schedctl.KindRateLimited), unless: untilTomorrow},
		{name: "429 with Retry-After", answer: status(429, "Retry-After", "90"), want: sentAgain(schedctl.KindRateLimited)},
		{name: "500", accepts: true, answer: status(500), want: broken, unless: brokenUnless},
		{name: "503", accepts: true, answer: status(503), want: broken, unless: brokenUnless},
		{name: "503 with Retry-After", answer: status(503, "Retry-After", "90"), want: sentAgain(schedctl.KindPlatform)},
		{name: "redirects", answer: status(307, "Location", "/elsewhere"), want: refusedPost(schedctl.KindContent)},
		{name: "accepts and redirects", accepts: true, answer: status(303, "Location", "/thanks"), want: mayBePublished(schedctl.KindContent),
			unless: map[string]end{"findable": found}},
	}
}

// Every platform has every mishap. The post is on the network exactly once if the network
// can be asked or recognizes a repeat, and otherwise at most once.
func TestEveryPlatformMeetsEveryMishap(t *testing.T) {
	t.Parallel()
	for _, p := range platforms() {
		for _, m := range mishaps() {
			t.Run(p.Name+"/"+m.name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { meet(t, p, m) })
			})
		}
	}
}

func meet(t *testing.T, p platform, m mishap) {
	network := &memoryNetwork{platform: p, mishap: m}
	wire := newWire(network)
	defer wire.cut()
	r := newRig(t, storagetest.NewMemory())
	defer r.kill()
	a := r.connect(p, wire.client)
	r.start()
	post := r.publishNow(a)
	r.after(time.Hour)

	want := m.want
	for _, trait := range append([]networks.Trait{networks.Trait(p.Memory)}, p.Traits...) {
		if other, ok := m.unless[string(trait)]; ok {
			want = other
		}
	}
	if diff := cmp.Diff(want, r.end(post, network)); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, r.logs.String())
	}
	if want == held {
		r.publishesOnceReconnected(post, network)
	}
	r.wantDiscretionOf(p)
}

// connect stores an account of the platform.
func (r *rig) connect(p platform, client *http.Client) schedctl.Account {
	r.Helper()
	publisher := p.publisher(client)
	r.registry[publisher.Platform()] = publisher
	now := schedctl.Millis(time.Now())
	a := p.Stored
	a.ID, a.WorkspaceID, a.Platform, a.Name = schedctl.NewID(schedctl.AccountPrefix, now), r.workspace, publisher.Platform(), "me"
	a.Status, a.CreatedAt, a.UpdatedAt = schedctl.AccountConnected, now, now
	plain, err := json.Marshal(p.given)
	if err != nil {
		r.Fatal(err)
	}
	a.Credentials = r.sealer.Seal(plain, a.ID)
	r.putAccount(a)
	return a
}

func (r *rig) end(p schedctl.Post, n *memoryNetwork) end {
	r.Helper()
	e := end{Status: r.target(p).Status}
	e.Posts, e.Calls = n.counts()
	r.view(func(tx storage.Reader) error {
		attempts, err := tx.Attempts(p.Targets[0].ID)
		if len(attempts) > 0 {
			e.Outcome = attempts[0].Outcome
			if attempts[0].Error != nil {
				e.Kind = attempts[0].Error.Kind
			}
		}
		return err
	})
	return e
}

// publishesOnceReconnected checks that a held post is published once.
func (r *rig) publishesOnceReconnected(p schedctl.Post, n *memoryNetwork) {
	r.Helper()
	a := r.readAccount(p.Targets[0].AccountID)
	if a.Status != schedctl.AccountError || !slices.Contains(r.events(), schedctl.EventAccountError) {
		r.Errorf("account is %s, events %v", a.Status, r.events())
	}
	r.reconnect(a.ID)
	r.after(time.Minute)
	if got := r.end(p, n); got.Status != schedctl.Published || got.Posts != 1 || got.Calls != 2 {
		r.Errorf("connected again: %+v", got)
	}
}

// wantDiscretionOf checks that the log contains no post, secret or session.
func (r *rig) wantDiscretionOf(p platform) {
	r.Helper()
	hidden := []string{secret}
	fields := p.publisher(nil).Fields()
	for name, value := range p.given {
		if !slices.ContainsFunc(fields, func(f publish.Field) bool { return f.Name == name && !f.Secret }) {
			hidden = append(hidden, value)
		}
	}
	for _, word := range hidden {
		if strings.Contains(r.logs.String(), word) {
			r.Errorf("the log contains %q:\n%s", word, r.logs.String())
		}
	}
}

// TestMatrixIsAskedPromptly guards that a message whose request or response was lost is
// delayed by seconds and is in the room once. If the account has new credentials by
// then, their device does not know the transaction id, so the daemon waits a minute.
func TestMatrixIsAskedPromptly(t *testing.T) {
	t.Parallel()
	cut := func(http.ResponseWriter, *http.Request, string) { panic(http.ErrAbortHandler) }
	for _, tt := range []struct {
		name      string
		accepts   bool
		reconnect bool
		calls     int
		within    time.Duration
		notBefore time.Duration
	}{
		{"response lost", true, false, 1, 5 * time.Second, 0},
		{"request lost", false, false, 2, 5 * time.Second, 0},
		{"another token meanwhile", true, true, 1, 65 * time.Second, 59 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := platformOf("matrix")
				network := &memoryNetwork{platform: p, mishap: mishap{accepts: tt.accepts, answer: cut}}
				wire := newWire(network)
				defer wire.cut()
				r := newRig(t, storagetest.NewMemory())
				defer r.kill()
				a := r.connect(p, wire.client)
				r.start()
				post := r.publishNow(a)
				r.after(time.Second)
				if tt.reconnect {
					plain, _ := json.Marshal(publish.Credentials{"homeserver_url": "https://server.test", "access_token": "another-token", "room_id": "!room:server.test"})
					now := r.readAccount(a.ID)
					now.Credentials = r.sealer.Seal(plain, a.ID)
					r.putAccount(now)
				}
				if tt.notBefore > 0 {
					r.after(tt.notBefore - time.Second)
					r.wantStatus(post, schedctl.Publishing)
				}
				r.after(tt.within - tt.notBefore)
				r.wantStatus(post, schedctl.Published)
				r.after(time.Hour)
				if posts, calls := network.counts(); posts != 1 || calls != tt.calls {
					t.Errorf("%d messages of %d calls, want one of %d", posts, calls, tt.calls)
				}
			})
		})
	}
}

// TestRoomThatWasEncrypted guards that no message is sent to a Matrix room that was
// encrypted after its account was connected. The account is in error, and its queue waits, as with
// a revoked token.
func TestRoomThatWasEncrypted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := platformOf("matrix")
		network := &memoryNetwork{platform: p, encrypted: true}
		wire := newWire(network)
		defer wire.cut()
		r := newRig(t, storagetest.NewMemory())
		defer r.kill()
		a := r.connect(p, wire.client)
		r.start()
		first, second := r.publishNow(a), r.publishNow(a)
		r.after(time.Hour)
		if now := r.readAccount(a.ID); now.Status != schedctl.AccountError || now.Error.Code != "encrypted" {
			t.Errorf("the account is %s: %+v", now.Status, now.Error)
		}
		for _, post := range []schedctl.Post{first, second} {
			r.wantStatus(post, schedctl.Publishing)
		}
		if posts, calls := network.counts(); posts+calls > 0 {
			t.Errorf("%d messages were sent to the room", calls)
		}
	})
}

// A network that always fails is left alone after some tries, with at most one post. An
// unreachable network is called at most once a minute until the target is too late. That
// depends on what the network remembers: the small form has one platform of each kind, and
// TestEveryPlatformMeetsEveryMishap makes the same requests to all.
func TestMishapsWithoutAnEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("a day of retries takes minutes under the race detector")
	}
	t.Parallel()
	seen := map[networks.Memory]bool{}
	for _, p := range platforms() {
		if seen[p.Memory] && !testsize.Full() {
			continue
		}
		seen[p.Memory] = true
		for _, m := range mishaps() {
			t.Run(p.Name+"/"+m.name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					network := &memoryNetwork{platform: p, mishap: m, forEver: true}
					wire := newWire(network)
					defer wire.cut()
					r := newRig(t, storagetest.NewMemory())
					defer r.kill()
					a := r.connect(p, wire.client)
					r.start()
					post := r.publishNow(a)
					r.after(25 * time.Hour)
					got := r.end(post, network)
					if got.Status != schedctl.Published && got.Status != schedctl.Failed {
						t.Errorf("target is %s", got.Status)
					}
					if got.Posts > 1 || got.Calls > 25*70 || (got.Posts == 0 && got.Status == schedctl.Published) {
						t.Errorf("target is %s with %d posts after %d calls", got.Status, got.Posts, got.Calls)
					}
					if e := r.target(post).Error; got.Posts == 1 && got.Status == schedctl.Failed && e.Outcome != maybe {
						t.Errorf("the network has the post, the target says %+v", e)
					}
				})
			})
		}
	}
}

// A rate limit pauses only this account, until the time that the network asked for.
func TestRetryAfterIsKept(t *testing.T) {
	t.Parallel()
	for _, p := range platforms() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := &memoryNetwork{platform: p, mishap: mishap{answer: status(429, "Retry-After", "90")}}
				wire := newWire(network)
				defer wire.cut()
				r := newRig(t, storagetest.NewMemory())
				defer r.kill()
				a := r.connect(p, wire.client)
				r.start()
				first := r.publishNow(a)
				r.after(time.Second)
				second := r.publishNow(a)
				r.after(88 * time.Second)
				if _, calls := network.counts(); calls != 1 {
					t.Errorf("%d calls within the time that the network asked for", calls)
				}
				r.after(time.Minute)
				r.wantStatus(first, schedctl.Published)
				r.wantStatus(second, schedctl.Published)
			})
		})
	}
}
