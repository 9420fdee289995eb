package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	bbolt "go.etcd.io/bbolt"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt/mutant"
)

// grown is a sound file whose bucket of events has a branch page with leaves.
type grown struct {
	data           []byte
	size           int
	root           uint64
	branch         uint64   // of the events
	leaves         []uint64 // below it
	roots          [bucketCount]uint64
	keys           map[bucket][][]byte
	free, metaPage uint64
}

func grow(t *testing.T) *grown {
	t.Helper()
	path := filepath.Join(t.TempDir(), "grown.db")
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.db.NoSync = true
	if _, err := mutant.Fill(t.Context(), s, 60); err != nil {
		t.Fatal(err)
	}
	g := &grown{keys: map[bucket][][]byte{}}
	err = s.db.View(func(tx *bbolt.Tx) error {
		for b := workspaces; b < bucketCount; b++ {
			in := tx.Bucket([]byte(b.String()))
			g.roots[b] = uint64(in.Root())
			err := in.ForEach(func(k, _ []byte) error {
				g.keys[b] = append(g.keys[b], bytes.Clone(k))
				return nil
			})
			if err != nil {
				return err
			}
		}
		g.branch = g.roots[events]
		return nil
	})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	if g.data, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	m, err := newestMeta(bytes.NewReader(g.data))
	if err != nil {
		t.Fatal(err)
	}
	g.size, g.root, g.free, g.metaPage = int(m.pageSize), m.root, m.freelist, m.tx%2
	g.data = g.data[:m.pages*uint64(m.pageSize)]
	p, err := parsePage(g.page(g.data, g.branch))
	if err != nil || p.leaf || len(p.items) < 3 {
		t.Fatalf("the events have fewer than three pages: %v", err)
	}
	for _, it := range p.items {
		g.leaves = append(g.leaves, it.child)
	}
	return g
}

func (g *grown) page(data []byte, id uint64) []byte { return data[id*uint64(g.size):][:g.size] }

// element returns the key of an element of a page, and the element itself.
func element(page []byte, i int) (key, e []byte) {
	order, at := binary.NativeEndian, pageHeaderSize+i*elementSize
	e = page[at:]
	if order.Uint16(page[8:]) == branchPage {
		return e[order.Uint32(e):][:order.Uint32(e[4:])], e
	}
	return e[order.Uint32(e[4:]):][:order.Uint32(e[8:])], e
}

