package bolt

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt/mutant"
)

// bereaved is a sound file of which a post was deleted in the last transaction,
// so that the page that it was on is still there.
type bereaved struct {
	data []byte
	meta metaPage
	file *mutant.File

	post     ulid
	old, now uint64 // the page that the post was on, and the one in its place
	branch   uint64 // above it
	index    uint64 // a page of the lists
}

func bereave(t *testing.T) *bereaved {
	t.Helper()
	b := &bereaved{}
	b.file, b.data = filled(t, 100, b.deleteOne)
	var err error
	if b.meta, err = newestMeta(bytes.NewReader(b.data)); err != nil {
		t.Fatal(err)
	}
	b.data = b.data[:b.meta.pages*uint64(b.meta.pageSize)]
	b.find(t)
	return b
}

// filled returns a sound file that was used for a while, and then in some more
// transactions.
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

// deleteOne deletes a post with neighbours on its page.
func (b *bereaved) deleteOne(opened storage.Tx) error {
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
	b.post = ulid(key)
	return tx.DeletePost(p.WorkspaceID, p.ID)
}

// find finds the pages that matter.
func (b *bereaved) find(t *testing.T) {
	s, err := survey(t.Context(), bytes.NewReader(b.data), int64(len(b.data)))
	if err != nil {
		t.Fatal(err)
	}
	b.branch = s.root.buckets[posts].page
	top, err := s.page(b.branch)
	if err != nil || top.leaf {
		t.Fatalf("the posts have one page: %v", err)
	}
	b.now = top.items[len(top.items)-1].child
	if list, err := s.page(s.root.buckets[postsByAge].page); err != nil || list.leaf {
		t.Fatalf("the lists have one page: %v", err)
	} else {
		b.index = list.items[0].child
	}
	for id := range s.free {
		p, err := s.page(id)
		if err != nil || kindOfPage(p) != kindOfBucket(posts) {
			continue
		}
		for _, it := range p.items {
			if ulid(it.key) == b.post {
				b.old = id
			}
		}
	}
	if p, err := s.page(b.now); err != nil || !p.leaf || b.old == 0 {
		t.Fatalf("pages %d and %d: %v", b.old, b.now, err)
	}
}

func (b *bereaved) page(id uint64) []byte {
	return b.data[id*uint64(b.meta.pageSize):][:b.meta.pageSize]
}

// TestSalvageBringsNothingBack guards that a post stays deleted whose page is still
// in the file, whatever is lost that says so.
func TestSalvageBringsNothingBack(t *testing.T) {
	t.Parallel()
	type way func(b *bereaved)
	clearPage := func(id func(b *bereaved) uint64) way { return func(b *bereaved) { clear(b.page(id(b))) } }
	newest := clearPage(func(b *bereaved) uint64 { return b.meta.tx % 2 })
	list := clearPage(func(b *bereaved) uint64 { return b.meta.freelist })
	leaf := clearPage(func(b *bereaved) uint64 { return b.now })
	branch := clearPage(func(b *bereaved) uint64 { return b.branch })
	for name, ways := range map[string][]way{
		"the newest first page":    {newest},
		"both first pages":         {func(b *bereaved) { clear(b.data[:2*b.meta.pageSize]) }},
		"the root":                 {clearPage(func(b *bereaved) uint64 { return b.meta.root })},
		"an older page in place":   {func(b *bereaved) { copy(b.page(b.now)[8:], b.page(b.old)[8:]) }},
		"an older page as index":   {func(b *bereaved) { copy(b.page(b.index)[8:], b.page(b.old)[8:]) }},
		"an older page as root":    {func(b *bereaved) { copy(b.page(b.meta.root)[8:], b.page(b.old)[8:]) }},
		"its page":                 {leaf},
		"its page and the list":    {leaf, list},
		"the branch":               {branch},
		"the branch and the list":  {branch, list},
		"both, and the first page": {branch, newest},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := bereave(t)
			for _, damage := range ways {
				damage(b)
			}
			_, path := salvaged(t, write(t, b.data))
			got, err := mutant.Read(path)
			if err != nil {
				t.Fatal(err)
			}
			b.judge(t, got)
		})
	}
}

// TestSalvageOfFilesThatAreCutOff guards that what is left of an old root, which is
// all that is found then, takes nothing away.
func TestSalvageOfFilesThatAreCutOff(t *testing.T) {
	t.Parallel()
	b := bereave(t)
	whole := b.data
	intact, saved := 0, 0
	for n := 1; n < 16; n += 3 {
		b.data = whole[:len(whole)*n/16]
		if len(b.file.Intact(b.data)) == 0 {
			continue // the first pages are all of indexes
		}
		_, path := salvaged(t, write(t, b.data))
		got, err := mutant.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		some, of := b.count(got)
		saved, intact = saved+some, intact+of
	}
	if saved*100 < intact*95 {
		t.Errorf("%d of %d intact records were saved", saved, intact)
	}
}

// judge compares what was saved with what was there: what was on no page that was
// lost is to come back.
func (b *bereaved) judge(t *testing.T, got *mutant.File) {
	t.Helper()
	for _, row := range got.Rows {
		if row.Bucket == posts.String() && row.Key == string(b.post[:]) {
			t.Error("the deleted post came back")
		}
	}
	if saved, intact := b.count(got); saved*100 < intact*95 {
		t.Errorf("%d of %d intact records were saved", saved, intact)
	}
}

// count returns how many records are on the pages that are left, and how many of
// them were saved.
func (b *bereaved) count(got *mutant.File) (saved, intact int) {
	known := map[string]bool{}
	for _, row := range got.Rows {
		known[row.Bucket+row.Key] = true
	}
	rows := b.file.Intact(b.data)
	for _, row := range rows {
		if known[row.Bucket+row.Key] {
			saved++
		}
	}
	return saved, len(rows)
}

func TestGaps(t *testing.T) {
	t.Parallel()
	id := func(n byte) (u ulid) { u[15] = n; return u }
	g := gapsOf([]gap{{id(10), id(20)}, {id(20), id(30)}, {id(2), id(25)}, {id(40), id(41)}})
	for n, want := range map[byte]bool{1: false, 2: false, 3: true, 20: true, 24: true, 25: true, 29: true, 30: false, 35: false, 40: false, 41: false, 50: false} {
		if g.has(id(n)) != want {
			t.Errorf("%d: got %v, want %v", n, !want, want)
		}
	}
	if empty := (gaps{}); empty.has(id(1)) {
		t.Error("a post in no gap")
	}
}
