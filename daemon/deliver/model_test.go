package deliver_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// world is a rig in which things go wrong at random: networks and the store fail, the
// process ends, and users change posts.
type world struct {
	*rig
	faulty   *storagetest.Faulty
	networks map[string]*publishtest.Fake
	accounts []schedctl.Account
	posts    []schedctl.Post
	calm     atomic.Bool  // networks work
	early    atomic.Int64 // calls before their time

	holds holds

	mu     sync.Mutex // mu guards random
	random *rand.Rand

	crash  func() // ends the process of the current run at once
	former []*run
}

func newWorld(r *rig, seed uint64) *world {
	w := &world{
		rig: r, faulty: storagetest.NewFaulty(r.store), random: rand.New(rand.NewPCG(seed, seed)),
		networks: map[string]*publishtest.Fake{"fake": r.fake, "finding": publishtest.NewFake("finding")},
	}
	for _, f := range w.networks {
		f.OnCall(w.respond)
	}
	w.networks["finding"].SetThreadRules(publish.ThreadRules{Whole: seed%3 == 0})
	for i, platform := range []string{"fake", "fake", "fake", "finding", "finding"} {
		options := schedctl.Options{"idempotent": i == 0}
		w.accounts = append(w.accounts, w.accountOn(platform, fmt.Sprint("account ", i), options))
	}
	return w
}

func (w *world) intN(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.random.IntN(n)
}

// respond decides how a network responds to a call.
func (w *world) respond(_ context.Context, r publish.Request) publishtest.Response {
	if time.Now().Before(r.PublishAt) {
		w.early.Add(1)
	}
	if w.calm.Load() {
		return publishtest.Response{}
	}
	took := time.Duration(w.intN(40_000)) * time.Millisecond
	if w.intN(2) == 0 {
		took = 0
	}
	accepted := w.intN(2) == 0
	fail := func(kind schedctl.ErrorKind, outcome schedctl.Outcome) publishtest.Response {
		e := &publish.Error{Kind: kind, Message: "no", Outcome: outcome}
		if w.intN(2) == 0 {
			e.RetryAt = time.Now().Add(time.Duration(w.intN(600)) * time.Second)
		}
		return publishtest.Response{Err: e, Accepted: accepted && outcome == maybe, After: took}
	}
	switch w.intN(16) {
	case 0, 1:
		return fail(schedctl.KindNetwork, no)
	case 2, 3:
		return fail(schedctl.KindNetwork, maybe)
	case 4:
		return fail(schedctl.KindPlatform, maybe)
	case 5:
		return fail(schedctl.KindRateLimited, no)
	case 6:
		return fail(schedctl.KindContent, no)
	case 7:
		if w.intN(3) == 0 {
			return fail(schedctl.KindAuth, no)
		}
	case 8:
		return publishtest.Response{Err: errors.New("broken"), Accepted: accepted, After: took}
	}
	return publishtest.Response{After: took, Accepted: accepted} // Accepted applies if the call is cut off
}

// process is a publisher whose calls are cut off when its process ends.
type process struct {
	publish.Publisher
	ended context.Context
}

func (p process) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.ended, cancel)()
	return p.Publisher.Publish(ctx, r)
}

func (p process) ThreadRules(a schedctl.Account) publish.ThreadRules {
	return p.Publisher.(publish.Threader).ThreadRules(a)
}

func (p process) Idempotent(a schedctl.Account) bool {
	return p.Publisher.(publish.Idempotent).Idempotent(a)
}

// finding is a process with a network that can be asked about calls.
type finding struct{ process }

func (p finding) Find(ctx context.Context, r publish.Request, since time.Time) (schedctl.Receipt, bool, error) {
	if p.ended.Err() != nil {
		return schedctl.Receipt{}, false, p.ended.Err()
	}
	return p.Publisher.(publish.Finder).Find(ctx, r, since)
}

// mortal is a store that is unreachable after its process has ended: later transactions
// are not committed.
type mortal struct {
	storage.Store
	mu    sync.RWMutex // mu guards ended
	ended bool
}

func (s *mortal) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
}

