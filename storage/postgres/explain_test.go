// Query plans do not depend on the race detector.

//go:build !race

package postgres

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// seed fills the tables.
//
//go:embed testdata/seed.sql
var seed string

// manyPosts is the number of posts whose plans are checked. A plan that scans a table or
// sorts much of it fails in the small form, too.
var manyPosts = testsize.Of(100_000, 1_000_000)

// maxSorted is how many rows a plan may sort.
var maxSorted = float64(manyPosts) / 20

// recorder records every distinct statement that is sent.
type recorder struct {
	mu   sync.Mutex // mu guards sent
	sent map[string][]any
}

func (r *recorder) add(sql string, args []any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, there := r.sent[sql]; !there {
		r.sent[sql] = args
	}
}

func (r *recorder) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	r.add(d.SQL, d.Args)
	return ctx
}

func (r *recorder) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (r *recorder) TraceBatchStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceBatchStartData) context.Context {
	for _, q := range d.Batch.QueuedQueries {
		r.add(q.SQL, q.Arguments)
	}
	return ctx
}

func (r *recorder) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (r *recorder) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

// TestEveryStatementUsesAnIndex checks the plan of every statement of the engine with
// manyPosts posts. No plan may scan a large table or sort much of one.
func TestEveryStatementUsesAnIndex(t *testing.T) {
	if testing.Short() {
		t.Skip("judges plans of PostgreSQL, and says nothing about goroutines")
	}
	t.Parallel()
	sent := &recorder{sent: make(map[string][]any)}
	config, mode, err := parseURL(postgrestest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	config.ConnConfig.Tracer = sent
	s, err := open(t.Context(), config, mode, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	conn, err := pgx.Connect(t.Context(), config.ConnString())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	began := time.Now()
	if _, err := conn.Exec(t.Context(), strings.NewReplacer(":posts", strconv.Itoa(manyPosts), ":others", "100000").Replace(seed)); err != nil {
		t.Fatal(err)
	}
	t.Logf("seeded in %v", time.Since(began))
	clear(sent.sent)
	useEverything(t, s)
	t.Logf("all statements sent in %v", time.Since(began))
	judged := 0
	for sql, args := range sent.sent {
		if verb, _, _ := strings.Cut(sql, " "); slices.Contains([]string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH"}, verb) {
			checkPlan(t, conn, sql, args)
			judged++
		}
	}
	if judged < 80 {
		t.Errorf("only %d statements were checked", judged)
	}
	checkListPlans(t, conn, sent)
	checkSlotPlan(t, conn, sent)
}

// checkSlotPlan runs the statement that searches for slots. It may read only the targets
// of the accounts between the two times, and for each status the end of its range.
func checkSlotPlan(t *testing.T, conn *pgx.Conn, sent *recorder) {
	t.Helper()
	const targets = 2 * 3 * 24 * 360 / 50 // the seed has a post each 10 seconds for one of 50 accounts
	searches := 0
	for sql, args := range sent.sent {
		if !strings.Contains(sql, "AS of (account)") {
			continue
		}
		searches++
		for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
			if _, err := conn.Exec(t.Context(), "SET plan_cache_mode = "+mode); err != nil {
				t.Fatal(err)
			}
			var explained []byte
			if err := conn.QueryRow(t.Context(), "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) "+sql, args...).Scan(&explained); err != nil {
				t.Fatal(err)
			}
			var plans []struct{ Plan plan }
			if err := json.Unmarshal(explained, &plans); err != nil || len(plans) != 1 {
				t.Fatalf("the plan cannot be read: %v", err)
			}
			if read := plans[0].Plan.read(); read > 1.1*targets {
				t.Errorf("a search for slots reads %.0f rows, want about %d:\n%s", read, targets, explained)
			}
		}
	}
	if searches != 1 {
		t.Errorf("%d statements search for slots, want 1", searches)
	}
}

// useEverything calls everything that reads or writes, in every way that produces its
// own statement.
func useEverything(t *testing.T, s *Store) {
	t.Helper()
	calls := 0
	try := func(err error) {
		t.Helper()
		calls++
		if err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
			t.Errorf("call %d: %v", calls, err)
		}
	}
	try(s.View(t.Context(), func(r storage.Reader) error { readEverything(r, try); return nil }))
	for _, careful := range []bool{false, true} {
		try(s.run(t.Context(), func(tx storage.Tx) error { readEverything(tx, try); return nil }, careful))
		try(s.run(t.Context(), func(tx storage.Tx) error { writeEverything(tx, try); return nil }, careful))
	}
	useNodes(t, s, try)
	s.gaps.report(1)
	try(s.gaps.resolve(t.Context(), 1))
	var ended commitMark
	try(s.run(t.Context(), func(made storage.Tx) error {
		tx := made.(*tx)
		err := tx.send()
		ended = tx.mark
		return err
	}, false))
	_, _, err := s.queryOutcome(t.Context(), ended)
	try(err)
}

