package apiv1_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var t0 = time.Date(2026, 6, 2, 15, 0, 0, 250_000_000, time.UTC)

func draft() schedctl.Post {
	return schedctl.Post{ID: "post_1", WorkspaceID: "ws_1", Content: schedctl.Content{Text: "<b>é\u2028"}, CreatedAt: t0, UpdatedAt: t0, Version: 1}
}

// full is a post with every field of it and of its targets set.
func full() schedctl.Post {
	p := draft()
	p.PublishAt = t0.Truncate(time.Second)
	p.ExternalID, p.Labels = "website/launch", []string{"launch", "spring sale"}
	p.Managed = &schedctl.Managed{Collection: "website", Path: "2026/launch.md", Digest: "sha256:abc", Pruned: true}
	p.Targets = []schedctl.Target{{
		ID: "pt_1", AccountID: "acct_1", Platform: "mastodon", Status: schedctl.Published, PublishAt: p.PublishAt,
		Attempts: 1, PlatformPostID: "117", PlatformPostURL: "https://example.org/@me/117", PublishedAt: t0,
	}, {
		ID: "pt_2", AccountID: "acct_2", Platform: "http", Status: schedctl.Publishing, PublishAt: p.PublishAt,
		NextAttemptAt: t0.Add(10 * time.Second), Attempts: 2, RetriedAt: t0, AttemptsBefore: 1,
		Partial: schedctl.Partial{Text: "for them", Options: schedctl.Options{"visibility": "private"}},
		Error: &schedctl.TargetError{
			Kind: schedctl.KindPlatform, Code: "overloaded", Message: "answered 503", HTTPStatus: 503,
			Retryable: true, Outcome: schedctl.OutcomeNotPublished,
		},
	}}
	return p
}

// assets are a ready and a pending asset with every field of them set.
func assets() (ready, pending schedctl.MediaAsset) {
	ready = schedctl.MediaAsset{
		ID: "med_1", WorkspaceID: "ws_1", FileName: "a.mp4", MIMEType: "video/mp4", Size: 1234, SHA256: [32]byte{0xab, 31: 1},
		Width: 640, Height: 480, Duration: 1500 * time.Millisecond, AltText: "a cat", Status: schedctl.MediaReady,
		CreatedAt: t0, UpdatedAt: t0, ExpiresAt: t0.AddDate(0, 0, 7),
	}
	pending = ready
	pending.ID, pending.Status, pending.AltText = "med_2", schedctl.MediaPending, ""
	return ready, pending
}

// withMedia is a post with two files, with other files for one account and none for
// another.
func withMedia() schedctl.Post {
	p := full()
	p.Media = []schedctl.PostMedia{{AssetID: "med_1", AltText: "a cat"}, {AssetID: "med_2", AltText: "for this post"}}
	p.Targets[0].Media = []schedctl.PostMedia{}
	p.Targets[1].Media = []schedctl.PostMedia{{AssetID: "med_1"}}
	return p
}

// withThread is a post with every field of threads, stopped before its last part.
func withThread() schedctl.Post {
	p := full()
	p.Thread = []schedctl.Part{{Content: "two", Media: []schedctl.PostMedia{{AssetID: "med_1", AltText: "a cat"}}}, {Content: "three"}}
	p.FirstComment = &schedctl.Part{Content: "comment"}
	p.Poll = &schedctl.Poll{Options: []string{"yes", "no"}, ExpiresIn: time.Hour, Multiple: true, HideTotals: true}
	p.LinkPreview = schedctl.LinkPreview{
		Mode: schedctl.PreviewCard, URL: "https://example.org/", Title: "Title", Image: schedctl.PostMedia{AssetID: "med_1"},
	}
	p.Presentation = schedctl.Presentation{ContentWarning: "spoilers", Visibility: schedctl.VisibilityUnlisted, Language: "en"}
	t := &p.Targets[0]
	t.Status, t.Attempts, t.Error = schedctl.Failed, 3, p.Targets[1].Error
	t.Done = []schedctl.PublishedPart{
		{ID: "117", URL: "https://example.org/@me/117", Ref: "cid", PublishedAt: t0, Attempts: 1},
		{ID: "118", PublishedAt: t0, Attempts: 1, Error: schedctl.Degradation{Code: "visibility", Message: "unlisted"}.TargetError()},
	}
	o := &p.Targets[1]
	o.Thread, o.Poll, o.Presentation = []schedctl.Part{}, &schedctl.Poll{}, schedctl.Presentation{ContentWarning: "w", Visibility: "direct", Language: "de"}
	return p
}

