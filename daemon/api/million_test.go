package api_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
)

// million is a database with a million posts, or fewer in the small form, created once for
// all requests. A request that reads all posts fails in both forms. The records have the ids
// that seeded returns.
type million struct {
	key string

	// cost returns the cost of a request in a unit of the engine. The handler has
	// no cached responses.
	cost func(request func(http.Handler)) float64
}

// seeded returns the id of the n-th record of a kind.
func seeded(p schedctl.Prefix, n int) string {
	return schedctl.ULID{0x01, 0x9a, 6: 0x70, 8: 0x80, 12: byte(n >> 24), 13: byte(n >> 16), 14: byte(n >> 8), 15: byte(n)}.ID(p)
}

// worst has the most expensive requests of every reading operation, by operationId.
var worst = map[string][]string{
	"getMe": {"/me"}, "getMediaConfig": {"/media/config"}, "listMedia": {"/media"},
	"getMedia": {"/media/" + seeded(schedctl.MediaPrefix, 1)}, "getMediaContent": {"/media/" + seeded(schedctl.MediaPrefix, 1) + "/content"},
	"getCapabilities": {"/capabilities"}, "listNodes": {"/nodes"}, "listWorkspaces": {"/workspaces"},
	"listAPIKeys": {"/api-keys"}, "getAPIKey": {"/api-keys/" + seeded(schedctl.KeyPrefix, 1)}, "listAudit": {"/audit?limit=100"}, "getBackup": nil, // it reads all, and two run at once
	"listSocialAccounts": {"/social-accounts?status=all"}, "getSocialAccount": {"/social-accounts/" + seeded(schedctl.AccountPrefix, 9)},
	"getPost": {"/posts/" + seeded(schedctl.PostPrefix, 9)}, "getPostTimeline": {"/posts/" + seeded(schedctl.PostPrefix, 9) + "/timeline"},
	"listPostNotes": {"/posts/" + seeded(schedctl.PostPrefix, 9) + "/notes"},
	"listWebhooks":  {"/webhooks"}, "getWebhook": {"/webhooks/" + seeded(schedctl.WebhookPrefix, 9)},
	"listWebhookDeliveries": {"/webhooks/" + seeded(schedctl.WebhookPrefix, 9) + "/deliveries?limit=100&status=failed"},
	"listNotifications":     {"/notifications"},
	"listCalendarFeeds":     {"/calendar-feeds"}, "listShares": {"/shares"}, "listSources": {"/sources"}, "getSource": {"/sources/" + seeded(schedctl.SourcePrefix, 100)}, "listSourceItems": {"/sources/" + seeded(schedctl.SourcePrefix, 100) + "/items?limit=100"}, "getShare": {"/shares/" + seeded(schedctl.SharePrefix, seededShares+9)},
	"listQueues": {"/queues"}, "getQueue": {"/queues/" + seeded(schedctl.QueuePrefix, 100)},
	"listQueueSlots": {
		"/queues/" + seeded(schedctl.QueuePrefix, 100) + "/slots?limit=1000",
		"/queues/" + seeded(schedctl.QueuePrefix, 100) + "/slots?limit=1000&after=2026-01-01T00:00:00Z&social_account_id=" + seeded(schedctl.AccountPrefix, 9),
	},
	"listLabels": {"/labels"}, "listCollections": {"/collections"}, "getCollection": {"/collections/site9"},
	"getForecast":    {"/forecast?days=1", "/forecast?days=366"},
	"getPostResults": {"/posts/" + seeded(schedctl.PostPrefix, 9) + "/results"}, "getPostAnalytics": {"/analytics/post/" + seeded(schedctl.PostPrefix, 9)},
	"getWorkspaceAnalytics": {"/analytics/workspace?limit=100"}, "listResults": worstResults("/results?limit=100&"),
	"summarizeResults": {
		"/results/summary?by=media&after=2026-01-01T00:00:00Z&before=2026-12-01T00:00:00Z&social_account_id=" + seeded(schedctl.AccountPrefix, 9),
		"/results/summary?by=label&after=2026-01-06T00:00:00Z&before=2026-01-06T01:00:00Z",
	},
	"listAccountGroups": {"/account-groups"}, "listSnippets": {"/snippets"},
	"listBlackouts": {"/blackouts"}, "getBlackout": {"/blackouts/" + seeded(schedctl.BlackoutPrefix, 100)},
	"listSeries": {"/series?limit=100"}, "getSeries": {"/series/" + seeded(schedctl.SeriesPrefix, 100)},
	"listOccurrences": {"/series/" + seeded(schedctl.SeriesPrefix, 100) + "/occurrences?limit=100"},
	"getNotification": {"/notifications/" + seeded(schedctl.NotificationPrefix, 101)},
	"streamEvents":    {"/events"},
	"listPosts":       worstLists(),
}

