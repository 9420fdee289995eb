package api_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/connect"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/feed"
	"github.com/schedctl/schedctl/daemon/publish/mastodon"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob/dir"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// given describes the objects that must exist before an example is sent, by
// operation, or by operation and example. It returns the ids of the created objects
// in the order of the example ids; …1 of each kind is the first.
var given = map[string]func(*fixture) []string{
	"getPost":                             oneScheduled,
	"getPostTimeline":                     oneFailed,
	"editPost":                            oneScheduled,
	"editPost/published":                  onePost(schedctl.Published),
	"deletePost":                          oneDraft,
	"deletePost/scheduled":                oneScheduled,
	"schedulePost":                        oneDraft,
	"schedulePost/with accounts":          func(f *fixture) []string { return []string{f.create(body{"content": announcement}).ID} },
	"schedulePost/canceled":               onePost(schedctl.Canceled),
	"publishPostNow":                      oneScheduled,
	"cancelPost":                          oneScheduled,
	"cancelPost/published":                onePost(schedctl.Published),
	"createPost/external id exists":       oneExternal(schedctl.Draft),
	"createPost/replacement":              oneExternal(schedctl.Canceled),
	"editPost/labels of a published post": onePost(schedctl.Published),
	"unschedulePost":                      oneScheduled,
	"unschedulePost/published":            onePost(schedctl.Published),
	"retryPost":                           oneFailed,
	"retryPost/scheduled":                 oneScheduled,
	"resendPost":                          oneFailed,
	"resendPost/scheduled":                oneScheduled,
	"archivePost":                         onePost(schedctl.Published),
	"archivePost/scheduled":               oneScheduled,
	"unarchivePost":                       oneArchived,
	"listPosts":                           oneScheduled,
	"listAudit":                           oneScheduled,
	"streamEvents":                        oneStory,
	"listAPIKeys":                         oneKey,
	"getAPIKey":                           oneKey,
	"revokeAPIKey":                        oneKey,
	"listWebhooks":                        oneWebhook,
	"getWebhook":                          oneWebhook,
	"editWebhook":                         oneWebhook,
	"deleteWebhook":                       oneWebhook,
	"testWebhook":                         oneWebhook,
	"rotateWebhookSecret":                 oneWebhook,
	"listWebhookDeliveries":               oneDelivery,
	"replayWebhookDelivery":               oneDelivery,
	"replayWebhook":                       oneDelivery,
	"createNotification":                  oneChannel,
	"getNotification":                     oneNotification,
	"editNotification":                    oneNotification,
	"deleteNotification":                  oneNotification,
	"testNotification":                    oneNotification,
	"listMedia":                           oneAsset,
	"getMedia":                            oneAsset,
	"getMediaContent":                     oneAsset,
	"editMedia":                           oneAsset,
	"deleteMedia":                         oneAsset,
	"deleteMedia/in use":                  oneUsedAsset,
	"confirmUpload":                       oneUpload(mediatest.PDF()),
	"confirmUpload/nothing uploaded":      oneUpload(nil),
	"failUpload":                          oneUpload(nil),
	"createPost/with media":               oneAsset,
	"createPost/in a blackout":            oneBlackout,
	"listSeries":                          oneSeries,
	"getSeries":                           oneSeries,
	"listOccurrences":                     oneSeries,
	"editSeries":                          oneSeries,
	"deleteSeries":                        oneSeries,
	"skipOccurrence":                      oneSeries,
	"pauseSeries":                         oneSeries,
	"resumeSeries":                        oneSeries,
	"endSeries":                           oneSeries,
	"deleteMedia/in a series":             oneSeriesAsset,
	"submitPost":                          oneDraft,
	"submitPost/scheduled":                oneScheduled,
	"approvePost":                         onePending,
	"approvePost/without a submission":    oneDraft,
	"approvePost/own request":             onePendingOwn,
	"schedulePost/not approved":           oneRefused,
	"requestPostChanges":                  onePending,
	"withdrawPost":                        onePendingOwn,
	"listPostNotes":                       oneNoted,
	"addPostNote":                         oneDraft,
	"submitSeries":                        oneSeries,
	"approveSeries":                       onePendingSeries,
	"requestSeriesChanges":                onePendingSeries,
	"withdrawSeries":                      onePendingSeries,
	"listBlackouts":                       oneBlackout,
	"listCollections":                     oneCollection,
	"listLabels":                          labeledPosts,
	"listAccountGroups":                   oneAlias,
	"setAccountGroup/taken":               oneAlias,
	"deleteAccountGroup":                  oneAlias,
	"listSnippets":                        oneAlias,
	"deleteSnippet":                       oneAlias,
	"getCollection":                       oneCollection,
	"applyCollection":                     oneCollection,
	"applyCollection/other source":        oneCollection,
	"applyCollection/older commit":        oneCollection,
	"deleteCollection":                    oneCollection,
	"listCalendarFeeds":                   oneCalendarFeed,
	"createCalendarFeed/taken":            oneCalendarFeed,
	"deleteCalendarFeed":                  oneCalendarFeed,
	"listSources":                         oneSource,
	"getSource":                           oneSource,
	"editSource":                          oneSource,
	"deleteSource":                        oneSource,
	"pauseSource":                         oneSource,
	"pauseSource/held":                    heldSource,
	"resumeSource":                        pausedSource,
	"releaseSource":                       heldSource,
	"listSourceItems":                     itemOfSource,
	"skipSourceItem":                      itemOfSource,
	"fetchSource":                         oneSource,
	"postSourceItem":                      itemOfSource,
	"sendSourceItem":                      oneWebhookSource,
	"createSource/taken":                  oneSource,
	"listShares":                          oneShare,
	"getShare":                            oneShare,
	"revokeShare":                         oneShare,
	"getBlackout":                         oneBlackout,
	"editBlackout":                        oneBlackout,
	"deleteBlackout":                      oneBlackout,
	"createPost/next slot":                oneQueue,
	"schedulePost/next slot":              func(f *fixture) []string { return append(oneQueue(f), oneDraft(f)...) },
	"editPost/next slot":                  func(f *fixture) []string { return append(oneQueue(f), oneScheduled(f)...) },
	"getPostResults":                      oneRead,
	"getPostAnalytics":                    oneRead,
	"getWorkspaceAnalytics":               oneRead,
	"listResults":                         oneRead,
	"refreshResults":                      oneRead,
	"reportResults":                       oneRead,
	"summarizeResults":                    oneRead,
	"getForecast":                         oneForecast,
	"listQueues":                          oneQueue,
	"getQueue":                            oneQueue,
	"editQueue":                           twoInQueue,
	"deleteQueue":                         twoInQueue,
	"listQueueSlots":                      twoInQueue,
	"orderQueue":                          twoInQueue,
	"reflowQueue":                         twoDisplaced,
	"reflowQueue/changed since":           twoInQueue,
}

