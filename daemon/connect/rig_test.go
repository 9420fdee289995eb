package connect_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/connect"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

const password = "the-password-of-the-account"

// network is a network with sessions: users provide the credential "password", and
// Connect adds "session" and "renewal". Session n is valid until a test expires it.
type network struct {
	*publishtest.Fake

	mu        sync.Mutex // mu guards what follows
	session   int        // the valid session
	connects  []publish.Connection
	refreshes int
	asking    int                                                      // calls of Refresh in progress
	most      int                                                      // the largest number of them
	answer    func(c publish.Credentials) (publish.Credentials, error) // of Refresh, instead of its own
	refuse    error                                                    // of Connect
	onConnect func(publish.Connection)
	slow      bool
	rotating  bool // Refresh replaces the token for renewals
	paid      bool // requests of Connect cost something
	rotates   bool // Connect ends the given session and starts a new one
}

func (n *network) set(change func(*network)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change(n)
}

func (n *network) expire() { n.set(func(n *network) { n.session++ }) }

// counts returns how often Connect and Refresh were called.
func (n *network) counts() (connects, refreshes int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.connects), n.refreshes
}

func (n *network) Fields() []publish.Field {
	return []publish.Field{
		{Name: "password", Secret: true, Required: true, Help: "the password"},
		{Name: "host", Help: "where"},
		{Name: "once", Secret: true, Once: true, Help: "a code that Connect exchanges"},
		{Name: "mood", Option: true, Help: "an option"},
	}
}

// Rotates implements [publish.Rotating].
func (n *network) Rotates(publish.Credentials) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.rotating
}

// PaidCheck implements [publish.PaidCheck].
func (n *network) PaidCheck() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.paid
}

func (n *network) with(c publish.Credentials, session int) publish.Credentials {
	return publish.Credentials{"password": c["password"], "session": strconv.Itoa(session), "renewal": fmt.Sprint("renewal-", session)}
}

func (n *network) Connect(_ context.Context, c publish.Connection) (publish.Profile, error) {
	if n.slow {
		time.Sleep(time.Second)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.connects = append(n.connects, c)
	if n.onConnect != nil {
		n.onConnect(c)
	}
	if n.refuse != nil {
		return publish.Profile{}, n.refuse
	}
	p := publish.Profile{Username: "someone", DisplayName: "Some One", URL: "https://network.example/someone", Limits: schedctl.Limits{MaxCharacters: 300, Unit: "graphemes"}}
	switch c.Credentials["session"] {
	case "":
		p.Credentials = n.with(c.Credentials, n.session)
	case strconv.Itoa(n.session):
		if n.rotates {
			n.session++
			p.Credentials = n.with(c.Credentials, n.session)
		}
	default:
		return publish.Profile{}, expired()
	}
	return p, nil
}

func expired() error {
	return &publish.Error{Kind: schedctl.KindAuth, Code: publish.CodeSessionExpired, Message: "the session has expired", Outcome: schedctl.OutcomeNotPublished}
}

// Refresh is slow enough for concurrent callers.
func (n *network) Refresh(ctx context.Context, c publish.Credentials) (publish.Credentials, error) {
	n.set(func(n *network) {
		n.refreshes++
		n.asking++
		n.most = max(n.most, n.asking)
	})
	time.Sleep(time.Second)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asking--
	if n.answer != nil {
		return n.answer(c)
	}
	return n.with(c, n.session), nil
}

// rig is a store with a workspace and a connector to a network with sessions.
type rig struct {
	testing.TB
	*connect.Connector
	config    connect.Config
	network   *network
	memory    storage.Store
	faulty    *storagetest.Faulty
	workspace string

	mu   sync.Mutex // mu guards logs
	logs bytes.Buffer
}

func newRig(t testing.TB) *rig {
	t.Helper()
	sealer, err := seal.New(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	memory := storagetest.NewMemory()
	r := &rig{
		TB: t, network: &network{Fake: publishtest.NewFake("sessions"), session: 1},
		memory: memory, faulty: storagetest.NewFaulty(memory), workspace: schedctl.NewID(schedctl.WorkspacePrefix, time.Now()),
	}
	r.config = connect.Config{
		Store: r.faulty, Publishers: publish.NewRegistry(r.network, publishtest.NewFake("plain")), Sealer: sealer,
		Logger: slog.New(slog.NewTextHandler(r, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	r.Connector = connect.New(r.config)
	r.update(func(tx storage.Tx) error {
		return tx.PutWorkspace(schedctl.Workspace{ID: r.workspace, Name: "test", Timezone: "UTC", CreatedAt: schedctl.Millis(time.Now())})
	})
	return r
}

// Write appends to the log.
func (r *rig) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.logs.Write(p)
}

// wantDiscretion checks that the log does not contain credentials.
func (r *rig) wantDiscretion() {
	r.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, word := range []string{password, "renewal-"} {
		if strings.Contains(r.logs.String(), word) {
			r.Errorf("the log holds %q:\n%s", word, r.logs.String())
		}
	}
}

func (r *rig) update(fn func(storage.Tx) error) {
	r.Helper()
	if err := r.memory.Update(r.Context(), fn); err != nil {
		r.Fatal(err)
	}
}

// account stores an account of the network with the current session.
func (r *rig) account(name string) schedctl.Account {
	r.Helper()
	now := schedctl.Millis(time.Now())
	a := schedctl.Account{
		ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: r.workspace, Platform: "sessions", Name: name,
		Username: "someone", DisplayName: "Some One", ProfileURL: "https://network.example/someone",
		Limits: schedctl.Limits{MaxCharacters: 300, Unit: "graphemes"},
		Status: schedctl.AccountConnected, Options: schedctl.Options{"mood": "good", "pacing": "1s"}, CreatedAt: now, UpdatedAt: now,
	}
	r.network.mu.Lock()
	credentials := r.network.with(publish.Credentials{"password": password}, r.network.session)
	r.network.mu.Unlock()
	r.put(a, credentials)
	return r.read(a.ID)
}

// put stores an account with credentials.
func (r *rig) put(a schedctl.Account, c publish.Credentials) {
	r.Helper()
	var err error
	if a.Credentials, err = r.Seal(c, a.ID); err != nil {
		r.Fatal(err)
	}
	r.update(func(tx storage.Tx) error { return tx.PutAccount(a) })
}

func (r *rig) read(id string) (a schedctl.Account) {
	r.Helper()
	err := r.memory.View(r.Context(), func(tx storage.Reader) (err error) {
		a, err = tx.Account(r.workspace, id)
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
	return a
}

// held returns the credentials that an account has in the store.
func (r *rig) held(id string) publish.Credentials {
	r.Helper()
	c, err := r.Open(r.read(id))
	if err != nil {
		r.Fatal(err)
	}
	return c
}

// events returns the events of accounts so far.
func (r *rig) events() (events []schedctl.Event) {
	r.Helper()
	err := r.memory.View(r.Context(), func(tx storage.Reader) (err error) {
		events, err = tx.Events("", 1000)
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
	return events
}
