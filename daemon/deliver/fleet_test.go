package deliver_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/node"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/schedule"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// fleet is a rig whose database several daemons use. Its own handle writes posts. The
// networks are "fake", "finding", which can be asked about calls, and "staging", which
// publishes in two steps.
type fleet struct {
	*rig
	database interface{ Open() storage.Shared }
	memory   *storagetest.SharedMemory
	networks map[string]*publishtest.Fake
	staging  *publishtest.StagingFake // the network "staging"
	nodes    []*peer                  // in order of their start
	calling  atomic.Pointer[func(*peer, publish.Request)]
}

// beforeCall sets what is called before each call of a network.
func (f *fleet) beforeCall(fn func(*peer, publish.Request)) { f.calling.Store(&fn) }

// fleetBubble runs a test on the given number of daemons, in a synctest bubble.
func fleetBubble(t *testing.T, nodes int, test func(*fleet)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		memory := storagetest.NewSharedMemory()
		f := newFleet(newRig(t, memory.Open()))
		f.database, f.memory = memory, memory
		defer f.end()
		for range nodes {
			f.join()
		}
		synctest.Wait()
		test(f)
	})
}

func newFleet(r *rig) *fleet {
	staging := newStagingNetwork()
	f := &fleet{rig: r, staging: staging, networks: map[string]*publishtest.Fake{
		"fake": r.fake, "finding": publishtest.NewFake("finding"), "staging": staging.Fake,
	}}
	f.beforeCall(func(*peer, publish.Request) {})
	return f
}

// end stops all daemons.
func (f *fleet) end() {
	for _, n := range f.nodes {
		n.leave()
	}
	for _, n := range f.nodes {
		n.done.Wait()
	}
}

// freezer blocks a frozen process, and a dead one forever.
type freezer struct {
	ended context.Context // when the process is dead

	mu   sync.Mutex    // mu guards thaw
	thaw chan struct{} // nil while the process runs
}

// waitThawed waits while the process is frozen, and reports whether it is alive.
func (i *freezer) waitThawed() bool {
	for {
		i.mu.Lock()
		thaw := i.thaw
		i.mu.Unlock()
		if thaw == nil {
			return i.ended.Err() == nil
		}
		select {
		case <-thaw:
		case <-i.ended.Done():
			return false
		}
	}
}

func (i *freezer) freeze() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.thaw == nil {
		i.thaw = make(chan struct{})
	}
}

func (i *freezer) unfreeze() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.thaw != nil {
		close(i.thaw)
		i.thaw = nil
	}
}

// freezingStore is the store of a process that can freeze before and after each request to
// the database.
type freezingStore struct {
	storage.Shared
	*freezer
	faulty *storagetest.Faulty // the same store
}

func unlessFrozen[T any](s *freezingStore, fn func() (T, error)) (result T, err error) {
	if !s.waitThawed() {
		return result, storage.ErrClosed
	}
	result, err = fn()
	if !s.waitThawed() {
		return result, storage.ErrClosed
	}
	return result, err
}

func (s *freezingStore) View(ctx context.Context, fn func(storage.Reader) error) error {
	_, err := unlessFrozen(s, func() (any, error) { return nil, s.faulty.View(ctx, fn) })
	return err
}

func (s *freezingStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	_, err := unlessFrozen(s, func() (any, error) { return nil, s.faulty.Update(ctx, fn) })
	return err
}

func (s *freezingStore) UpdateFromReserve(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

func (s *freezingStore) Heartbeat(ctx context.Context, n storage.Node, lease time.Duration) error {
	_, err := unlessFrozen(s, func() (any, error) { return nil, s.Shared.Heartbeat(ctx, n, lease) })
	return err
}

func (s *freezingStore) Leave(ctx context.Context, id string) error {
	_, err := unlessFrozen(s, func() (any, error) { return nil, s.Shared.Leave(ctx, id) })
	return err
}

func (s *freezingStore) Nodes(ctx context.Context) ([]storage.Node, error) {
	return unlessFrozen(s, func() ([]storage.Node, error) { return s.Shared.Nodes(ctx) })
}

// freezingPublisher is a publisher in a process that can freeze before a call and at its response, and
// can die. Requests that have reached the network are completed there.
type freezingPublisher struct {
	*publishtest.Fake
	*freezer
	calling func(publish.Request) // before the process can freeze
}

func (p freezingPublisher) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	return p.publishTo(ctx, r, p.Fake.Publish)
}