// useNodes calls everything that nodes use.
func useNodes(t *testing.T, s *Store, try func(error)) {
	t.Helper()
	n := storage.Node{ID: schedctl.NewULID(time.Now()).String()}
	try(s.Heartbeat(t.Context(), n, time.Minute))
	_, err := s.Nodes(t.Context())
	try(err)
	_, err = s.Hold(t.Context(), n.ID, "it")
	try(err)
	try(s.Release(t.Context(), n.ID, "it"))
	try(s.Leave(t.Context(), n.ID))
	_, err = s.UseTokens(t.Context(), []storage.TokenUse{{Bucket: "b", Tokens: 1, Every: time.Second}})
	try(err)
}

// seeded returns the id of a seeded record.
func seeded(p schedctl.Prefix, n int) string {
	return schedctl.ULID{0x01, 0x9a, 6: 0x70, 8: 0x80, 14: byte(n >> 8), 15: byte(n)}.ID(p)
}

// readEverything calls all reads. A transaction lists posts with the same statements as
// a snapshot, so that listing once suffices.
func readEverything(r storage.Reader, try func(error)) {
	ws, post, target := seeded(schedctl.WorkspacePrefix, 0), seeded(schedctl.PostPrefix, 9), seeded(schedctl.TargetPrefix, 9)
	account, event, webhook := seeded(schedctl.AccountPrefix, 9), seeded(schedctl.EventPrefix, 9), seeded(schedctl.WebhookPrefix, 9)
	if _, snapshot := r.(*reader); snapshot {
		listEverything(r, try, ws, account)
		listProposals(r, try, ws, account)
	}
	for _, account := range []string{"", account} {
		_, err := r.Posts(storage.PostQuery{WorkspaceID: ws, AccountID: account, Limit: 20})
		try(err)
	}
	reads := []func() error{
		func() error { _, err := r.Post(ws, post); return err },
		func() error { _, err := r.PostByExternalID(ws, "site/9"); return err },
		func() error { _, err := r.PostByExternalID(ws, "none"); return err },
		func() error { _, err := r.Route(target); return err },
		func() error {
			return storage.Prepare(r, []string{seeded(schedctl.TargetPrefix, 8), seeded(schedctl.TargetPrefix, 7)})
		},
		func() error { n := 0; return r.Due(schedctl.Due{}, func(schedctl.Due) bool { n++; return n < 200 }) },
		func() error { _, err := r.Attempts(target); return err },
		func() error {
			_, err := r.LatestAttempts([]string{target, seeded(schedctl.TargetPrefix, 8)}, 50)
			return err
		},
		func() error { _, err := r.RunningAttempts(); return err },
		func() (err error) {
			if tx, ok := r.(storage.SharedTx); ok {
				_, err = tx.RunningOf(account)
			}
			return err
		},
		func() error { _, err := r.PublishedTargets(account, storage.PublishedTarget{}, 20); return err },
		func() error {
			_, err := r.PublishedTargets(account, storage.PublishedTarget{At: time.Now(), TargetID: target}, 20)
			return err
		},
		func() error {
			_, err := r.SameContent(storage.ContentQuery{AccountID: account, Until: time.Now(), Limit: 2})
			return err
		},
		func() error {
			of := schedctl.Identity{Platform: "mastodon", Login: "a"}
			_, err := r.PublishedAs([]storage.PlatformPost{{Owner: of, ID: "1"}, {Owner: of, ID: "2"}})
			return err
		},
		func() error {
			_, err := r.AccountsOf([]schedctl.Identity{{Platform: "mastodon", Login: "a"}, {Platform: "mastodon", Login: "b"}})
			return err
		},
		func() error { _, err := r.Account(ws, account); return err },
		func() error { _, err := r.Accounts(ws); return err },
		func() error { _, err := r.Feed("blog"); return err },
		func() error { _, err := r.IdempotencyRecord(storage.IdempotencyScope{}); return err },
		func() error { _, err := r.Workspace(ws); return err },
		func() error { _, err := r.Workspaces(); return err },
		func() error { _, err := r.KeyByHash([32]byte{}); return err },
		func() error { _, err := r.Keys(ws); return err },
		func() error { _, err := r.Key(ws, seeded(schedctl.KeyPrefix, 5)); return err },
		func() error { _, err := r.Events("", 100); return err },
		func() error { _, err := r.Events(event, 100); return err },
		func() error {
			_, err := r.Events(schedctl.NewID(schedctl.EventPrefix, time.Unix(0, 0)), 100)
			return err
		},
		func() error {
			_, err := r.Events(schedctl.NewID(schedctl.EventPrefix, time.Now().AddDate(9, 0, 0)), 100)
			return err
		},
		func() error { _, err := r.Event(event); return err },
		func() error { _, err := r.LastEvent(); return err },
		func() error { _, err := r.PostEvents(post, 50); return err },
		func() error { _, err := r.MediaAsset(ws, seeded(schedctl.MediaPrefix, 100)); return err },
		func() error { _, err := r.MediaAssets(ws, "", 20); return err },
		func() error { _, err := r.MediaAssets(ws, seeded(schedctl.MediaPrefix, 900), 20); return err },
		func() error { _, err := r.MediaByHash(ws, [32]byte{1}, 20); return err },
		func() error { _, err := r.HasMedia([32]byte{1}); return err },
		func() error { _, err := r.MediaSize(ws); return err },
		func() error { _, err := r.MediaUsers(seeded(schedctl.MediaPrefix, 100), 20); return err },
		func() error { _, err := r.ExpiredMedia(time.Now(), 20); return err },
		func() error { _, err := r.Queue(ws, seeded(schedctl.QueuePrefix, 100)); return err },
		func() error { _, err := r.Queues(ws); return err },
		func() error { _, err := r.Blackout(ws, seeded(schedctl.BlackoutPrefix, 100)); return err },
		func() error { _, err := r.Blackouts(ws); return err },
		func() error { _, err := r.BlackoutsByEnd(time.Now(), 20); return err },
		func() error { _, err := r.Series(ws, seeded(schedctl.SeriesPrefix, 100)); return err },
		func() error { _, err := r.SeriesList(ws, "", 20); return err },
		func() error { _, err := r.SeriesList(ws, seeded(schedctl.SeriesPrefix, 900), 20); return err },
		func() error { _, err := r.SeriesByExternalID(ws, "site/100"); return err },
		func() error { _, err := r.SeriesDue(time.Now(), 100); return err },
		func() error { _, err := r.CalendarFeeds(ws); return err },
		func() error { _, err := r.CalendarFeedByHash([32]byte{1}); return err },
		func() error { _, err := r.Collections(ws); return err },
		func() error { _, err := r.Aliases(ws); return err },
		func() error { _, err := r.ResultsList(ws, "", 20); return err },
		func() error { _, err := r.ResultsDue(time.Now(), 20); return err },
		func() error { _, err := r.Source(ws, seeded(schedctl.SourcePrefix, 100)); return err },
		func() error { _, err := r.Sources(ws); return err },
		func() error { _, err := r.SourcesDue(time.Now(), 20); return err },
		func() error { _, err := r.SourceItem(ws, seeded(schedctl.SourceItemPrefix, 100)); return err },
		func() error {
			_, err := r.SourceItems(storage.SourceItemQuery{WorkspaceID: ws, SourceID: seeded(schedctl.SourcePrefix, 100), Limit: 20})
			return err
		},
		func() error {
			_, err := r.SourceItems(storage.SourceItemQuery{WorkspaceID: ws, SourceID: seeded(schedctl.SourcePrefix, 100), State: schedctl.ItemPosted, AfterID: seeded(schedctl.SourceItemPrefix, 900), Limit: 20})
			return err
		},
		func() error { _, err := r.SourceItemsList(ws, "", 20); return err },
		func() error { _, err := r.SourceItemsByKey(ws, []string{"g100", "l100", "h100"}); return err },
		func() error { _, err := r.Shares(ws); return err },
		func() error { _, err := r.ShareByHash([32]byte{1}); return err },
		func() error { _, err := r.Occupied(slotSearch(ws)); return err },
		func() error { _, err := r.Webhook(ws, webhook); return err },
		func() error { _, err := r.Webhooks(ws); return err },
		func() error { _, err := r.Delivery(webhook, seeded(schedctl.DeliveryPrefix, 8)); return err },
		func() error { _, err := r.Deliveries(webhook, "", 20); return err },
		func() error { _, err := r.Deliveries(webhook, seeded(schedctl.DeliveryPrefix, 900), 20); return err },
		func() error { _, err := r.PendingDeliveries(webhook, 20); return err },
		func() error { _, err := r.Audit(ws, "", 20); return err },
		func() error { _, err := r.Audit(ws, seeded(schedctl.AuditPrefix, 900), 20); return err },
	}
	for _, read := range reads {
		try(read())
	}
}