// oneCalendarFeed makes a calendar feed.
func oneCalendarFeed(f *fixture) []string {
	return []string{f.calendarFeed(nil, body{"name": "office"}).CalendarFeed.ID}
}

// oneShare shares the posts that wait for an approval.
func oneShare(f *fixture) []string {
	return []string{f.share(nil, body{"kind": "review", "name": "Dana"}).Share.ID}
}

// oneSeries makes a series with an occurrence each Thursday.
func oneSeries(f *fixture) []string { return []string{f.series(exampleSeries(f)).ID} }

func exampleSeries(f *fixture) body {
	return body{"name": "news", "content": announcement, "social_account_ids": []string{f.mine.account}, "timezone": "Europe/Rome", "start": "2036-06-05T09:00", "rule": "FREQ=WEEKLY;BYDAY=TH;COUNT=20"}
}

// oneSeriesAsset uploads a file and makes a series with it.
func oneSeriesAsset(f *fixture) []string {
	id, b := f.upload(mediatest.PDF()).ID, exampleSeries(f)
	b["media_asset_ids"] = []string{id}
	return []string{id, f.series(b).ID}
}

// exampleAuthor creates a key that writes posts, and returns its id and an option.
func exampleAuthor(f *fixture) (id string, author option) {
	f.t.Helper()
	made := decodeAs[apiv1.CreatedAPIKey](f.t, f.do(nil, "POST", "/api-keys", body{"name": "author"}).want(201))
	return made.APIKey.ID, as(made.Secret)
}