// worstLists returns lists of posts with each indexed filter, and with filters that
// no index serves.
func worstLists() (paths []string) {
	account, offset := seeded(schedctl.AccountPrefix, 9), testsize.Of("10000", "100000")
	for _, sort := range []string{"created_at", "-created_at", "publish_at", "-publish_at"} {
		for _, filter := range []url.Values{
			{}, {"status": {"canceled"}}, {"status": {"draft", "canceled", "publishing"}}, {"social_account_id": {account}},
			{"social_account_id": {seeded(schedctl.AccountPrefix, 9999)}}, {"social_account_id": {account}, "status": {"publishing"}},
			{"q": {strings.Repeat("o", 200)}}, {"q": {"nowhere"}, "social_account_id": {account}}, {"q": {"nowhere"}, "status": {"failed"}},
			{"publish_after": {"2099-01-01T00:00:00Z"}}, {"publish_before": {"1999-01-01T00:00:00Z"}},
			{"publish_after": {"2026-01-06T00:00:00Z"}, "publish_before": {"2026-01-06T00:00:01Z"}},
			{"external_id": {"nowhere"}}, {"external_id": {"site/9"}, "q": {"nowhere"}}, {"external_id": {"site/9"}, "social_account_id": {account}},
			{"collection": {"nowhere"}}, {"collection": {"site9"}}, {"collection": {"site9"}, "social_account_id": {seeded(schedctl.AccountPrefix, 9999)}},
			{"collection": {"site9"}, "status": {"canceled"}, "q": {"nowhere"}}, {"label": {"nowhere"}}, {"label": {"all"}},
			{"label": {"nowhere"}, "status": {"failed"}}, {"label": {"all", "nowhere"}, "collection": {"site9"}},
			{"offset": {offset}}, {"offset": {offset}, "status": {"published"}, "social_account_id": {account}},
			{"offset": {offset}, "q": {"POST"}},
		} {
			filter = maps.Clone(filter)
			filter["sort"], filter["limit"] = []string{sort}, []string{"100"}
			paths = append(paths, "/posts?"+filter.Encode())
		}
	}
	for _, filter := range []url.Values{{}, {"status": {"scheduled"}}, {"social_account_id": {account}}, {"social_account_id": {seeded(schedctl.AccountPrefix, 9999)}}} {
		filter["proposed"], filter["sort"], filter["limit"] = []string{"true"}, []string{"-publish_at"}, []string{"100"}
		paths = append(paths, "/posts?"+filter.Encode())
	}
	return paths
}

// worstResults returns lists of published targets that read the most.
func worstResults(path string) (paths []string) {
	account := seeded(schedctl.AccountPrefix, 9)
	for _, filter := range []string{"", "label=nowhere", "label=all", "removed=true", "series_id=" + seeded(schedctl.SeriesPrefix, 100), "social_account_id=" + account,
		"sort=-engagements&after=2026-01-06T00:00:00Z&before=2026-01-06T01:00:00Z", "sort=-views&label=all&after=2026-01-01T00:00:00Z&before=2026-12-01T00:00:00Z&social_account_id=" + account} {
		paths = append(paths, path+filter)
	}
	return paths
}

