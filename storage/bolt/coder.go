package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// coder writes a record into buf, or reads one from it. Each method does both, so
// one function describes a record in both directions. err keeps the first error.
// After an error the other values are invalid.
//
// Numbers are varints. Texts and lists start with their length. A zero time is 0, and
// any other time is a zigzag number of milliseconds plus one. An id is its ULID.
type coder struct {
	buf     []byte
	reading bool
	layout  byte // of the record
	err     error
}

// layout is the newest layout. The layout of a record is its first byte; see layoutOf.
// Records with a lower number are read in their own layout. A record with a higher
// number is invalid.
//
//   - Layout 2 added a content and options to targets.
//   - Layout 3 added a webhook to events.
//   - Layout 4 added to targets, attempts and accounts how long an outcome has been
//     unknown, or a network unreachable.
//   - Layout 5 added an external id, a collection and labels to posts.
//   - Layout 6 added notifications to webhooks.
//   - Layout 7 added media to posts and targets.
//   - Layout 8 added threads, first comments, polls, link cards and presentations to
//     posts and targets, parts to attempts and events, and a thread to accounts.
//   - Layout 9 added slots and occurrences to posts, blackouts to accounts, and series to
//     events.
//   - Layout 10 added staged posts to attempts, and expiry and limits of posts to accounts.
//   - Layout 11 added reviews to posts, the policy of approvals to workspaces and accounts,
//     and kinds to API keys.
//   - Layout 12 added trails and stored link cards to posts, uploaders to media, the
//     rule of two people to workspaces, files and labels to blackouts, files to queues,
//     collections, aliases, shares, sources with their items, and results of targets and accounts.
const (
	layout            = 12
	layoutWithReviews = 11
	layoutWithStages  = 10
	layoutWithPlans   = 9
	layoutWithParts   = 8
	layoutBeforeParts = 7
)

var errShort = errors.New("it ends too early")

// encode appends the record of v to dst. fields is the coder's method for v.
func encode[T any](c *coder, dst []byte, v *T, fields func(*coder, *T)) ([]byte, error) {
	needed := layoutOf(v)
	*c = coder{buf: append(dst, needed), layout: needed}
	fields(c, v)
	return c.buf, c.err
}

// decode reads a whole record.
func decode[T any](record []byte, v *T, fields func(*coder, *T)) error {
	c := newDecoder(record)
	fields(&c, v)
	if c.err == nil && len(c.buf) > 0 {
		c.fail(fmt.Errorf("%d bytes are left over", len(c.buf)))
	}
	return c.damage()
}

// decodeHead reads the first fields of a record and ignores the rest.
func decodeHead[T any](record []byte, v *T, fields func(*coder, *T)) error {
	c := newDecoder(record)
	fields(&c, v)
	return c.damage()
}

// newDecoder returns a coder that has read the layout of a record.
func newDecoder(record []byte) coder {
	c := coder{buf: record, reading: true}
	c.layout = c.byte(layout)
	if c.err == nil && (c.layout < 1 || c.layout > layout) {
		c.fail(fmt.Errorf("its layout %d is not known", c.layout))
	}
	return c
}

// damage returns the first error of reading a record, wrapped with [storage.ErrCorrupt].
func (c *coder) damage() error {
	if c.err != nil {
		return fmt.Errorf("%w: a record cannot be read: %w", storage.ErrCorrupt, c.err)
	}
	return nil
}

func (c *coder) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	if c.reading {
		c.buf = nil
	}
}

// take reads and returns the next n bytes of the record, or nil if it is too short.
func (c *coder) take(n uint64) []byte {
	if n > uint64(len(c.buf)) {
		c.fail(errShort)
		return nil
	}
	taken := c.buf[:n:n]
	c.buf = c.buf[n:]
	return taken
}

// byte writes b and returns it, or reads a byte and returns that.
func (c *coder) byte(b byte) byte {
	if !c.reading {
		c.buf = append(c.buf, b)
		return b
	}
	if read := c.take(1); read != nil {
		return read[0]
	}
	return 0
}

