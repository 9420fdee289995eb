package bolt

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/storage/bolt/mutant"
)

// TestSalvageOfFewWrongBytes guards that a byte takes no more with it than what it
// is in: ways to break a file that have once taken much.
func TestSalvageOfFewWrongBytes(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, b *bereaved){
		"a key, and a first page": func(t *testing.T, b *bereaved) {
			// A post that is said to be far younger, so that all after it lie between
			// it and the one before it.
			leaf := b.child(t, posts, 1)
			at, last := bytes.Index(b.page(leaf), b.keys(t, leaf)[0]), len(b.keys(t, leaf))-1
			if next := bytes.Index(b.page(leaf), b.keys(t, leaf)[last]); next > at {
				at = next
			}
			b.page(leaf)[at+4] ^= 0x80 // of the milliseconds
			clear(b.page(b.meta.tx % 2))
		},
		"the head of a branch": func(_ *testing.T, b *bereaved) {
			b.page(b.branch)[1] ^= 0x40  // which page it is
			b.page(b.branch)[11] ^= 0x08 // how many elements it has
			b.page(b.branch)[13] ^= 0x01 // how many pages it goes on in
		},
		"the key that leads to a page": func(t *testing.T, b *bereaved) {
			page := b.page(b.branch)
			key := b.keys(t, b.branch)[2]
			page[bytes.Index(page, key)] ^= 0x01
		},
		"a link to nowhere, and the root": func(t *testing.T, b *bereaved) {
			link := b.page(b.top(t, deliveries).id)[pageHeaderSize+elementSize:]
			binary.NativeEndian.PutUint64(link[8:], b.meta.pages+1<<40)
			clear(b.page(b.meta.root))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := bereave(t)
			damage(t, b)
			_, path := salvaged(t, write(t, b.data))
			got, err := mutant.Read(path)
			if err != nil {
				t.Fatal(err)
			}
			b.judge(t, got)
			for _, of := range []bucket{posts, deliveries} {
				if saved, intact := b.countOf(of, got); saved < intact-1 {
					t.Errorf("%d of %d intact %s were saved", saved, intact, of)
				}
			}
		})
	}
}

// A page of posts that is led to as one of events can have rows that make sense as
// events.
func TestSalvageTakesNoPostForAnEvent(t *testing.T) {
	t.Parallel()
	whole, data := filled(t, 120)
	s, err := survey(t.Context(), bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	page := func(of bucket) []byte { return data[int64(s.root.buckets[of].page)*s.size:][:s.size] }
	copy(page(events)[8:], page(posts)[8:])
	_, path := salvaged(t, write(t, data))
	got, err := mutant.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, row := range whole.Rows {
		known[row.Bucket+row.Key] = true
	}
	for _, row := range got.Rows {
		if !known[row.Bucket+row.Key] {
			t.Errorf("%s has %x, which was none of them", row.Bucket, row.Key)
		}
	}
}

// A row of the index of targets can make sense as a post.
func TestKindOfIndexPage(t *testing.T) {
	t.Parallel()
	row := func(value string) item {
		b, err := hex.DecodeString(value)
		if err != nil {
			t.Fatal(err)
		}
		return item{key: make([]byte, 16), value: b}
	}
	const workspace, account = "01a20263e7bc2dd20c54d3503de764fc", "01a20263e7bc2dd20c54d3503de76500"
	like, unlike := row(workspace+"01a202654f1c0e174bc5ff521d6659bc"+account), row(workspace+strings.Repeat("ff", 16)+account)
	if k := kindOfPage(rawPage{leaf: true, items: []item{like}}); k != kindOfBucket(posts) {
		t.Fatal("the row makes no sense as a post")
	}
	if k := kindOfPage(rawPage{leaf: true, items: []item{unlike, like, unlike}}); k != nil {
		t.Errorf("a page of the index of targets is one of %s", k.bucket)
	}
}

// What only grows has nothing that was deleted on an older copy of a page that is
// lost. It need not be the last one.
func TestSalvageTakesOlderPages(t *testing.T) {
	t.Parallel()
	for _, of := range []bucket{answers, events, deliveries, audit} {
		t.Run(of.String(), func(t *testing.T) {
			t.Parallel()
			b := bereave(t)
			page := b.child(t, of, -1)
			rows := len(b.keys(t, page))
			copy(b.page(b.old)[8:], b.page(page)[8:])
			clear(b.page(page))
			clear(b.data[:2*b.meta.pageSize])
			_, path := salvaged(t, write(t, b.data))
			got, err := mutant.Read(path)
			if err != nil {
				t.Fatal(err)
			}
			saved := 0
			for _, row := range got.Rows {
				if row.Bucket == of.String() {
					saved++
				}
			}
			if _, intact := b.countOf(of, got); saved <= intact || saved > intact+rows {
				t.Errorf("%d were saved, %d are intact and %d have a copy", saved, intact, rows)
			}
		})
	}
}

// top returns the first page of a bucket, which is a branch.
func (b *bereaved) top(t *testing.T, of bucket) rawPage {
	t.Helper()
	s, err := survey(t.Context(), bytes.NewReader(b.data), int64(len(b.data)))
	if err != nil {
		t.Fatal(err)
	}
	top, err := s.page(s.root.buckets[of].page)
	if err != nil || top.leaf {
		t.Fatalf("%s has one page: %v", of, err)
	}
	return top
}

// child returns a page below the first one of a bucket; -1 is the last.
func (b *bereaved) child(t *testing.T, of bucket, n int) uint64 {
	t.Helper()
	items := b.top(t, of).items
	return items[(n+len(items))%len(items)].child
}

func (b *bereaved) keys(t *testing.T, page uint64) (keys [][]byte) {
	t.Helper()
	p, err := parsePage(b.page(page))
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range p.items {
		keys = append(keys, it.key)
	}
	return keys
}

// countOf is [bereaved.plural] for one bucket.
func (b *bereaved) countOf(of bucket, got *mutant.File) (saved, intact int) {
	known := map[string]bool{}
	for _, row := range got.Rows {
		known[row.Bucket+row.Key] = true
	}
	for _, row := range b.file.Intact(b.data) {
		if row.Bucket == of.String() {
			intact++
			if known[row.Bucket+row.Key] {
				saved++
			}
		}
	}
	return saved, intact
}