// inQueue is a post with a slot, and an occurrence of a series that was changed alone.
func inQueue() schedctl.Post {
	p := full()
	p.Booking = schedctl.Booking{QueueID: "que_1", Slot: schedctl.Slot{Local: "2026-06-02T17:00", Timezone: "Europe/Berlin"}, NotBefore: t0}
	p.SeriesID, p.Occurrence, p.Detached = "ser_1", "2026-06-02T17:00", true
	return p
}

func queue() schedctl.Queue {
	return schedctl.Queue{
		ID: "que_1", WorkspaceID: "ws_1", Name: "mornings", Timezone: "Europe/Berlin", AccountIDs: []string{"acct_1"},
		Times: []schedctl.QueueTime{
			{Days: schedctl.WeekdaysOf(time.Sunday, time.Monday), Minute: 9 * 60}, {Days: schedctl.EveryDay, Minute: 17*60 + 5},
		},
		Gap: 90 * time.Minute, Default: true, CreatedAt: t0, UpdatedAt: t0, Version: 2,
	}
}

func blackout() schedctl.Blackout {
	return schedctl.Blackout{
		ID: "blk_1", WorkspaceID: "ws_1", From: "2026-12-24T00:00", To: "2026-12-27T00:00", Timezone: "Europe/Berlin", AccountIDs: []string{"acct_1"},
		Reason: "holidays", Mode: schedctl.BlackoutHold, StartsAt: t0, EndsAt: t0.Add(time.Hour), SettledAt: t0.Add(2 * time.Hour),
		CreatedAt: t0, UpdatedAt: t0, Version: 1,
	}
}

func series() schedctl.Series {
	template := withThread()
	template.Media = []schedctl.PostMedia{{AssetID: "med_1", AltText: "a cat"}}
	return schedctl.Series{
		ID: "ser_1", WorkspaceID: "ws_1", Name: "tips", Template: template, Variants: []string{"a", "b"}, Timezone: "Europe/Berlin",
		Start: "2026-06-02T09:00", Rule: "FREQ=WEEKLY;BYDAY=TU,TH", Exdates: []schedctl.LocalTime{"2026-06-04T09:00"}, AheadDays: 14,
		QueueID: "que_1", State: schedctl.SeriesActive, ExternalID: "website/tips", Managed: &schedctl.Managed{Collection: "website", Path: "tips.md", Digest: "d"},
		Cursor: "2026-06-02T09:00", SweepAt: t0, NextAt: t0, PreviousID: "ser_0", CreatedAt: t0, UpdatedAt: t0, Version: 3,
	}
}

func account() schedctl.Account {
	return schedctl.Account{
		ID: "acct_1", WorkspaceID: "ws_1", Platform: "mastodon", Name: "me", Username: "@me@example.org", DisplayName: "Me",
		ProfileURL: "https://example.org/@me", Status: schedctl.AccountConnected,
		Limits:      schedctl.Limits{MaxCharacters: 500, Unit: "characters", URLCharacters: 23, Posts: 250, Window: 24 * time.Hour},
		Options:     schedctl.Options{"visibility": "unlisted", "sensitive": true},
		Expiry:      schedctl.Expiry{At: t0.AddDate(0, 0, 60), Assumed: true, RenewAt: t0},
		Credentials: []byte("sealed-secret"), CreatedAt: t0, UpdatedAt: t0,
	}
}