func (p freezingPublisher) publishTo(ctx context.Context, r publish.Request, send func(context.Context, publish.Request) (schedctl.Receipt, error)) (schedctl.Receipt, error) {
	p.calling(r)
	if !p.waitThawed() {
		return schedctl.Receipt{}, p.ended.Err()
	}
	if allowed := publish.Guard(ctx); allowed == nil || !allowed() {
		return schedctl.Receipt{}, publish.LeaseLapsed()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.ended, cancel)()
	receipt, err := send(ctx, r)
	if !p.waitThawed() {
		return schedctl.Receipt{}, p.ended.Err()
	}
	return receipt, err
}

// freezingFinder is freezingPublisher for a network that can be asked about calls.
type freezingFinder struct{ freezingPublisher }

func (p freezingFinder) Find(ctx context.Context, r publish.Request, since time.Time) (schedctl.Receipt, bool, error) {
	if !p.waitThawed() {
		return schedctl.Receipt{}, false, p.ended.Err()
	}
	return publishtest.FindingFake{Fake: p.Fake}.Find(ctx, r, since)
}

// peer is one daemon of a fleet.
type peer struct {
	*freezer
	*deliver.Deliverer
	member *node.Member
	faulty *storagetest.Faulty
	leave  context.CancelFunc // stops it
	die    context.CancelFunc // cuts it off from the database and the networks
	gone   bool               // it was asked to end, or killed
	done   sync.WaitGroup
}

// kill ends a daemon as SIGKILL does.
func (p *peer) kill() {
	p.gone = true
	p.die()
	p.leave()
}

// stop ends a daemon as SIGTERM does, and does not wait for its end.
func (p *peer) stop() {
	p.gone = true
	p.leave()
}

// join starts one more daemon.
func (f *fleet) join() *peer {
	f.Helper()
	ctx, leave := context.WithCancel(f.Context())
	ended, die := context.WithCancel(f.Context())
	p := &peer{freezer: &freezer{ended: ended}, leave: leave, die: die}
	opened := f.database.Open()
	p.faulty = storagetest.NewFaulty(opened)
	store := &freezingStore{Shared: opened, freezer: p.freezer, faulty: p.faulty}
	log := f.logger().With("process", len(f.nodes))
	p.member = node.New(node.Config{Store: store, Name: fmt.Sprint("machine ", len(f.nodes)), Logger: log})
	calling := func(r publish.Request) { (*f.calling.Load())(p, r) }
	cfg := deliver.Config{
		Store: store, Sealer: f.sealer, Member: p.member, Logger: log,
		Publishers: publish.NewRegistry(
			freezingPublisher{f.networks["fake"], p.freezer, calling}, freezingFinder{freezingPublisher{f.networks["finding"], p.freezer, calling}},
			freezingStager{freezingPublisher{f.staging.Fake, p.freezer, calling}, f.staging},
		),
	}
	if f.config != nil {
		f.config(&cfg)
	}
	p.Deliverer = deliver.New(cfg)
	loop := schedule.NewWindow(dueSource{store}, p.Enqueue, log)
	opened.Notify(func(c storage.Commit) {
		loop.Add(c.Due)
		p.Scheduled(c.Due)
		if c.Missed {
			loop.Reread()
		}
		if len(c.Accounts) > 0 {
			p.AccountsChanged(c.Accounts)
		}
	})
	if err := p.member.Join(ctx); err != nil {
		f.Fatal(err)
	}
	p.done.Go(func() { p.member.Run(ctx) })
	p.done.Go(func() { loop.Run(ctx) })
	p.done.Go(func() { p.Run(ctx) })
	f.nodes = append(f.nodes, p)
	return p
}

