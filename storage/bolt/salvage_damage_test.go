package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt/mutant"
)

// usedFile is a sound file whose last transaction deleted a post, so that the
// previous version of the post's leaf is on a free page.
type usedFile struct {
	data []byte
	meta metaPage
	file *mutant.File

	deleted ulid   // the post
	branch  uint64 // of the posts
	leaf    uint64 // that had the post
}

func newUsedFile(t *testing.T) *usedFile {
	t.Helper()
	u := &usedFile{}
	u.file, u.data = filled(t, 100, u.deleteOne)
	var err error
	if u.meta, err = newestMeta(bytes.NewReader(u.data)); err != nil {
		t.Fatal(err)
	}
	u.data = u.data[:u.meta.pages*uint64(u.meta.pageSize)]
	top := u.top(t, posts)
	u.branch, u.leaf = top.id, top.items[len(top.items)-1].child
	if !bytes.Contains(u.data, u.deleted[:]) {
		t.Fatal("no page has the deleted post")
	}
	return u
}

// filled returns a sound file after some use and the given transactions.
func filled(t *testing.T, posts int, last ...func(storage.Tx) error) (file *mutant.File, data []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "filled.db")
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.db.NoSync = true
	_, err = mutant.Fill(t.Context(), s, posts)
	for _, fn := range last {
		err = errors.Join(err, s.Update(t.Context(), fn))
	}
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	if file, err = mutant.Read(path); err != nil {
		t.Fatal(err)
	}
	if data, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return file, data
}

// deleteOne deletes a post from the last leaf.
func (u *usedFile) deleteOne(opened storage.Tx) error {
	tx := opened.(*tx)
	c := tx.in(posts).Cursor()
	key, _ := c.Last()
	for range 3 {
		key, _ = c.Prev()
	}
	p, _, err := tx.post(ulid(key))
	if err != nil {
		return err
	}
	u.deleted = ulid(key)
	return tx.DeletePost(p.WorkspaceID, p.ID)
}

func (u *usedFile) page(id uint64) []byte {
	return u.data[id*uint64(u.meta.pageSize):][:u.meta.pageSize]
}

// top returns the first page of a bucket, which must be a branch.
func (u *usedFile) top(t *testing.T, b bucket) rawPage {
	t.Helper()
	d, err := readDamagedFile(t.Context(), bytes.NewReader(u.data), int64(len(u.data)))
	if err != nil {
		t.Fatal(err)
	}
	top, err := d.page(d.buckets[b].page)
	if err != nil || top.leaf {
		t.Fatalf("%s has one page: %v", b, err)
	}
	return top
}

// salvage salvages the file and returns the report, the share of intact records that
// was saved in percent, and whether the deleted post came back.
func (u *usedFile) salvage(t *testing.T) (report SalvageReport, percent int, back bool) {
	t.Helper()
	report, path := salvaged(t, write(t, u.data))
	got, err := mutant.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, row := range got.Rows {
		known[row.Bucket+row.Key] = true
	}
	saved, intact := 0, u.file.Intact(u.data)
	for _, row := range intact {
		if known[row.Bucket+row.Key] {
			saved++
		}
	}
	return report, saved * 100 / max(len(intact), 1), known[posts.String()+string(u.deleted[:])]
}

