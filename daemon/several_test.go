package daemon_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// startSeveral starts daemons on one database at once.
func startSeveral(t *testing.T, n int, db *storagetest.SharedMemory) (all []*running) {
	t.Helper()
	for range n {
		all = append(all, launch(t, func(c *daemon.Config) { c.Store = db.Open() }))
	}
	for _, r := range all {
		r.await("it to be ready", func() bool {
			status, _ := r.do("GET", "/readyz", "", nil)
			return status == http.StatusOK
		})
	}
	return all
}

// TestSeveralFirstStarts guards that daemons that start at once on an empty database
// create one workspace and one key for all.
func TestSeveralFirstStarts(t *testing.T) {
	t.Parallel()
	db := storagetest.NewSharedMemory()
	all := startSeveral(t, 3, db)
	var keys []string
	for _, r := range all {
		key, err := os.ReadFile(filepath.Join(r.cfg.DataDir, daemon.AdminKeyFile))
		switch {
		case err == nil:
			keys = append(keys, string(bytes.TrimSpace(key)))
		case !errors.Is(err, os.ErrNotExist):
			t.Error(err)
		}
	}
	if len(keys) != 1 {
		t.Fatalf("%d of three daemons have written a key", len(keys))
	}
	for _, r := range all {
		r.adminKey = keys[0]
		var me apiv1.Me
		if status, body := r.do("GET", "/api/v1/me", "", &me); status != http.StatusOK || me.Workspace.Name != "default" {
			t.Errorf("%d %s", status, body)
		}
	}
	ids := map[string]bool{}
	for _, r := range all {
		r.await("it to see three nodes", func() bool {
			var list apiv1.NodeList
			r.do("GET", "/api/v1/nodes", "", &list)
			for _, n := range list.Results {
				if n.Self && n.Alive && n.Version == "test" && n.LagMS == 0 {
					ids[n.ID] = true
				}
			}
			return list.Count == 3
		})
	}
	if len(ids) != 3 {
		t.Errorf("three daemons call themselves %v", ids)
	}
	all[2].end()
	gone := func() bool {
		var list apiv1.NodeList
		all[0].do("GET", "/api/v1/nodes", "", &list)
		alive := 0
		for _, n := range list.Results {
			if n.Alive {
				alive++
			}
		}
		return list.Count == 3 && alive == 2
	}
	all[0].await("it to see that one has left", gone)
	all[0].end()
	all[1].end()
}

// Without other nodes, the list has one node.
func TestOneNode(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	defer r.end()
	var list apiv1.NodeList
	r.do("GET", "/api/v1/nodes", "", &list)
	if list.Count != 1 || !list.Results[0].Self || !list.Results[0].Alive || list.Results[0].Version != "test" || list.Results[0].StartedAt == nil {
		t.Errorf("got %+v", list)
	}
}

// TestAnotherSealingKeyIsRefused guards that a daemon does not start on a database with a
// different sealing key.
func TestAnotherSealingKeyIsRefused(t *testing.T) {
	t.Parallel()
	other, err := seal.New(bytes.Repeat([]byte{8}, 32))
	if err != nil {
		t.Fatal(err)
	}
	refused := func(db *storagetest.SharedMemory) {
		t.Helper()
		cfg, _ := config(t)
		cfg.Store, cfg.Sealer = db.Open(), other
		if err := daemon.Run(t.Context(), cfg); !errors.Is(err, daemon.ErrOtherKey) {
			t.Errorf("Run = %v", err)
		}
		if _, err := os.Stat(filepath.Join(cfg.DataDir, daemon.AdminKeyFile)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a key was written: %v", err)
		}
	}
	db := storagetest.NewSharedMemory()
	startSeveral(t, 1, db)[0].end()
	refused(db)

	// Of a database that came from a file, a secret in it says whose it is.
	copied := storagetest.NewSharedMemory()
	cfg, _ := config(t)
	t0 := schedctl.Millis(time.Now())
	ws, id := schedctl.NewID(schedctl.WorkspacePrefix, t0), schedctl.NewID(schedctl.AccountPrefix, t0)
	err = copied.Open().Update(t.Context(), func(tx storage.Tx) error {
		return errors.Join(
			tx.PutWorkspace(schedctl.Workspace{ID: ws, Name: "copied", CreatedAt: t0}),
			tx.PutAccount(schedctl.Account{ID: id, WorkspaceID: ws, Platform: "feed", Name: "demo", Credentials: cfg.Sealer.Seal([]byte("{}"), id), CreatedAt: t0, UpdatedAt: t0}))
	})
	if err != nil {
		t.Fatal(err)
	}
	refused(copied)
	r := launch(t, func(c *daemon.Config) { c.Store = copied.Open() })
	r.await("it to be ready", func() bool { status, _ := r.do("GET", "/readyz", "", nil); return status == http.StatusOK })
	r.end()
	refused(copied)
}

// A daemon that is not admitted does not change the store and leaves its nodes.
func TestAStoreThatIsNotAdmitted(t *testing.T) {
	t.Parallel()
	db := storagetest.NewSharedMemory()
	cfg, _ := config(t)
	cfg.Store = db.Open()
	moved := errors.New("it was moved away")
	cfg.Admit = func(ctx context.Context, store storage.Store) error {
		nodes, err := store.(storage.Shared).Nodes(ctx)
		if err != nil || len(nodes) != 1 || !nodes[0].Alive {
			t.Errorf("the daemon is no node when it asks: %v, %v", nodes, err)
		}
		return moved
	}
	if err := daemon.Run(t.Context(), cfg); !errors.Is(err, moved) {
		t.Errorf("Run = %v", err)
	}
	nodes, err := db.Open().Nodes(t.Context())
	if err != nil || len(nodes) != 1 || nodes[0].Alive {
		t.Errorf("it is still a node: %v, %v", nodes, err)
	}
	err = db.Open().View(t.Context(), func(r storage.Reader) error {
		if w, err := r.Workspaces(); err != nil || len(w) > 0 {
			t.Errorf("workspaces %v, %v", w, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