// uint writes n and returns it, or reads a number and returns that.
func (c *coder) uint(n uint64) uint64 {
	if !c.reading {
		c.buf = binary.AppendUvarint(c.buf, n)
		return n
	}
	n, size := binary.Uvarint(c.buf)
	if size <= 0 {
		c.fail(errShort)
		return 0
	}
	c.buf = c.buf[size:]
	return n
}

// length is uint for the number of items that follow. Each has at least one byte.
func (c *coder) length(n int) int {
	read := c.uint(uint64(n))
	if c.reading && read > uint64(len(c.buf)) {
		c.fail(errShort)
		return 0
	}
	return int(read)
}

func (c *coder) int64(n *int64) {
	u := c.uint(uint64(*n)<<1 ^ uint64(*n>>63))
	if c.reading {
		*n = int64(u>>1) ^ -int64(u&1)
	}
}

func (c *coder) int(n *int) {
	wide := int64(*n)
	if c.int64(&wide); c.reading {
		*n = int(wide)
	}
}

func (c *coder) bool(b *bool) {
	var code byte
	if *b {
		code = 1
	}
	if code = c.byte(code); code > 1 {
		c.fail(fmt.Errorf("%d is neither true nor false", code))
	}
	if c.reading {
		*b = code == 1
	}
}

// present writes or reads whether an optional value follows.
func (c *coder) present(p bool) bool {
	c.bool(&p)
	return p
}

func (c *coder) time(t *time.Time) {
	var u uint64
	if !t.IsZero() {
		ms := t.UnixMilli()
		u = (uint64(ms)<<1 ^ uint64(ms>>63)) + 1
	}
	u = c.uint(u)
	if !c.reading {
		return
	}
	if u == 0 {
		*t = time.Time{}
		return
	}
	u--
	*t = time.UnixMilli(int64(u>>1) ^ -int64(u&1)).UTC()
}

func (c *coder) bytes(b *[]byte) {
	n := c.length(len(*b))
	if !c.reading {
		c.buf = append(c.buf, *b...)
		return
	}
	*b = append([]byte(nil), c.take(uint64(n))...)
}

func text[S ~string](c *coder, s *S) {
	n := c.length(len(*s))
	if !c.reading {
		c.buf = append(c.buf, *s...)
		return
	}
	*s = S(c.take(uint64(n)))
}

func (c *coder) fixed(b []byte) {
	if !c.reading {
		c.buf = append(c.buf, b...)
		return
	}
	copy(b, c.take(uint64(len(b))))
}

func (c *coder) id(prefix schedctl.Prefix, id *string) {
	var u ulid
	if !c.reading {
		var err error
		if u, err = parse(prefix, *id); err != nil {
			c.fail(err)
		}
	}
	c.fixed(u[:])
	if c.reading && c.err == nil {
		*id = u.ID(prefix)
	}
}

func (c *coder) optionalID(prefix schedctl.Prefix, id *string) {
	if c.present(*id != "") {
		c.id(prefix, id)
	}
}

// status writes or reads a known status as its index in codes, and any other as text.
func status[S ~string](c *coder, s *S, codes []S) {
	code := c.byte(codeOf(codes, *s))
	if code == 0 {
		text(c, s)
		return
	}
	if int(code) >= len(codes) {
		c.fail(fmt.Errorf("its status %d is not known", code))
		return
	}
	*s = codes[code]
}

// optional writes or reads whether a pointer is set. It returns true, with a new value
// when reading, if it is.
func optional[T any](c *coder, v **T) bool {
	if !c.present(*v != nil) {
		return false
	}
	if c.reading {
		*v = new(T)
	}
	return true
}

// optionalList writes or reads a list whose nil and empty values differ.
func optionalList[T any](c *coder, items *[]T, item func(*coder, *T)) {
	if !c.present(*items != nil) {
		return
	}
	if c.reading {
		*items = []T{}
	}
	list(c, items, item)
}

// list writes or reads a list. Each item has at least one byte.
func list[T any](c *coder, items *[]T, item func(*coder, *T)) {
	n := c.length(len(*items))
	if !c.reading {
		for i := range *items {
			item(c, &(*items)[i])
		}
		return
	}
	for i := 0; i < n && c.err == nil; i++ {
		var v T
		item(c, &v)
		*items = append(*items, v)
	}
}