// onePending creates a draft that another key has submitted.
func onePending(f *fixture) []string {
	f.t.Helper()
	id, author := exampleAuthor(f)
	return append(onePendingBy(f, author), id)
}

// onePendingOwn creates a draft that the key of the example has submitted.
func onePendingOwn(f *fixture) []string { return onePendingBy(f, nil) }

func onePendingBy(f *fixture, o option) []string {
	f.t.Helper()
	p := f.do(o, "POST", "/posts", body{"content": announcement, "social_account_ids": []string{f.mine.account}, "proposed_at": exampleTime}).want(201).post()
	f.do(o, "POST", "/posts/"+p.ID+"/submit", nil).want(200)
	return []string{p.ID, p.Targets[0].ID}
}

// oneRefused creates a draft in a workspace whose posts all need an approval.
func oneRefused(f *fixture) []string {
	f.t.Helper()
	f.do(nil, "PATCH", "/workspaces/"+f.mine.workspace, body{"approvals": "all"}).want(200)
	return oneDraft(f)
}

// oneNoted creates a draft with a note.
func oneNoted(f *fixture) []string {
	f.t.Helper()
	ids := oneDraft(f)
	f.do(nil, "POST", "/posts/"+ids[0]+"/notes", body{"text": "The numbers are from the annual report."}).want(201)
	return ids
}

// onePendingSeries makes a series that another key has submitted.
func onePendingSeries(f *fixture) []string {
	f.t.Helper()
	keyID, author := exampleAuthor(f)
	one := f.do(author, "POST", "/series", exampleSeries(f)).want(201).series().Series
	f.do(author, "POST", "/series/"+one.ID+"/submit", nil).want(200)
	return []string{one.ID, keyID}
}

// oneBlackout makes a blackout at Christmas.
func oneBlackout(f *fixture) []string {
	return []string{f.blackout(body{"from": "2036-12-24T00:00", "to": "2036-12-27T00:00", "timezone": "Europe/Rome", "mode": "avoid", "reason": "Christmas"}).ID}
}

// oneCollection creates the collection website, which has no id to stand for.
func oneCollection(f *fixture) []string {
	f.do(nil, "POST", "/collections/website/apply", body{"source": "github.com/me/posts", "revision": body{"commit": "5f0c1a2b3c4d", "committed_at": "2026-05-31T10:00:00Z"}}).want(200)
	return nil
}

// oneAlias creates an account group and a snippet, which have no ids to stand for. The
// example can name the account.
func oneAlias(f *fixture) []string {
	f.do(nil, "PUT", "/account-groups/brand", body{"social_account_ids": []string{f.mine.account}}).want(200)
	f.do(nil, "PUT", "/snippets/tags", body{"text": "#go #release"}).want(200)
	return []string{f.mine.account}
}

// labeledPosts creates posts of two campaigns. The example names none of them.
func labeledPosts(f *fixture) []string {
	for _, labels := range [][]string{{"launch"}, {"launch", "spring sale"}} {
		f.create(body{"content": announcement, "social_account_ids": []string{f.mine.account}, "publish_at": exampleTime, "labels": labels})
	}
	return nil
}

// oneQueue creates a queue with two slots on weekdays.
func oneQueue(f *fixture) []string {
	return []string{f.newQueue(body{"name": "weekdays", "times": []body{weekdaysAt("09:00"), weekdaysAt("17:30")}}).ID}
}

func weekdaysAt(at string) body {
	return body{"days": []string{"mon", "tue", "wed", "thu", "fri"}, "at": at}
}

// twoInQueue creates a queue and two posts in its slots.
func twoInQueue(f *fixture) []string {
	ids := oneQueue(f)
	for range 2 {
		ids = append(ids, f.create(f.inSlot(body{"content": announcement})).ID)
	}
	return ids
}

// twoDisplaced is twoInQueue with other times since.
func twoDisplaced(f *fixture) []string {
	ids := twoInQueue(f)
	f.do(nil, "PATCH", "/queues/"+ids[0], body{"times": []body{weekdaysAt("10:00")}}).want(200)
	return ids
}

// oneAsset uploads a file.
func oneAsset(f *fixture) []string { return []string{f.upload(mediatest.PDF()).ID} }