// testWorstRequests sends the worst requests of every reading operation, and
// compares their cost with that of a plain page of posts.
func testWorstRequests(t *testing.T, m *million, atMost func(plain float64) float64) {
	plain := m.request(t, "/posts", http.StatusOK)
	t.Logf("a plain page costs %.4g", plain)
	highest, of := 0.0, ""
	for id, op := range documentOperations(t) {
		if op.method != http.MethodGet {
			continue
		}
		paths, known := worst[id]
		if !known {
			t.Errorf("GET %s: say in worst what the most expensive requests of %s are", op.path, id)
		}
		for _, path := range paths {
			cost := m.request(t, path, http.StatusOK)
			if cost > highest {
				highest, of = cost, path
			}
			if limit := atMost(plain); cost > limit {
				t.Errorf("GET %s costs %.4g, want at most %.4g: a plain page costs %.4g", path, cost, limit, plain)
			}
		}
	}
	for _, path := range []string{"/posts?offset=2147483647", "/posts?q=" + strings.Repeat("a", 201)} {
		if cost := m.request(t, path, http.StatusBadRequest); cost > 10*plain {
			t.Errorf("GET %s is refused for %.4g, a plain page costs %.4g", path, cost, plain)
		}
	}
	t.Logf("the most expensive request, %s, costs %.4g, that is %.3g × a plain page", of, highest, highest/plain)
}

// request returns the cost of a request.
func (m *million) request(t *testing.T, path string, status int) float64 {
	t.Helper()
	return m.cost(func(h http.Handler) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r := httptest.NewRequestWithContext(ctx, "GET", "/api/v1"+path, nil)
		r.Header.Set("Authorization", "Bearer "+m.key)
		w := &untilWritten{ResponseRecorder: httptest.NewRecorder(), end: func() {}}
		if path == "/events" {
			r.Header.Set("Last-Event-ID", seeded(schedctl.EventPrefix, 1))
			w.end = cancel
		}
		h.ServeHTTP(w, r)
		if w.Code != status {
			t.Errorf("GET %s: %d %.300s", path, w.Code, w.Body)
		}
	})
}

// untilWritten calls end when a body is written, because an event stream does not
// end otherwise.
type untilWritten struct {
	*httptest.ResponseRecorder
	end func()
}

func (w *untilWritten) Write(b []byte) (int, error) {
	defer w.end()
	return w.ResponseRecorder.Write(b)
}