// slotSearch selects what a search for a slot reads: some days of some accounts.
func slotSearch(ws string) storage.OccupiedQuery {
	from := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	return storage.OccupiedQuery{
		WorkspaceID: ws, AccountIDs: []string{seeded(schedctl.AccountPrefix, 8), seeded(schedctl.AccountPrefix, 9)},
		From: from, Until: from.AddDate(0, 0, 3), Limit: 5000,
	}
}

// listEverything lists posts with every combination of filters.
func listEverything(r storage.Reader, try func(error), ws, account string) {
	sometime := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	for _, sort := range []storage.Sort{storage.NewestFirst, storage.OldestFirst, storage.PublishAscending, storage.PublishDescending} {
		for _, account := range []string{"", account} {
			for _, q := range []storage.PostQuery{
				{}, {Statuses: []schedctl.Status{schedctl.Canceled}}, {Statuses: []schedctl.Status{schedctl.Scheduled}}, {PublishAfter: sometime}, {PublishBefore: sometime},
				{PublishAfter: sometime, PublishBefore: sometime.AddDate(0, 1, 0)}, {Search: "post", Limit: 3},
				{Collection: "site9"}, {Collection: "site9", Statuses: []schedctl.Status{schedctl.Canceled}}, {Collection: "site9", PublishAfter: sometime},
				{ExternalID: "site/9"}, {ExternalID: "site/9", Collection: "site9"}, {Labels: []string{"a"}, Limit: 3},
				{QueueID: seeded(schedctl.QueuePrefix, 8)}, {QueueID: seeded(schedctl.QueuePrefix, 8), Statuses: []schedctl.Status{schedctl.Scheduled}, PublishAfter: sometime},
				{Approval: schedctl.ApprovalPending}, {Approval: schedctl.ApprovalPending, Statuses: []schedctl.Status{schedctl.Draft}, PublishAfter: sometime},
				{CreatedBy: seeded(schedctl.KeyPrefix, 5)}, {CreatedBy: seeded(schedctl.KeyPrefix, 5), Statuses: []schedctl.Status{schedctl.Draft}},
				{SeriesID: seeded(schedctl.SeriesPrefix, 5)}, {SeriesID: seeded(schedctl.SeriesPrefix, 5), Statuses: []schedctl.Status{schedctl.Scheduled}, PublishAfter: sometime},
			} {
				q.WorkspaceID, q.AccountID, q.Sort = ws, account, sort
				q.Limit = max(q.Limit, 20)
				page, err := r.Posts(q)
				try(err)
				for _, q.After = range []*storage.Position{page.Next, {PostID: seeded(schedctl.PostPrefix, 500)}} {
					_, err = r.Posts(q)
					try(err)
				}
			}
		}
	}
}

