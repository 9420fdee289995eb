package bolt

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	bbolt "go.etcd.io/bbolt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// drawn is one line of the bucket tree in doc.go.
type drawn struct {
	Key, Value string
}

var line = regexp.MustCompile(`^\t(.+?)\s{2,}(\S.*?)\s+→ (.+)$`)

// drawing reads the bucket tree from the package comment.
func drawing(t *testing.T) map[string]drawn {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	tree := make(map[string]drawn)
	for text := range strings.Lines(f.Doc.Text()) {
		if m := line.FindStringSubmatch(strings.TrimSuffix(text, "\n")); m != nil {
			tree[m[1]] = drawn{Key: m[2], Value: m[3]}
		}
	}
	return tree
}

// recordReaders decode the kinds of records that doc.go names.
var recordReaders = map[string]func([]byte) error{
	"workspace record":   func(b []byte) error { return decode(b, new(schedctl.Workspace), (*coder).workspace) },
	"key record":         func(b []byte) error { return decode(b, new(schedctl.APIKey), (*coder).key) },
	"account record":     func(b []byte) error { return decode(b, new(schedctl.Account), (*coder).account) },
	"post record":        func(b []byte) error { return decode(b, new(schedctl.Post), (*coder).post) },
	"attempt record":     func(b []byte) error { return decode(b, new(schedctl.Attempt), (*coder).attempt) },
	"idempotency record": func(b []byte) error { return decode(b, new(storage.IdempotencyRecord), (*coder).idempotencyRecord) },
	"event record":       func(b []byte) error { return decode(b, new(schedctl.Event), (*coder).event) },
	"webhook record":     func(b []byte) error { return decode(b, new(schedctl.Webhook), (*coder).webhook) },
	"delivery record":    func(b []byte) error { return decode(b, new(schedctl.Delivery), (*coder).delivery) },
	"media record":       func(b []byte) error { return decode(b, new(schedctl.MediaAsset), (*coder).mediaAsset) },
	"audit record":       func(b []byte) error { return decode(b, new(schedctl.AuditEntry), (*coder).auditEntry) },
	"queue record":       func(b []byte) error { return decode(b, new(schedctl.Queue), queueKind.fields) },
	"blackout record":    func(b []byte) error { return decode(b, new(schedctl.Blackout), blackoutKind.fields) },
	"series record":      func(b []byte) error { return decode(b, new(schedctl.Series), seriesKind.fields) },

	"share record":           func(b []byte) error { return decode(b, new(schedctl.Share), shareKind.fields) },
	"source record":          func(b []byte) error { return decode(b, new(schedctl.Source), sourceKind.fields) },
	"source item record":     func(b []byte) error { return decode(b, new(schedctl.SourceItem), sourceItemKind.fields) },
	"results record":         func(b []byte) error { return decode(b, new(schedctl.Results), resultsKind.fields) },
	"account results record": func(b []byte) error { return decode(b, new(schedctl.AccountResults), accountResultsKind.fields) },
	"alias record":           func(b []byte) error { return decode(b, new(schedctl.Alias), aliasKind.fields) },
	"collection record":      func(b []byte) error { return decode(b, new(schedctl.Collection), collectionKind.fields) },
	"calendar feed record":   func(b []byte) error { return decode(b, new(schedctl.CalendarFeed), feedKind.fields) },
}

// fits reports whether a key or value matches its form in doc.go.
func fits(drawing string, b []byte) bool {
	if one, other, either := strings.Cut(drawing, " or "); either {
		return fits(one, b) || fits(other, b)
	}
	switch {
	case drawing == "nothing":
		return len(b) == 0
	case strings.HasSuffix(drawing, " record"):
		read := recordReaders[drawing]
		return read != nil && read(b) == nil
	case strings.HasPrefix(drawing, `"`):
		return strconv.Quote(string(b)) == drawing
	}
	width, open := 0, false
	for _, field := range strings.Fields(drawing) {
		_, size, _ := strings.Cut(field, ":")
		if size == "…" {
			open = true
			continue
		}
		n, err := strconv.Atoi(size)
		if err != nil {
			return false
		}
		width += n
	}
	return len(b) == width || open && len(b) > width
}