func timeline() apiv1.Timeline {
	p := full()
	of := apiv1.TargetTimeline{
		Target: apiv1.NewPost(p).Targets[1],
		Attempts: []apiv1.Attempt{{
			ID: "att_1", Number: 1, StartedAt: apiv1.NewTime(t0), FinishedAt: apiv1.NewTime(t0.Add(time.Second)),
			Outcome: schedctl.OutcomeNotPublished, HTTPStatus: new(503), Error: apiv1.NewTargetError(p.Targets[1].Error),
		}},
	}
	of.Target.Attempts = 0 // the list replaces it
	return apiv1.Timeline{
		PostID: p.ID, Status: p.Status(), Targets: []apiv1.TargetTimeline{of},
		Events: []apiv1.TimelineEvent{{
			ID: "evt_1", Type: schedctl.EventPostCreated, CreatedAt: apiv1.NewTime(t0), Status: schedctl.Scheduled,
		}},
	}
}

func TestGoldenWire(t *testing.T) {
	t.Parallel()
	plain := account()
	plain.Expiry = schedctl.Expiry{}
	plain.Options, plain.ProfileURL, plain.Limits = nil, "", schedctl.Limits{Unit: "characters"}
	ready, pending := assets()
	golden := map[string]any{
		"post_media.json":  apiv1.PostEnvelope{Post: apiv1.NewPost(withMedia(), ready, pending)},
		"post_thread.json": apiv1.PostEnvelope{Post: apiv1.NewPost(withThread(), ready)},
		"event_thread.json": apiv1.NewEvent(schedctl.Event{
			ID: "evt_1", Type: schedctl.EventPostCommentFailed, CreatedAt: t0, WorkspaceID: "ws_1", PostID: "post_1", TargetID: "pt_1",
			AccountID: "acct_1", Platform: "mastodon", Status: schedctl.Published, PlatformPostID: "117", PublishedAt: t0,
			Error: withThread().Targets[0].Error, Parts: withThread().Targets[0].Done,
		}),
		"event_series.json": apiv1.NewEvent(schedctl.Event{
			ID: "evt_1", Type: schedctl.EventSeriesSkipped, CreatedAt: t0, WorkspaceID: "ws_1", SeriesID: "ser_1",
			Skipped: &schedctl.SkippedOccurrences{Reason: schedctl.SkipMissed, Count: 2, First: "2026-06-02T09:00", Last: "2026-06-04T09:00"},
		}),
		"event_review.json": apiv1.NewEvent(schedctl.Event{
			ID: "evt_1", Type: schedctl.EventPostChangesRequested, CreatedAt: t0, WorkspaceID: "ws_1", PostID: "post_1", Status: schedctl.Draft,
			Step: &schedctl.ReviewStep{By: schedctl.KeyRef{ID: "key_1", Name: "Vera", Share: "shr_1"}, Note: "shorter", Version: 3},
		}),
		"post_queued.json": apiv1.PostEnvelope{Post: apiv1.NewPost(inQueue())},
		"queue.json":       apiv1.QueueEnvelope{Queue: apiv1.NewQueue(queue()), Displaced: []string{"post_1"}},
		"blackout.json":    apiv1.BlackoutEnvelope{Blackout: apiv1.NewBlackout(blackout()), Scheduled: []string{}},
		"series.json":      apiv1.SeriesEnvelope{Series: apiv1.NewSeries(series()), Kept: []string{}},
		"calendar_feed.json": apiv1.CalendarFeedAddress{CalendarFeed: apiv1.NewCalendarFeed(schedctl.CalendarFeed{
			ID: "cal_1", WorkspaceID: "ws_1", Name: "phone", AccountIDs: []string{"acct_1"}, TitlesOnly: true, KeyID: "key_1", ExpiresAt: t0, CreatedAt: t0,
		}), URL: "https://posts.example.org/calendar/sctlcal_token.ics"},
		"share.json": apiv1.ShareAddress{Share: apiv1.NewShare(schedctl.Share{
			ID: "shr_1", WorkspaceID: "ws_1", Kind: schedctl.ShareReview, Name: "Dana", Can: schedctl.ShareDecide, PostIDs: []string{"post_1"}, KeyID: "key_1",
			ExpiresAt: t0, CreatedAt: t0, RevokedAt: t0, LastUsedAt: t0, Uses: 3,
		}), URL: "https://posts.example.org/s/token"},
		"collection.json": apiv1.CollectionEnvelope{Collection: apiv1.NewCollection(schedctl.Collection{
			ID: "dir_1", WorkspaceID: "ws_1", Name: "website", Source: "github.com/me/posts", Revision: schedctl.Revision{Commit: "0123456789abcdef", CommittedAt: t0},
			AppliedAt: t0, AppliedBy: schedctl.KeyRef{ID: "key_1", Name: "ci"}, CreatedAt: t0,
		})},
		"collection_new.json": apiv1.CollectionEnvelope{Collection: apiv1.NewCollection(schedctl.Collection{Name: "website", Source: "github.com/me/posts", CreatedAt: t0})},
		"media.json":          apiv1.MediaEnvelope{MediaAsset: apiv1.NewMediaAsset(ready)},
		"media_upload.json": apiv1.UploadEnvelope{MediaAsset: apiv1.NewMediaAsset(pending), Upload: apiv1.Upload{
			URL: "https://posts.example.org/api/v1/media/med_2/upload?token=t", Method: "PUT", Headers: map[string]string{"Content-Type": "video/mp4"}, ExpiresIn: 86400,
		}},
		"media_config.json":  apiv1.MediaConfig{AllowedMIMETypes: []string{"image/png"}, MaxMediaPerPost: 20, ImageMaxSizeBytes: 1, GIFMaxSizeBytes: 2, VideoMaxSizeBytes: 3, DocumentMaxSizeBytes: 4},
		"post_draft.json":    apiv1.PostEnvelope{Post: apiv1.NewPost(draft())},
		"post_full.json":     apiv1.PostEnvelope{Post: apiv1.NewPost(full())},
		"account.json":       apiv1.AccountEnvelope{SocialAccount: apiv1.NewAccount(account())},
		"account_plain.json": apiv1.AccountEnvelope{SocialAccount: apiv1.NewAccount(plain)},
		"me.json": apiv1.NewMe(
			schedctl.Workspace{ID: "ws_1", Name: "default", Timezone: "UTC", Plan: "self-hosted"},
			schedctl.APIKey{ID: "key_1", Name: "admin", Scopes: []schedctl.Scope{schedctl.ScopePostsRead}}),
		"error.json":    apiv1.NewError(schedctl.Errorf(schedctl.ContentTooLong, "content", "too long"), "req_1"),
		"timeline.json": timeline(),
		"validation.json": apiv1.Validation{
			Problems: []apiv1.Problem{}, Refusals: []apiv1.Problem{}, Warnings: []string{}, Accounts: []apiv1.AccountValidation{{
				SocialAccountID: "acct_1", Platform: "mastodon", Length: 501, Limit: new(500), Unit: "graphemes",
				Problems: []apiv1.Problem{{Field: "content", Code: "too_long", Message: "shorten it"}}, Warnings: []string{},
			}},
		},
		"error_without_details.json": apiv1.NewError(
			schedctl.Errorf(schedctl.NotFound, "", "no such post"), "req_1"),
	}
	for name, value := range golden {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := json.MarshalIndent(value, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			path := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("the wire format changed (if intended, run with -update):\n%s", diff)
			}
			back := reflect.New(reflect.TypeOf(value))
			dec := json.NewDecoder(bytes.NewReader(got))
			dec.DisallowUnknownFields()
			if err := dec.Decode(back.Interface()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(value, back.Elem().Interface()); diff != "" {
				t.Errorf("a client reads something else:\n%s", diff)
			}
		})
	}
}

