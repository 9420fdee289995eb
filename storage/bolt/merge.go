package bolt

import (
	"bytes"
	"fmt"
	"time"

	bbolt "go.etcd.io/bbolt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// span is a part of a list index: the suffixes from from up to to, exclusive. A suffix is
// the part of a key after the status. A nil to is the end of the index.
type span struct{ from, to []byte }

func (s *span) startAfter(suffix []byte) {
	if bytes.Compare(suffix, s.from) >= 0 {
		s.from = append(suffix, 0) // all suffixes have the same length, so this is the next one
	}
}

func (s *span) holds(suffix []byte) bool {
	return bytes.Compare(suffix, s.from) >= 0 && (s.to == nil || bytes.Compare(suffix, s.to) < 0)
}

func (s *span) endBefore(suffix []byte) {
	if s.to == nil || bytes.Compare(suffix, s.to) < 0 {
		s.to = suffix
	}
}

// position is a place in a list index.
type position struct {
	time uint64 // in the index by time
	post ulid
}

func (p position) suffix(index bucket) []byte {
	if index == postsByTime {
		return append(appendTime(nil, p.time), p.post[:]...)
	}
	return p.post[:]
}

func readPosition(suffix []byte, index bucket) (p position, err error) {
	if index == postsByTime && len(suffix) == 24 {
		p.time, suffix = readTime(suffix), suffix[8:]
	}
	if len(suffix) != len(p.post) {
		return p, fmt.Errorf("%q: %w: a key has a wrong length", index, storage.ErrCorrupt)
	}
	p.post = ulid(suffix)
	return p, nil
}

func (p position) public(index bucket) *storage.Position {
	out := &storage.Position{PostID: p.post.ID(schedctl.PostPrefix)}
	if index == postsByTime && p.time != noTime {
		out.PublishAt = time.UnixMilli(timeOfKey(p.time)).UTC()
	}
	return out
}

// merge reads one span of an index for several statuses at once, in order of the
// suffixes.
type merge struct {
	strands []statusCursor
	descend bool
	last    *statusCursor // the cursor of the last suffix that next returned
}

// statusCursor reads the entries of one status.
type statusCursor struct {
	cursor *bbolt.Cursor
	bounds span   // of whole keys
	key    []byte // the key at the cursor, or nil at the end
}

// prefixSize is the length of workspace, account and status, which precede a suffix.
const prefixSize = 33

func newMerge(l *listing, s span) *merge {
	m := &merge{descend: l.descend}
	for _, code := range l.codes {
		m.add(l, append(l.prefix[:len(l.prefix):len(l.prefix)], code), s)
	}
	if l.query.Proposed {
		pending := approvalKey(schedctl.ApprovalPending)
		if s.to == nil {
			s.to = appendTime(nil, noTime) // not those without a time
		}
		m.add(l, concat(nil, l.ws[:], pending[:], []byte{codeOf(statusCodes, schedctl.Draft)}), s)
	}
	return m
}

// add adds the entries of a span whose keys start with a prefix: workspace, owner and status.
func (m *merge) add(l *listing, prefix []byte, s span) {
	st := statusCursor{cursor: l.in(l.index).Cursor(), bounds: span{from: concat(nil, prefix, s.from)}}
	if s.to != nil {
		st.bounds.to = concat(nil, prefix, s.to)
	} else {
		prefix[prefixSize-1]++
		st.bounds.to = prefix
	}
	if m.descend {
		st.keep(seekBefore(st.cursor, st.bounds.to))
	} else {
		k, _ := st.cursor.Seek(st.bounds.from)
		st.keep(k)
	}
	m.strands = append(m.strands, st)
}

// keep stores the key at the cursor, or nil if it is out of bounds.
func (s *statusCursor) keep(key []byte) {
	if key == nil || bytes.Compare(key, s.bounds.from) < 0 || bytes.Compare(key, s.bounds.to) >= 0 {
		key = nil
	}
	s.key = key
}

// next returns the next suffix, or nil at the end. The suffix is valid until the
// transaction ends.
func (m *merge) next() []byte {
	if s := m.last; s != nil && m.descend {
		s.keep(stepBack(s.cursor, s.key))
	} else if s != nil {
		k, _ := s.cursor.Next()
		s.keep(k)
	}
	m.last = nil
	for i := range m.strands {
		if s := &m.strands[i]; s.key != nil && (m.last == nil || m.before(s, m.last)) {
			m.last = s
		}
	}
	if m.last == nil {
		return nil
	}
	return m.last.key[prefixSize:]
}

func (m *merge) before(a, b *statusCursor) bool {
	return (bytes.Compare(a.key[prefixSize:], b.key[prefixSize:]) < 0) != m.descend
}

// seekBefore moves the cursor to the last key before the given one.
func seekBefore(c *bbolt.Cursor, key []byte) []byte {
	if k, _ := c.Seek(key); k != nil {
		return stepBack(c, k)
	}
	return lastKey(c)
}

// lastKey moves the cursor to the last key. Cursor.Last alone never returns if a bucket
// has several pages and the current transaction has emptied all of them.
func lastKey(c *bbolt.Cursor) []byte {
	if c.Bucket().Writable() {
		if k, _ := c.First(); k == nil {
			return nil
		}
	}
	k, _ := c.Last()
	return k
}

// stepBack moves the cursor from the given key to the one before it. Cursor.Prev alone
// would stop at a page that the current transaction has emptied.
func stepBack(c *bbolt.Cursor, from []byte) []byte {
	k, _ := c.Prev()
	if k != nil || !c.Bucket().Writable() {
		return k
	}
	first, _ := c.Bucket().Cursor().First()
	for k == nil && bytes.Compare(first, from) < 0 {
		k, _ = c.Prev()
	}
	return k
}
