package main_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/archive"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/blob/dir"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/inventory"
)

// killedBackup writes a backup with many files.
func killedBackup(t *testing.T, path string, files int) {
	t.Helper()
	temp := t.TempDir()
	blobs, err := dir.Open(filepath.Join(temp, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	defer blobs.Close()
	store, err := bolt.Open(filepath.Join(temp, "schedctl.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	now := schedctl.Millis(time.Now())
	ws := schedctl.Workspace{ID: schedctl.NewID(schedctl.WorkspacePrefix, now), Name: "one", CreatedAt: now}
	err = store.Update(t.Context(), func(tx storage.Tx) error {
		for i := range files {
			data := bytes.Repeat(fmt.Appendf(nil, "file %d ", i), 1000)
			if err := putBlob(t, blobs, data); err != nil {
				return err
			}
			a := schedctl.MediaAsset{
				ID: schedctl.NewID(schedctl.MediaPrefix, now), WorkspaceID: ws.ID, FileName: "f", MIMEType: "image/png", Size: int64(len(data)),
				SHA256: sha256.Sum256(data), Status: schedctl.MediaReady, CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(time.Hour),
			}
			if err := tx.PutMediaAsset(a); err != nil {
				return err
			}
		}
		return tx.PutWorkspace(ws)
	})
	if err != nil {
		t.Fatal(err)
	}
	var items []inventory.Item
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := archive.NewWriter(f, now)
	_, err = store.CopySnapshot(t.Context(), func(r storage.Reader, size int64) (_ io.Writer, err error) {
		if items, err = inventory.Of(r); err != nil {
			return nil, err
		}
		return w.Database(size)
	})
	for _, i := range items {
		if err == nil {
			_, err = w.Blob(t.Context(), blobs, i.Key)
		}
	}
	if err == nil {
		_, err = w.Close()
	}
	if err != nil || len(items) != files {
		t.Fatalf("%d items, error %v", len(items), err)
	}
}

func putBlob(t *testing.T, to blob.Store, data []byte) error {
	spool, err := to.Spool()
	if err != nil {
		return err
	}
	defer spool.Close()
	if _, err := spool.Write(data); err != nil {
		return err
	}
	_, err = to.Put(t.Context(), spool)
	return err
}

// TestRestoreThatIsKilled guards that a restore that is killed at any moment leaves no
// database, or the complete one with all its files.
func TestRestoreThatIsKilled(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("schedctl")
	if err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(t.TempDir(), "backup")
	killedBackup(t, backup, 60)
	whole := time.Hour
	for range 3 { // a busy machine can make one of them many times slower than the others
		began := time.Now()
		if out, err := exec.Command(program, "restore", backup, "--data-dir", filepath.Join(t.TempDir(), "whole")).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		whole = min(whole, time.Since(began))
	}
	const kills = 20
	incomplete := 0
	for n := range kills {
		data := filepath.Join(t.TempDir(), "data")
		cmd := exec.Command(program, "restore", backup, "--data-dir", data)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(whole * time.Duration(n+1) / kills)
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		if _, err := os.Stat(filepath.Join(data, "schedctl.db")); err != nil {
			incomplete++
			continue
		}
		if out, err := exec.Command(program, "daemon", "check", "--bytes", "--data-dir", data).CombinedOutput(); err != nil {
			t.Errorf("killed after %d of %d: %v\n%s", n+1, kills, err, out)
		}
	}
	if incomplete == 0 {
		t.Error("no restore was killed before its end")
	}
}
