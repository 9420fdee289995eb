package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	bbolt "go.etcd.io/bbolt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/scripts/cost"
	"github.com/schedctl/schedctl/storage"
)

// salvaged salvages a file into a new one, which it checks.
func salvaged(t *testing.T, path string) (SalvageReport, string) {
	t.Helper()
	to := filepath.Join(t.TempDir(), "salvaged.db")
	var report SalvageReport
	unchanged(t, path, func() {
		var err error
		if report, err = Salvage(t.Context(), path, to, SalvageOptions{}); err != nil {
			t.Fatal(err)
		}
	})
	if _, err := CheckFile(t.Context(), to); err != nil {
		t.Error(err)
	}
	return report, to
}

// wantRecords checks how many of a kind were saved and lost.
func wantRecords(t *testing.T, report SalvageReport, b bucket, recovered, lost int) {
	t.Helper()
	for _, r := range report.Records {
		if r.Kind == b.String() && (r.Recovered != recovered || r.Lost != lost) {
			t.Errorf("%s: %d recovered and %d lost, want %d and %d", r.Kind, r.Recovered, r.Lost, recovered, lost)
		}
	}
}

func TestSalvageOfASoundFile(t *testing.T) {
	t.Parallel()
	report, _ := salvaged(t, seededFile(t, nil))
	if report.Behind || report.Unreadable+report.Strays > 0 || report.Version != len(migrations) {
		t.Errorf("%+v", report)
	}
	for _, r := range report.Records {
		if r.Recovered == 0 || r.Lost > 0 {
			t.Errorf("%+v", r)
		}
	}
}

func TestSalvageOfVersion3(t *testing.T) {
	t.Parallel()
	path := seededFile(t, nil)
	version3.make(t, path)
	report, _ := salvaged(t, path)
	if report.Version != 3 {
		t.Errorf("version %d, want 3", report.Version)
	}
	wantRecords(t, report, posts, 3, 0)
	wantRecords(t, report, events, 6, 0)
	wantRecords(t, report, webhooks, 0, 0)
}