// listProposals lists posts with the drafts that propose a time.
func listProposals(r storage.Reader, try func(error), ws, account string) {
	sometime := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	for _, sort := range []storage.Sort{storage.PublishAscending, storage.PublishDescending} {
		for _, account := range []string{"", account} {
			for _, statuses := range [][]schedctl.Status{nil, {schedctl.Draft}, {schedctl.Scheduled, schedctl.Publishing}} {
				q := storage.PostQuery{WorkspaceID: ws, AccountID: account, Statuses: statuses, Proposed: true, PublishAfter: sometime, Sort: sort, Limit: 20}
				page, err := r.Posts(q)
				try(err)
				q.After, q.PublishBefore = page.Next, sometime.AddDate(0, 1, 0)
				_, err = r.Posts(q)
				try(err)
			}
		}
	}
}

func writeEverything(tx storage.Tx, try func(error)) {
	now := time.Now()
	ws := seeded(schedctl.WorkspacePrefix, 0)
	account := schedctl.Account{ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: ws, Name: schedctl.NewULID(now).String()}
	post, made, err := schedctl.Create(schedctl.NewPost{WorkspaceID: ws, Content: schedctl.Content{Text: "x"}, Accounts: []schedctl.Account{account}, Now: true}, now)
	try(err)
	try(tx.PutAccount(account))
	try(tx.PutPost(post))
	try(tx.AddEvents(made...))
	post.Text, post.ExternalID, post.Media = "y", post.ID, []schedctl.PostMedia{{AssetID: seeded(schedctl.MediaPrefix, 9)}}
	try(tx.PutPost(post))
	post.QueueID, post.SeriesID = seeded(schedctl.QueuePrefix, 9), seeded(schedctl.SeriesPrefix, 9)
	post.Slot = schedctl.Slot{Local: "2026-01-01T09:00", Timezone: "UTC"}
	try(tx.PutPost(post))
	post.Targets = nil
	try(tx.PutPost(post))
	writePlans(tx, try, ws)
	try(tx.PutAttempt(schedctl.Attempt{
		ID: schedctl.NewID(schedctl.AttemptPrefix, now), TargetID: seeded(schedctl.TargetPrefix, 9), PostID: post.ID, AccountID: account.ID, WorkspaceID: ws,
	}))
	try(tx.PutWorkspace(schedctl.Workspace{ID: ws}))
	try(tx.PutKey(schedctl.APIKey{ID: schedctl.NewID(schedctl.KeyPrefix, now), WorkspaceID: ws, Hash: [32]byte(append([]byte(post.ID), 0))}))
	for _, key := range []string{"looked for", "not looked for"} {
		answer := storage.IdempotencyScope{IdempotencyKey: post.ID + key}
		if key == "looked for" {
			_, err := tx.IdempotencyRecord(answer)
			try(err)
		}
		try(tx.PutIdempotencyRecord(answer, storage.IdempotencyRecord{CreatedAt: now}))
	}
	hook := schedctl.Webhook{ID: schedctl.NewID(schedctl.WebhookPrefix, now), WorkspaceID: ws}
	try(tx.PutWebhook(hook))
	try(tx.PutDelivery(schedctl.Delivery{ID: schedctl.NewID(schedctl.DeliveryPrefix, now), WebhookID: hook.ID, EventID: made[0].ID}))
	try(tx.DeleteWebhook(ws, hook.ID))
	asset := schedctl.MediaAsset{ID: schedctl.NewID(schedctl.MediaPrefix, now), WorkspaceID: ws, SHA256: [32]byte{1}}
	try(tx.PutMediaAsset(asset))
	try(tx.DeleteMediaAsset(ws, asset.ID))
	try(tx.AddAudit(schedctl.AuditEntry{ID: schedctl.NewID(schedctl.AuditPrefix, now), WorkspaceID: ws, At: now}))
	old := time.Date(2026, 1, 1, 0, 1, 0, 0, time.UTC)
	_, err = tx.Prune(storage.Retention{IdempotencyRecords: old, Events: old, Deliveries: old, Audit: old}, 1000)
	try(err)
	try(tx.DeletePost(ws, post.ID))
}

