package deliver_test

import (
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/connect"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/networks"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// newMatrix returns a homeserver with an authorization server, and an account of it.
func newMatrix(address string) (*publishtest.FakeMatrix, platform) {
	fake := publishtest.NewFakeMatrix()
	fake.OAuth, fake.URL = true, address
	p := platformOf("matrix")
	p.given = publish.Credentials(fake.Login(address))
	p.Stored = schedctl.Account{Username: fake.User, Limits: schedctl.Limits{MaxCharacters: 60000, Unit: "bytes"}}
	return fake, p
}

// TestKillsWhileMatrixRenews kills the daemon at every step of a renewal and of the messages
// around it, with a file as its database. A homeserver accepts the old refresh token until
// the new session is used, so that all parts are published once; a stricter one holds the
// account.
func TestKillsWhileMatrixRenews(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{false, true} {
		for step := 1; step <= 14; step++ {
			path := filepath.Join(t.TempDir(), fmt.Sprint(step, strict, ".db"))
			t.Run(fmt.Sprint("step ", step, ", strict ", strict), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { killAtMatrixStep(t, path, step, strict) })
			})
		}
	}
}

func killAtMatrixStep(t *testing.T, path string, step int, strict bool) {
	fake, p := newMatrix("https://matrix.test")
	fake.Strict = strict
	network := &stepNetwork{Handler: fake, reached: make(chan struct{}, 10), random: rand.New(rand.NewPCG(uint64(step), 31)), stops: map[int]bool{step: true}}
	wire := newWire(network)
	defer wire.cut()
	r := newRig(t, openBolt(t, path))
	a := r.connect(p, wire.client)
	var disk *storagetest.Faulty // a killed daemon writes nothing more
	r.config = func(c *deliver.Config) {
		disk = storagetest.NewFaulty(r.store)
		c.Sessions = connect.New(connect.Config{Store: disk, Publishers: r.registry, Sealer: r.sealer, Logger: r.logger()})
	}
	r.start()
	fake.ExpireSession()
	post := threadOf(2, a)
	post.Now = true
	created := r.create(post)
	select {
	case <-network.reached:
	case <-time.After(time.Hour):
		t.Fatal("the step was not reached")
	}
	disk.FailUpdates(1000, storagetest.BeforeFn)
	r.endFor(storage.ErrBroken)
	if err := r.store.Close(); err != nil {
		t.Fatal(err)
	}
	r.store = openBolt(t, path)
	r.store.Notify(r.committed)
	r.start()
	r.after(8 * time.Hour)
	defer func() {
		r.kill()
		r.store.Close()
	}()
	account, events := r.readAccount(a.ID), fake.Events()
	seen := map[string]int{}
	for _, e := range events {
		if seen[e.Key]++; seen[e.Key] > 1 || e.Device != events[0].Device {
			t.Errorf("%+v", events)
		}
	}
	switch {
	case account.Status == schedctl.AccountConnected:
		if len(events) != 2 || r.target(created).Status != schedctl.Published {
			t.Errorf("%d events\n%s", len(events), r.logs.String())
		}
	case !strict || account.Error.Code != string(publish.HoldRevoked):
		t.Errorf("the account is held for %+v\n%s", account.Error, r.logs.String())
	}
	if !strict && fake.Refused() > 0 {
		t.Errorf("%d refresh tokens were refused\n%s", fake.Refused(), r.logs.String())
	}
}

// TestMatrixSessionsOnPostgres checks that two daemons on one PostgreSQL renew a session
// once: a refresh token of this homeserver works once. One of them is killed. The test runs
// in real time.
func TestMatrixSessionsOnPostgres(t *testing.T) {
	t.Parallel()
	fake, p := newMatrix("")
	web := httptest.NewServer(fake)
	defer web.Close()
	fake.Strict, fake.URL, p.given["homeserver_url"] = true, web.URL, web.URL
	s := server{t, postgrestest.Schema(t)}
	f := newFleet(newRig(t, s.Open()))
	f.database = s
	var mu sync.Mutex // mu guards connectors
	var connectors []*connect.Connector
	registry := networks.Publishers(outbound.Client(outbound.AllowPrivate))
	f.config = func(c *deliver.Config) {
		one := connect.New(connect.Config{Store: c.Store, Publishers: registry, Sealer: c.Sealer, Logger: c.Logger, Member: c.Member.(connect.Member)})
		c.Publishers, c.Sessions = registry, one
		mu.Lock()
		defer mu.Unlock()
		connectors = append(connectors, one)
	}
	defer f.end()
	f.join()
	f.join()
	waitFor(t, "the daemons to know each other", func() bool {
		return len(f.nodes[0].member.Nodes()) == 2 && len(f.nodes[1].member.Nodes()) == 2
	})
	a := f.connect(p, nil)
	var posts []schedctl.Post
	for round := range 4 {
		if round == 2 {
			f.nodes[0].kill()
			f.join()
		}
		used, err := connectors[1].Open(f.readAccount(a.ID))
		if err != nil {
			t.Fatal(err)
		}
		fake.ExpireSession()
		var renewing sync.WaitGroup
		for _, c := range connectors[len(connectors)-2:] {
			renewing.Go(func() {
				if _, failure := c.Refresh(t.Context(), f.workspace, a.ID, used); failure != nil {
					t.Error(failure)
				}
			})
		}
		post := threadOf(2, a)
		post.Now = true
		posts = append(posts, f.create(post))
		renewing.Wait()
	}
	waitFor(t, "all posts to be published", func() bool {
		for _, p := range posts {
			if now := f.post(p.ID); now.Status() != schedctl.Published {
				return false
			}
		}
		return true
	})
	if n := len(fake.Events()); n != 2*len(posts) || fake.Refused() > 0 {
		t.Errorf("%d events, %d refresh tokens were refused", n, fake.Refused())
	}
}