// accountOf connects an account for which all daemons prefer the given one.
func (f *fleet) accountOf(p *peer, platform string, options schedctl.Options) schedctl.Account {
	f.Helper()
	for i := range 1000 {
		a := f.accountOn(platform, fmt.Sprint("account ", i, " ", schedctl.NewULID(time.Now())), options)
		if p.member.Mine(a.ID) {
			return a
		}
	}
	f.Fatal("no account prefers the daemon")
	return schedctl.Account{}
}

// acquaint waits until every daemon knows all others.
func (f *fleet) acquaint() { f.after(5 * time.Second) }

// wantPublished checks that a target was published once, and how late.
func (f *fleet) wantPublished(p schedctl.Post, late time.Duration) {
	f.Helper()
	t := f.wantStatus(p, schedctl.Published)
	if n := f.networks[t.Platform].Posts()[t.ID]; n != 1 {
		f.Errorf("target %s is %d times on the network", t.ID, n)
	}
	if by := t.PublishedAt.Sub(t.LateSince()); by < 0 || by > late {
		f.Errorf("target %s was published %s late, want at most %s", t.ID, by, late)
	}
}

// Several daemons share the targets, publish in time and do not block each other.
func TestFleetShares(t *testing.T) {
	fleetBubble(t, 3, func(f *fleet) {
		f.acquaint()
		var accounts []schedctl.Account
		for i := range 30 {
			accounts = append(accounts, f.account(fmt.Sprint(i), nil))
		}
		var posts []schedctl.Post
		for i := range 300 {
			posts = append(posts, f.schedule(time.Minute, accounts[i%30]))
		}
		f.after(2 * time.Minute)
		owners := map[string]int{}
		for _, p := range posts {
			f.wantPublished(p, 0)
			for _, a := range f.attempts(p) {
				owners[a.Owner]++
			}
		}
		if len(owners) != 3 {
			t.Errorf("attempts by owner: %v, want three owners", owners)
		}
		f.wantNothingLeft()
	})
}

func (f *fleet) attempts(p schedctl.Post) []schedctl.Attempt { return f.attemptsOf(p.Targets[0].ID) }

func (f *fleet) attemptsOf(target string) (attempts []schedctl.Attempt) {
	f.Helper()
	f.view(func(r storage.Reader) (err error) {
		attempts, err = r.Attempts(target)
		return err
	})
	return attempts
}

// wantNothingLeft checks that no living daemon has work left.
func (f *fleet) wantNothingLeft() {
	f.Helper()
	for i, n := range f.nodes {
		if !n.gone && n.Stats() != (deliver.Stats{}) {
			f.Errorf("process %d has work left: %+v", i, n.Stats())
		}
	}
}

// Without notifications from each other, daemons are at most a second late.
func TestFleetWithoutNotifications(t *testing.T) {
	fleetBubble(t, 3, func(f *fleet) {
		f.acquaint()
		f.memory.LoseNotifications()
		now, soon, later := f.publishNow(f.account("a", nil)), f.schedule(3*time.Second, f.account("b", nil)), f.schedule(time.Hour, f.account("c", nil))
		f.after(2 * time.Hour)
		f.wantPublished(now, time.Second)
		f.wantPublished(soon, 0)
		f.wantPublished(later, 0)
		f.memory.RestoreNotifications()
		again := f.publishNow(f.account("d", nil))
		f.after(time.Second)
		f.wantPublished(again, 0)
		f.wantNothingLeft()
	})
}

// The targets of a dead daemon are published by others within two seconds, however long
// its lease is.
func TestFleetTakesOver(t *testing.T) {
	for name, stop := range map[string]func(*peer){"killed": (*peer).kill, "frozen": func(p *peer) { p.freeze() }, "stopped": (*peer).stop} {
		t.Run(name, func(t *testing.T) {
			fleetBubble(t, 3, func(f *fleet) {
				f.acquaint()
				gone := f.nodes[1]
				var posts []schedctl.Post
				for i := range 40 {
					posts = append(posts, f.schedule(time.Second+time.Duration(i)*500*time.Millisecond, f.accountOf(gone, "fake", nil)))
				}
				f.after(500 * time.Millisecond)
				stop(gone)
				f.after(time.Minute)
				gone.unfreeze()
				f.after(time.Minute)
				for _, p := range posts {
					f.wantPublished(p, 2*time.Second)
				}
				f.wantNothingLeft()
			})
		})
	}
}