func TestNothingSealedReachesTheWire(t *testing.T) {
	t.Parallel()
	out, err := json.Marshal(apiv1.NewAccount(account()))
	if err != nil || strings.Contains(string(out), "sealed-secret") || strings.Contains(string(out), "c2VhbGVk") {
		t.Errorf("%s, %v", out, err)
	}
}

// unsent are the domain fields that the wire leaves out on purpose.
var unsent = map[string]string{
	"Account.ResultsAskedAt":   "bounds how often results are refreshed",
	"Post.CanceledAt":          "shown by the status",
	"Target.Text":              "shown as target_overrides of the post",
	"Target.Options":           "shown as target_overrides of the post",
	"Target.Media":             "shown as target_overrides of the post",
	"Target.Thread":            "shown as target_overrides of the post",
	"Target.Poll":              "shown as target_overrides of the post",
	"Target.ContentWarning":    "shown as target_overrides of the post",
	"Target.Visibility":        "shown as target_overrides of the post",
	"Target.Language":          "shown as target_overrides of the post",
	"Target.Done":              "shown as parts",
	"Target.CommentStatus":     "shown as the status of the last part",
	"Post.Proposed":            "shown as proposed_at",
	"Post.EditorID":            "internal to reviews",
	"Post.Card":                "internal to reviews",
	"MediaAsset.UploadedBy":    "not shown yet",
	"MediaAsset.ServedSize":    "announced by feeds",
	"Post.ByAgent":             "internal to reviews",
	"Post.Restricted":          "internal to reviews",
	"Post.Decided":             "shown as previous of the approval",
	"Post.Changes":             "shown as last_changes_requested of the approval",
	"Post.Notes":               "shown by GET /posts/{id}/notes",
	"Account.Approvals":        "shown by GET /me, for the workspace",
	"Account.Blackouts":        "shown by GET /blackouts",
	"Queue.WorkspaceID":        "the key's own",
	"Queue.AccountIDs":         "shown as social_account_ids",
	"Blackout.WorkspaceID":     "the key's own",
	"Blackout.AccountIDs":      "shown as social_account_ids",
	"Series.Template":          "shown as its fields",
	"Series.Cursor":            "internal to the planner",
	"Series.SweepAt":           "internal to the planner",
	"Share.WorkspaceID":        "the key's own",
	"Share.Hash":               "secret",
	"Share.KeyID":              "shown as created_by",
	"CalendarFeed.WorkspaceID": "the key's own",
	"CalendarFeed.AccountIDs":  "shown as social_account_ids",
	"Post.ItemID":              "shown as source_item_id",
	"CalendarFeed.Hash":        "secret",
	"CalendarFeed.KeyID":       "shown by the audit log",
	"Collection.ID":            "internal: the name is the id of the API",
	"Collection.WorkspaceID":   "the key's own",
	"Account.ThreadTargetID":   "internal to delivery",
	"Target.RetriedAt":         "internal to delivery",
	"Target.AttemptsBefore":    "internal to delivery",
	"Target.AskAt":             "shown as next_attempt_at",
	"Target.Unreached":         "internal to delivery",
	"Account.WorkspaceID":      "the key's own",
	"Account.Credentials":      "secret",
	"Account.PausedUntil":      "shown by the targets' next_attempt_at",
	"Account.DisruptedSince":   "shown by the targets' errors",
	"Account.PausedBy":         "shown by waits",
	"Limits.Polls":             "applied by validate",
	"Limits.Files":             "applied by validate",
	"Limits.Window":            "shown as window_seconds",
	"Account.Expiry":           "shown as expires_at",
	"Account.Warnings":         "shown in warnings, with those that the daemon computes",
}

