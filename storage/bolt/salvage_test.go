package bolt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bbolt "go.etcd.io/bbolt"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/bolt/mutant"
)

// livedIn returns a database file after many changes.
func livedIn(t testing.TB, posts int) (*mutant.File, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lived.db")
	s := open(t, path)
	if _, err := mutant.Fill(t.Context(), s, posts); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := mutant.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return f, path
}

// TestSalvageOfMutants guards that at least 99 % of the records on readable pages are
// saved, that no deleted record comes back while the tree and the freelist can be
// found, and that the new file is sound.
func TestSalvageOfMutants(t *testing.T) {
	t.Parallel()
	file, _ := livedIn(t, 120) // the last transaction, lost with its meta page, has few records
	r := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	saved, intact := 0, 0
	for n := range 30 {
		m := file.Mutant(r, n)
		path := filepath.Join(dir, fmt.Sprint(n))
		if err := os.WriteFile(path, m.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := bolt.Salvage(t.Context(), path, path+".new", bolt.SalvageOptions{})
		if now, _ := os.ReadFile(path); !bytes.Equal(now, m.Data) {
			t.Errorf("%s: the damaged file was changed", m.How)
		}
		if err != nil {
			if _, missing := os.Stat(path + ".new"); len(m.Intact) > 0 || !errors.Is(missing, fs.ErrNotExist) {
				t.Errorf("%s: %d records are intact, and there is a new file: %v; error %v", m.How, len(m.Intact), missing == nil, err)
			}
			continue
		}
		if r, err := bolt.CheckFile(t.Context(), path+".new"); err != nil {
			t.Errorf("%s: the new file: %v: %+v", m.How, err, r)
		}
		got, err := mutant.Read(path + ".new")
		if err != nil {
			t.Fatal(err)
		}
		saved += judgeSalvaged(t, file, m, got)
		intact += len(m.Intact)
	}
	if saved*100 < intact*99 {
		t.Errorf("%d of %d intact records were saved", saved, intact)
	}
}

// judgeSalvaged compares the records that were saved with those of the sound file,
// and returns how many of the intact ones were saved.
func judgeSalvaged(t *testing.T, whole *mutant.File, m mutant.Mutant, got *mutant.File) (n int) {
	t.Helper()
	saved, known := map[string]bool{}, map[string]bool{}
	for _, row := range got.Rows {
		saved[row.Bucket+row.Key] = true
	}
	for _, row := range whole.Rows {
		known[row.Bucket+row.Key] = true
	}
	for _, row := range m.Intact {
		if saved[row.Bucket+row.Key] {
			n++
		}
	}
	if n*100 < len(m.Intact)*99 {
		t.Errorf("%s: %d of %d intact records were saved", m.How, n, len(m.Intact))
	}
	for _, row := range got.Rows {
		// A flipped key is a new one, and a lost workspace gets a placeholder.
		if m.Mapped && !known[row.Bucket+row.Key] && !strings.Contains(m.How, "flipped") && row.Bucket != "workspaces" {
			t.Errorf("%s: %s %x came back", m.How, row.Bucket, row.Key)
		}
	}
	return n
}

func TestSalvageRefuses(t *testing.T) {
	t.Parallel()
	_, sound := livedIn(t, 10)
	newer := filepath.Join(t.TempDir(), "newer.db")
	copyFile(t, sound, newer)
	inside(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucket([]byte("later"))
		return errors.Join(err, nextVersion(tx))
	})(t, newer)
	locked := filepath.Join(t.TempDir(), "locked.db")
	open(t, locked)
	text := filepath.Join(t.TempDir(), "text")
	replace(strings.Repeat("#!/bin/sh\n", 2000))(t, text)
	empty := filepath.Join(t.TempDir(), "empty")
	replace("")(t, empty)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range map[string]struct {
		ctx      context.Context
		from, to string
		want     error
	}{
		"newer":    {t.Context(), newer, "", storage.ErrNewer},
		"locked":   {t.Context(), locked, "", storage.ErrLocked},
		"foreign":  {t.Context(), text, "", storage.ErrForeign},
		"empty":    {t.Context(), empty, "", storage.ErrForeign},
		"missing":  {t.Context(), text + ".none", "", fs.ErrNotExist},
		"taken":    {t.Context(), sound, text, fs.ErrExist},
		"canceled": {canceled, sound, "", context.Canceled},
		"nowhere":  {t.Context(), sound, filepath.Join(text, "new"), nil},
	} {
		to := test.to
		if to == "" {
			to = filepath.Join(t.TempDir(), "new.db")
		}
		_, err := bolt.Salvage(test.ctx, test.from, to, bolt.SalvageOptions{})
		if err == nil || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want %v", name, err, test.want)
		}
		if _, err := os.Stat(to); err == nil && test.to == "" {
			t.Errorf("%s: there is a new file", name)
		}
	}
}

// A version that is too high counts as damage if nothing else in the file is unknown.
func TestSalvageOfADamagedVersion(t *testing.T) {
	t.Parallel()
	_, path := livedIn(t, 10)
	version(77)(t, path)
	if _, err := bolt.Salvage(t.Context(), path, path+".new", bolt.SalvageOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := bolt.CheckFile(t.Context(), path+".new"); err != nil {
		t.Error(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
