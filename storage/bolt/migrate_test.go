package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	bbolt "go.etcd.io/bbolt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// mark returns a migration that stores its name in the file.
func mark(name string) migration {
	return migration{name, func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists([]byte("marks"))
		if err != nil {
			return err
		}
		n, err := b.NextSequence()
		if err != nil {
			return err
		}
		return b.Put([]byte{byte(n)}, []byte(name))
	}}
}

// after returns the migrations followed by others.
func after(more ...migration) []migration { return append(slices.Clone(migrations), more...) }

// failing returns a migration that stores its name and then returns an error or panics.
func failing(name string, how func() error) migration {
	m := mark(name)
	return migration{name, func(tx *bbolt.Tx) error { return errors.Join(m.run(tx), how()) }}
}

// marks opens and closes the file with these migrations. It returns the names that the
// migrations stored, and the error of opening.
func marks(t *testing.T, path string, list []migration) (left []string, opened error) {
	t.Helper()
	s, opened := open(path, slog.New(slog.DiscardHandler), list)
	if opened == nil {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.View(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte("marks"))
		if b == nil {
			return nil
		}
		return b.ForEach(func(_, v []byte) error { left = append(left, string(v)); return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	return left, opened
}

func TestMigrations(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "old.db")
	full := errors.New("no space left")
	for _, step := range []struct {
		name  string
		list  []migration
		want  []string
		fails error
	}{
		{"a new file", migrations, nil, nil},
		{"two more versions", after(mark("two"), mark("three")), []string{"two", "three"}, nil},
		{"nothing new", after(mark("two"), mark("three")), []string{"two", "three"}, nil},
		{"an older program", after(mark("two")), []string{"two", "three"}, storage.ErrNewer},
		{
			"interrupted in the second of three",
			after(mark("two"), mark("three"), mark("four"), failing("five", func() error { return full }), mark("six")),
			[]string{"two", "three", "four"}, full,
		},
		{
			"continues after the last migration",
			after(mark("two"), mark("three"), failing("four", func() error { panic("run twice") }), mark("five"), mark("six")),
			[]string{"two", "three", "four", "five", "six"}, nil,
		},
	} {
		got, err := marks(t, path, step.list)
		if !errors.Is(err, step.fails) || (err == nil) != (step.fails == nil) {
			t.Errorf("%s: error %v, want %v", step.name, err, step.fails)
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s: marks (-want +got):\n%s", step.name, diff)
		}
	}
}

func TestMigrationErrorSaysWhereTheFileStands(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "old.db")
	if _, err := marks(t, path, migrations); err != nil {
		t.Fatal(err)
	}
	_, err := marks(t, path, after(failing("split posts", func() error { return errors.New("no") })))
	here := len(migrations)
	for _, want := range []string{fmt.Sprint("version ", here+1), "split posts", fmt.Sprint("still at version ", here)} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not contain %q", err, want)
		}
	}
}

// TestFailedCreationLeavesNoFile guards that no incomplete file gets the final name.
func TestFailedCreationLeavesNoFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new.db")
	for name, how := range map[string]func() error{
		"error": func() error { return errors.New("no") },
		"panic": func() error { panic("no") },
	} {
		if _, err := open(path, slog.New(slog.DiscardHandler), after(failing("two", how))); err == nil {
			t.Errorf("%s: open returned nil", name)
		}
		left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
		if err != nil || len(left) > 0 {
			t.Errorf("%s: files left: %v, %v", name, left, err)
		}
	}
}

