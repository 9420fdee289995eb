package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// kind says how the records of one bucket are salvaged.
type kind struct {
	bucket bucket

	// reads reports whether an item is a readable record of this kind. It is false
	// for records of other kinds and for the rows of indexes.
	reads func(item) bool

	// put writes a row into the new file, unless that has a version of the record
	// with at least as many changes.
	put func(tx *tx, row row) error
}

// row is a record that was found.
type row struct {
	key, record []byte
	stray       bool // its leaf is outside the tree
}

// kinds are in the order in which they are written: a record is written after the
// records that it refers to.
var kinds = []kind{
	kindOf(workspaces, 16, credible(readWorkspace), nil, func(tx *tx, w schedctl.Workspace, _ row) error { return tx.PutWorkspace(w) }),
	kindOf(keys, 32, credible(keyTable.read), newerKey, func(tx *tx, k schedctl.APIKey, _ row) error { return tx.PutKey(k) }),
	kindOf(accounts, 32, credible(accountTable.read), newerAccount, putAccount),
	kindOf(queues, 32, credible(queueKind.read), newerQueue, func(tx *tx, q schedctl.Queue, _ row) error { return tx.PutQueue(q) }),
	kindOf(blackouts, 32, credible(blackoutKind.read), newerBlackout, func(tx *tx, b schedctl.Blackout, _ row) error { return tx.PutBlackout(b) }),
	kindOf(series, 32, credible(seriesKind.read), newerSeries, putSeries),
	kindOf(calendarFeeds, 32, credible(feedKind.read), nil, putFeed),
	kindOf(collections, 32, credible(collectionKind.read), newerCollection, putCollection),
	kindOf(aliases, 32, credible(aliasKind.read), newerAlias, putAlias),
	kindOf(shares, 32, credible(shareKind.read), newerShare, putShare),
	kindOf(sources, 32, credible(sourceKind.read), newerSource, putSource),
	kindOf(sourceItems, 32, credible(sourceItemKind.read), newerSourceItem, func(tx *tx, i schedctl.SourceItem, _ row) error { return tx.PutSourceItem(i) }),
	kindOf(webhooks, 32, credible(webhookTable.read), newerWebhook, putWebhook),
	kindOf(posts, 16, readPost, newerPost, putPost),
	kindOf(results, 32, credible(resultsKind.read), newerResults, putResults),
	kindOf(accountResults, 32, credible(accountResultsKind.read), newerAccountResults, func(tx *tx, a schedctl.AccountResults, _ row) error { return tx.PutAccountResults(a) }),
	kindOf(attempts, 20, readAttempt, newerAttempt, putAttempt),
	kindOf(idempotencyRecords, 40, readIdempotencyRecord, nil, salvageIdempotencyRecord),
	kindOf(events, 16, readEvent, nil, func(tx *tx, e schedctl.Event, _ row) error { return tx.AddEvents(e) }),
	kindOf(deliveries, 32, readDelivery, newerDelivery, putDelivery),
	kindOf(audit, 32, credible(auditTable.read), nil, func(tx *tx, a schedctl.AuditEntry, _ row) error { return tx.AddAudit(a) }),
	kindOf(media, 32, credible(mediaTable.read), newerMedia, func(tx *tx, a schedctl.MediaAsset, _ row) error { return tx.PutMediaAsset(a) }),
}

// kindOfBucket returns the kind of the records of a bucket, or nil for an index.
func kindOfBucket(b bucket) *kind {
	if i := slices.IndexFunc(kinds, func(k kind) bool { return k.bucket == b }); i >= 0 {
		return &kinds[i]
	}
	return nil
}

// kindOf returns the kind of a bucket whose keys have width bytes. newer reports
// whether a has more changes than b; it is nil for records that never change.
func kindOf[T any](
	b bucket, width int, read func(key, record []byte) (T, error),
	newer func(a, b *T) bool, put func(*tx, T, row) error,
) kind {
	return kind{
		bucket: b,
		reads: func(it item) bool {
			if it.bucket || len(it.key) != width {
				return false
			}
			_, err := read(it.key, it.value)
			return err == nil
		},
		put: func(tx *tx, row row) error {
			v, err := read(row.key, row.record)
			if err != nil {
				return err
			}
			if old := tx.in(b).Get(row.key); old != nil {
				known, err := read(row.key, old)
				if err != nil || newer == nil || !newer(&v, &known) {
					return err
				}
			}
			return put(tx, v, row)
		},
	}
}