// An old version of a post can come back, so two posts may have the same external id.
// The younger post keeps it.
func TestSalvageOfOneExternalIDTwice(t *testing.T) {
	t.Parallel()
	var all []schedctl.Post
	path := seededFile(t, func(s *Store) {
		err := s.db.Update(func(tx *bbolt.Tx) error {
			in := tx.Bucket([]byte(bucketNames[posts]))
			err := in.ForEach(func(k, v []byte) error {
				p, err := readPost(k, v)
				all = append(all, p)
				return err
			})
			all[0].ExternalID = all[1].ExternalID
			key, _ := schedctl.ParseID(schedctl.PostPrefix, all[0].ID)
			record, err2 := encode(new(coder), nil, &all[0], (*coder).post)
			return errors.Join(err, err2, in.Put(key[:], record))
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	report, to := salvaged(t, path)
	wantRecords(t, report, posts, 3, 0)
	s, err := Open(to, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.View(t.Context(), func(r storage.Reader) error {
		older, err := r.Post(all[0].WorkspaceID, all[0].ID)
		holder, err2 := r.PostByExternalID(all[1].WorkspaceID, all[1].ExternalID)
		if older.ExternalID != "" || older.Managed != nil || holder.ID != all[1].ID {
			t.Errorf("older post %+v, the external id leads to %s, want %s", older, holder.ID, all[1].ID)
		}
		return errors.Join(err, err2)
	})
	if err != nil {
		t.Error(err)
	}
}

// One wrong bit at the end of the hash of an idempotency record makes another record with
// the same entry in the index. Only one of the two is kept, so that the new file is sound.
func TestSalvageOfOneHashTwice(t *testing.T) {
	t.Parallel()
	path := seededFile(t, func(s *Store) {
		err := s.db.Update(func(tx *bbolt.Tx) error {
			in := tx.Bucket([]byte(bucketNames[idempotencyRecords]))
			k, v := in.Cursor().First()
			key := bytes.Clone(k)
			key[len(key)-1] ^= 1
			return in.Put(key, bytes.Clone(v))
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	report, to := salvaged(t, path)
	wantRecords(t, report, idempotencyRecords, 1, 1)
	if _, err := CheckFile(t.Context(), to); err != nil {
		t.Error(err)
	}
}

// Salvage counts unreadable records that the indexes of the file name.
func TestSalvageCountsWhatIsLost(t *testing.T) {
	t.Parallel()
	unindexed := map[bucket]bool{deliveries: true, audit: true} // a missing record cannot be detected
	for b, recovered := range map[bucket]int{keys: 0, accounts: 0, webhooks: 0, posts: 2, attempts: 1, idempotencyRecords: 0, events: 5, deliveries: 0, audit: 0, media: 0} {
		report, _ := salvaged(t, seededFile(t, func(s *Store) { spoil(t, s, b, garble) }))
		wantRecords(t, report, b, recovered, 1)
		if !unindexed[b] {
			report, _ = salvaged(t, seededFile(t, func(s *Store) { spoil(t, s, b, remove) }))
			wantRecords(t, report, b, recovered, 1)
		}
	}
}

// Records of a lost workspace get a placeholder workspace.
func TestSalvageMakesALostWorkspace(t *testing.T) {
	t.Parallel()
	report, to := salvaged(t, seededFile(t, func(s *Store) { spoil(t, s, workspaces, garble) }))
	wantRecords(t, report, workspaces, 0, 1)
	s, err := Open(to, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.View(t.Context(), func(r storage.Reader) error {
		list, err := r.Workspaces()
		if err != nil || len(list) != 1 {
			t.Fatalf("workspaces %v, %v", list, err)
		}
		page, err := r.Posts(storage.PostQuery{WorkspaceID: list[0].ID, Limit: 9})
		if len(page.Posts) != 3 {
			t.Errorf("%d posts, want 3", len(page.Posts))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestSalvageLosesPostsWhoseIDsWereDamaged guards that salvage drops readable posts that
// contradict themselves or others. One such post would make the whole new file invalid.
func TestSalvageLosesPostsWhoseIDsWereDamaged(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(p, other *schedctl.Post){
		"one account twice":    func(p, _ *schedctl.Post) { p.Targets[1].AccountID = p.Targets[0].AccountID },
		"one target twice":     func(p, _ *schedctl.Post) { p.Targets[1].ID = p.Targets[0].ID },
		"target of other post": func(p, other *schedctl.Post) { p.Targets[1].ID = other.Targets[0].ID },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report, _ := salvaged(t, seededFile(t, func(s *Store) {
				spoil(t, s, posts, func(in *bbolt.Bucket, key, value []byte) error {
					p, err := readPost(key, value)
					if err != nil {
						return err
					}
					k, v := in.Cursor().Last()
					other, err := readPost(k, v)
					if err != nil {
						return err
					}
					two := p.Targets[0]
					two.ID, two.AccountID = schedctl.NewID(schedctl.TargetPrefix, p.CreatedAt), schedctl.NewID(schedctl.AccountPrefix, p.CreatedAt)
					p.Targets = append(p.Targets[:1:1], two)
					damage(&p, &other)
					record, err := encode(new(coder), nil, &p, (*coder).post)
					return errors.Join(err, in.Put(key, record))
				})
			}))
			wantRecords(t, report, posts, 2, 1)
		})
	}
}

// TestSalvageOfAnAttemptWithoutItsPost guards that no salvaged attempt stays running
// forever.
func TestSalvageOfAnAttemptWithoutItsPost(t *testing.T) {
	t.Parallel()
	path := seededFile(t, func(s *Store) {
		err := s.db.Update(func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte(bucketNames[posts]))
			for k, _ := b.Cursor().First(); k != nil; k, _ = b.Cursor().First() {
				if err := b.Delete(k); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	report, to := salvaged(t, path)
	wantRecords(t, report, posts, 0, 3)
	s, err := Open(to, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.View(t.Context(), func(r storage.Reader) error {
		running, err := r.RunningAttempts()
		if len(running) > 0 {
			t.Errorf("%d attempts still run", len(running))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestSalvageOfTheStateBefore damages the newest root, or replaces it with a page of
// records. The previous state is intact and must be saved, and so must the pages of the
// last transaction that are left.
func TestSalvageOfTheStateBefore(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, data, root []byte){
		"zeroed": func(_ *testing.T, _, root []byte) { clear(root) },
		"another page": func(t *testing.T, data, root []byte) {
			for at := len(root); at < len(data); at += len(root) {
				if p, err := parsePage(data[at : at+len(root)]); err == nil && p.leaf && slices.ContainsFunc(p.items, kindOfBucket(audit).reads) {
					copy(root[8:], data[at+8:]) // the page keeps its id
					return
				}
			}
			t.Fatal("no page has records")
		},
	} {
		t.Run(name, func(t *testing.T) { testSalvageOfTheStateBefore(t, damage) })
	}
}

func testSalvageOfTheStateBefore(t *testing.T, damage func(t *testing.T, data, root []byte)) {
	path := seededFile(t, func(s *Store) {
		ws := schedctl.Workspace{ID: schedctl.NewID(schedctl.WorkspacePrefix, time.Now()), Name: "last"}
		entries := func(tx storage.Tx) (err error) { // too many for an inline bucket in the root
			for range 50 {
				at := time.Now()
				err = errors.Join(err, tx.AddAudit(schedctl.AuditEntry{ID: schedctl.NewID(schedctl.AuditPrefix, at), WorkspaceID: ws.ID, At: at, Action: "x"}))
			}
			return err
		}
		last := func(tx storage.Tx) error { return tx.PutWorkspace(ws) }
		if err := errors.Join(s.Update(t.Context(), entries), s.Update(t.Context(), last)); err != nil {
			t.Fatal(err)
		}
	})
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := newestMeta(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	damage(t, data, data[m.root*uint64(m.pageSize):][:m.pageSize])
	report, _ := salvaged(t, write(t, data))
	if !report.Behind {
		t.Error("the report does not say that the state is not the last one")
	}
	wantRecords(t, report, posts, 3, 0)
	wantRecords(t, report, audit, 51, 0)
}

// FuzzParsePage guards that parsing never panics, and that items lie within the page.
func FuzzParsePage(f *testing.F) {
	for _, page := range samplePages(f) {
		f.Add(page)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		defer cost.Check(t, len(b))()
		p, err := parsePage(b)
		if err != nil && len(p.items) > 0 {
			t.Errorf("%d items and %v", len(p.items), err)
		}
		if p.used > len(b) {
			t.Errorf("%d of %d bytes are used", p.used, len(b))
		}
		for _, it := range p.items {
			if len(it.key) == 0 || len(it.key)+len(it.value) > len(b) {
				t.Errorf("an item of %d and %d bytes on a page of %d", len(it.key), len(it.value), len(b))
			}
			if it.bucket && len(it.value) > bucketSize {
				_, _ = parsePage(it.value[bucketSize:])
			}
		}
		for _, it := range p.rows() {
			for _, k := range kinds {
				k.reads(it)
			}
		}
	})
}

// FuzzSalvage guards that salvage returns for every damaged file without a panic.
func FuzzSalvage(f *testing.F) {
	whole, err := os.ReadFile(smallFile(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint16(0), []byte{0})
	f.Add(uint16(4096), bytes.Repeat([]byte{0xff}, 64))
	f.Add(uint16(2*4096+8), []byte{1, 0, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, at uint16, with []byte) {
		defer cost.Check(t, len(with))()
		data := bytes.Clone(whole)
		copy(data[min(int(at), len(data)):], with)
		_, _ = readDamagedFile(t.Context(), bytes.NewReader(data), int64(len(data)))
	})
}

// smallFile returns a database of a few pages.
func smallFile(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.db")
	s, err := Open(path, Options{})
	if err == nil {
		err = errors.Join(s.Update(t.Context(), seed), s.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := newestMeta(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, int64(m.pages)*int64(m.pageSize)); err != nil {
		t.Fatal(err)
	}
	return path
}

// samplePages returns the pages of a small database and some damaged pages.
func samplePages(t testing.TB) (pages [][]byte) {
	data, err := os.ReadFile(smallFile(t))
	if err != nil {
		t.Fatal(err)
	}
	size := os.Getpagesize()
	for at := 2 * size; at+size <= len(data) && len(pages) < 20; at += size {
		pages = append(pages, data[at:at+size])
	}
	many := bytes.Clone(pages[0])
	binary.NativeEndian.PutUint16(many[10:], 0xffff)
	return append(pages, nil, pages[0][:20], many)
}