// writePlans writes queues, blackouts, series, calendar feeds, collections, aliases, shares, results and sources.
func writePlans(tx storage.Tx, try func(error), ws string) {
	now := time.Now()
	q := schedctl.Queue{ID: schedctl.NewID(schedctl.QueuePrefix, now), WorkspaceID: ws}
	b := schedctl.Blackout{ID: schedctl.NewID(schedctl.BlackoutPrefix, now), WorkspaceID: ws}
	s := schedctl.Series{ID: schedctl.NewID(schedctl.SeriesPrefix, now), WorkspaceID: ws}
	f := schedctl.CalendarFeed{ID: schedctl.NewID(schedctl.CalendarFeedPrefix, now), WorkspaceID: ws}
	c := schedctl.Collection{ID: schedctl.NewID(schedctl.CollectionPrefix, now), WorkspaceID: ws}
	a := schedctl.Alias{ID: schedctl.NewID(schedctl.AliasPrefix, now), WorkspaceID: ws}
	h := schedctl.Share{ID: schedctl.NewID(schedctl.SharePrefix, now), WorkspaceID: ws}
	r := schedctl.Results{TargetID: schedctl.NewID(schedctl.TargetPrefix, now), WorkspaceID: ws}
	u := schedctl.AccountResults{AccountID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: ws}
	source := schedctl.Source{ID: schedctl.NewID(schedctl.SourcePrefix, now), WorkspaceID: ws}
	item := schedctl.SourceItem{ID: schedctl.NewID(schedctl.SourceItemPrefix, now), WorkspaceID: ws}
	h.Hash = sha256.Sum256([]byte(h.ID))
	f.Hash, s.ExternalID = sha256.Sum256([]byte(f.ID)), s.ID
	for range 2 {
		try(tx.PutQueue(q))
		try(tx.PutBlackout(b))
		try(tx.PutSeries(s))
		try(tx.PutCalendarFeed(f))
		try(tx.PutCollection(c))
		try(tx.PutAlias(a))
		try(tx.PutShare(h))
		try(tx.PutResults(r))
		try(tx.PutSource(source))
		try(tx.PutSourceItem(item))
		_, err := tx.Results(ws, []string{r.TargetID})
		try(err)
		try(tx.PutAccountResults(u))
		_, err = tx.AccountResults(ws, u.AccountID)
		try(err)
		_, err = tx.AccountResultsList(ws)
		try(err)
	}
	try(tx.DeleteQueue(ws, q.ID))
	try(tx.DeleteBlackout(ws, b.ID))
	try(tx.DeleteSeries(ws, s.ID))
	try(tx.DeleteCalendarFeed(ws, f.ID))
	try(tx.DeleteCollection(ws, c.ID))
	try(tx.DeleteAlias(ws, a.ID))
	try(tx.DeleteShare(ws, h.ID))
	try(tx.DeleteSource(ws, source.ID))
	try(tx.DeleteSourceItem(ws, item.ID))
}

