package bolt

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// ulid is an id as it is in keys.
type ulid = schedctl.ULID

// anyAccount is the account zero, which stands for all accounts in the list indexes.
var anyAccount ulid

// noTime sorts after every time.
const noTime = math.MaxUint64

// timeKey returns a time in Unix milliseconds as a number that sorts by time.
func timeKey(ms int64) uint64 { return uint64(ms) ^ 1<<63 }

func timeOfKey(k uint64) int64 { return int64(k ^ 1<<63) }

func publishKey(t time.Time) uint64 {
	if t.IsZero() {
		return noTime
	}
	return timeKey(t.UnixMilli())
}

func appendTime(dst []byte, k uint64) []byte { return binary.BigEndian.AppendUint64(dst, k) }

func readTime(src []byte) uint64 { return binary.BigEndian.Uint64(src) }

// parse returns the ULID of an id. It returns NOT_FOUND if the id is invalid.
func parse(prefix schedctl.Prefix, id string) (ulid, error) {
	if u, ok := schedctl.ParseID(prefix, id); ok {
		return u, nil
	}
	return ulid{}, notFound(prefix, id)
}

// parse2 parses two ids, because most keys have two.
func parse2(p1 schedctl.Prefix, id1 string, p2 schedctl.Prefix, id2 string) (a, b ulid, err error) {
	if a, err = parse(p1, id1); err != nil {
		return a, b, err
	}
	b, err = parse(p2, id2)
	return a, b, err
}

var nouns = map[schedctl.Prefix]string{
	schedctl.PostPrefix: "post", schedctl.TargetPrefix: "target", schedctl.AccountPrefix: "account",
	schedctl.WorkspacePrefix: "workspace", schedctl.KeyPrefix: "API key", schedctl.EventPrefix: "event",
	schedctl.AttemptPrefix: "attempt", schedctl.WebhookPrefix: "webhook", schedctl.DeliveryPrefix: "delivery",
	schedctl.AuditPrefix: "audit entry", schedctl.MediaPrefix: "media asset", schedctl.QueuePrefix: "queue", schedctl.BlackoutPrefix: "blackout",
	schedctl.SeriesPrefix: "series", schedctl.CalendarFeedPrefix: "calendar feed", schedctl.CollectionPrefix: "collection", schedctl.AliasPrefix: "alias",
	schedctl.SharePrefix: "share", schedctl.SourcePrefix: "source", schedctl.SourceItemPrefix: "item of a source",
}

func notFound(prefix schedctl.Prefix, id string) error {
	return schedctl.Errorf(schedctl.NotFound, "", "there is no %s %q", nouns[prefix], id)
}

// wrongKey returns an error for a key with a wrong length.
func wrongKey(b bucket, key []byte) error {
	return fmt.Errorf("%q: %w: a key has %d bytes", b, storage.ErrCorrupt, len(key))
}

// statusCodes maps the byte of each status in keys and records to the status. The
// meaning of a byte never changes.
var statusCodes = []schedctl.Status{
	1: schedctl.Draft,
	2: schedctl.Scheduled,
	3: schedctl.Publishing,
	4: schedctl.Published,
	5: schedctl.Failed,
	6: schedctl.Canceled,
}

// archivedBit is set in the status of an archived post in the keys of lists.
const archivedBit = 0x40

// listCode returns the status of a post in the keys of lists.
func listCode(p *schedctl.Post) byte {
	code := codeOf(statusCodes, p.Status())
	if !p.ArchivedAt.IsZero() {
		code |= archivedBit
	}
	return code
}

// mediaCodes maps the byte of each status of media assets in keys and records to the
// status. The meaning of a byte never changes.
var mediaCodes = []schedctl.MediaStatus{
	1: schedctl.MediaPending,
	2: schedctl.MediaReady,
	3: schedctl.MediaFailed,
}

// codeOf returns the index of a status, or 0 for an unknown status.
func codeOf[S ~string](codes []S, s S) byte { return byte(max(0, slices.Index(codes, s))) }

// concat appends the fields to dst, one after another.
func concat(dst []byte, fields ...[]byte) []byte {
	for _, f := range fields {
		dst = append(dst, f...)
	}
	return dst
}

func id(u []byte, prefix schedctl.Prefix) string { return ulid(u).ID(prefix) }