// renamed maps domain fields to the wire's own names for them.
var renamed = map[string]string{"Target.AccountID": "SocialAccountID", "Post.Style": "PostStyle", "Post.Text": "Content"}

func TestNoDomainFieldIsForgotten(t *testing.T) {
	t.Parallel()
	pairs := []struct{ domain, wire any }{
		{schedctl.Post{}, apiv1.Post{}}, {schedctl.Target{}, apiv1.Target{}},
		{schedctl.TargetError{}, apiv1.TargetError{}}, {schedctl.Account{}, apiv1.Account{}},
		{schedctl.Limits{}, apiv1.Limits{}}, {schedctl.Summary{}, apiv1.TargetSummary{}},
		{schedctl.Queue{}, apiv1.Queue{}}, {schedctl.Blackout{}, apiv1.Blackout{}},
		{schedctl.Series{}, apiv1.Series{}}, {schedctl.CalendarFeed{}, apiv1.CalendarFeed{}},
		{schedctl.Share{}, apiv1.Share{}},
		{schedctl.Collection{}, apiv1.Collection{}}, {schedctl.Revision{}, apiv1.Revision{}},
	}
	for _, pair := range pairs {
		domain, wire := reflect.TypeOf(pair.domain), reflect.TypeOf(pair.wire)
		for _, f := range reflect.VisibleFields(domain) {
			if f.Anonymous {
				continue // its fields follow
			}
			key := domain.Name() + "." + f.Name
			name := f.Name
			if renamed[key] != "" {
				name = renamed[key]
			}
			if _, there := wire.FieldByName(name); !there && unsent[key] == "" {
				t.Errorf("%s has no field on the wire; add it, or say here why not", key)
			}
		}
	}
}

