package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/scripts/cost"
	"github.com/schedctl/schedctl/storage"
)

// The suite of storagetest checks that every field is stored. The tests in this file
// check damaged records, which no caller of a store can write.

func sampleRecord[T any](t testing.TB, v T, fields func(*coder, *T)) []byte {
	t.Helper()
	record, err := encode(new(coder), nil, &v, fields)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

var (
	sampleTime  = time.UnixMilli(1_700_000_000_123).UTC()
	sampleError = &schedctl.TargetError{Kind: schedctl.KindNetwork, Code: "timeout", Message: "no response", HTTPStatus: 504, Outcome: schedctl.OutcomeUnknown}
)

func samplePost() schedctl.Post {
	p := schedctl.Post{
		WorkspaceID: schedctl.NewID(schedctl.WorkspacePrefix, sampleTime), Content: schedctl.Content{Text: "words"}, PublishAt: sampleTime, CreatedAt: sampleTime, Version: 3,
	}
	for _, status := range append(schedctl.Statuses(), "unheard of") {
		p.Targets = append(p.Targets, schedctl.Target{
			ID: schedctl.NewID(schedctl.TargetPrefix, sampleTime), AccountID: schedctl.NewID(schedctl.AccountPrefix, sampleTime),
			Platform: "mastodon", Status: status, Attempts: 2, Error: sampleError,
		})
	}
	asset := schedctl.NewID(schedctl.MediaPrefix, sampleTime)
	p.Media = []schedctl.PostMedia{{AssetID: asset, SHA256: [32]byte{3}}, {AssetID: asset, AltText: "alt", HasAltText: true}}
	p.Targets[1].Media = []schedctl.PostMedia{}
	return p
}

// sampleThread returns a post with every field of layout 8.
func sampleThread() schedctl.Post {
	p := samplePost()
	poll := &schedctl.Poll{Options: []string{"a", "b"}, ExpiresIn: time.Hour, Multiple: true, HideTotals: true}
	p.Thread = []schedctl.Part{{Content: "two", Media: p.Media}, {Media: p.Media[:1]}}
	p.FirstComment, p.Poll, p.Title, p.Style = &schedctl.Part{Content: "comment"}, poll, "title", schedctl.StyleTextMedia
	p.LinkPreview = schedctl.LinkPreview{Mode: schedctl.PreviewCard, URL: "https://example.com", Title: "t", Description: "d", Image: p.Media[1]}
	p.Presentation = schedctl.Presentation{ContentWarning: "w", Visibility: schedctl.VisibilityDirect, Language: "de"}
	p.Targets[0].Thread, p.Targets[1].Thread = p.Thread[:1], []schedctl.Part{}
	p.Targets[0].Poll, p.Targets[0].Presentation, p.Targets[0].CommentStatus = poll, p.Presentation, schedctl.Failed
	p.Targets[0].Done = sampleParts()
	return p
}

func sampleParts() []schedctl.PublishedPart {
	return []schedctl.PublishedPart{{ID: "1", URL: "u", Ref: "cid", PublishedAt: sampleTime, Attempts: 2, Error: sampleError}, {ID: "2"}}
}

func sampleAttempt() schedctl.Attempt {
	return schedctl.Attempt{
		ID: schedctl.NewID(schedctl.AttemptPrefix, sampleTime), WorkspaceID: schedctl.NewID(schedctl.WorkspacePrefix, sampleTime),
		PostID: schedctl.NewID(schedctl.PostPrefix, sampleTime), AccountID: schedctl.NewID(schedctl.AccountPrefix, sampleTime),
		StartedAt: sampleTime, Outcome: schedctl.OutcomeRunning, Error: sampleError, Owner: "o", Key: "k",
	}
}

func sampleAccount() schedctl.Account {
	return schedctl.Account{
		Platform: "feed", Name: "blog", Status: schedctl.AccountError, Limits: schedctl.Limits{MaxCharacters: 500, Unit: "characters"},
		Options: schedctl.Options{"pacing": "1s", "langs": []any{"en"}}, Credentials: []byte{1, 2}, Error: sampleError, CreatedAt: sampleTime,
	}
}

func sampleKey() schedctl.APIKey {
	return schedctl.APIKey{
		Name: "k", Hash: [32]byte{1}, Scopes: schedctl.Scopes(), AccountIDs: []string{schedctl.NewID(schedctl.AccountPrefix, sampleTime)}, CreatedAt: sampleTime,
	}
}

func sampleIdempotencyRecord() storage.IdempotencyRecord {
	return storage.IdempotencyRecord{Status: 201, Header: map[string]string{"Etag": `"1"`, "Location": "/"}, Body: []byte("{}"), Sealed: true, CreatedAt: sampleTime}
}

func sampleEvent() schedctl.Event {
	return schedctl.Event{
		Type: schedctl.EventPostFailed, CreatedAt: sampleTime, WorkspaceID: schedctl.NewID(schedctl.WorkspacePrefix, sampleTime),
		PostID: schedctl.NewID(schedctl.PostPrefix, sampleTime), Status: schedctl.Failed, Error: sampleError,
	}
}

func sampleWebhook() schedctl.Webhook {
	return schedctl.Webhook{
		Name: "w", URL: "https://example.com", EventTypes: schedctl.EventTypes(), Enabled: true, DisabledReason: "why",
		Secret: []byte{1}, PreviousSecret: []byte{2, 3}, PreviousUntil: sampleTime, CreatedAt: sampleTime, UpdatedAt: sampleTime,
		Cursor: schedctl.NewID(schedctl.EventPrefix, sampleTime), FailingSince: sampleTime,
	}
}

func sampleDelivery() schedctl.Delivery {
	return schedctl.Delivery{
		EventID: schedctl.NewID(schedctl.EventPrefix, sampleTime), EventType: schedctl.EventPostFailed, Status: schedctl.DeliveryPending,
		Attempt: 3, HTTPStatus: 500, Duration: 1234 * time.Millisecond, Response: "no", NextAttemptAt: sampleTime, CreatedAt: sampleTime,
	}
}

func sampleAudit() schedctl.AuditEntry {
	return schedctl.AuditEntry{
		At: sampleTime, KeyID: schedctl.NewID(schedctl.KeyPrefix, sampleTime), KeyName: "k", RemoteAddr: "::1", Action: "createPost",
	}
}

func sampleMedia() schedctl.MediaAsset {
	return schedctl.MediaAsset{
		FileName: "a.mp4", MIMEType: "video/mp4", Size: 123_456_789, SHA256: [32]byte{1, 255}, Width: 1920, Height: 1080, Duration: 1234 * time.Millisecond,
		AltText: "alt", Status: schedctl.MediaFailed, Reason: "why", CreatedAt: sampleTime, UpdatedAt: sampleTime, ExpiresAt: sampleTime,
	}
}

func TestSpoiledRecords(t *testing.T) {
	t.Parallel()
	t.Run("post", func(t *testing.T) { testSpoiled(t, samplePost(), (*coder).post) })
	t.Run("attempt", func(t *testing.T) { testSpoiled(t, sampleAttempt(), (*coder).attempt) })
	t.Run("thread", func(t *testing.T) { testSpoiled(t, sampleThread(), (*coder).post) })
	t.Run("event of a thread", func(t *testing.T) {
		e := sampleEvent()
		e.Parts = sampleParts()
		testSpoiled(t, e, (*coder).event)
	})
	t.Run("account", func(t *testing.T) { testSpoiled(t, sampleAccount(), (*coder).account) })
	t.Run("workspace", func(t *testing.T) {
		testSpoiled(t, schedctl.Workspace{Name: "w", CreatedAt: sampleTime}, (*coder).workspace)
	})
	t.Run("key", func(t *testing.T) { testSpoiled(t, sampleKey(), (*coder).key) })
	t.Run("idempotency record", func(t *testing.T) { testSpoiled(t, sampleIdempotencyRecord(), (*coder).idempotencyRecord) })
	t.Run("event", func(t *testing.T) { testSpoiled(t, sampleEvent(), (*coder).event) })
	t.Run("webhook", func(t *testing.T) { testSpoiled(t, sampleWebhook(), (*coder).webhook) })
	t.Run("delivery", func(t *testing.T) { testSpoiled(t, sampleDelivery(), (*coder).delivery) })
	t.Run("audit entry", func(t *testing.T) { testSpoiled(t, sampleAudit(), (*coder).auditEntry) })
	t.Run("media asset", func(t *testing.T) { testSpoiled(t, sampleMedia(), (*coder).mediaAsset) })
	t.Run("post in a slot", func(t *testing.T) { testSpoiled(t, samplePostInSlot(), (*coder).post) })
	t.Run("event of a series", func(t *testing.T) { testSpoiled(t, sampleSeriesEvent(), (*coder).event) })
	t.Run("account with blackouts", func(t *testing.T) { testSpoiled(t, sampleAccountWithBlackouts(), (*coder).account) })
	t.Run("account with a hold of a label", func(t *testing.T) { testSpoiled(t, sampleAccountOfCampaign(), (*coder).account) })
	t.Run("queue", func(t *testing.T) { testSpoiled(t, sampleQueue(), (*coder).queueRecord) })
	t.Run("blackout", func(t *testing.T) { testSpoiled(t, sampleBlackout(), (*coder).blackout) })
	t.Run("series", func(t *testing.T) { testSpoiled(t, sampleSeries(), (*coder).series) })
	t.Run("calendar feed", func(t *testing.T) { testSpoiled(t, sampleFeed(), (*coder).calendarFeed) })
	t.Run("collection", func(t *testing.T) { testSpoiled(t, sampleCollection(), (*coder).collection) })
	t.Run("alias", func(t *testing.T) { testSpoiled(t, sampleAlias(), (*coder).alias) })
	t.Run("results", func(t *testing.T) { testSpoiled(t, sampleResults(), (*coder).results) })
	t.Run("results of an account", func(t *testing.T) { testSpoiled(t, sampleAccountResults(), (*coder).accountResults) })
	t.Run("source", func(t *testing.T) { testSpoiled(t, sampleSource(), (*coder).source) })
	t.Run("source item", func(t *testing.T) { testSpoiled(t, sampleSourceItem(), (*coder).sourceItem) })
	t.Run("share", func(t *testing.T) { testSpoiled(t, sampleShare(), (*coder).share) })
}

func testSpoiled[T any](t *testing.T, v T, fields func(*coder, *T)) {
	record := sampleRecord(t, v, fields)
	var got T
	if err := decode(record, &got, fields); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(v, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	spoiled := map[string][]byte{
		"nothing":        nil,
		"a newer layout": append([]byte{layout + 1}, record[1:]...),
		"layout 0":       append([]byte{0}, record[1:]...),
		"a byte more":    append(bytes.Clone(record), 0),
	}
	for n := range record {
		spoiled[fmt.Sprint("cut off at ", n)] = record[:n]
	}
	for what, b := range spoiled {
		var v T
		if err := decode(b, &v, fields); !errors.Is(err, storage.ErrCorrupt) {
			t.Errorf("%s: error %v, want %v", what, err, storage.ErrCorrupt)
		}
	}
}

// FuzzRecords reads records of every kind. The first number selects the kind.
func FuzzRecords(f *testing.F) {
	readers := []func(*testing.T, []byte){
		fuzzed(f, 0, samplePost(), (*coder).post),
		fuzzed(f, 1, sampleAttempt(), (*coder).attempt),
		fuzzed(f, 2, sampleAccount(), (*coder).account),
		fuzzed(f, 3, sampleKey(), (*coder).key),
		fuzzed(f, 4, sampleIdempotencyRecord(), (*coder).idempotencyRecord),
		fuzzed(f, 5, sampleEvent(), (*coder).event),
		fuzzed(f, 6, sampleWebhook(), (*coder).webhook),
		fuzzed(f, 7, sampleDelivery(), (*coder).delivery),
		fuzzed(f, 8, sampleAudit(), (*coder).auditEntry),
		fuzzed(f, 9, schedctl.Workspace{Name: "w", CreatedAt: sampleTime}, (*coder).workspace),
		fuzzed(f, 10, sampleMedia(), (*coder).mediaAsset),
		fuzzed(f, 11, sampleQueue(), (*coder).queueRecord),
		fuzzed(f, 12, sampleBlackout(), (*coder).blackout),
		fuzzed(f, 13, sampleSeries(), (*coder).series),
		fuzzed(f, 14, sampleFeed(), (*coder).calendarFeed),
		fuzzed(f, 11, sampleThread(), (*coder).post),
		fuzzed(f, 16, sampleCollection(), (*coder).collection),
		fuzzed(f, 17, sampleAlias(), (*coder).alias),
		fuzzed(f, 18, sampleShare(), (*coder).share),
		fuzzed(f, 19, sampleResults(), (*coder).results),
		fuzzed(f, 20, sampleAccountResults(), (*coder).accountResults),
		fuzzed(f, 20, sampleSource(), (*coder).source),
		fuzzed(f, 21, sampleSourceItem(), (*coder).sourceItem),
	}
	f.Fuzz(func(t *testing.T, kind byte, record []byte) {
		defer cost.Check(t, len(record))()
		readers[int(kind)%len(readers)](t, record)
	})
}

// fuzzed returns a check that a decoder accepts any bytes without a panic, and that an
// accepted record does not change when it is written and read again.
func fuzzed[T any](f *testing.F, kind byte, sample T, fields func(*coder, *T)) func(*testing.T, []byte) {
	f.Add(kind, sampleRecord(f, sample, fields))
	f.Add(kind, []byte{layout})
	return func(t *testing.T, record []byte) {
		var v, again T
		if err := decode(record, &v, fields); err != nil {
			if !errors.Is(err, storage.ErrCorrupt) {
				t.Fatalf("error %v, want %v", err, storage.ErrCorrupt)
			}
			return
		}
		if err := decode(sampleRecord(t, v, fields), &again, fields); err != nil {
			t.Fatalf("read a record that was written again: %v", err)
		}
		if diff := cmp.Diff(v, again, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("record (-read +read again):\n%s", diff)
		}
	}
}

// older returns the record of v in an earlier layout.
func older[T any](t *testing.T, layout byte, v T, fields func(*coder, *T)) []byte {
	t.Helper()
	c := coder{buf: []byte{layout}, layout: layout}
	fields(&c, &v)
	if c.err != nil {
		t.Fatal(c.err)
	}
	return c.buf
}

// TestOlderLayoutsAreRead guards that a record is read in its own layout, without the
// fields that were added later.
func TestOlderLayoutsAreRead(t *testing.T) {
	t.Parallel()
	post, event := samplePost(), sampleEvent()
	post.Targets[0].Text, event.WebhookID = "of its own", schedctl.NewID(schedctl.WebhookPrefix, sampleTime)
	post.Targets[0].AskAt, post.Targets[0].Unreached = sampleTime, 4
	post.ExternalID, post.Labels = "site/a", []string{"a", "b"}
	post.Managed = &schedctl.Managed{Collection: "site", Path: "a.md", Digest: "1", Pruned: true}
	attempt, account := sampleAttempt(), sampleAccount()
	attempt.Asks, account.DisruptedSince = 3, sampleTime
	webhook := sampleWebhook()
	webhook.Notify = &schedctl.Notify{Mail: &schedctl.Mail{Host: "smtp.example.com", Port: 587}}
	for from := byte(1); from <= layout; from++ {
		wantPost, wantEvent, wantAttempt, wantAccount := post.Clone(), event, attempt, account
		wantWebhook := webhook
		if from < 6 {
			wantWebhook.Notify = nil
		}
		if from < 2 {
			wantPost.Targets[0].Text = ""
		}
		if from < 3 {
			wantEvent.WebhookID = ""
		}
		if from < 4 {
			wantPost.Targets[0].AskAt, wantPost.Targets[0].Unreached = time.Time{}, 0
			wantAttempt.Asks, wantAccount.DisruptedSince = 0, time.Time{}
		}
		if from < 5 {
			wantPost.ExternalID, wantPost.Labels, wantPost.Managed = "", nil, nil
		}
		if from < 7 {
			wantPost.Media, wantPost.Targets[1].Media = nil, nil
		}
		var gotPost schedctl.Post
		var gotEvent schedctl.Event
		var gotAttempt schedctl.Attempt
		var gotAccount schedctl.Account
		var gotWebhook schedctl.Webhook
		err := errors.Join(decode(older(t, from, post, (*coder).post), &gotPost, (*coder).post),
			decode(older(t, from, event, (*coder).event), &gotEvent, (*coder).event),
			decode(older(t, from, attempt, (*coder).attempt), &gotAttempt, (*coder).attempt),
			decode(older(t, from, account, (*coder).account), &gotAccount, (*coder).account),
			decode(older(t, from, webhook, (*coder).webhook), &gotWebhook, (*coder).webhook))
		if err != nil {
			t.Errorf("layout %d: %v", from, err)
		}
		if diff := cmp.Diff(wantPost, gotPost, cmpopts.EquateEmpty()) + cmp.Diff(wantEvent, gotEvent) +
			cmp.Diff(wantAttempt, gotAttempt) + cmp.Diff(wantAccount, gotAccount) + cmp.Diff(wantWebhook, gotWebhook); diff != "" {
			t.Errorf("layout %d (-want +got):\n%s", from, diff)
		}
	}
}

// TestRecordsKeepTheirLayout guards that posts without a thread, and posts without a slot,
// are not larger than before these existed.
func TestRecordsKeepTheirLayout(t *testing.T) {
	t.Parallel()
	attempt, account, event := sampleAttempt(), sampleAccount(), sampleEvent()
	for name, record := range map[string][]byte{
		"post": sampleRecord(t, samplePost(), (*coder).post), "attempt": sampleRecord(t, attempt, (*coder).attempt),
		"account": sampleRecord(t, account, (*coder).account), "event": sampleRecord(t, event, (*coder).event),
		"workspace": sampleRecord(t, schedctl.Workspace{}, (*coder).workspace),
	} {
		if record[0] != layoutBeforeParts {
			t.Errorf("the %s has layout %d", name, record[0])
		}
	}
	attempt.Part, account.ThreadTargetID, event.Parts = 1, schedctl.NewID(schedctl.TargetPrefix, sampleTime), sampleParts()
	override := samplePost()
	override.Targets[2].Thread = []schedctl.Part{}
	for name, record := range map[string][]byte{
		"post": sampleRecord(t, sampleThread(), (*coder).post), "override": sampleRecord(t, override, (*coder).post),
		"attempt": sampleRecord(t, attempt, (*coder).attempt), "account": sampleRecord(t, account, (*coder).account),
		"event": sampleRecord(t, event, (*coder).event),
	} {
		if record[0] != layoutWithParts {
			t.Errorf("the %s with parts has layout %d", name, record[0])
		}
	}
	occurrence := samplePost()
	occurrence.SeriesID = schedctl.NewID(schedctl.SeriesPrefix, sampleTime)
	for name, record := range map[string][]byte{
		"post in a slot": sampleRecord(t, samplePostInSlot(), (*coder).post), "occurrence": sampleRecord(t, occurrence, (*coder).post),
		"account with blackouts": sampleRecord(t, sampleAccountWithBlackouts(), (*coder).account),
		"event of a series":      sampleRecord(t, sampleSeriesEvent(), (*coder).event),
	} {
		if record[0] != layoutWithPlans {
			t.Errorf("the %s has layout %d", name, record[0])
		}
	}
	plainQueue, plainBlackout := sampleQueue(), sampleBlackout()
	plainQueue.Managed, plainBlackout.Managed, plainBlackout.Label = nil, nil, ""
	for name, record := range map[string][]byte{
		"queue": sampleRecord(t, plainQueue, (*coder).queueRecord), "blackout": sampleRecord(t, plainBlackout, (*coder).blackout),
	} {
		if record[0] != layoutWithPlans {
			t.Errorf("the %s has layout %d", name, record[0])
		}
	}
	attempt.Stage, account.Limits.Posts = "stage", 250
	ending := sampleAccount()
	ending.Expiry = schedctl.Expiry{At: sampleTime, Assumed: true, RenewAt: sampleTime, Announced: 14, RenewingSince: sampleTime}
	for name, record := range map[string][]byte{
		"attempt": sampleRecord(t, attempt, (*coder).attempt), "account": sampleRecord(t, account, (*coder).account),
		"account that ends": sampleRecord(t, ending, (*coder).account),
	} {
		if record[0] != layoutWithStages {
			t.Errorf("the %s has layout %d", name, record[0])
		}
	}
	warned := sampleAccount()
	warned.Warnings = []string{"The token may not upload files."}
	if record := sampleRecord(t, warned, (*coder).account); record[0] != layout {
		t.Errorf("the account with a warning has layout %d", record[0])
	}
	limited := sampleAccount()
	limited.Limits.Files = schedctl.FileLimits{MaxFiles: 8, MaxAlt: 1500, ImageBytes: 16 << 20, ImagePixels: 33177600, VideoBytes: 99 << 20, VideoPixels: 8294400, Types: "image/jpeg image/png"}
	if record := sampleRecord(t, limited, (*coder).account); record[0] != layout {
		t.Errorf("the account with limits of files has layout %d", record[0])
	}
	asked := sampleAccount()
	asked.ResultsAskedAt = sampleTime
	if record := sampleRecord(t, asked, (*coder).account); record[0] != layout {
		t.Errorf("the account with a request for results has layout %d", record[0])
	}
	reviewed := samplePost()
	reviewed.EditorID = schedctl.NewID(schedctl.KeyPrefix, sampleTime)
	for name, record := range map[string][]byte{
		"post of a key":                   sampleRecord(t, reviewed, (*coder).post),
		"account of a reviewed workspace": sampleRecord(t, schedctl.Account{Approvals: schedctl.ApprovalsAll}, (*coder).account),
		"workspace with approvals":        sampleRecord(t, schedctl.Workspace{Approvals: schedctl.ApprovalsAll}, (*coder).workspace),
		"key of an agent":                 sampleRecord(t, schedctl.APIKey{Agent: true}, (*coder).key),
	} {
		if record[0] != layoutWithReviews {
			t.Errorf("the %s has layout %d", name, record[0])
		}
	}
	card := samplePost()
	card.Card = &schedctl.LinkPreview{Mode: schedctl.PreviewCard, URL: "https://example.com", Image: schedctl.PostMedia{AssetID: sampleMedia().ID}}
	shared, changed := samplePost(), samplePost()
	shared.Notes = []schedctl.PostNote{{ID: sampleID(schedctl.NotePrefix), By: schedctl.KeyRef{Name: "Dana", Share: sampleID(schedctl.SharePrefix)}}}
	changed.Changes = &schedctl.ChangeRequest{By: schedctl.KeyRef{Name: "Vera"}, At: sampleTime, Reason: "shorter"}
	decided := schedctl.Series{Template: schedctl.Post{Review: schedctl.Review{Approval: &schedctl.Approval{DecidedBy: shared.Notes[0].By}}}}
	approved := sampleEvent()
	approved.Edited = true
	made := schedctl.Trail{CreatedBy: reviewed.EditorID}
	for name, record := range map[string][]byte{
		"post with an author":          sampleRecord(t, schedctl.Post{WorkspaceID: occurrence.WorkspaceID, Trail: made}, (*coder).post),
		"post with a card":             sampleRecord(t, card, (*coder).post),
		"post with a note of a person": sampleRecord(t, shared, (*coder).post),
		"post that was to be changed":  sampleRecord(t, changed, (*coder).post),
		"series a person decided":      sampleRecord(t, decided, (*coder).series),
		"series with an author":        sampleRecord(t, schedctl.Series{Template: schedctl.Post{Trail: made}}, (*coder).series),
		"uploaded asset":               sampleRecord(t, schedctl.MediaAsset{UploadedBy: made.CreatedBy}, (*coder).mediaAsset),
		"asset with the size served":   sampleRecord(t, schedctl.MediaAsset{ServedSize: 1}, (*coder).mediaAsset),
		"edited approval":              sampleRecord(t, approved, (*coder).event),
		"queue of a file":              sampleRecord(t, sampleQueue(), (*coder).queueRecord),
		"blackout of a file":           sampleRecord(t, sampleBlackout(), (*coder).blackout),
		"hold of a label":              sampleRecord(t, schedctl.Blackout{Label: "launch"}, (*coder).blackout),
		"account with such a hold":     sampleRecord(t, sampleAccountOfCampaign(), (*coder).account),
		"workspace of two":             sampleRecord(t, schedctl.Workspace{FourEyes: true}, (*coder).workspace),
		"workspace in German":          sampleRecord(t, schedctl.Workspace{Locale: "de"}, (*coder).workspace),
	} {
		if record[0] != layout {
			t.Errorf("the %s has layout %d", name, record[0])
		}
	}
	testSpoiled(t, card, (*coder).post)
	testSpoiled(t, changed, (*coder).post)
	testSpoiled(t, approved, (*coder).event)
	testSpoiled(t, ending, (*coder).account)
}

func TestNumbersSurvive(t *testing.T) {
	t.Parallel()
	for _, n := range []int64{0, 1, -1, 63, 64, -64, -65, math.MaxInt64, math.MinInt64} {
		got := int64(7)
		if err := decode(sampleRecord(t, n, (*coder).int64), &got, (*coder).int64); err != nil || got != n {
			t.Errorf("%d came back as %d, %v", n, got, err)
		}
	}
	for _, ms := range []int64{0, 1, -1, math.MaxInt64 / 2, math.MinInt64 / 4} {
		want, got := time.UnixMilli(ms).UTC(), time.Time{}
		if err := decode(sampleRecord(t, want, (*coder).time), &got, (*coder).time); err != nil || !got.Equal(want) {
			t.Errorf("%v came back as %v, %v", want, got, err)
		}
	}
}

func TestKeysSortAsTimesDo(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	key := func(ms int64) []byte { return appendTime(nil, timeKey(ms)) }
	for range 1000 {
		a, b := int64(rng.Uint64()>>rng.IntN(64)), int64(rng.Uint64()>>rng.IntN(64))
		if (a < b) != (bytes.Compare(key(a), key(b)) < 0) {
			t.Fatalf("%d and %d have a different order as keys", a, b)
		}
		if timeOfKey(timeKey(a)) != a {
			t.Fatalf("%d changes when it is read from its key", a)
		}
	}
	if bytes.Compare(key(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).UnixMilli()), appendTime(nil, publishKey(time.Time{}))) >= 0 {
		t.Error("a post without a time does not sort last")
	}
}

func TestEveryStatusHasACode(t *testing.T) {
	t.Parallel()
	codes := make(map[byte]schedctl.Status)
	for _, s := range schedctl.Statuses() {
		code := codeOf(statusCodes, s)
		if code == 0 || codes[code] != "" {
			t.Errorf("status %q has code %d, as has %q", s, code, codes[code])
		}
		codes[code] = s
	}
}

// TestAnswerIndexForgets guards that the idempotency index does not grow forever.
func TestAnswerIndexForgets(t *testing.T) {
	t.Parallel()
	s := seeded(t)
	slots := func() (n int) {
		for i := range s.idempotency.shards {
			n += len(s.idempotency.shards[i])
		}
		return n
	}
	if n := slots(); n != 1 {
		t.Errorf("the index has %d records, want 1", n)
	}
	later := time.Now().Add(time.Hour)
	err := s.Update(t.Context(), func(tx storage.Tx) error {
		_, err := tx.Prune(storage.Retention{IdempotencyRecords: later}, 9)
		return err
	})
	if n := slots(); err != nil || n != 0 {
		t.Errorf("after a prune the index has %d records, want 0; %v", n, err)
	}
}

func TestAnswerIndexToleratesEqualHashes(t *testing.T) {
	t.Parallel()
	var x idempotencyIndex
	a, b := idempotencyRef{hash: 42, time: 1 << 40}, idempotencyRef{hash: 42, time: 2}
	if !x.add(a) || !x.add(b) || x.add(a) {
		t.Error("add does not report whether a record is new")
	}
	if diff := cmp.Diff([]uint64{a.time, b.time}, x.find(42)); diff != "" {
		t.Errorf("times of a hash of two records (-want +got):\n%s", diff)
	}
	x.remove(a, idempotencyRef{hash: 42, time: 3})
	if diff := cmp.Diff([]uint64{b.time}, x.find(42)); diff != "" {
		t.Errorf("times after one was removed (-want +got):\n%s", diff)
	}
	if x.find(43) != nil || x.find(42|1<<40) != nil {
		t.Error("another hash has the same times")
	}
}

// TestWritingARecordChangesNothing guards that encoding a record does not change its
// value. Others may read parts of it at the same time: an attempt, its target and an event
// share one error.
func TestWritingARecordChangesNothing(t *testing.T) {
	t.Parallel()
	fine := schedctl.Attempt{StartedAt: sampleTime.Add(time.Microsecond), Error: &schedctl.TargetError{HTTPStatus: 504, Retryable: true}}
	fine.ID, fine.WorkspaceID = schedctl.NewID(schedctl.AttemptPrefix, sampleTime), schedctl.NewID(schedctl.WorkspacePrefix, sampleTime)
	fine.PostID, fine.AccountID = schedctl.NewID(schedctl.PostPrefix, sampleTime), schedctl.NewID(schedctl.AccountPrefix, sampleTime)
	written := fine
	if _, err := encode(new(coder), nil, &written, (*coder).attempt); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fine, written); diff != "" {
		t.Errorf("an attempt after it was encoded (-before +after):\n%s", diff)
	}
}

// TestLayoutsAreNumbers guards that no coder compares a record's layout with the current one:
// records would lose fields with the next layout.
func TestLayoutsAreNumbers(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("record*.go")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if found := regexp.MustCompile(`c\.layout [<>=]+ [^0-9].*`).Find(source); found != nil {
			t.Errorf("%s: %s", path, found)
		}
	}
}