// A daemon that dies during a call leaves an unresolved attempt, which another daemon
// settles. The account waits for that, and no other account does.
func TestFleetSettlesWhatADeadOneBegan(t *testing.T) {
	for _, test := range []struct {
		platform string
		options  schedctl.Options
		accepted bool
		status   schedctl.Status
		calls    int
		outcomes []schedctl.Outcome
	}{
		{platform: "fake", status: schedctl.Failed, calls: 1, outcomes: []schedctl.Outcome{maybe}},
		{platform: "fake", accepted: true, status: schedctl.Failed, calls: 1, outcomes: []schedctl.Outcome{maybe}},
		{platform: "fake", options: schedctl.Options{"idempotent": true}, status: schedctl.Published, calls: 2, outcomes: []schedctl.Outcome{maybe, yes}},
		{platform: "fake", options: schedctl.Options{"idempotent": true}, accepted: true, status: schedctl.Published, calls: 2, outcomes: []schedctl.Outcome{maybe, yes}},
		{platform: "finding", status: schedctl.Published, calls: 2, outcomes: []schedctl.Outcome{no, yes}},
		{platform: "finding", accepted: true, status: schedctl.Published, calls: 1, outcomes: []schedctl.Outcome{yes}},
	} {
		t.Run(fmt.Sprint(test.platform, test.options, test.accepted), func(t *testing.T) {
			fleetBubble(t, 3, func(f *fleet) {
				f.acquaint()
				gone := f.nodes[0]
				a := f.accountOf(gone, test.platform, test.options)
				f.networks[test.platform].Then(publishtest.Response{After: time.Minute, Accepted: test.accepted})
				p, next, elsewhere := f.publishNow(a), f.schedule(2*time.Second, a), f.schedule(2*time.Second, f.accountOf(gone, test.platform, nil))
				f.after(time.Second)
				gone.kill()
				f.after(3500 * time.Millisecond)
				f.wantPublished(elsewhere, 2*time.Second)
				f.wantStatus(next, schedctl.Scheduled)
				f.after(2 * time.Minute)
				f.wantStatus(p, test.status)
				if got := f.outcomes(p); fmt.Sprint(got) != fmt.Sprint(test.outcomes) {
					t.Errorf("attempts %v, want %v", got, test.outcomes)
				}
				within := 6 * time.Second // the lease and some time
				if test.platform == "finding" {
					within = 2 * time.Minute // it is asked only after the call must have ended
				}
				f.wantPublished(next, within)
				if n := len(f.networks[test.platform].Requests()); n != test.calls+2 {
					t.Errorf("%d calls, want %d", n, test.calls+2)
				}
				f.wantNothingLeft()
			})
		})
	}
}

// A daemon that is frozen between its claim and its call for longer than its lease makes
// no call, because another daemon has adopted the attempt.
func TestFleetFrozenBeforeTheCall(t *testing.T) {
	for _, options := range []schedctl.Options{nil, {"idempotent": true}} {
		t.Run(fmt.Sprint(options), func(t *testing.T) {
			fleetBubble(t, 2, func(f *fleet) {
				f.acquaint()
				frozen := f.nodes[0]
				a := f.accountOf(frozen, "fake", options)
				p := f.schedule(5*time.Second, a)
				f.beforeCall(func(p *peer, _ publish.Request) {
					if p == frozen {
						p.freeze()
					}
				})
				f.after(40 * time.Second)
				if n := len(f.attempts(p)); n == 0 {
					t.Fatal("no attempt was started")
				}
				f.beforeCall(func(*peer, publish.Request) {})
				frozen.unfreeze()
				f.after(3 * time.Minute)
				want := schedctl.Failed
				if options != nil {
					want = schedctl.Published
				}
				f.wantStatus(p, want)
				if n := f.fake.Posts()[p.Targets[0].ID]; n > 1 || n == 0 && want == schedctl.Published {
					t.Errorf("it is %d times on the network", n)
				}
				f.wantNothingLeft()
			})
		})
	}
}