// TestEventsOfAnOlderFileAreIndexed opens a file without the index of events by post.
func TestEventsOfAnOlderFileAreIndexed(t *testing.T) {
	t.Parallel()
	s := seeded(t)
	var all []schedctl.Event
	if err := s.View(t.Context(), func(r storage.Reader) (err error) {
		all, err = r.Events("", 100)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	path := s.path
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		return errors.Join(tx.DeleteBucket([]byte(bucketNames[eventsByPost])),
			tx.Bucket([]byte(bucketNames[meta])).Put(versionKey, binary.BigEndian.AppendUint64(nil, 2)))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}

	s, err = Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	seen := 0
	for _, e := range all {
		if err := s.View(t.Context(), func(r storage.Reader) error {
			list, err := r.PostEvents(e.PostID, 100)
			if !slices.ContainsFunc(list, func(found schedctl.Event) bool { return found.ID == e.ID }) {
				t.Errorf("%s is not among the events of its post", e.ID)
			}
			seen++
			return err
		}); err != nil {
			t.Error(err)
		}
	}
	if seen == 0 {
		t.Error("the file has no event")
	}
}

// TestOlderRecords opens files with records in earlier layouts. Version 3 had no webhooks,
// version 6 no external ids, version 7 no notifications, version 8 no media, version 9 no
// threads, version 10 no queues, version 11 no reviews, and
// version 13 no authors.
func TestOlderRecords(t *testing.T) {
	t.Parallel()
	for _, old := range []olderFile{
		version3, {6, 4, append([]bucket{externalIDs}, laterBuckets...)}, {7, 5, laterBuckets}, {8, 6, laterBuckets}, {9, 7, planBuckets}, {10, 8, planBuckets}, {11, 9, trustBuckets}, {13, 11, trustBuckets},
	} {
		t.Run(fmt.Sprint("version ", old.version), func(t *testing.T) { t.Parallel(); old.opens(t) })
	}
}

var version3 = olderFile{3, 2, append([]bucket{
	webhooks, webhookOwners, deliveries, pendingDeliveries, audit, contents, networkIDs, identities, externalIDs,
}, laterBuckets...)}

var (
	trustBuckets = []bucket{collections, aliases, shares, shareHashes, results, resultsDue, accountResults, sources, sourcesDue, sourceItems, sourceItemLists, sourceItemKeys}
	planBuckets  = []bucket{
		owners, queues, blackouts, blackoutEnds, series, seriesExternalIDs, seriesSweeps, calendarFeeds, calendarFeedHashes, slots, collections, aliases, shares, shareHashes, results, resultsDue, accountResults, sources, sourcesDue, sourceItems, sourceItemLists, sourceItemKeys,
	}
	laterBuckets = append([]bucket{media, mediaHashes, mediaSizes, mediaExpiry, mediaUses}, planBuckets...)
)

// olderFile describes an older version of the file.
type olderFile struct {
	version uint64
	layout  byte     // of records
	lacks   []bucket // buckets that later versions added
}

func (o olderFile) opens(t *testing.T) {
	s := seeded(t)
	var ws string
	var before []any
	everything := func(r storage.Reader) (all []any, err error) {
		list, err := r.Workspaces()
		if err != nil {
			return nil, err
		}
		ws = list[0].ID
		page, err1 := r.Posts(storage.PostQuery{WorkspaceID: ws, Limit: 100})
		events, err2 := r.Events("", 100)
		accounts, err3 := r.Accounts(ws)
		keys, err4 := r.Keys(ws)
		return []any{list, page, events, accounts, keys}, errors.Join(err1, err2, err3, err4)
	}
	err := s.Update(t.Context(), withoutNewFields)
	if err == nil {
		err = s.View(t.Context(), func(r storage.Reader) (err error) { before, err = everything(r); return err })
	}
	path := s.path
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	o.make(t, path)

	if s, err = Open(path, Options{}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	var after []any
	if err := s.View(t.Context(), func(r storage.Reader) (err error) { after, err = everything(r); return err }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("records (-before +after):\n%s", diff)
	}
	if err := s.Update(t.Context(), func(tx storage.Tx) error {
		p, _, err := schedctl.Create(schedctl.NewPost{WorkspaceID: ws, Content: schedctl.Content{Text: "new"}, Annotation: seedAnnotation(0)}, sampleTime)
		asset := seedMedia(ws, sampleTime)
		p.Media = []schedctl.PostMedia{{AssetID: asset.ID}}
		account := schedctl.Account{ID: schedctl.NewID(schedctl.AccountPrefix, sampleTime), WorkspaceID: ws}
		series, err2 := seedPlans(tx, account, p.Media, sampleTime)
		p.SeriesID = series.ID
		return errors.Join(err, err2, tx.PutPost(p), seedWebhook(tx, ws, sampleTime), tx.PutMediaAsset(asset))
	}); err != nil {
		t.Errorf("put a webhook, a series, and a post with an external id and media, into a migrated file: %v", err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func asTx(opened storage.Tx) *tx { return opened.(*tx) }

// withoutNewFields removes series, calendar feeds, collections, aliases, shares, results and sources, and from posts external ids, collections, labels, media
// and slots.
func withoutNewFields(tx storage.Tx) error {
	list, err := tx.Workspaces()
	if err != nil {
		return err
	}
	page, err := tx.Posts(storage.PostQuery{WorkspaceID: list[0].ID, Limit: 100})
	for _, p := range page.Posts {
		p.ExternalID, p.Managed, p.Labels, p.Media = "", nil, nil, nil
		p.Booking, p.SeriesID, p.Review = schedctl.Booking{}, "", schedctl.Review{}
		p.Trail = schedctl.Trail{}
		err = errors.Join(err, tx.PutPost(p), asTx(tx).dropResults(p.WorkspaceID, p.Targets[0].ID))
	}
	all, err2 := tx.SeriesList(list[0].ID, "", 100)
	for _, s := range all {
		err = errors.Join(err, tx.DeleteSeries(s.WorkspaceID, s.ID))
	}
	feeds, err3 := tx.CalendarFeeds(list[0].ID)
	for _, f := range feeds {
		err = errors.Join(err, tx.DeleteCalendarFeed(f.WorkspaceID, f.ID))
	}
	collections, err4 := tx.Collections(list[0].ID)
	for _, c := range collections {
		err = errors.Join(err, tx.DeleteCollection(c.WorkspaceID, c.ID))
	}
	sources, err6 := tx.Sources(list[0].ID)
	for _, s := range sources {
		err = errors.Join(err, tx.DeleteSource(s.WorkspaceID, s.ID))
	}
	items, err7 := tx.SourceItemsList(list[0].ID, "", 100)
	for _, i := range items {
		err = errors.Join(err, tx.DeleteSourceItem(i.WorkspaceID, i.ID))
	}
	err = errors.Join(err, err6, err7)
	aliases, err5 := tx.Aliases(list[0].ID)
	for _, a := range aliases {
		err = errors.Join(err, tx.DeleteAlias(a.WorkspaceID, a.ID))
	}
	shares, err6 := tx.Shares(list[0].ID)
	for _, s := range shares {
		err = errors.Join(err, tx.DeleteShare(s.WorkspaceID, s.ID))
	}
	readings, err7 := tx.AccountResultsList(list[0].ID)
	for _, a := range readings {
		err = errors.Join(err, deleteOwned(asTx(tx), &accountResultsKind, a.WorkspaceID, a.AccountID))
	}
	return errors.Join(err, err2, err3, err4, err5, err6, err7)
}

// make turns a current file into one of this version.
func (o olderFile) make(t *testing.T, path string) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, b := range o.lacks {
			if err := tx.DeleteBucket([]byte(bucketNames[b])); err != nil {
				return err
			}
		}
		for _, b := range []bucket{workspaces, keys, accounts, posts, attempts, idempotencyRecords, events, webhooks, deliveries, audit} {
			if slices.Contains(o.lacks, b) {
				continue
			}
			if err := inOlderLayout(tx.Bucket([]byte(bucketNames[b])), b, o.layout); err != nil {
				return err
			}
		}
		return tx.Bucket([]byte(bucketNames[meta])).Put(versionKey, binary.BigEndian.AppendUint64(nil, o.version))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// inOlderLayout rewrites all records of a bucket in an older layout.
func inOlderLayout(in *bbolt.Bucket, b bucket, layout byte) error {
	records := make(map[string][]byte)
	err := in.ForEach(func(k, v []byte) error { records[string(k)] = slices.Clone(v); return nil })
	if err != nil {
		return err
	}
	for key, record := range records {
		switch b {
		case posts:
			record, err = inLayout(layout, record, (*coder).post)
		case attempts:
			record, err = inLayout(layout, record, (*coder).attempt)
		case accounts:
			record, err = inLayout(layout, record, (*coder).account)
		case events:
			record, err = inLayout(layout, record, (*coder).event)
		case webhooks:
			record, err = inLayout(layout, record, (*coder).webhook)
		case workspaces:
			record, err = inLayout(layout, record, (*coder).workspace)
		case keys:
			record, err = inLayout(layout, record, (*coder).key)
		case audit:
			record, err = inLayout(layout, record, (*coder).auditEntry)
		default:
			record[0] = layout
		}
		if err != nil {
			return err
		}
		if err := in.Put([]byte(key), record); err != nil {
			return err
		}
	}
	return nil
}

// TestAFileOfVersion4 opens a file without the indexes of contents, network ids and
// identities. The file has enough posts for several pages.
func TestAFileOfVersion4(t *testing.T) {
	t.Parallel()
	s := seeded(t)
	account := schedctl.Account{
		ID: schedctl.NewID(schedctl.AccountPrefix, sampleTime), WorkspaceID: schedctl.NewID(schedctl.WorkspacePrefix, sampleTime),
		Platform: "mastodon", Name: "a", Username: "ann", Status: schedctl.AccountConnected,
	}
	at := sampleTime.Add(time.Hour)
	var last schedctl.Post
	err := s.Update(t.Context(), func(tx storage.Tx) error {
		for i := range 500 {
			p, _, err := schedctl.Create(schedctl.NewPost{WorkspaceID: account.WorkspaceID, Content: schedctl.Content{Text: fmt.Sprint("post ", i)}, Accounts: []schedctl.Account{account}, PublishAt: at}, sampleTime)
			if err != nil {
				return err
			}
			p.Targets[0].Status, p.Targets[0].PlatformPostID, p.Targets[0].PublishedAt = schedctl.Published, fmt.Sprint(1000+i), at
			if err := tx.PutPost(p); err != nil {
				return err
			}
			last = p
		}
		return tx.PutAccount(account)
	})
	path := s.path
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, b := range []bucket{contents, networkIDs, identities} {
			if err := tx.DeleteBucket([]byte(bucketNames[b])); err != nil {
				return err
			}
		}
		return tx.Bucket([]byte(bucketNames[meta])).Put(versionKey, binary.BigEndian.AppendUint64(nil, 4))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}

	if s, err = Open(path, Options{}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	err = s.View(t.Context(), func(r storage.Reader) error {
		posts, err1 := r.SameContent(storage.ContentQuery{AccountID: account.ID, Fingerprint: schedctl.FingerprintOf(last.Text), From: at, Until: at.Add(time.Second), Limit: 9})
		targets, err2 := r.PublishedAs([]storage.PlatformPost{{Owner: account.Identity(), ID: "1499"}})
		accounts, err3 := r.AccountsOf([]schedctl.Identity{account.Identity()})
		if len(posts) != 1 || posts[0] != last.ID || len(targets) != 1 || !slices.Equal(targets[0], []string{last.Targets[0].ID}) || len(accounts) != 1 {
			t.Errorf("found posts %v, targets %v, accounts %v", posts, targets, accounts)
		}
		return errors.Join(err1, err2, err3)
	})
	if err != nil {
		t.Error(err)
	}
}

// inLayout returns a record in an earlier layout.
func inLayout[T any](layout byte, record []byte, fields func(*coder, *T)) ([]byte, error) {
	var v T
	if err := decode(record, &v, fields); err != nil {
		return nil, err
	}
	c := coder{buf: []byte{layout}, layout: layout}
	fields(&c, &v)
	return c.buf, c.err
}

// TestFirstKeysMayApprove opens a file from the time before approvals and shares.
func TestFirstKeysMayApprove(t *testing.T) {
	t.Parallel()
	s := seeded(t)
	now := schedctl.Millis(time.Now())
	var ws string
	var want []schedctl.APIKey
	err := s.Update(t.Context(), func(tx storage.Tx) error {
		list, err := tx.Workspaces()
		if err != nil {
			return err
		}
		ws, want = list[0].ID, nil
		for i, scopes := range [][]schedctl.Scope{schedctl.FirstScopes(), {schedctl.ScopePostsWrite, schedctl.ScopePostsDraft}, schedctl.FirstScopes()} {
			if i == 0 {
				scopes[slices.Index(scopes, schedctl.ScopePostsApprove)] = schedctl.ScopePostsDraft
			}
			if i == 2 {
				scopes = slices.DeleteFunc(scopes, func(s schedctl.Scope) bool { return s == schedctl.ScopeSharesWrite })
			}
			k := schedctl.APIKey{ID: schedctl.NewID(schedctl.KeyPrefix, now), WorkspaceID: ws, Name: "old", Hash: [32]byte{9, byte(i)}, Scopes: scopes, CreatedAt: now}
			if err := tx.PutKey(k); err != nil {
				return err
			}
			if changed := k.LetApprove(); changed != (i == 0) {
				t.Errorf("key %d changes: %t", i, changed)
			}
			if shares := k.LetShare(); shares != (i == 2) {
				t.Errorf("key %d may share now: %t", i, shares)
			}
			want = append(want, k)
		}
		return withoutNewFields(tx)
	})
	path := s.path
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	olderFile{11, 9, nil}.make(t, path)
	if s, err = Open(path, Options{}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.View(t.Context(), func(r storage.Reader) error {
		for _, k := range want {
			got, err := r.KeyByHash(k.Hash)
			if diff := cmp.Diff(k, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		}
		return nil
	})
	if err := errors.Join(err, s.Check(t.Context())); err != nil {
		t.Error(err)
	}
}

// listWithoutTimes changes the indexes of a file to those before drafts were listed with
// their proposed times.
func listWithoutTimes(t *testing.T, path string) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	moved := 0
	err = db.Update(func(tx *bbolt.Tx) error {
		in := buckets{bolt: tx}
		return in.in(posts).ForEach(func(key, record []byte) error {
			p := schedctl.Post{ID: id(key, schedctl.PostPrefix)}
			if err := decode(record, &p, (*coder).post); err != nil {
				return err
			}
			is, err := entries(nil, &p)
			p.Proposed = schedctl.ProposedTime{}
			was, err2 := entries(nil, &p)
			for i := range is {
				if !holds(was, &is[i]) {
					moved++
					err = errors.Join(err, in.in(is[i].bucket).Delete(is[i].key()), in.in(was[i].bucket).Put(was[i].key(), was[i].value()))
				}
			}
			return errors.Join(err, err2)
		})
	})
	if err := errors.Join(err, db.Close()); err != nil || moved == 0 {
		t.Fatal(moved, err)
	}
}

// TestAltTextsAreCopied opens a file of the version before posts had all alt texts, also one
// that is salvaged.
func TestAltTextsAreCopied(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "old.db")
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var old storagetest.OldAltTexts
	err = s.Update(t.Context(), func(tx storage.Tx) (err error) { old, err = storagetest.PutOldAltTexts(tx); return err })
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	olderFile{version: 13, layout: 11}.make(t, path)
	listWithoutTimes(t, path)
	salvaged := filepath.Join(t.TempDir(), "salvaged.db")
	if _, err := Salvage(t.Context(), path, salvaged, SalvageOptions{}); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"migrated": path, "salvaged": salvaged} {
		s, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.View(t.Context(), old.Copied), s.Check(t.Context()), s.Close()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