// newMillion adds a key and the records that requests name to a store with seeded
// posts. It also returns a constructor of servers for the store.
func newMillion(t *testing.T, store storage.Store) (*million, func(storage.Store) *api.Server) {
	t.Helper()
	secret, hash := schedctl.NewKeySecret()
	err := store.Update(t.Context(), func(tx storage.Tx) error {
		return tx.PutKey(schedctl.APIKey{
			ID: seeded(schedctl.KeyPrefix, 1), WorkspaceID: seeded(schedctl.WorkspacePrefix, 0), Hash: hash, Scopes: schedctl.Scopes(),
		})
	})
	for _, seed := range []func(storage.Tx) error{seedTimeline, seedQueue, seedSeries, seedShares} {
		if err == nil {
			err = store.Update(t.Context(), seed)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t)
	service := media.New(media.Config{Blobs: f.blobs})
	seedAsset(t, store, service)
	return &million{key: secret}, func(s storage.Store) *api.Server {
		return api.New(api.Config{Store: s, Sealer: f.sealer, Media: service})
	}
}

// seedAsset stores a file and its asset.
func seedAsset(t *testing.T, store storage.Store, service *media.Service) {
	t.Helper()
	file, err := service.Receive(t.Context(), bytes.NewReader(mediatest.PNG(3, 3)), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := service.Store(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	a, now := file.Asset(), schedctl.Millis(time.Now())
	a.ID, a.WorkspaceID, a.FileName, a.Status = seeded(schedctl.MediaPrefix, 1), seeded(schedctl.WorkspacePrefix, 0), "a.png", schedctl.MediaReady
	a.CreatedAt, a.UpdatedAt, a.ExpiresAt = now, now, now.Add(media.UnusedLife)
	if err := store.Update(t.Context(), func(tx storage.Tx) error { return tx.PutMediaAsset(a) }); err != nil {
		t.Fatal(err)
	}
}

// seedQueue adds a queue with as many slots as possible, and posts in the next 1000 of
// them.
func seedQueue(tx storage.Tx) error {
	const posts = 1_000_000_000
	q := schedctl.Queue{ID: seeded(schedctl.QueuePrefix, 100), WorkspaceID: seeded(schedctl.WorkspacePrefix, 0), Name: "all", Timezone: "UTC", Version: 1}
	for n := range schedctl.MaxSlotsPerDay {
		q.Times = append(q.Times, schedctl.QueueTime{Days: schedctl.EveryDay, Minute: n * 24 * 60 / schedctl.MaxSlotsPerDay})
	}
	if err := tx.PutQueue(q); err != nil {
		return err
	}
	n := 0
	for slot := range q.Slots(time.Now(), time.Now().Add(schedctl.QueueHorizon), time.UTC) {
		if n++; n > 1000 {
			break
		}
		err := tx.PutPost(schedctl.Post{
			ID: seeded(schedctl.PostPrefix, posts+n), WorkspaceID: q.WorkspaceID, Content: schedctl.Content{Text: "queued"}, PublishAt: slot.At, Version: 1,
			Targets: []schedctl.Target{{
				ID: seeded(schedctl.TargetPrefix, posts+n), AccountID: seeded(schedctl.AccountPrefix, 9), Platform: "http", Status: schedctl.Scheduled, PublishAt: slot.At,
			}},
			Booking: schedctl.Booking{QueueID: q.ID, Slot: slot.Slot}, Trail: schedctl.Trail{CreatedBy: seeded(schedctl.KeyPrefix, 1)},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// seedSeries adds a series that has run for years.
func seedSeries(tx storage.Tx) error {
	ws := seeded(schedctl.WorkspacePrefix, 0)
	return tx.PutSeries(schedctl.Series{
		ID: seeded(schedctl.SeriesPrefix, 100), WorkspaceID: ws, Name: "series", Template: schedctl.Post{WorkspaceID: ws, Content: schedctl.Content{Text: "text"}}, State: schedctl.SeriesActive,
		Timezone: "UTC", Start: "2020-01-01T09:00", Rule: "FREQ=DAILY", AheadDays: 14, Cursor: "2020-01-01T09:00", Version: 1,
	})
}

// seededShares is the number of the first share; the seeds of PostgreSQL have lower ones.
const seededShares = 1_000_000

// seedShares adds as many shares as a workspace can have.
func seedShares(tx storage.Tx) error {
	start := schedctl.Millis(time.Now())
	for n := range schedctl.MaxShares {
		err := tx.PutShare(schedctl.Share{
			ID: seeded(schedctl.SharePrefix, seededShares+n), WorkspaceID: seeded(schedctl.WorkspacePrefix, 0), Kind: schedctl.ShareReview, Name: "Dana", Can: schedctl.ShareView,
			Hash: sha256.Sum256([]byte{byte(n), byte(n >> 8), 0}), KeyID: seeded(schedctl.KeyPrefix, 1), CreatedAt: start, ExpiresAt: start.AddDate(0, 0, 7),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// seedTimeline gives a post many events and attempts, and adds the account that
// requests name.
func seedTimeline(tx storage.Tx) error {
	ws, post, target := seeded(schedctl.WorkspacePrefix, 0), seeded(schedctl.PostPrefix, 9), seeded(schedctl.TargetPrefix, 9)
	p, err := tx.Post(ws, post)
	if err != nil {
		return err
	}
	if err := tx.PutAccount(schedctl.Account{ID: seeded(schedctl.AccountPrefix, 9), WorkspaceID: ws, Name: "nine", Platform: "http"}); err != nil {
		return err
	}
	var events []schedctl.Event
	for n := range 20_000 {
		at := p.CreatedAt
		events = append(events, schedctl.Event{
			ID: seeded(schedctl.EventPrefix, 10_000_000+n), WorkspaceID: ws, PostID: post, Type: schedctl.EventPostUpdated, CreatedAt: at,
		})
		if err := tx.PutAttempt(schedctl.Attempt{
			ID: seeded(schedctl.AttemptPrefix, n), Number: n + 1, TargetID: target, PostID: post, WorkspaceID: ws,
			AccountID: seeded(schedctl.AccountPrefix, 9), StartedAt: at, FinishedAt: at, Outcome: schedctl.OutcomePublished,
		}); err != nil {
			return err
		}
	}
	for group := range slices.Chunk(events, 100) {
		if err := tx.AddEvents(group...); err != nil {
			return err
		}
	}
	return nil
}