// checkPlan checks the plans of a statement: the one for its arguments, and the generic
// one.
func checkPlan(t *testing.T, conn *pgx.Conn, sql string, args []any) {
	t.Helper()
	ctx := t.Context()
	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(ctx)
	var custom, generic []byte
	if err := tx.QueryRow(ctx, "EXPLAIN (FORMAT JSON) "+sql, args...).Scan(&custom); err != nil {
		t.Errorf("%s: %v", sql, err)
		return
	}
	failPlan(t, "for its arguments", sql, custom)
	nulls := ""
	if len(args) > 0 {
		nulls = "(" + strings.TrimSuffix(strings.Repeat("NULL,", len(args)), ",") + ")"
	}
	for _, step := range []string{"SET LOCAL plan_cache_mode = force_generic_plan", "PREPARE judged AS " + sql} {
		if _, err := tx.Exec(ctx, step, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Errorf("%s: %v", step, err)
			return
		}
	}
	if err := tx.QueryRow(ctx, "EXPLAIN (FORMAT JSON) EXECUTE judged"+nulls, pgx.QueryExecModeSimpleProtocol).Scan(&generic); err != nil {
		t.Errorf("%s: %v", sql, err)
	}
	failPlan(t, "for any arguments", sql, generic)
	if _, err := tx.Exec(ctx, "DEALLOCATE judged"); err != nil {
		t.Error(err)
	}
}

