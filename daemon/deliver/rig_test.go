package deliver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/schedule"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// The account's secret and a post's text. No log and no error may contain them.
const (
	token  = "tok-3f9a77c1-very-secret"
	secret = "the text of a post that must not be logged"
)

// rig is a store with a workspace and a fake network. Once started, it also runs a
// schedule and a deliverer, like a daemon.
type rig struct {
	testing.TB
	store     storage.Store
	fake      *publishtest.Fake // platform "fake"
	registry  publish.Registry
	sealer    *seal.Sealer
	workspace string
	config    func(*deliver.Config) // changes the configuration of the next start
	logs      logBuffer

	mu      sync.Mutex // mu guards running
	running *run
}

// run is one start of a rig's daemon.
type run struct {
	*deliver.Deliverer
	loop *schedule.Loop
	stop context.CancelFunc
	fail context.CancelCauseFunc
	done sync.WaitGroup
}

// logBuffer is a log that tests can read while it is written.
type logBuffer struct {
	mu  sync.Mutex // mu guards buf
	buf bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// bubble runs a test in a synctest bubble, on a rig with a store in memory.
func bubble(t *testing.T, test func(*rig)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, storagetest.NewMemory())
		defer r.kill()
		test(r)
	})
}

func newRig(t testing.TB, store storage.Store) *rig {
	t.Helper()
	sealer, err := seal.New(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	fake := publishtest.NewFake("fake")
	r := &rig{
		TB: t, store: store, fake: fake, registry: publish.NewRegistry(fake), sealer: sealer,
		workspace: schedctl.NewID(schedctl.WorkspacePrefix, time.Now()),
	}
	store.Notify(r.committed)
	r.update(func(tx storage.Tx) error {
		return tx.PutWorkspace(schedctl.Workspace{ID: r.workspace, Name: "test", Timezone: "UTC", CreatedAt: schedctl.Millis(time.Now())})
	})
	return r
}

func (r *rig) committed(c storage.Commit) {
	r.mu.Lock()
	running := r.running
	r.mu.Unlock()
	if running == nil {
		return
	}
	if len(c.Due) > 0 {
		running.loop.Add(c.Due)
		running.Scheduled(c.Due)
	}
	if len(c.Accounts) > 0 {
		running.AccountsChanged(c.Accounts)
	}
}

type dueSource struct{ storage.Store }

func (s dueSource) Due(ctx context.Context, from schedctl.Due, fn func(schedctl.Due) bool) error {
	return s.View(ctx, func(r storage.Reader) error { return r.Due(from, fn) })
}

func (r *rig) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(&r.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// start starts a run of the daemon, like a start of its process.
func (r *rig) start() *run {
	log := r.logger()
	cfg := deliver.Config{
		Store: r.store, Publishers: r.registry, Sealer: r.sealer,
		Owner: schedctl.NewULID(time.Now()).String(), Logger: log,
	}
	if r.config != nil {
		r.config(&cfg)
	}
	ctx, fail := context.WithCancelCause(r.Context())
	x := &run{Deliverer: deliver.New(cfg), stop: func() { fail(nil) }, fail: fail}
	x.loop = schedule.New(dueSource{r.store}, x.Enqueue, log)
	r.mu.Lock()
	r.running = x
	r.mu.Unlock()
	x.done.Go(func() { x.loop.Run(ctx) })
	x.done.Go(func() { x.Run(ctx) })
	return x
}

// deafen stops notifying the run of commits. The test has to end the run.
func (r *rig) deafen() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running = nil
}

// kill ends the run, if any, and waits for its end.
func (r *rig) kill() { r.endFor(nil) }

// endFor ends the run, if any, for a reason.
func (r *rig) endFor(why error) {
	r.mu.Lock()
	running := r.running
	r.running = nil
	r.mu.Unlock()
	if running != nil {
		running.fail(why)
		running.done.Wait()
	}
}

func (r *rig) update(fn func(storage.Tx) error) {
	r.Helper()
	if err := r.store.Update(r.Context(), fn); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) view(fn func(storage.Reader) error) {
	r.Helper()
	if err := r.store.View(r.Context(), fn); err != nil {
		r.Fatal(err)
	}
}

// account connects an account of the platform "fake".
func (r *rig) account(name string, options schedctl.Options) schedctl.Account {
	r.Helper()
	return r.accountOn("fake", name, options)
}

func (r *rig) accountOn(platform, name string, options schedctl.Options) schedctl.Account {
	r.Helper()
	now := schedctl.Millis(time.Now())
	a := schedctl.Account{
		ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: r.workspace, Platform: platform, Name: name,
		Status: schedctl.AccountConnected, Options: options, CreatedAt: now, UpdatedAt: now,
	}
	a.Credentials = r.seal(a.ID, token)
	r.putAccount(a)
	return a
}

func (r *rig) seal(accountID, token string) []byte {
	plain, err := json.Marshal(publish.Credentials{"token": token})
	if err != nil {
		r.Fatal(err)
	}
	return r.sealer.Seal(plain, accountID)
}

func (r *rig) putAccount(a schedctl.Account) {
	r.Helper()
	r.update(func(tx storage.Tx) error { return tx.PutAccount(a) })
}

func (r *rig) readAccount(id string) (a schedctl.Account) {
	r.Helper()
	r.view(func(tx storage.Reader) (err error) {
		a, err = tx.Account(r.workspace, id)
		return err
	})
	return a
}

// reconnect marks an account as connected, as a verification does.
func (r *rig) reconnect(id string) {
	r.Helper()
	a := r.readAccount(id)
	a.Status, a.Error = schedctl.AccountConnected, nil
	r.putAccount(a)
}

// schedule stores a post that is due after the given time.
func (r *rig) schedule(in time.Duration, accounts ...schedctl.Account) schedctl.Post {
	r.Helper()
	return r.create(schedctl.NewPost{Content: schedctl.Content{Text: secret}, Accounts: accounts, PublishAt: time.Now().Add(in)})
}

// publishNow stores a post that is due at once.
func (r *rig) publishNow(accounts ...schedctl.Account) schedctl.Post {
	r.Helper()
	return r.create(schedctl.NewPost{Content: schedctl.Content{Text: secret}, Accounts: accounts, Now: true})
}

func (r *rig) create(n schedctl.NewPost) schedctl.Post {
	r.Helper()
	n.WorkspaceID = r.workspace
	p, events, err := schedctl.Create(n, time.Now())
	if err != nil {
		r.Fatal(err)
	}
	r.update(func(tx storage.Tx) error {
		if err := tx.PutPost(p); err != nil {
			return err
		}
		return tx.AddEvents(events...)
	})
	return p
}

// change applies a change to a post, the way the API does.
func (r *rig) change(id string, change func(*schedctl.Post) ([]schedctl.Event, error)) {
	r.Helper()
	r.update(func(tx storage.Tx) error {
		p, err := tx.Post(r.workspace, id)
		if err != nil {
			return err
		}
		events, err := change(&p)
		if err != nil {
			return err
		}
		if err := tx.PutPost(p); err != nil {
			return err
		}
		return tx.AddEvents(events...)
	})
}

func (r *rig) cancel(id string) {
	r.Helper()
	r.change(id, func(p *schedctl.Post) ([]schedctl.Event, error) { return p.Cancel(time.Now()) })
}

func (r *rig) reschedule(id string, in time.Duration) {
	r.Helper()
	r.change(id, func(p *schedctl.Post) ([]schedctl.Event, error) {
		return p.Edit(schedctl.Edit{PublishAt: time.Now().Add(in)}, time.Now())
	})
}

func (r *rig) post(id string) (p schedctl.Post) {
	r.Helper()
	r.view(func(tx storage.Reader) (err error) {
		p, err = tx.Post(r.workspace, id)
		return err
	})
	return p
}

// target returns the stored first target of a post.
func (r *rig) target(p schedctl.Post) schedctl.Target {
	r.Helper()
	p = r.post(p.ID)
	return p.Targets[0]
}

// outcomes returns the outcomes of the attempts of a post's first target.
func (r *rig) outcomes(p schedctl.Post) (outcomes []schedctl.Outcome) {
	r.Helper()
	r.view(func(tx storage.Reader) error {
		attempts, err := tx.Attempts(p.Targets[0].ID)
		outcomes = nil
		for _, a := range attempts {
			outcomes = append(outcomes, a.Outcome)
		}
		return err
	})
	return outcomes
}

// events returns the types of the events so far.
func (r *rig) events() (types []schedctl.EventType) {
	r.Helper()
	r.view(func(tx storage.Reader) error {
		events, err := tx.Events("", 10_000)
		types = nil
		for _, e := range events {
			types = append(types, e.Type)
		}
		return err
	})
	return types
}

// after lets time pass, and waits for the work that is due by then.
func (r *rig) after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// wantStatus checks the first target of a post.
func (r *rig) wantStatus(p schedctl.Post, want schedctl.Status) schedctl.Target {
	r.Helper()
	got := r.target(p)
	if got.Status != want {
		r.Fatalf("target is %s (error %+v), want %s\n%s", got.Status, got.Error, want, r.logs.String())
	}
	return got
}

// wantCalls checks how often the network was called.
func (r *rig) wantCalls(want int) []publish.Request {
	r.Helper()
	got := r.fake.Requests()
	if len(got) != want {
		r.Fatalf("%d calls, want %d\n%s", len(got), want, r.logs.String())
	}
	return got
}

// failing is a failure response of the network.
func failing(kind schedctl.ErrorKind, outcome schedctl.Outcome) publishtest.Response {
	return publishtest.Response{Err: &publish.Error{Kind: kind, Code: "test", Message: "said no", HTTPStatus: 500, Outcome: outcome}}
}