func TestDrawingIsTrue(t *testing.T) {
	t.Parallel()
	s := seeded(t)
	tree := drawing(t)
	found := make(map[string]bool)
	err := s.db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			bucket := string(name)
			found[bucket] = true
			if k, _ := b.Cursor().First(); k == nil {
				t.Errorf("bucket %q is empty: add a record in seeded", bucket)
			}
			return b.ForEach(func(k, v []byte) error {
				if d := tree[bucket]; v == nil || !fits(d.Key, k) || !fits(d.Value, v) {
					t.Errorf("bucket %q has key %x and value %x; doc.go has %q and %q", bucket, k, v, d.Key, d.Value)
				}
				return nil
			})
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string]bool)
	for bucket := range tree {
		want[bucket] = true
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("buckets (-doc.go +file):\n%s", diff)
	}
}

// seeded returns a store with records in every bucket.
func seeded(t *testing.T) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "seeded.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := s.Update(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	return s
}

// seedAnnotation returns a different annotation for each post.
func seedAnnotation(i int) schedctl.Annotation {
	externalID := fmt.Sprintf("seed/%d", i)
	return schedctl.Annotation{
		ExternalID: &externalID, Labels: &[]string{"seed"},
		Managed: &schedctl.Managed{Collection: "seed", Path: externalID, Digest: "1"},
	}
}

func seed(tx storage.Tx) error {
	now := time.Now()
	ws := schedctl.Workspace{ID: schedctl.NewID(schedctl.WorkspacePrefix, now), Name: "seed"}
	feed := schedctl.Account{ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: ws.ID, Platform: feedPlatform, Name: "blog"}
	key := schedctl.APIKey{ID: schedctl.NewID(schedctl.KeyPrefix, now), WorkspaceID: ws.ID}
	if err := tx.PutWorkspace(ws); err != nil {
		return err
	}
	if err := tx.PutAccount(feed); err != nil {
		return err
	}
	if err := tx.PutKey(key); err != nil {
		return err
	}
	if err := tx.PutIdempotencyRecord(storage.IdempotencyScope{WorkspaceID: ws.ID}, storage.IdempotencyRecord{CreatedAt: now}); err != nil {
		return err
	}
	if err := seedWebhook(tx, ws.ID, now); err != nil {
		return err
	}
	asset := seedMedia(ws.ID, now)
	if err := tx.PutMediaAsset(asset); err != nil {
		return err
	}
	attached := []schedctl.PostMedia{{AssetID: asset.ID, SHA256: asset.SHA256}}
	series, err := seedPlans(tx, feed, attached, now)
	if err != nil {
		return err
	}
	for i := range 3 { // scheduled, running and published
		p, events, err := schedctl.Create(schedctl.NewPost{WorkspaceID: ws.ID, Content: schedctl.Content{Text: "seed", Media: attached}, Accounts: []schedctl.Account{feed}, Now: true, Annotation: seedAnnotation(i)}, now)
		if err != nil {
			return err
		}
		if err := tx.AddEvents(events...); err != nil {
			return err
		}
		p.SeriesID, p.QueueID, p.Slot = series.ID, series.QueueID, schedctl.Slot{Local: series.Start, Timezone: series.Timezone}
		p.PublishAt = p.PublishAt.Add(time.Duration(i) * time.Hour)
		target := p.Targets[0].ID
		if i > 0 {
			a, err := p.Begin(schedctl.Claim{TargetID: target, Owner: "seed", Lease: time.Minute, Key: target}, now)
			if err != nil {
				return err
			}
			if err := tx.PutAttempt(a); err != nil {
				return err
			}
		}
		if i > 1 {
			if _, err := p.Finish(target, schedctl.Result{Receipt: &schedctl.Receipt{ID: "1"}}, now); err != nil {
				return err
			}
		}
		if err := tx.PutPost(p); err != nil {
			return err
		}
		source := schedctl.Source{ID: schedctl.NewID(schedctl.SourcePrefix, now), WorkspaceID: ws.ID, SourceProgress: schedctl.SourceProgress{WakeAt: now}}
		item := schedctl.SourceItem{ID: schedctl.NewID(schedctl.SourceItemPrefix, now), WorkspaceID: ws.ID, SourceID: source.ID, State: schedctl.ItemPosted, Keys: []string{"g1"}}
		if err := errors.Join(tx.PutSource(source), tx.PutSourceItem(item)); err != nil {
			return err
		}
		results := tx.PutResults(schedctl.Results{TargetID: target, WorkspaceID: ws.ID, PostID: p.ID, AccountID: feed.ID, NextAt: now})
		if err := errors.Join(results, tx.PutAccountResults(schedctl.AccountResults{AccountID: feed.ID, WorkspaceID: ws.ID})); err != nil {
			return err
		}
	}
	return nil
}