// oneUsedAsset uploads a file and makes a draft with it.
func oneUsedAsset(f *fixture) []string {
	id := f.upload(mediatest.PDF()).ID
	return []string{id, f.create(body{"content": announcement, "media_asset_ids": []string{id}}).ID}
}

// oneUpload announces an upload and sends its file, unless that is nil.
func oneUpload(file []byte) func(*fixture) []string {
	return func(f *fixture) []string {
		a := f.announce(mediatest.PDF())
		if file != nil {
			f.do(nil, "PUT", a.path(), file).want(204)
		}
		return []string{a.MediaAsset.ID}
	}
}

const announcement = "Version 1.4 is out."

// exampleTime is when posts of the examples are published.
const exampleTime = "2036-06-02T15:00:00Z"

// state returns the required objects of an example.
func (e *example) state(operationID string) func(*fixture) []string {
	if made := given[operationID+"/"+e.Name]; made != nil {
		return made
	}
	return given[operationID]
}

// standIns creates the required objects and maps the example ids to them, and to
// the workspace, the key and the two accounts of the fixture.
func (f *fixture) standIns(made func(*fixture) []string) *standIns {
	f.t.Helper()
	s := &standIns{counts: map[string]int{}}
	me := decodeAs[apiv1.Me](f.t, f.do(nil, "GET", "/me", nil).want(200))
	accounts := decodeAs[apiv1.AccountList](f.t, f.do(nil, "GET", "/social-accounts", nil).want(200))
	for _, id := range []string{me.Workspace.ID, me.APIKey.ID, accounts.Results[0].ID, accounts.Results[1].ID} {
		s.add(id)
	}
	if made == nil {
		return s
	}
	for _, id := range made(f) {
		s.add(id)
	}
	return s
}

// oneExternal creates a post with the external id of the examples, and brings it to
// a status.
func oneExternal(status schedctl.Status) func(*fixture) []string {
	return func(f *fixture) []string {
		f.t.Helper()
		ids := onePost(status)(f)
		f.do(nil, "PATCH", "/posts/"+ids[0], body{"external_id": "website/version-1.4"}).want(200)
		return ids
	}
}

func oneDraft(f *fixture) []string { return onePost(schedctl.Draft)(f) }

func oneScheduled(f *fixture) []string { return onePost(schedctl.Scheduled)(f) }

// onePost creates a post for the first account, and brings it to a status.
func onePost(status schedctl.Status) func(*fixture) []string {
	return func(f *fixture) []string {
		f.t.Helper()
		b := body{"content": announcement, "social_account_ids": []string{f.mine.account}}
		switch status {
		case schedctl.Draft:
		case schedctl.Published:
			b["publish_at"] = "now"
		default:
			b["publish_at"] = exampleTime
		}
		p := f.create(b)
		switch status {
		case schedctl.Published:
			f.finish(p.ID, schedctl.Result{Receipt: &schedctl.Receipt{ID: "1", URL: "https://posts.example/feeds/news.atom"}})
		case schedctl.Canceled:
			f.do(nil, "POST", "/posts/"+p.ID+"/cancel", nil).want(200)
		}
		return []string{p.ID, p.Targets[0].ID}[:len(p.Targets)+1]
	}
}

// oneFailed creates a post that the network of the second account rejected.
// oneRead publishes a post on Mastodon that was read once.
func oneRead(f *fixture) []string {
	f.t.Helper()
	accounts := decodeAs[apiv1.AccountList](f.t, f.do(nil, "GET", "/social-accounts", nil).want(200))
	p := f.create(body{"content": announcement, "social_account_ids": []string{accounts.Results[1].ID}, "publish_at": "now"})
	f.finish(p.ID, schedctl.Result{Receipt: &schedctl.Receipt{ID: "109", URL: "https://social.example/@alice/109"}})
	f.update(func(tx storage.Tx) error {
		post, err := tx.Post(f.mine.workspace, p.ID)
		if err != nil {
			return err
		}
		t := post.Targets[0]
		v := schedctl.Results{TargetID: t.ID, WorkspaceID: post.WorkspaceID, PostID: post.ID, AccountID: t.AccountID, PublishedAt: t.PublishedAt, NextAt: t.PublishedAt.Add(time.Hour)}
		v.Add(t.PublishedAt.Add(15*time.Minute), schedctl.Metrics{Reactions: new(int64(31)), Reposts: new(int64(4)), Quotes: new(int64(1)), Replies: new(int64(0))})
		log := schedctl.AccountResults{AccountID: v.AccountID, WorkspaceID: v.WorkspaceID}
		log.Gain(&v, v.ReadAt)
		return errors.Join(tx.PutResults(v), tx.PutAccountResults(log))
	})
	return []string{p.ID, p.Targets[0].ID}
}