// singleStatus makes the planner believe that every post has the status it looks for,
// as its statistics say for a million posts of one status.
const singleStatus = `
	ALTER TABLE posts ALTER status SET (n_distinct = 1);
	ALTER TABLE targets ALTER post_status SET (n_distinct = 1);
	ANALYZE posts, targets`

// checkListPlans runs the statements that list posts. For each status they may read at
// most as many rows as the page has: for statuses without posts they once read all
// posts in primary key order.
func checkListPlans(t *testing.T, conn *pgx.Conn, sent *recorder) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), singleStatus); err != nil {
		t.Fatal(err)
	}
	lists := 0
	for sql, args := range sent.sent {
		if !strings.Contains(sql, "unnest($2::text[]) AS wanted") {
			continue
		}
		lists++
		for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
			if _, err := conn.Exec(t.Context(), "SET plan_cache_mode = "+mode); err != nil {
				t.Fatal(err)
			}
			var explained []byte
			if err := conn.QueryRow(t.Context(), "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) "+sql, args...).Scan(&explained); err != nil {
				t.Errorf("%s: %v", sql, err)
				continue
			}
			var plans []struct{ Plan plan }
			if err := json.Unmarshal(explained, &plans); err != nil || len(plans) != 1 {
				t.Errorf("the plan of %s cannot be read: %v", sql, err)
				continue
			}
			limit := float64(args[2].(int) * len(schedctl.Statuses()))
			if read := plans[0].Plan.read(); read > limit {
				t.Errorf("%s, with %v, reads %.0f rows, want at most %.0f:\n%s", sql, args, read, limit, explained)
			}
		}
	}
	if lists < 16 {
		t.Errorf("only %d statements that list posts were checked", lists)
	}
}

// plan is a node of a plan. Fields starting with Actual are per loop.
type plan struct {
	NodeType     string  `json:"Node Type"`
	RelationName string  `json:"Relation Name"`
	PlanRows     float64 `json:"Plan Rows"`
	ActualRows   float64 `json:"Actual Rows"`
	ActualLoops  float64 `json:"Actual Loops"`
	Filtered     float64 `json:"Rows Removed by Filter"`
	Plans        []plan
}

// read returns how many rows of tables the plan reads.
func (p *plan) read() (rows float64) {
	if p.RelationName != "" {
		rows = (p.ActualRows + p.Filtered) * p.ActualLoops
	}
	for i := range p.Plans {
		rows += p.Plans[i].read()
	}
	return rows
}

// smallTables may be scanned.
var smallTables = []string{"workspaces", "accounts", "api_keys", "webhooks", "gone_webhooks", "outbox", "commits", "nodes", "holds", "token_buckets"}

func failPlan(t *testing.T, which, sql string, explained []byte) {
	t.Helper()
	var plans []struct{ Plan plan }
	if err := json.Unmarshal(explained, &plans); err != nil || len(plans) != 1 {
		t.Errorf("the plan of %s cannot be read: %v", sql, err)
		return
	}
	if fault := plans[0].Plan.fault(); fault != "" {
		t.Errorf("%s, the plan %s has %s:\n%s", sql, which, fault, explained)
	}
}

// fault describes what is wrong with a plan, or returns "".
func (p *plan) fault() string {
	if p.NodeType == "Seq Scan" && !slices.Contains(smallTables, p.RelationName) && !strings.HasPrefix(p.RelationName, "pg_") {
		return "a sequential scan of " + p.RelationName
	}
	for i := range p.Plans {
		if strings.Contains(p.NodeType, "Sort") && p.Plans[i].PlanRows > maxSorted && !p.Plans[i].limited() {
			return fmt.Sprintf("a sort of %.0f rows", p.Plans[i].PlanRows)
		}
		if fault := p.Plans[i].fault(); fault != "" {
			return fault
		}
	}
	return ""
}

// limited reports whether limits bound the rows of a node. A generic plan does not know
// their values.
func (p *plan) limited() bool {
	if p.NodeType == "Limit" {
		return true
	}
	return p.NodeType == "Nested Loop" && slices.ContainsFunc(p.Plans, func(below plan) bool { return below.limited() })
}