// credible makes read refuse a record with a text that is not valid UTF-8, or a time that
// no client can set. Without it, some records can also be decoded as another kind: the ids
// in them look like short texts.
func credible[T any](read func(key, record []byte) (T, error)) func(key, record []byte) (T, error) {
	return func(key, record []byte) (v T, err error) {
		if v, err = read(key, record); err == nil && !credibleValue(reflect.ValueOf(v)) {
			err = fmt.Errorf("%w: a record has a text or a time that is not possible", storage.ErrCorrupt)
		}
		return v, err
	}
}

// credibleValue checks the fields and elements of a value. It ignores bytes, numbers and
// maps.
func credibleValue(v reflect.Value) bool {
	if t, ok := reflect.TypeAssert[time.Time](v); ok {
		return t.Year() > 0 && t.Year() <= 9999
	}
	switch v.Kind() {
	case reflect.String:
		return utf8.ValidString(v.String())
	case reflect.Pointer:
		return v.IsNil() || credibleValue(v.Elem())
	case reflect.Struct:
		for _, field := range v.Fields() {
			if !credibleValue(field) {
				return false
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if !credibleValue(v.Index(i)) {
				return false
			}
		}
	}
	return true
}

// readPost reads the record of a post. A post has a target; some records of events
// can be read as a post without one.
func readPost(key, record []byte) (p schedctl.Post, err error) {
	if len(key) != 16 {
		return p, wrongKey(posts, key)
	}
	p.ID = id(key, schedctl.PostPrefix)
	if err := decode(record, &p, (*coder).post); err != nil {
		return p, err
	}
	if len(p.Targets) == 0 {
		return p, fmt.Errorf("post %s: %w: it has no target", p.ID, storage.ErrCorrupt)
	}
	return p, nil
}

// readDelivery refuses a record whose event type no event has. Others can be results: the ids
// in them look like texts.
func readDelivery(key, record []byte) (d schedctl.Delivery, err error) {
	d, err = deliveryTable.read(key, record)
	if err == nil && strings.ContainsFunc(string(d.EventType), func(c rune) bool { return c <= ' ' || c > '~' }) {
		err = fmt.Errorf("delivery %s: %w: its event type is not possible", d.ID, storage.ErrCorrupt)
	}
	return d, err
}

func readIdempotencyRecord(key, record []byte) (a storage.IdempotencyRecord, err error) {
	if len(key) != 40 {
		return a, wrongKey(idempotencyRecords, key)
	}
	return a, decode(record, &a, (*coder).idempotencyRecord)
}

// newerKey prefers a revoked key, so that no key is valid again, and then the one
// that was used last.
func newerKey(a, b *schedctl.APIKey) bool {
	if a.RevokedAt.IsZero() != b.RevokedAt.IsZero() {
		return b.RevokedAt.IsZero()
	}
	return a.Hash == b.Hash && a.LastUsedAt.After(b.LastUsedAt)
}

func newerAccount(a, b *schedctl.Account) bool   { return a.UpdatedAt.After(b.UpdatedAt) }
func newerPost(a, b *schedctl.Post) bool         { return a.Version > b.Version }
func newerDelivery(a, b *schedctl.Delivery) bool { return a.Attempt > b.Attempt }
func newerMedia(a, b *schedctl.MediaAsset) bool  { return a.UpdatedAt.After(b.UpdatedAt) }

func newerWebhook(a, b *schedctl.Webhook) bool {
	if c := a.UpdatedAt.Compare(b.UpdatedAt); c != 0 {
		return c > 0
	}
	return a.Cursor > b.Cursor
}

func newerAttempt(a, b *schedctl.Attempt) bool {
	return b.FinishedAt.IsZero() && !a.FinishedAt.IsZero()
}

// putAccount gives an account another name if its own is taken.
func putAccount(tx *tx, a schedctl.Account, _ row) error {
	name := a.Name
	for n := 2; n < 100; n++ {
		err := tx.PutAccount(a)
		if schedctl.CodeOf(err) != schedctl.NameTaken {
			return err
		}
		a.Name = fmt.Sprintf("%s-%d", name, n)
	}
	return fmt.Errorf("account %s: its name %q is taken", a.ID, name)
}

// putWebhook disables a webhook from outside the tree, because it may have been
// deleted.
func putWebhook(tx *tx, w schedctl.Webhook, row row) error {
	if row.stray && w.Enabled {
		w.Enabled, w.DisabledReason = false, "salvaged from a damaged database; enable it if it is still wanted"
	}
	return tx.PutWebhook(w)
}

// putPost refuses a post that contradicts itself or another one.
func putPost(tx *tx, p schedctl.Post, _ row) error {
	if err := checkTargets(tx, &p); err != nil {
		return err
	}
	err := putWithExternalID(tx, p)
	if schedctl.CodeOf(err) == schedctl.SlotTaken {
		p.ReleaseSlot() // a post that has moved came back, or another one has taken its slot
		err = putWithExternalID(tx, p)
	}
	return err
}

// putWithExternalID puts a post whose external id may be taken by another post,
// because a post that was replaced can come back. The younger post keeps the
// external id.
func putWithExternalID(tx *tx, p schedctl.Post) error {
	err := tx.PutPost(p)
	if schedctl.CodeOf(err) != schedctl.ExternalIDExists {
		return err
	}
	other, err := tx.PostByExternalID(p.WorkspaceID, p.ExternalID)
	if err != nil {
		return err
	}
	if other.ID > p.ID {
		p.ExternalID, p.Managed = "", nil
		return tx.PutPost(p)
	}
	other.ExternalID, other.Managed = "", nil
	return errors.Join(tx.PutPost(other), tx.PutPost(p))
}

// checkTargets refuses a post if one of its targets belongs to a different post, if it has
// a target twice, or if two targets have the same account. One wrong bit in an id can
// cause this, because ids that are generated together differ in few bits.
func checkTargets(tx *tx, p *schedctl.Post) error {
	seen := map[string]bool{}
	for _, t := range p.Targets {
		route, err := tx.Route(t.ID)
		switch {
		case seen[t.ID], err == nil && route.PostID != p.ID:
			return fmt.Errorf("post %s: its target %s belongs to another post", p.ID, t.ID)
		case seen[t.AccountID]:
			return fmt.Errorf("post %s: it has account %s twice", p.ID, t.AccountID)
		case err != nil && schedctl.CodeOf(err) != schedctl.NotFound:
			return err
		}
		seen[t.ID], seen[t.AccountID] = true, true
	}
	return nil
}

// putAttempt ends an attempt that is running in its record, but that no target
// waits for.
func putAttempt(tx *tx, a schedctl.Attempt, _ row) error {
	post, err := tx.Post(a.WorkspaceID, a.PostID)
	gone := schedctl.CodeOf(err) == schedctl.NotFound
	if err != nil && !gone {
		return err
	}
	t := post.Target(a.TargetID)
	if a.FinishedAt.IsZero() && (t == nil || t.Attempts != a.Number) {
		a.FinishedAt, a.Outcome = schedctl.Millis(a.StartedAt), schedctl.OutcomeUnknown
		a.Error = &schedctl.TargetError{
			Kind: schedctl.KindUnknown, Code: "salvaged", Outcome: schedctl.OutcomeUnknown,
			Message: "the end of this attempt was lost with a damaged database",
		}
	}
	return tx.PutAttempt(a)
}

// salvageIdempotencyRecord keeps the younger of two records with the same scope. It
// refuses a record whose entry in the index belongs to another one: the end of one of the
// two hashes is damaged.
func salvageIdempotencyRecord(tx *tx, a storage.IdempotencyRecord, row row) error {
	hash := [32]byte(row.key[8:])
	old, _ := tx.idempotencyRecord(hash)
	if bytes.Compare(old, row.key) > 0 {
		return nil
	}
	at := timeKey(a.CreatedAt.UnixMilli())
	if old == nil && slices.Contains(tx.idempotency.find(readTime(hash[:])), at) {
		return fmt.Errorf("the record of an Idempotency-Key has the time and hash of another one: %w", storage.ErrCorrupt)
	}
	return tx.putIdempotencyRecord(hash, a)
}

// putDelivery also writes the deliveries of missing webhooks. Prune removes them.
func putDelivery(tx *tx, d schedctl.Delivery, row row) error {
	return tx.putDelivery(row.key, d)
}
