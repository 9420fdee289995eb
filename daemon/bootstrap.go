package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/privatefile"
	"github.com/schedctl/schedctl/storage"
)

// AdminKeyFile is the file in the data directory that holds the first key.
const AdminKeyFile = "admin.key"

// resumeIDs makes new ids greater than those of earlier runs, even if the clock was set
// back, because readers of events continue after the last id that they saw. It returns
// the time of the newest event, or the zero time without events.
func resumeIDs(ctx context.Context, store storage.Store) (youngest time.Time, err error) {
	err = store.View(ctx, func(r storage.Reader) error {
		id, err := r.LastEvent()
		if err != nil || id == "" {
			return err
		}
		last, err := r.Event(id)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			return fmt.Errorf("%w: the newest event is missing; restore the database from a backup, or recover what is readable with: schedctl daemon salvage", storage.ErrCorrupt)
		}
		if err != nil {
			return err
		}
		if u, ok := schedctl.ParseID(schedctl.EventPrefix, id); ok {
			schedctl.IDsAfter(u)
		}
		youngest = last.CreatedAt
		return nil
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("read the newest event: %w", err)
	}
	return youngest, nil
}

// bootstrap creates the first workspace and a key with all scopes. The key is on disk
// before it is in the database, so that no crash leaves a workspace without a usable
// key. If several daemons start on one database at once, the first to commit creates
// them, and the others remove their key files.
func bootstrap(ctx context.Context, cfg Config) error {
	found, err := hasWorkspaces(ctx, cfg.Store)
	if err != nil || found {
		return err
	}
	path := filepath.Join(cfg.DataDir, AdminKeyFile)
	hash, written, err := adminKey(path)
	if err != nil {
		return err
	}
	w, err := makeWorkspace(ctx, cfg, hash)
	if err != nil {
		return fmt.Errorf("create the first workspace: %w", err)
	}
	if w.ID != "" {
		cfg.Logger.Info("first workspace created", "workspace", w.ID, "key_file", path)
		return nil
	}
	if written {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("remove the unused key file: %w", err)
		}
	}
	return nil
}

func hasWorkspaces(ctx context.Context, store storage.Store) (found bool, err error) {
	err = store.View(ctx, func(r storage.Reader) error {
		existing, err := r.Workspaces()
		found = len(existing) > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("read workspaces: %w", err)
	}
	return found, nil
}

// makeWorkspace creates the first workspace and its key. It returns the zero value when
// a workspace already exists.
func makeWorkspace(ctx context.Context, cfg Config, hash [32]byte) (made schedctl.Workspace, err error) {
	now := schedctl.Millis(time.Now())
	w := schedctl.Workspace{
		ID: schedctl.NewID(schedctl.WorkspacePrefix, now), Name: "default",
		Timezone: "UTC", Plan: "self-hosted", CreatedAt: now,
	}
	k := schedctl.APIKey{
		ID: schedctl.NewID(schedctl.KeyPrefix, now), WorkspaceID: w.ID, Name: "admin",
		Hash: hash, Scopes: schedctl.FirstScopes(), CreatedAt: now,
	}
	err = cfg.Store.Update(ctx, func(tx storage.Tx) error {
		made = schedctl.Workspace{}
		existing, err := tx.Workspaces()
		if err != nil || len(existing) > 0 {
			return err
		}
		made = w
		return errors.Join(tx.PutWorkspace(w), tx.PutKey(k), putSealerFingerprint(tx, cfg))
	})
	return made, err
}

// adminKey returns the hash of the key in the file, and writes a new key when the file
// is missing. It uses the file of an earlier start that ended before the database was
// written.
func adminKey(path string) (hash [32]byte, written bool, err error) {
	text, err := os.ReadFile(path)
	if err == nil {
		hash, ok := schedctl.HashKeySecret(strings.TrimSpace(string(text)))
		if !ok {
			return hash, false, fmt.Errorf("%s does not contain an API key: move it away, and the next start writes a new one", path)
		}
		return hash, false, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return hash, false, fmt.Errorf("read the admin key: %w", err)
	}
	secret, hash := schedctl.NewKeySecret()
	if err := privatefile.Write(path, []byte(secret+"\n")); err != nil {
		return hash, false, fmt.Errorf("write the admin key: %w", err)
	}
	return hash, true, nil
}
