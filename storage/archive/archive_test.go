package archive_test

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/scripts/cost"
	"github.com/schedctl/schedctl/storage/archive"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/blob/dir"
)

const database = "the database"

// sample writes an archive with complete blobs, a damaged one, a short one, and
// a missing one.
func sample(t testing.TB) (file []byte, complete map[blob.Key]string) {
	t.Helper()
	path := t.TempDir()
	store, err := dir.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	complete = map[blob.Key]string{}
	var keys []blob.Key
	for _, text := range []string{"", "one", strings.Repeat("two", 1000), "damaged", "short", "missing"} {
		key := put(t, store, text)
		keys = append(keys, key)
		at := filepath.Join(path, key.String()[:2], key.String())
		switch text {
		case "damaged":
			err = os.WriteFile(at, []byte("DAMAGED"), 0o600)
		case "short":
			err = os.WriteFile(at, []byte("sho"), 0o600)
		case "missing":
			err = store.Delete(t.Context(), key)
		default:
			complete[key] = text
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.SortFunc(keys, func(a, b blob.Key) int { return bytes.Compare(a[:], b[:]) })
	var out bytes.Buffer
	w := archive.NewWriter(&out, time.Unix(1e9, 0))
	to, err := w.Database(int64(len(database)))
	if err == nil {
		_, err = io.WriteString(to, database)
	}
	for _, key := range keys {
		if err == nil {
			_, err = w.Blob(t.Context(), store, key)
		}
	}
	if err == nil {
		_, err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), complete
}

func put(t testing.TB, store blob.Store, text string) blob.Key {
	t.Helper()
	s, err := store.Spool()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := io.WriteString(s, text); err != nil {
		t.Fatal(err)
	}
	info, err := store.Put(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return info.Key
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	t.Parallel()
	file, want := sample(t)
	got, lost := map[blob.Key]string{}, map[archive.Result]int{}
	var base string
	m, err := archive.Read(t.Context(), bytes.NewReader(file), archive.Visitor{
		Database: func(r io.Reader, size int64) error {
			text, err := io.ReadAll(r)
			base = string(text)
			if size != int64(len(database)) {
				t.Errorf("the database has %d bytes", size)
			}
			return err
		},
		Blob: func(key blob.Key, r io.Reader, _ int64) error {
			text, err := io.ReadAll(r)
			if err == nil {
				got[key] = string(text)
			}
			return err
		},
		Lost: func(_ blob.Key, how archive.Result) error { lost[how]++; return nil },
	})
	if err != nil || base != database {
		t.Fatalf("database %q, error %v", base, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if lost[archive.Damaged] != 2 || lost[archive.Missing] != 1 || m.Damaged != 2 || m.Missing != 1 || m.Blobs.Files != len(want) {
		t.Errorf("lost %v, manifest %+v", lost, m)
	}
	path := filepath.Join(t.TempDir(), "backup")
	for content, want := range map[string]bool{string(file): true, string(file[:100]): true, "": false, database: false} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if is, err := archive.Is(path); is != want || err != nil {
			t.Errorf("%.20q: is an archive %v, error %v", content, is, err)
		}
	}
}

// TestEveryCutIsRefused guards that a backup without its end mark is refused, wherever it was
// cut.
func TestEveryCutIsRefused(t *testing.T) {
	t.Parallel()
	file, _ := sample(t)
	end := bytes.Index(file, []byte(`"missing":1}`)) + len(`"missing":1}`)
	for n := range end {
		if _, err := archive.Read(t.Context(), bytes.NewReader(file[:n]), archive.Visitor{}); !errors.Is(err, archive.ErrTruncated) {
			t.Fatalf("cut at %d of %d: error %v", n, len(file), err)
		}
	}
	if _, err := archive.Read(t.Context(), bytes.NewReader(file[:end]), archive.Visitor{}); err != nil {
		t.Errorf("the manifest is complete: %v", err)
	}
}

// TestEveryChangeIsRefused guards that no byte of the content can change.
func TestEveryChangeIsRefused(t *testing.T) {
	t.Parallel()
	file, _ := sample(t)
	end := bytes.Index(file, []byte(`"missing":1}`))
	for i := range end {
		changed := slices.Clone(file)
		changed[i] ^= 1
		_, err := archive.Read(t.Context(), bytes.NewReader(changed), archive.Visitor{})
		const checksumEnd = 155 // of a header; tar readers accept any character there
		if err == nil && i%512 != checksumEnd && !isPadding(file, i) {
			t.Errorf("a change at %d is not found", i)
		}
	}
}

// isPadding reports whether a byte is between the end of an entry and the next header, or
// in an entry whose bytes are known to be damaged.
func isPadding(file []byte, at int) bool {
	source := bytes.NewReader(file)
	r := tar.NewReader(source)
	for {
		h, err := r.Next()
		if err != nil {
			return false
		}
		start := len(file) - source.Len()
		end := start + int(h.Size)
		content := file[start:end]
		if at >= start && at < start+(int(h.Size)+511)/512*512 {
			return at >= end || string(content) == "DAMAGED" || string(content) == "sho"
		}
	}
}

func TestForeignArchivesAreRefused(t *testing.T) {
	t.Parallel()
	key := blob.Key(sha256.Sum256([]byte("x"))).String()
	for name, entries := range map[string][]tar.Header{
		"nothing":          {},
		"no database":      {{Name: "manifest.json"}},
		"a path":           {{Name: "schedctl.db"}, {Name: "blobs/../../etc/passwd"}},
		"an absolute path": {{Name: "schedctl.db"}, {Name: "/etc/passwd"}},
		"a link":           {{Name: "schedctl.db"}, {Name: "blobs/" + key, Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}},
		"a directory":      {{Name: "schedctl.db"}, {Name: "blobs/", Typeflag: tar.TypeDir}},
		"upper case":       {{Name: "schedctl.db"}, {Name: "missing/" + strings.ToUpper(key)}},
		"twice":            {{Name: "schedctl.db"}, {Name: "missing/" + key}, {Name: "missing/" + key}},
		"a stray mark":     {{Name: "schedctl.db"}, {Name: "damaged/" + key}},
		"a wrong blob":     {{Name: "schedctl.db"}, {Name: "blobs/" + key}, {Name: "manifest.json"}},
		"extra attributes": {{Name: "schedctl.db", PAXRecords: map[string]string{"SCHILY.xattr.a": "b"}}},
		"empty manifest":   {{Name: "schedctl.db"}, {Name: "manifest.json"}},
	} {
		var out bytes.Buffer
		w := tar.NewWriter(&out)
		for _, h := range entries {
			if err := w.WriteHeader(&h); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := archive.Read(t.Context(), &out, archive.Visitor{})
		if !errors.Is(err, archive.ErrInvalid) && (name != "nothing" || !errors.Is(err, archive.ErrTruncated)) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestErrorsOfOthersAreKept(t *testing.T) {
	t.Parallel()
	file, _ := sample(t)
	broken := errors.New("broken")
	for name, v := range map[string]archive.Visitor{
		"database": {Database: func(io.Reader, int64) error { return broken }},
		"blob":     {Blob: func(blob.Key, io.Reader, int64) error { return broken }},
		"lost":     {Lost: func(blob.Key, archive.Result) error { return broken }},
	} {
		if _, err := archive.Read(t.Context(), bytes.NewReader(file), v); err != broken {
			t.Errorf("%s: error %v", name, err)
		}
	}
	source := io.MultiReader(bytes.NewReader(file[:3000]), failing{broken})
	if _, err := archive.Read(t.Context(), source, archive.Visitor{}); !errors.Is(err, broken) {
		t.Errorf("a broken source: error %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := archive.Read(ended, bytes.NewReader(file), archive.Visitor{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: error %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// FuzzRead checks that no input makes Read fail in another way than with its errors, and
// that every blob that it accepts has the right bytes.
func FuzzRead(f *testing.F) {
	file, _ := sample(f)
	f.Add(file)
	f.Add(file[:len(file)/2])
	f.Add([]byte("schedctl.db\x00"))
	f.Fuzz(func(t *testing.T, file []byte) {
		defer cost.Check(t, len(file))()
		found, lost := 0, 0
		m, err := archive.Read(t.Context(), bytes.NewReader(file), archive.Visitor{
			Blob: func(key blob.Key, r io.Reader, _ int64) error {
				text, err := io.ReadAll(r)
				if err == nil && sha256.Sum256(text) != key {
					t.Errorf("blob %s has other bytes", key)
				}
				if err == nil {
					found++
				}
				return err
			},
			Lost: func(blob.Key, archive.Result) error { lost++; return nil },
		})
		switch {
		case err == nil && (m.Blobs.Files != found || m.Damaged+m.Missing != lost):
			t.Errorf("manifest %+v, but %d found and %d lost", m, found, lost)
		case err != nil && !errors.Is(err, archive.ErrTruncated) && !errors.Is(err, archive.ErrInvalid) && !errors.Is(err, archive.ErrNewer):
			t.Errorf("error %v", err)
		}
	})
}
