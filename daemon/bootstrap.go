package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// AdminKeyFile is the file in the data directory that holds the first key.
const AdminKeyFile = "admin.key"

// bootstrap makes the workspace and a key with all scopes at the first start.
// The key is on disk before the database knows it, so that no crash leaves a
// workspace that nobody can enter.
func bootstrap(ctx context.Context, store storage.Store, dir string, log *slog.Logger) error {
	var existing []schedctl.Workspace
	var lastEvent string
	err := store.View(ctx, func(r storage.Reader) (err error) {
		if lastEvent, err = r.LastEvent(); err != nil {
			return err
		}
		existing, err = r.Workspaces()
		return err
	})
	if err != nil {
		return fmt.Errorf("read workspaces: %w", err)
	}
	if last, ok := schedctl.ParseID(schedctl.EventPrefix, lastEvent); ok {
		schedctl.IDsAfter(last) // who reads events goes on from the last one seen
	}
	if len(existing) > 0 {
		return nil
	}
	hash, err := adminKey(filepath.Join(dir, AdminKeyFile))
	if err != nil {
		return err
	}
	now := schedctl.Millis(time.Now())
	w := schedctl.Workspace{
		ID: schedctl.NewID(schedctl.WorkspacePrefix, now), Name: "default",
		Timezone: "UTC", Plan: "self-hosted", CreatedAt: now,
	}
	k := schedctl.APIKey{
		ID: schedctl.NewID(schedctl.KeyPrefix, now), WorkspaceID: w.ID, Name: "admin",
		Hash: hash, Scopes: schedctl.Scopes(), CreatedAt: now,
	}
	err = store.Update(ctx, func(tx storage.Tx) error {
		return errors.Join(tx.PutWorkspace(w), tx.PutKey(k))
	})
	if err != nil {
		return fmt.Errorf("create the first workspace: %w", err)
	}
	log.Info("first workspace created", "workspace", w.ID, "key_file", filepath.Join(dir, AdminKeyFile))
	return nil
}

// adminKey returns the hash of the key in the file, writing a new key when
// there is no file. A file from an earlier start that did not get to the
// database is used as it is.
func adminKey(path string) (hash [32]byte, err error) {
	text, err := os.ReadFile(path)
	if err == nil {
		hash, ok := schedctl.HashKeySecret(strings.TrimSpace(string(text)))
		if !ok {
			return hash, fmt.Errorf("%s holds no API key: move it away, and the next start writes a new one", path)
		}
		return hash, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return hash, fmt.Errorf("read the admin key: %w", err)
	}
	secret, hash := schedctl.NewKeySecret()
	if err := writeFile(path, []byte(secret+"\n")); err != nil {
		return hash, fmt.Errorf("write the admin key: %w", err)
	}
	return hash, nil
}

// writeFile puts a file of mode 0600 in place whole or not at all, on disk when
// it returns.
func writeFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
