package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/schedctl/schedctl/storage"
)

// damagedFile is a database file. Any of its pages may be unreadable.
type damagedFile struct {
	pageFile
	buckets map[bucket]bucketRef // of the root that is read
	unnamed int                  // buckets of the root with unknown names
	behind  bool                 // the root is perhaps not the newest
	free    map[uint64]bool      // pages in the freelist; nil when it cannot be read
	reached map[uint64]bool      // the root, and leaves of the tree with records
	strays  []strayLeaf          // leaves outside the tree with records

	unreadable  map[uint64]bool // pages of the tree
	lostRecords bool            // some of them have, or lead to, records
}

// bucketRef is the start of a bucket: a page, or bytes within the root page.
type bucketRef struct {
	page   uint64
	inline []byte
}

// strayLeaf is a leaf outside the tree.
type strayLeaf struct {
	page  uint64
	kinds uint32 // bit i is set if it has records of kinds[i]
}

// maxDepth bounds the depth of a tree. A tree of a million pages has four levels.
const maxDepth = 24

// errNoRecords means that a file has no readable record.
var errNoRecords = errors.New("it has no readable page of a schedctl database")

// readDamagedFile finds the readable leaves of a file. Errors wrap
// [storage.ErrNewer] if that is the cause.
func readDamagedFile(ctx context.Context, file io.ReaderAt, length int64) (*damagedFile, error) {
	metas := soundMetas(file)
	d := &damagedFile{pageFile: pageFile{file: file, length: length, size: int64(os.Getpagesize())}}
	if len(metas) > 0 {
		d.size = int64(metas[0].pageSize)
	}
	d.readRoot(metas)
	for b := range bucketCount {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d.walk(b, func(item) {})
	}
	if err := d.checkVersion(); err != nil {
		return nil, err
	}
	if d.free != nil || d.buckets == nil || d.unnamed > 0 || d.lostRecords {
		return d, d.findStrays(ctx)
	}
	return d, nil
}

// soundMetas returns the meta pages that can be read, the newest first.
func soundMetas(file io.ReaderAt) (metas []metaPage) {
	if m, err := readMeta(file, 0); err == nil {
		metas = append(metas, m)
	}
	for size := int64(1 << 10); size <= 1<<24; size <<= 1 {
		if m, err := readMeta(file, size); err == nil && int64(m.pageSize) == size {
			metas = append(metas, m)
			break
		}
	}
	slices.SortFunc(metas, func(a, b metaPage) int {
		if a.tx > b.tx {
			return -1
		}
		return 1
	})
	return metas
}

// readRoot reads the buckets of the newest root that is wholly readable. The
// pages of the root before it are intact: bbolt reuses a page two commits after
// it was freed.
func (d *damagedFile) readRoot(metas []metaPage) {
	d.behind = len(metas) < 2
	if len(metas) > 0 {
		d.free = d.freelist(metas[0]) // an older one has the pages of the newest root
	}
	for i, m := range metas {
		d.unreadable, d.reached, d.unnamed = map[uint64]bool{}, map[uint64]bool{}, 0
		found := map[bucket]bucketRef{}
		whole := d.descend(m.root, map[uint64]bool{}, 0, func(p rawPage) bool {
			ok := true
			d.reached[p.id] = true // small buckets are within it
			for _, it := range p.items {
				ok = d.addBucket(found, it) && ok
			}
			return ok
		})
		if whole && len(found) > 0 {
			d.buckets, d.behind = found, d.behind || i > 0
			return
		}
	}
	d.behind = true
	d.reached = map[uint64]bool{}
}

// addBucket adds an item of the root, and reports whether it is a bucket.
func (d *damagedFile) addBucket(found map[bucket]bucketRef, it item) bool {
	if !it.bucket || len(it.value) < bucketSize {
		return false
	}
	ref := bucketRef{page: binary.NativeEndian.Uint64(it.value)}
	if ref.page == 0 {
		ref.inline = it.value[bucketSize:]
	}
	if i := slices.Index(bucketNames[:], string(it.key)); i >= 0 {
		found[bucket(i)] = ref
	} else {
		d.unnamed++
	}
	return true
}

// walk calls fn for each readable row of a bucket. It can be repeated.
func (d *damagedFile) walk(b bucket, fn func(item)) {
	ref, ok := d.buckets[b]
	if !ok {
		return
	}
	k, whole := kindOfBucket(b), false
	if ref.page == 0 {
		p, err := parsePage(ref.inline)
		for _, it := range p.items {
			fn(it)
		}
		whole = err == nil && !p.broken
	} else {
		whole = d.descend(ref.page, map[uint64]bool{}, 0, func(p rawPage) bool {
			if k != nil && len(p.items) > 0 && !slices.ContainsFunc(p.items, k.reads) {
				return false // a leaf that belongs to a different bucket, or garbage
			}
			if k != nil {
				d.reached[p.id] = true
			}
			for _, it := range p.items {
				fn(it)
			}
			return true
		})
	}
	d.lostRecords = d.lostRecords || k != nil && !whole
}

// descend calls leaf for each leaf of a tree, in the order of their keys, and
// reports whether all its pages can be read. Pages that cannot be read completely,
// that are reached twice, or for which leaf returns false, are unreadable.
func (d *damagedFile) descend(id uint64, seen map[uint64]bool, depth int, leaf func(rawPage) bool) (whole bool) {
	p, err := d.page(id)
	if err != nil || seen[id] || depth > maxDepth {
		d.unreadable[id] = true
		return false
	}
	seen[id] = true
	whole = !p.broken && (len(p.items) > 0 || depth == 0)
	if p.leaf {
		whole = leaf(p) && whole
	}
	if !whole {
		d.unreadable[id] = true
	}
	if !p.leaf {
		for _, it := range p.items {
			whole = d.descend(it.child, seen, depth+1, leaf) && whole
		}
	}
	return whole
}

// findStrays finds the leaves with records outside the tree, without those that
// are known to be free.
func (d *damagedFile) findStrays(ctx context.Context) error {
	for id := uint64(2); id < d.count(); id++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := d.page(id)
		if err != nil || !p.leaf || d.free[id] || d.reached[id] {
			continue
		}
		stray := strayLeaf{page: id}
		for _, it := range p.rows() {
			for i := range kinds {
				if kinds[i].reads(it) {
					stray.kinds |= 1 << i
				}
			}
		}
		if stray.kinds != 0 {
			d.strays = append(d.strays, stray)
			id += uint64(p.used-1) / uint64(d.size) // the continuation of a page is not a page
		}
	}
	return nil
}

// maxVersion bounds the versions that a file is believed to have.
const maxVersion = 1000

// checkVersion refuses the file of a newer program. A version that is too high
// counts as damage if the file has no unknown bucket and its records can be read.
func (d *damagedFile) checkVersion() error {
	if version := d.version(); version <= uint64(len(migrations)) || version > maxVersion {
		return nil
	}
	rows, unreadable := 0, 0
	for _, k := range kinds {
		d.walk(k.bucket, func(it item) {
			rows++
			if !k.reads(it) {
				unreadable++
			}
		})
	}
	if d.unnamed > 0 || unreadable > rows/2 {
		return storage.ErrNewer
	}
	return nil
}

// version returns the version of the file, or 0.
func (d *damagedFile) version() (version uint64) {
	d.walk(meta, func(it item) {
		if bytes.Equal(it.key, versionKey) && len(it.value) == 8 {
			version = binary.BigEndian.Uint64(it.value)
		}
	})
	return version
}
