package schedctl

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"sync"
	"time"
)

// Prefix is the kind of an id. An id is a prefix, an underscore and a [ULID].
type Prefix string

// The prefixes of all ids.
const (
	PostPrefix      Prefix = "post"
	TargetPrefix    Prefix = "pt"
	AccountPrefix   Prefix = "acct"
	WorkspacePrefix Prefix = "ws"
	KeyPrefix       Prefix = "key"
	EventPrefix     Prefix = "evt"
	WebhookPrefix   Prefix = "wh"
	DeliveryPrefix  Prefix = "whd"
	// NotificationPrefix is the prefix of notifications for clients; see
	// [NotificationID].
	NotificationPrefix Prefix = "ntf"
	AttemptPrefix      Prefix = "att"
	RequestPrefix      Prefix = "req"
	AuditPrefix        Prefix = "aud"
	NodePrefix         Prefix = "node"
	MediaPrefix        Prefix = "med"
	QueuePrefix        Prefix = "que"
	BlackoutPrefix     Prefix = "blk"
	SeriesPrefix       Prefix = "ser"
	CalendarFeedPrefix Prefix = "cal"
	NotePrefix         Prefix = "note"
	CollectionPrefix   Prefix = "dir"
	AliasPrefix        Prefix = "ali"
	SharePrefix        Prefix = "shr"
	SourcePrefix       Prefix = "src"
	SourceItemPrefix   Prefix = "itm"
)

// ULID is a 48-bit count of milliseconds followed by 80 random bits, ordered by
// time as bytes and as text (https://github.com/ulid/spec).
type ULID [16]byte

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// crockfordValue is the value of each character, or notCrockford.
var crockfordValue = func() (values [256]byte) {
	for i := range values {
		values[i] = notCrockford
	}
	for i := range len(crockford) {
		values[crockford[i]] = byte(i)
	}
	return values
}()

const notCrockford = 0xff

// String returns the 26 characters of the ULID, in upper case.
func (u ULID) String() string {
	var out [26]byte
	hi, lo := binary.BigEndian.Uint64(u[:8]), binary.BigEndian.Uint64(u[8:])
	for i := 25; i >= 0; i-- {
		out[i] = crockford[lo&31]
		lo = lo>>5 | hi<<59
		hi >>= 5
	}
	return string(out[:])
}

// ID returns the ULID as an id of the given kind.
func (u ULID) ID(p Prefix) string { return string(p) + "_" + u.String() }

// Time returns the creation time of the ULID in UTC, in milliseconds.
func (u ULID) Time() time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(u[:8]) >> 16)).UTC()
}

// ParseID returns the ULID of an id of the given kind. It accepts only ids in the form
// of [NewID], in upper case.
func ParseID(p Prefix, id string) (u ULID, ok bool) {
	n := len(p)
	if len(id) != n+1+26 || id[:n] != string(p) || id[n] != '_' || id[n+1] > '7' {
		return u, false
	}
	var hi, lo uint64
	for _, c := range []byte(id[n+1:]) {
		v := crockfordValue[c]
		if v == notCrockford {
			return u, false
		}
		hi = hi<<5 | lo>>59
		lo = lo<<5 | uint64(v)
	}
	binary.BigEndian.PutUint64(u[:8], hi)
	binary.BigEndian.PutUint64(u[8:], lo)
	return u, true
}

// NewID returns a new id of the given kind. The ids of one process are strictly
// increasing, also within a millisecond and after the clock was set back. It is safe for
// concurrent use.
func NewID(p Prefix, now time.Time) string { return NewULID(now).ID(p) }

// NewULID returns a new ULID; see [NewID] for the guarantees.
func NewULID(now time.Time) ULID { return ulids.next(now.UnixMilli()) }

// IDsAfter makes all later ids greater than u, so that ids also increase across restarts
// with a clock that was set back. It is safe for concurrent use.
func IDsAfter(u ULID) { ulids.after(u) }

// ulids is the process's one source of ids.
var ulids ulidSource

type ulidSource struct {
	mu   sync.Mutex // mu guards last
	last ULID
}

func (s *ulidSource) next(ms int64) ULID {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ms <= int64(binary.BigEndian.Uint64(s.last[:8])>>16) {
		s.increment()
		return s.last
	}
	binary.BigEndian.PutUint64(s.last[:8], uint64(ms)<<16)
	rand.Read(s.last[6:])
	s.last[6] &= 0x7f // room for 2^79 increments before the time part would change
	return s.last
}

func (s *ulidSource) after(u ULID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if bytes.Compare(u[:], s.last[:]) > 0 {
		s.last = u
	}
}

func (s *ulidSource) increment() {
	for i := len(s.last) - 1; i >= 0; i-- {
		s.last[i]++
		if s.last[i] != 0 {
			return
		}
	}
}