func TestTime(t *testing.T) {
	t.Parallel()
	tests := map[string]time.Time{
		`"2026-06-02T15:00:00Z"`:     time.Date(2026, 6, 2, 15, 0, 0, 0, time.UTC),
		`"2026-06-02T15:00:00.250Z"`: time.Date(2026, 6, 2, 15, 0, 0, 250e6, time.UTC),
		`"2026-06-02T15:00:00.001Z"`: time.Date(2026, 6, 2, 17, 0, 0, 1e6, time.FixedZone("", 7200)),
	}
	for want, in := range tests {
		got, err := json.Marshal(apiv1.NewTime(in))
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v; want %s", in, got, err, want)
		}
	}
	if got := apiv1.NewTime(t0.Add(time.Nanosecond)).String(); got != "2026-06-02T15:00:00.251Z" {
		t.Errorf("a fraction of a millisecond became %s; the daemon rounds up", got)
	}
	if got := apiv1.NewTime(t0.Add(750*time.Millisecond - time.Nanosecond)).String(); got != "2026-06-02T15:00:01Z" {
		t.Errorf("the last nanosecond of a second became %s", got)
	}
	var back apiv1.Time
	for _, bad := range []string{`"2026-06-02"`, `"2026-06-02 15:00"`, `12`, `""`} {
		if err := json.Unmarshal([]byte(bad), &back); err == nil {
			t.Errorf("%s was read as %s", bad, back)
		}
	}
	if apiv1.NewTime(time.Time{}) != nil {
		t.Error("the zero time is not null")
	}
}

// A client encodes decoded values unchanged, to the byte.
func TestTimesRoundTrip(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		want := t0.Add(time.Duration(random.Int64N(1e12)) * time.Millisecond)
		wire, err := json.Marshal(apiv1.NewTime(want))
		if err != nil {
			t.Fatal(err)
		}
		var post apiv1.Post
		if err := json.Unmarshal(fmt.Appendf(nil, `{"publish_at":%s}`, wire), &post); err != nil || !post.PublishAt.Time.Equal(want) {
			t.Fatalf("%s was read as %s, %v", wire, post.PublishAt, err)
		}
		bodies := map[string]any{
			`{"publish_at":%s}`:               apiv1.EditPost{PublishAt: apiv1.At(post.PublishAt.Time)},
			`{"since":%s}`:                    apiv1.ReplayWebhook{Since: *post.PublishAt},
			`{"name":"","expires_at":%s}`:     apiv1.CreateAPIKey{ExpiresAt: post.PublishAt},
			`{"content":"x","publish_at":%s}`: apiv1.CreatePost{Content: "x", PublishAt: apiv1.At(post.PublishAt.Time)},
		}
		for body, value := range bodies {
			if got, err := json.Marshal(value); err != nil || string(got) != fmt.Sprintf(body, wire) {
				t.Fatalf("%T: got %s, %v; want its time to be %s", value, got, err, wire)
			}
		}
	}
}

func TestPublishTime(t *testing.T) {
	t.Parallel()
	for want, in := range map[string]apiv1.CreatePost{
		`{}`:                         {},
		`{"publish_at":"now"}`:       {PublishAt: apiv1.Now()},
		`{"publish_at":"next-slot"}`: {PublishAt: apiv1.NextSlot()},
		`{"publish_at":"2026-06-02T15:00:00.250Z"}`: {PublishAt: apiv1.At(t0)},
	} {
		got, err := json.Marshal(in)
		if err != nil || string(got) != want {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
		var back apiv1.CreatePost
		if err := json.Unmarshal(got, &back); err != nil {
			t.Errorf("%s: %v", got, err)
		}
		if diff := cmp.Diff(in, back); diff != "" {
			t.Errorf("%s is read as something else:\n%s", got, diff)
		}
	}
	var bad apiv1.PublishTime
	if err := json.Unmarshal([]byte(`"soon"`), &bad); err == nil {
		t.Error("a text that is no time was read")
	}
}