// seedPlans adds a queue, a blackout, a series with its media, a calendar feed, a
// collection, an alias and a share.
func seedPlans(tx storage.Tx, account schedctl.Account, media []schedctl.PostMedia, now time.Time) (s schedctl.Series, err error) {
	ws, ids := account.WorkspaceID, []string{account.ID}
	q := schedctl.Queue{
		ID: schedctl.NewID(schedctl.QueuePrefix, now), WorkspaceID: ws, Name: "seed", Timezone: "UTC", AccountIDs: ids,
		Times: []schedctl.QueueTime{{Days: schedctl.EveryDay, Minute: 540}}, Version: 1, Managed: sampleManaged(),
	}
	b := schedctl.Blackout{ID: schedctl.NewID(schedctl.BlackoutPrefix, now), WorkspaceID: ws, Mode: schedctl.BlackoutHold, EndsAt: now, Version: 1}
	f := schedctl.CalendarFeed{ID: schedctl.NewID(schedctl.CalendarFeedPrefix, now), WorkspaceID: ws, Name: "seed", Hash: [32]byte{1}}
	c := schedctl.Collection{ID: schedctl.NewID(schedctl.CollectionPrefix, now), WorkspaceID: ws, Name: "seed", Source: "example.org/seed"}
	a := schedctl.Alias{ID: schedctl.NewID(schedctl.AliasPrefix, now), WorkspaceID: ws, Kind: schedctl.AliasSnippet, Name: "seed", Text: "seed"}
	h := schedctl.Share{ID: schedctl.NewID(schedctl.SharePrefix, now), WorkspaceID: ws, Kind: schedctl.ShareReview, Name: "seed", Can: schedctl.ShareView, Hash: [32]byte{1}}
	s = schedctl.Series{
		ID: schedctl.NewID(schedctl.SeriesPrefix, now), WorkspaceID: ws, Name: "seed", Timezone: "UTC", Start: "2026-01-01T09:00",
		State: schedctl.SeriesActive, ExternalID: "seed", QueueID: q.ID, SweepAt: now, Version: 1,
	}
	if s.Template, err = schedctl.NewTemplate(schedctl.NewPost{WorkspaceID: ws, Content: schedctl.Content{Text: "seed", Media: media}, Accounts: []schedctl.Account{account}}, now); err != nil {
		return s, err
	}
	return s, errors.Join(tx.PutQueue(q), tx.PutBlackout(b), tx.PutSeries(s), tx.PutCalendarFeed(f), tx.PutCollection(c), tx.PutAlias(a), tx.PutShare(h))
}

// seedMedia returns an asset that is in all indexes.
func seedMedia(ws string, now time.Time) schedctl.MediaAsset {
	return schedctl.MediaAsset{
		ID: schedctl.NewID(schedctl.MediaPrefix, now), WorkspaceID: ws, FileName: "a.png", MIMEType: "image/png", Size: 1234,
		SHA256: [32]byte{1, 2, 3}, Status: schedctl.MediaReady, CreatedAt: now, ExpiresAt: now.Add(time.Hour),
	}
}

// seedWebhook adds a webhook with a pending delivery, and an audit entry.
func seedWebhook(tx storage.Tx, ws string, now time.Time) error {
	w := schedctl.Webhook{ID: schedctl.NewID(schedctl.WebhookPrefix, now), WorkspaceID: ws, URL: "https://example.com"}
	d := schedctl.Delivery{
		ID: schedctl.NewID(schedctl.DeliveryPrefix, now), WebhookID: w.ID, EventID: schedctl.NewID(schedctl.EventPrefix, now),
		Status: schedctl.DeliveryPending, NextAttemptAt: now, CreatedAt: now,
	}
	a := schedctl.AuditEntry{ID: schedctl.NewID(schedctl.AuditPrefix, now), WorkspaceID: ws, At: now, Action: "seed"}
	return errors.Join(tx.PutWebhook(w), tx.PutDelivery(d), tx.AddAudit(a))
}