func oneFailed(f *fixture) []string {
	f.t.Helper()
	accounts := decodeAs[apiv1.AccountList](f.t, f.do(nil, "GET", "/social-accounts", nil).want(200))
	p := f.create(body{"content": announcement, "social_account_ids": []string{accounts.Results[1].ID}, "publish_at": "now"})
	f.attempt(p.ID, schedctl.Result{Error: &schedctl.TargetError{
		Kind: schedctl.KindContent, Message: "Validation failed: Text can't be blank", HTTPStatus: 422, Outcome: schedctl.OutcomeNotPublished,
	}}, time.Now())
	return []string{p.ID, p.Targets[0].ID}
}

// oneStory publishes a post and returns the event of its creation.
func oneStory(f *fixture) []string {
	f.t.Helper()
	p := onePost(schedctl.Scheduled)(f)
	f.update(func(tx storage.Tx) error {
		post, err := tx.Post(f.mine.workspace, p[0])
		if err != nil {
			return err
		}
		_, err = post.Begin(schedctl.Claim{TargetID: p[1], Owner: "test", Lease: time.Minute, Key: p[1]}, time.Now())
		if err != nil {
			return err
		}
		events, err := post.Finish(p[1], schedctl.Result{Receipt: &schedctl.Receipt{ID: p[1], URL: "https://posts.example/feeds/releases.atom"}}, time.Now())
		return errors.Join(err, tx.PutPost(post), tx.AddEvents(events...))
	})
	line := decodeAs[apiv1.Timeline](f.t, f.do(nil, "GET", "/posts/"+p[0]+"/timeline", nil).want(200))
	return append(p, line.Events[0].ID)
}

// untilCompleted returns the request with a context that ends when its response
// contains a completed post.
func (f *fixture) untilCompleted(r *http.Request) *http.Request {
	ctx, cancel := context.WithCancel(r.Context())
	f.t.Cleanup(cancel)
	next := f.handler
	f.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&lastWord{w, []byte("event: " + schedctl.EventPostCompleted), cancel}, r)
	})
	return r.WithContext(ctx)
}

// lastWord calls said when a response contains a text.
type lastWord struct {
	http.ResponseWriter
	word []byte
	said func()
}

func (w *lastWord) Write(b []byte) (int, error) {
	n, err := w.ResponseWriter.Write(b)
	if bytes.Contains(b, w.word) {
		w.said()
	}
	return n, err
}

func (w *lastWord) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// oneKey creates another key.
func oneKey(f *fixture) []string {
	f.t.Helper()
	made := decodeAs[apiv1.CreatedAPIKey](f.t, f.do(nil, "POST", "/api-keys", body{"name": "old"}).want(201))
	return []string{made.APIKey.ID}
}

func oneWebhook(f *fixture) []string {
	f.t.Helper()
	made := f.do(nil, "POST", "/webhooks", body{"url": "https://hooks.example/schedctl", "event_types": []string{"post.published", "post.failed"}, "name": "releases"})
	return []string{decodeAs[apiv1.WebhookSecret](f.t, made.want(201)).Webhook.ID}
}

// oneChannel connects an account that can carry notifications.
func oneChannel(f *fixture) []string {
	f.t.Helper()
	now := schedctl.Millis(time.Now())
	id := schedctl.NewID(schedctl.AccountPrefix, now)
	f.update(func(tx storage.Tx) error {
		return tx.PutAccount(schedctl.Account{ID: id, WorkspaceID: f.mine.workspace, Platform: "slack", Name: "team", Status: schedctl.AccountConnected, CreatedAt: now, UpdatedAt: now})
	})
	return []string{id}
}