func (s *mortal) Update(ctx context.Context, fn func(storage.Tx) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.ended {
		return storage.ErrClosed
	}
	return s.Store.Update(ctx, fn)
}

func (s *mortal) UpdateFromReserve(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

func (s *mortal) View(ctx context.Context, fn func(storage.Reader) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.ended {
		return storage.ErrClosed
	}
	return s.Store.View(ctx, fn)
}

// startProcess starts a daemon in a process of its own.
func (w *world) startProcess() {
	ended, cutOff := context.WithCancel(w.Context())
	store := &mortal{Store: w.faulty}
	w.crash = func() {
		store.end()
		cutOff()
	}
	w.registry = publish.NewRegistry(
		process{w.networks["fake"], ended},
		finding{process{publishtest.FindingFake{Fake: w.networks["finding"]}, ended}},
	)
	w.config = func(c *deliver.Config) { c.Store = store }
	w.former = append(w.former, w.start())
}

// step does one random action.
func (w *world) step() {
	switch w.intN(22) {
	case 0, 1, 2, 3, 4, 5, 6:
		w.createPost()
	case 16, 17:
		w.toggleHold()
	case 7:
		w.try(func(p *schedctl.Post) ([]schedctl.Event, error) { return p.Cancel(time.Now()) })
	case 8, 9:
		at := time.Now().Add(w.soon())
		w.try(func(p *schedctl.Post) ([]schedctl.Event, error) {
			return p.Edit(schedctl.Edit{PublishAt: at}, time.Now())
		})
	case 10:
		w.try(func(p *schedctl.Post) ([]schedctl.Event, error) { return p.Retry(schedctl.Retry{}, time.Now()) })
	case 11:
		w.reconnect(w.accounts[w.intN(len(w.accounts))].ID)
	case 12:
		w.faulty.FailUpdates(1+w.intN(4), storagetest.FailurePoint(w.intN(3)))
	case 13:
		w.faulty.FailViews(1 + w.intN(3))
	case 14:
		w.crash()
		w.former[len(w.former)-1].stop()
		w.startProcess()
	case 15:
		w.kill()
		w.crash()
		w.startProcess()
	default:
		time.Sleep(time.Duration(w.intN(900_000)) * time.Millisecond)
	}
}

func (w *world) soon() time.Duration { return time.Duration(1+w.intN(3_600_000)) * time.Millisecond }

func (w *world) createPost() {
	first := w.intN(len(w.accounts))
	n := schedctl.NewPost{Content: schedctl.Content{Text: secret}, Accounts: w.accounts[first:min(len(w.accounts), first+1+w.intN(3))]}
	if w.intN(4) == 0 {
		for i := range w.intN(5) {
			n.Thread = append(n.Thread, schedctl.Part{Content: partText(i)})
		}
		if w.intN(2) == 0 {
			n.FirstComment = &schedctl.Part{Content: secret}
		}
	}
	if n.Now = w.intN(4) == 0; !n.Now {
		n.PublishAt = time.Now().Add(w.soon())
		if w.intN(4) == 0 { // every millisecond is a slot, so it is free
			n.Booking = schedctl.Booking{Slot: schedctl.Slot{Local: schedctl.LocalTimeOf(n.PublishAt.UTC()), Timezone: "UTC"}}
		}
	}
	w.posts = append(w.posts, w.create(n))
}

// try changes one of the last posts, if its status allows that.
func (w *world) try(change func(*schedctl.Post) ([]schedctl.Event, error)) {
	if len(w.posts) == 0 {
		return
	}
	id := w.posts[max(0, len(w.posts)-1-w.intN(20))].ID
	err := w.store.Update(w.Context(), func(tx storage.Tx) error {
		p, err := tx.Post(w.workspace, id)
		if err != nil {
			return err
		}
		if _, err := change(&p); err != nil {
			return err
		}
		return tx.PutPost(p)
	})
	var refusal *schedctl.Error
	if err != nil && !errors.As(err, &refusal) {
		w.Fatal(err)
	}
}

// settle lets all work end.
func (w *world) settle() {
	w.releaseAll()
	w.calm.Store(true)
	time.Sleep(time.Minute)
	for range 3 {
		for _, a := range w.accounts {
			w.reconnect(a.ID)
		}
		time.Sleep(24 * time.Hour)
	}
	synctest.Wait()
}

// check compares the store with the networks.
func (w *world) check() {
	w.Helper()
	w.checkHolds()
	if n := w.early.Load(); n > 0 {
		w.Errorf("%d calls before their time", n)
	}
	for _, p := range w.posts {
		p = w.post(p.ID)
		for _, t := range p.Targets {
			has := w.networks[t.Platform].Posts()[t.ID]
			doubtful := t.Error != nil && t.Error.Outcome == maybe
			switch {
			case p.PartCount(&t) > 1:
				w.checkParts(&p, &t, doubtful)
			case has > 1:
				w.Errorf("target %s is %d times on the network\n%s", t.ID, has, w.story(t.ID))
			case t.Status == schedctl.Scheduled || t.Status == schedctl.Publishing:
				w.Errorf("target %s is still %s: %+v\n%s", t.ID, t.Status, t, w.story(t.ID))
			case t.Status == schedctl.Published && has == 0:
				w.Errorf("target %s is published and not on the network\n%s", t.ID, w.story(t.ID))
			case t.Status != schedctl.Published && has == 1 && !doubtful:
				w.Errorf("target %s is %s and on the network: %+v\n%s", t.ID, t.Status, t.Error, w.story(t.ID))
			}
		}
	}
	w.view(func(tx storage.Reader) error {
		running, err := tx.RunningAttempts()
		if len(running) > 0 {
			w.Errorf("unfinished attempts: %+v", running)
		}
		due := 0
		err = errors.Join(err, tx.Due(schedctl.Due{}, func(schedctl.Due) bool { due++; return true }))
		if due > 0 {
			w.Errorf("%d entries left in the due index", due)
		}
		return err
	})
	w.wantDiscretion()
}

// checkParts compares a target with several parts with its network. Users retry threads
// after other posts were published, so those may come between.
func (w *world) checkParts(p *schedctl.Post, t *schedctl.Target, doubtful bool) {
	w.Helper()
	network, onNetwork := w.networks[t.Platform], 0
	for _, l := range network.Listed() {
		if l.TargetID == t.ID {
			onNetwork++
		}
	}
	checkChain(w, network.Listed(), t.ID, onNetwork)
	end := p.PartCount(t)
	if t.CommentStatus != "" && t.CommentStatus != schedctl.Published {
		end--
	}
	switch {
	case t.Status == schedctl.Scheduled || t.Status == schedctl.Publishing || t.CommentOutstanding():
		w.Errorf("target %s has work left: %+v\n%s", t.ID, t, w.story(t.ID))
	case onNetwork != len(t.Done) && (!doubtful || onNetwork != len(t.Done)+1 && onNetwork != p.PartCount(t)):
		w.Errorf("target %s has %d parts on the network, and %d are done: %+v, %+v\n%s", t.ID, onNetwork, len(t.Done), t, t.Error, w.story(t.ID))
	case t.Status == schedctl.Published && len(t.Done) != end:
		w.Errorf("target %s is published with %d parts, want %d\n%s", t.ID, len(t.Done), end, w.story(t.ID))
	}
}

// story returns the log lines about a target.
func (w *world) story(target string) string {
	var lines []string
	for line := range strings.Lines(w.logs.String()) {
		if strings.Contains(line, target) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// Whatever goes wrong: no target is published twice or early, all work ends, and the
// store agrees with the networks.
func TestEverythingGoesWrong(t *testing.T) {
	t.Parallel()
	for _, seed := range testsize.Seeds(5, 40) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			bubble(t, func(r *rig) {
				w := newWorld(r, seed)
				w.startProcess()
				for range 400 {
					w.step()
				}
				w.settle()
				if got := w.former[len(w.former)-1].Stats(); got != (deliver.Stats{}) {
					t.Errorf("work left: %+v", got)
				}
				w.check()
				w.kill()
				for _, x := range w.former {
					x.done.Wait()
				}
			})
		})
	}
}
