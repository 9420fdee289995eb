package postgres

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
)

// field maps one field of a record to a column and back. It is passed to Scan to be
// filled.
type field interface {
	// value returns the value of the column. It shares no memory with the record.
	value() (any, error)

	// same reports whether another field of its kind has the same column value. It may
	// return false for equal values.
	same(field) bool
}

// idField is an id in a column of type uuid, which preserves the order of ids. An
// optional id is null when it is empty.
type idField struct {
	prefix   schedctl.Prefix
	id       *string
	optional bool
}

func (f *idField) value() (any, error) {
	if f.optional && *f.id == "" {
		return pgtype.UUID{}, nil
	}
	return parse(f.prefix, *f.id)
}

func (f *idField) same(o field) bool { return *f.id == *o.(*idField).id }

func (f *idField) ScanUUID(v pgtype.UUID) error {
	*f.id = ""
	if v.Valid {
		*f.id = schedctl.ULID(v.Bytes).ID(f.prefix)
	}
	return nil
}

// parse returns the UUID of an id, or NOT_FOUND when the id is malformed.
func parse(prefix schedctl.Prefix, id string) (pgtype.UUID, error) {
	if u, ok := schedctl.ParseID(prefix, id); ok {
		return pgtype.UUID{Bytes: u, Valid: true}, nil
	}
	return pgtype.UUID{}, notFound(prefix, id)
}

// parse2 parses two ids.
func parse2(p1 schedctl.Prefix, id1 string, p2 schedctl.Prefix, id2 string) (a, b pgtype.UUID, err error) {
	if a, err = parse(p1, id1); err != nil {
		return a, b, err
	}
	b, err = parse(p2, id2)
	return a, b, err
}

func notFound(prefix schedctl.Prefix, id string) error {
	return schedctl.Errorf(schedctl.NotFound, "", "there is no %s %q", nouns[prefix], id)
}

var nouns = map[schedctl.Prefix]string{
	schedctl.PostPrefix: "post", schedctl.TargetPrefix: "target", schedctl.AccountPrefix: "account",
	schedctl.WorkspacePrefix: "workspace", schedctl.KeyPrefix: "API key", schedctl.EventPrefix: "event",
	schedctl.AttemptPrefix: "attempt", schedctl.WebhookPrefix: "webhook", schedctl.DeliveryPrefix: "delivery",
	schedctl.AuditPrefix: "audit entry", schedctl.MediaPrefix: "media asset",
	schedctl.QueuePrefix: "queue", schedctl.BlackoutPrefix: "blackout", schedctl.SeriesPrefix: "series",
	schedctl.CalendarFeedPrefix: "calendar feed", schedctl.CollectionPrefix: "collection", schedctl.AliasPrefix: "alias",
	schedctl.SharePrefix: "share", schedctl.SourcePrefix: "source", schedctl.SourceItemPrefix: "item of a source",
}

// textField is a string. It replaces NUL and invalid UTF-8, which the type text cannot
// hold, by U+FFFD: responses of networks and endpoints may contain them.
type textField[S ~string] struct{ s *S }

func (f textField[S]) value() (any, error) { return clean(string(*f.s)), nil }

func (f textField[S]) same(o field) bool { return *f.s == *o.(textField[S]).s }

func (f textField[S]) ScanText(v pgtype.Text) error {
	*f.s = S(v.String)
	return nil
}

func clean(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

type intField[I ~int | ~int64] struct{ n *I }

func (f intField[I]) value() (any, error) { return int64(*f.n), nil }

func (f intField[I]) same(o field) bool { return *f.n == *o.(intField[I]).n }

func (f intField[I]) ScanInt64(v pgtype.Int8) error {
	*f.n = I(v.Int64)
	return nil
}

type boolField struct{ b *bool }

func (f boolField) value() (any, error) { return *f.b, nil }

func (f boolField) same(o field) bool { return *f.b == *o.(boolField).b }

func (f boolField) ScanBool(v pgtype.Bool) error {
	*f.b = v.Bool
	return nil
}

// timeField is a time with millisecond precision; the zero time is null.
type timeField struct{ t *time.Time }

func (f timeField) value() (any, error) { return stamp(*f.t), nil }

func (f timeField) same(o field) bool { return stamp(*f.t) == stamp(*o.(timeField).t) }

func (f timeField) ScanTimestamptz(v pgtype.Timestamptz) error {
	*f.t = time.Time{}
	if v.Valid && v.InfinityModifier == pgtype.Finite {
		*f.t = v.Time.UTC()
	}
	return nil
}

// stamp returns the column value of a time.
func stamp(t time.Time) pgtype.Timestamptz {
	if t.IsZero() {
		return pgtype.Timestamptz{}
	}
	return stampMillis(t.UnixMilli())
}

// The first and the last millisecond of the type timestamptz.
var (
	firstMilli = time.Date(-4713, 11, 24, 0, 0, 0, 0, time.UTC).UnixMilli()
	lastMilli  = time.Date(294276, 12, 31, 23, 59, 59, 999_000_000, time.UTC).UnixMilli()
)

// stampMillis returns Unix milliseconds as a time. Values outside the range of
// timestamptz become infinity or -infinity.
func stampMillis(ms int64) pgtype.Timestamptz {
	switch {
	case ms < firstMilli:
		return pgtype.Timestamptz{InfinityModifier: pgtype.NegativeInfinity, Valid: true}
	case ms > lastMilli:
		return pgtype.Timestamptz{InfinityModifier: pgtype.Infinity, Valid: true}
	}
	return pgtype.Timestamptz{Time: time.UnixMilli(ms).UTC(), Valid: true}
}

// endOfTime is the value that expressions in indexes use for a missing time.
func endOfTime() pgtype.Timestamptz { return stampMillis(math.MaxInt64) }

// startOfTime is the value that expressions in indexes use for a missing time that
// sorts first.
func startOfTime() pgtype.Timestamptz { return stampMillis(math.MinInt64) }

// stampOrEnd is stamp with the end of time instead of null.
func stampOrEnd(t time.Time) pgtype.Timestamptz {
	if t.IsZero() {
		return endOfTime()
	}
	return stamp(t)
}

type bytesField struct{ b *[]byte }

func (f bytesField) value() (any, error) {
	if len(*f.b) == 0 {
		return []byte(nil), nil
	}
	return bytes.Clone(*f.b), nil
}

func (f bytesField) same(o field) bool { return bytes.Equal(*f.b, *o.(bytesField).b) }

func (f bytesField) ScanBytes(v []byte) error {
	*f.b = bytes.Clone(v)
	return nil
}

// hashField is a SHA-256.
type hashField struct{ h *[32]byte }

func (f hashField) value() (any, error) { return bytes.Clone(f.h[:]), nil }

func (f hashField) same(o field) bool { return *f.h == *o.(hashField).h }

func (f hashField) ScanBytes(v []byte) error {
	if len(v) != len(f.h) {
		return fmt.Errorf("a hash of %d bytes", len(v))
	}
	copy(f.h[:], v)
	return nil
}

// optionalHashField is a SHA-256; the zero hash is null.
type optionalHashField struct{ h *[32]byte }

func (f optionalHashField) value() (any, error) {
	if *f.h == ([32]byte{}) {
		return []byte(nil), nil
	}
	return hashField(f).value()
}

func (f optionalHashField) same(o field) bool { return *f.h == *o.(optionalHashField).h }

func (f optionalHashField) ScanBytes(v []byte) error {
	if *f.h = ([32]byte{}); v == nil {
		return nil
	}
	return hashField(f).ScanBytes(v)
}