func oneNotification(f *fixture) []string {
	f.t.Helper()
	made := f.do(nil, "POST", "/notifications", body{"name": "on call", "email": emailSettings()})
	return []string{decodeAs[apiv1.NotificationEnvelope](f.t, made.want(201)).Notification.ID}
}

// oneArchived creates an archived post.
func oneArchived(f *fixture) []string {
	f.t.Helper()
	ids := onePost(schedctl.Published)(f)
	f.do(nil, "POST", "/posts/"+ids[0]+"/archive", nil).want(200)
	return ids
}

// oneDelivery creates a webhook with an unsuccessful delivery of a failed post.
func oneDelivery(f *fixture) []string {
	f.t.Helper()
	ids := oneWebhook(f)
	test := decodeAs[apiv1.WebhookTest](f.t, f.do(nil, "POST", "/webhooks/"+ids[0]+"/test", nil).want(202)).Delivery
	f.update(func(tx storage.Tx) error {
		d, err := tx.Delivery(ids[0], test.ID)
		if err != nil {
			return err
		}
		d.EventType, d.Status, d.Attempt, d.HTTPStatus = schedctl.EventPostFailed, schedctl.DeliveryFailed, 9, 503
		d.Response, d.Duration, d.AttemptedAt, d.NextAttemptAt = "down for maintenance", 125*time.Millisecond, d.CreatedAt, time.Time{}
		d.Error = "the endpoint responded with 503"
		return tx.PutDelivery(d)
	})
	return append(ids, test.ID, test.EventID)
}

// newExampleFixture returns an API with the networks of the examples, one workspace
// and two accounts.
func newExampleFixture(t *testing.T) *fixture { return newExampleFixtureOn(t, false) }

// newExampleFixtureOn is newExampleFixture whose API can be on the store that fails.
func newExampleFixtureOn(t *testing.T, faulty bool) *fixture {
	t.Helper()
	store, err := bolt.Open(filepath.Join(t.TempDir(), "schedctl.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	f := &fixture{t: t, store: storagetest.NewFaulty(store), logs: &syncBuffer{}}
	served := storage.Store(store)
	if faulty {
		served = f.store
	}
	sealer, err := seal.New(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	f.sealer = sealer
	f.publishers = publish.NewRegistry(feed.New("https://posts.example"), mastodon.New(outbound.Client(outbound.PublicOnly), "test"))
	logger := slog.New(slog.NewTextHandler(f.logs, nil))
	f.connector = connect.New(connect.Config{Store: store, Publishers: f.publishers, Sealer: sealer, Logger: logger})
	blobs, err := dir.Open(filepath.Join(t.TempDir(), "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { blobs.Close() })
	f.handler = api.New(api.Config{
		Media: media.New(media.Config{Blobs: blobs, Outbound: outbound.AllowPrivate}), Signer: media.NewSigner(sealer.DeriveKey(media.SigningPurpose)),
		Store: served, Version: "test", Publishers: f.publishers, Connector: f.connector, Sealer: sealer, Logger: logger, Nodes: nodes, Notifier: &fakeNotifier{}, Sources: newRunner(served, f.publishers, sealer, logger),
	})
	f.mine.workspace = schedctl.NewID(schedctl.WorkspacePrefix, time.Now())
	f.update(func(tx storage.Tx) error {
		return tx.PutWorkspace(schedctl.Workspace{ID: f.mine.workspace, Name: "Acme", Timezone: "Europe/Rome", Plan: "self-hosted", CreatedAt: schedctl.Millis(time.Now())})
	})
	f.mine.key = f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.Name = "ci" })
	f.mine.account = f.do(nil, "POST", "/social-accounts", body{"platform": "feed", "name": "releases"}).want(201).account().ID
	f.update(func(tx storage.Tx) error {
		now := schedctl.Millis(time.Now())
		return tx.PutAccount(schedctl.Account{
			ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: f.mine.workspace, Platform: mastodon.Platform, Name: "acme",
			Username: "acme@social.example", DisplayName: "Acme", ProfileURL: "https://social.example/@acme",
			Status: schedctl.AccountConnected, Limits: schedctl.Limits{MaxCharacters: 500, Unit: "graphemes", URLCharacters: 23},
			CreatedAt: now, UpdatedAt: now,
		})
	})
	return f
}