// TestSalvageOfDamagedPages guards that one damaged page loses only its own records, and
// that no deleted post comes back while the newest root and the freelist can be read.
func TestSalvageOfDamagedPages(t *testing.T) {
	t.Parallel()
	clearPage := func(id func(*usedFile, *testing.T) uint64) func(*usedFile, *testing.T) {
		return func(u *usedFile, t *testing.T) { clear(u.page(id(u, t))) }
	}
	for name, test := range map[string]struct {
		damage     func(*usedFile, *testing.T)
		may        bool // the deleted post may come back
		behind     bool
		unreadable int
	}{
		"leaf":   {damage: clearPage(func(u *usedFile, _ *testing.T) uint64 { return u.leaf }), unreadable: 1},
		"branch": {damage: clearPage(func(u *usedFile, _ *testing.T) uint64 { return u.branch }), unreadable: 1},
		"index":  {damage: clearPage(func(u *usedFile, t *testing.T) uint64 { return u.top(t, postsByAge).items[0].child }), unreadable: 1},
		"page header": {damage: func(u *usedFile, _ *testing.T) {
			u.page(u.branch)[1] ^= 0x40  // id
			u.page(u.branch)[11] ^= 0x08 // count
			u.page(u.branch)[13] ^= 0x01 // overflow
		}, unreadable: 1},
		"key of a branch": {damage: func(u *usedFile, t *testing.T) {
			u.page(u.branch)[bytes.Index(u.page(u.branch), u.top(t, posts).items[1].key)] ^= 0x01
		}},
		"older leaf over a branch": {damage: func(u *usedFile, t *testing.T) {
			top := u.top(t, audit)
			copy(u.page(top.id)[8:], u.page(top.items[0].child)[8:])
		}},
		"root and branches": {damage: func(u *usedFile, t *testing.T) {
			for _, b := range []bucket{events, deliveries, audit} {
				clear(u.page(u.top(t, b).id))
			}
			clear(u.page(u.meta.root))
		}, may: true, behind: true, unreadable: 3},
		"link of a branch": {damage: func(u *usedFile, t *testing.T) {
			link := u.page(u.top(t, deliveries).id)[pageHeaderSize+elementSize:]
			binary.NativeEndian.PutUint64(link[8:], u.meta.pages+1<<40)
		}, unreadable: 1},
		"freelist":          {damage: clearPage(func(u *usedFile, _ *testing.T) uint64 { return u.meta.freelist })},
		"freelist and leaf": {damage: func(u *usedFile, _ *testing.T) { clear(u.page(u.meta.freelist)); clear(u.page(u.leaf)) }, may: true, unreadable: 1},
		"root":              {damage: clearPage(func(u *usedFile, _ *testing.T) uint64 { return u.meta.root }), may: true, behind: true},
		"newest meta page":  {damage: clearPage(func(u *usedFile, _ *testing.T) uint64 { return u.meta.tx % 2 }), may: true, behind: true},
		"both meta pages":   {damage: func(u *usedFile, _ *testing.T) { clear(u.data[:2*u.meta.pageSize]) }, may: true, behind: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUsedFile(t)
			test.damage(u, t)
			report, percent, back := u.salvage(t)
			if percent < 100 {
				t.Errorf("%d %% of the intact records were saved", percent)
			}
			if back && !test.may {
				t.Error("the deleted post came back")
			}
			if report.Behind != test.behind || report.Unreadable != test.unreadable {
				t.Errorf("behind %v with %d unreadable pages, want %v and %d", report.Behind, report.Unreadable, test.behind, test.unreadable)
			}
		})
	}
}

// TestSalvageOfFilesThatAreCutOff guards that the remaining records of a truncated file
// are saved.
func TestSalvageOfFilesThatAreCutOff(t *testing.T) {
	t.Parallel()
	u := newUsedFile(t)
	whole := u.data
	for n := 1; n < 16; n += 3 {
		u.data = whole[:len(whole)*n/16]
		if len(u.file.Intact(u.data)) == 0 {
			continue // only indexes are left
		}
		if _, percent, _ := u.salvage(t); percent < 95 {
			t.Errorf("of %d sixteenths of the file %d %% of the intact records were saved", n, percent)
		}
	}
}

// TestSalvageTakesNoPostForAnEvent guards that posts are not read as events if a page of
// posts replaces a page of events.
func TestSalvageTakesNoPostForAnEvent(t *testing.T) {
	t.Parallel()
	u := newUsedFile(t)
	copy(u.page(u.top(t, events).items[0].child)[8:], u.page(u.leaf)[8:])
	_, path := salvaged(t, write(t, u.data))
	got, err := mutant.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, row := range u.file.Rows {
		known[row.Bucket+row.Key] = true
	}
	for _, row := range got.Rows {
		if !known[row.Bucket+row.Key] {
			t.Errorf("%s has %x, which was not in the sound file", row.Bucket, row.Key)
		}
	}
}

// TestRowsHaveOneKind guards that salvage reads each record as its own kind only, and no
// row of an index as a record.
func TestRowsHaveOneKind(t *testing.T) {
	t.Parallel()
	_, data := filled(t, 500)
	d, err := readDamagedFile(t.Context(), bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for b := range bucketCount {
		d.walk(b, func(it item) {
			for _, k := range kinds {
				if k.bucket != b && k.reads(it) {
					t.Errorf("%s: %x can also be read as a record of %s", b, it.key, k.bucket)
				}
			}
		})
	}
}