// TestOpenRefusesWhatIsNoTree guards that Open refuses pages that form a cycle, or would
// after some commits. In a cycle bbolt overflows the stack.
func TestOpenRefusesWhatIsNoTree(t *testing.T) {
	t.Parallel()
	g := grow(t)
	order := binary.NativeEndian
	leads := func(i int, to uint64) func(data []byte) {
		return func(data []byte) {
			_, e := element(g.page(data, g.branch), i)
			order.PutUint64(e[8:], to)
		}
	}
	last := len(g.leaves) - 1
	branch := func(fn func(page []byte)) func([]byte) { return func(data []byte) { fn(g.page(data, g.branch)) } }
	leaf := func(i int, fn func(page []byte)) func([]byte) {
		return func(data []byte) { fn(g.page(data, g.leaves[i])) }
	}
	flipKey := func(i, at int) func([]byte) {
		return func(page []byte) { key, _ := element(page, i); key[at] ^= 0x40 }
	}
	bucketAt := func(b bucket, to uint64) func([]byte) {
		header := func(root uint64) []byte { return order.AppendUint64([]byte(b.String()), root) }
		return func(data []byte) { copy(data, bytes.ReplaceAll(data, header(g.roots[b]), header(to))) }
	}
	ways := map[string]func(data []byte){
		"to itself":                    leads(0, g.branch),
		"last to itself":               leads(last, g.branch),
		"to the root":                  leads(1, g.root),
		"to a sibling":                 leads(0, g.leaves[1]),
		"to another bucket":            leads(last, g.roots[idempotencyRecords]),
		"to the freelist":              leads(0, g.free),
		"to a first page":              leads(0, 1),
		"to no page":                   leads(0, 1<<40),
		"a bucket at the root":         bucketAt(events, g.root),
		"a bucket at another":          bucketAt(events, g.roots[idempotencyRecords]),
		"a bucket within another":      bucketAt(idempotencyRecords, g.leaves[1]),
		"a bucket at the free list":    bucketAt(events, g.free),
		"a leaf that is a branch":      leaf(0, func(p []byte) { p[8] = branchPage }),
		"the last leaf is a branch":    leaf(last, func(p []byte) { p[8] = branchPage }),
		"an empty branch":              branch(func(p []byte) { order.PutUint16(p[10:], 0) }),
		"a branch of too many":         branch(func(p []byte) { order.PutUint16(p[10:], 999) }),
		"a branch out of order":        branch(flipKey(1, 0)),
		"a key of a branch":            branch(flipKey(1, 15)),
		"the first key of a branch":    branch(flipKey(0, 15)),
		"a long branch":                branch(func(p []byte) { p[12] = 3 }),
		"a long leaf":                  leaf(1, func(p []byte) { p[12] = 1 }),
		"a leaf as long as the file":   leaf(1, func(p []byte) { order.PutUint32(p[12:], 1<<31) }),
		"an empty leaf":                leaf(1, func(p []byte) { order.PutUint16(p[10:], 0) }),
		"the first key of a leaf":      leaf(1, flipKey(0, 15)),
		"the first key of the first":   leaf(0, flipKey(0, 0)),
		"the length of the first key":  leaf(1, func(p []byte) { _, e := element(p, 0); e[8]-- }),
		"a record that is a bucket":    leaf(1, func(p []byte) { _, e := element(p, 3); e[0] = bucketFlag }),
		"a leaf of too many":           leaf(1, func(p []byte) { order.PutUint16(p[10:], 999) }),
		"the other number of a leaf":   leaf(1, func(p []byte) { p[0] ^= 1 }),
		"a root that is the free list": g.meta(func(b []byte) { order.PutUint64(b[16:], g.free) }),
		"a free list that is the root": g.meta(func(b []byte) { order.PutUint64(b[32:], g.root) }),
		"a root that is a first page":  g.meta(func(b []byte) { order.PutUint64(b[16:], 0) }),
		"a root within a bucket":       g.meta(func(b []byte) { order.PutUint64(b[16:], g.branch) }),
	}
	for name, damage := range ways {
		data := bytes.Clone(g.data)
		if damage(data); bytes.Equal(data, g.data) {
			t.Fatalf("%s: the damage changes no byte", name)
		}
		path := write(t, data)
		unchanged(t, path, func() {
			if s, err := Open(path, Options{}); err == nil {
				t.Errorf("%s: opened", name)
				s.Close()
			} else if !errors.Is(err, storage.ErrCorrupt) && !errors.Is(err, storage.ErrForeign) {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := CheckFile(t.Context(), path); err == nil {
				t.Errorf("%s: not found by a check", name)
			}
		})
	}
}

// meta changes the newest meta page and corrects its checksum.
func (g *grown) meta(fn func(b []byte)) func(data []byte) {
	return func(data []byte) {
		b := g.page(data, g.metaPage)[pageHeaderSize:][:metaSize]
		fn(b)
		sum := fnv.New64a()
		sum.Write(b[:metaSize-8])
		binary.NativeEndian.PutUint64(b[metaSize-8:], sum.Sum64())
	}
}

// TestWalkBranchesReadsAsManyLeaves guards that a check reads at most the given number of
// leaves, and all leaves of a file without a freelist, because bbolt then reads them too.
func TestWalkBranchesReadsAsManyLeaves(t *testing.T) {
	t.Parallel()
	g := grow(t)
	g.page(g.data, g.leaves[1])[8] = branchPage
	if err := walkBranches(write(t, g.data), 0); err != nil {
		t.Errorf("with a limit of no leaves: %v", err)
	}
	if err := walkBranches(write(t, g.data), mostLeaves); !errors.Is(err, storage.ErrCorrupt) {
		t.Errorf("with a limit above all leaves: %v", err)
	}
	g.meta(func(b []byte) { binary.NativeEndian.PutUint64(b[32:], noFreelist) })(g.data)
	if err := walkBranches(write(t, g.data), 0); !errors.Is(err, storage.ErrCorrupt) {
		t.Errorf("without a freelist: %v", err)
	}
}

// TestAnOpenedFileStaysATree guards that writes do not spread damage that Open did not
// find. A page that is both in use and free, or has two links, becomes a cycle after some
// commits.
func TestAnOpenedFileStaysATree(t *testing.T) {
	t.Parallel()
	g := grow(t)
	r := rand.New(rand.NewPCG(1, 2))
	opened := 0
	for n := range 150 {
		data := bytes.Clone(g.data)
		if n > 0 { // the first file has no damage
			at := (2 + r.IntN(len(data)/g.size-2)) * g.size
			at += r.IntN([]int{16, 200, g.size}[n%3])
			data[at] ^= byte(1 + r.IntN(255))
		}
		path := write(t, data)
		s, err := Open(path, Options{})
		if err != nil {
			continue
		}
		opened++
		s.db.NoSync = true
		g.disturb(t, s, r)
		if err := walkBranches(path, mostLeaves); err != nil {
			t.Errorf("file %d: %v", n, err)
		}
		if !s.stuck { // otherwise Close waits for a lock that bbolt never releases
			s.Close()
		}
	}
	if opened < 10 {
		t.Errorf("only %d files were opened", opened)
	}
}

// disturb deletes many records and adds others.
func (g *grown) disturb(t *testing.T, s *Store, r *rand.Rand) {
	for range 12 {
		err := s.Update(t.Context(), func(opened storage.Tx) (err error) {
			tx := opened.(*tx)
			for b, keys := range g.keys {
				for range min(len(keys), 12) {
					key := keys[r.IntN(len(keys))]
					if r.IntN(2) == 0 {
						err = errors.Join(err, tx.put(b, key, make([]byte, r.IntN(300))))
					} else {
						err = errors.Join(err, tx.delete(b, key))
					}
				}
			}
			return err
		})
		if err != nil && s.broken {
			return
		}
	}
}
