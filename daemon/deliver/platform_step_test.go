package deliver_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/connect"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/networks"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// stepNetwork stops at chosen steps until the daemon is killed. Each request has two: it
// has arrived, and the network has carried it out. A request that has arrived when the
// daemon is killed may be carried out nevertheless.
type stepNetwork struct {
	http.Handler
	reached chan struct{} // gets a value at each chosen step

	mu     sync.Mutex // mu guards the fields below
	random *rand.Rand
	step   int
	stops  map[int]bool
}

// pause waits a little, and at a chosen step until the connection is closed. It reports
// whether it was.
func (n *stepNetwork) pause(r *http.Request) (killed bool) {
	n.mu.Lock()
	n.step++
	stop, wait := n.stops[n.step], time.Duration(n.random.IntN(3000))*time.Millisecond
	n.mu.Unlock()
	time.Sleep(wait)
	if !stop {
		return false
	}
	n.reached <- struct{}{}
	<-r.Context().Done()
	return true
}

func (n *stepNetwork) pick(limit int) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.random.IntN(limit)
}

func (n *stepNetwork) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	killed := n.pause(r)
	if killed && n.pick(2) == 0 {
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	response := httptest.NewRecorder()
	n.Handler.ServeHTTP(response, r)
	if killed || n.pause(r) {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), response.Header())
	w.WriteHeader(response.Code)
	w.Write(response.Body.Bytes())
}

// TestKillsAtStepsOfNetworks kills the daemon at steps of the requests to networks that also
// fail in other ways. Each post, and each part of a thread, is published at most once,
// and exactly once where the network can be asked.
func TestKillsAtStepsOfNetworks(t *testing.T) {
	t.Parallel()
	for _, a := range networks.Accounts() {
		if a.Unreliable == nil {
			continue
		}
		for _, seed := range testsize.Seeds(20, 100) {
			t.Run(fmt.Sprint(a.Name, "/", seed), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { killAtSteps(t, platformOn(a), seed) })
			})
		}
	}
}

// TestKillsWhileXRenews kills the daemon while X ends its sessions. No refresh token is
// sent twice, because X would end the login of the account.
func TestKillsWhileXRenews(t *testing.T) {
	t.Parallel()
	for _, seed := range testsize.Seeds(20, 100) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { killWhileRenewing(t, seed) })
		})
	}
}

func killWhileRenewing(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 26))
	fake := publishtest.NewFakeX()
	network := &stepNetwork{
		Handler: fake, reached: make(chan struct{}, 10), random: rand.New(rand.NewPCG(seed, 27)), stops: map[int]bool{int(seed)%8 + 1: true, 9 + random.IntN(20): true},
	}
	wire := newWire(network)
	defer wire.cut()
	r := newRig(t, storagetest.NewMemory())
	defer r.kill()
	p := platformOf("x, OAuth 2.0")
	p.given = publish.Credentials{"user_id": fake.UserID}
	maps.Copy(p.given, fake.OAuth2("https://x.test"))
	a := r.connect(p, wire.client)
	var disk *storagetest.Faulty // a killed daemon writes nothing more
	r.config = func(c *deliver.Config) {
		disk = storagetest.NewFaulty(r.store)
		c.Sessions = connect.New(connect.Config{Store: disk, Publishers: r.registry, Sealer: r.sealer, Logger: r.logger()})
	}
	r.start()
	fake.ExpireSession()
	first := threadOf(3, a)
	first.Now = true
	r.create(first)
	for range 2 {
		select {
		case <-network.reached:
		case <-time.After(time.Hour):
		}
		disk.FailUpdates(1000, storagetest.BeforeFn)
		r.endFor(storage.ErrBroken)
		r.after(time.Duration(random.Int64N(int64(time.Minute))))
		fake.ExpireSession()
		r.start()
	}
	r.after(8 * time.Hour)
	account := r.readAccount(a.ID)
	if fake.Revoked() {
		t.Errorf("a refresh token was sent twice\n%s", r.logs.String())
	}
	if n := len(fake.Posts()); n > 3 || account.Status == schedctl.AccountConnected && n != 3 {
		t.Errorf("%d posts on the network, account %s\n%s", n, account.Status, r.logs.String())
	}
	if account.Status != schedctl.AccountConnected && account.Error.Code != string(publish.HoldExpired) {
		t.Errorf("the account is held for %+v\n%s", account.Error, r.logs.String())
	}
}

func killAtSteps(t *testing.T, p platform, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 23))
	state, onNetwork := p.Unreliable(rand.New(rand.NewPCG(seed, 24)))
	network := &stepNetwork{
		Handler: state, reached: make(chan struct{}, 10), random: rand.New(rand.NewPCG(seed, 25)), stops: map[int]bool{int(seed)%12 + 1: true},
	}
	for range random.IntN(4) {
		network.stops[1+random.IntN(30)] = true
	}
	wire := newWire(network)
	defer wire.cut()
	r := newRig(t, storagetest.NewMemory())
	defer r.kill()
	a := r.connect(p, wire.client)
	first, second := threadOf(p.Parts(), a), threadOf(1, a)
	if p.Pictures {
		files := r.withMedia()
		first.Media, second.Media = []schedctl.PostMedia{files.assetOf("a", "image/jpeg"), files.assetOf("b", "image/jpeg")}, []schedctl.PostMedia{files.assetOf("c", "image/jpeg")}
	}
	second.Text = secret
	r.start()
	posts := []schedctl.Post{r.create(first), r.create(second)}
	for range len(network.stops) {
		select {
		case <-network.reached:
		case <-time.After(time.Hour):
		}
		r.endFor(storage.ErrBroken)
		r.after(time.Duration(random.Int64N(int64(5 * time.Second))))
		r.start()
	}
	r.after(8 * time.Hour)
	published, unknown := 0, 0
	for _, post := range posts {
		switch target := r.target(post); {
		case target.Status == schedctl.Published && target.PlatformPostID != "":
			published++
		case p.Memory == networks.Neither && target.Error != nil && target.Error.Outcome == schedctl.OutcomeUnknown:
			unknown++
		default:
			t.Errorf("target %+v, error %+v\n%s", target, target.Error, r.logs.String())
		}
	}
	if n, most := onNetwork(), p.Parts()+1; n > most || unknown == 0 && n != most {
		t.Errorf("%d posts on the network, want %d\n%s", n, most, r.logs.String())
	}
}
