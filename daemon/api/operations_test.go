package api_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
)

// attempt is a request that succeeds with a key of my workspace that holds all
// scopes.
type attempt struct {
	path     string // below /api/v1
	body     any
	resource string // the resource in the audit log; empty for a new one, or without a write
}

// marker is in every text of a world. A response that contains it reveals an object
// of the world.
const marker = "mine-alone"

// world is a fixture with one object of each kind in my workspace.
type world struct {
	*fixture
	draft, failed, scheduled apiv1.Post
	spare                    string // an account without posts
	webhook, delivery        string
	notification             string
	keyID                    string
	blackoutID               string
	calendarID               string
	shareID                  string
	seriesID                 string
	asset                    string
	queue                    string // it names only my account, and has two posts
	queued                   []string
	sourceID                 string
}

func newWorld(t *testing.T, f *fixture) *world {
	t.Helper()
	w := &world{fixture: f}
	f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Name, a.Username = marker, marker })
	w.spare = f.newAccount(f.mine, marker+" spare")
	w.failed = f.inStatus(schedctl.Failed)
	w.draft = f.create(body{"content": marker, "social_account_ids": []string{f.mine.account}})
	w.scheduled = f.create(body{"content": marker, "social_account_ids": []string{f.mine.account}, "publish_at": in(time.Hour)})
	hook := f.do(nil, "POST", "/webhooks", body{"url": "https://hooks.example/" + marker, "name": marker, "event_types": []string{"post.created"}}).want(201)
	w.webhook = decodeAs[apiv1.WebhookSecret](t, hook).Webhook.ID
	sent := f.do(nil, "POST", "/webhooks/"+w.webhook+"/test", nil).want(202)
	w.delivery = decodeAs[apiv1.WebhookTest](t, sent).Delivery.ID
	noticed := f.do(nil, "POST", "/notifications", body{"name": marker, "email": emailSettings()}).want(201)
	w.notification = decodeAs[apiv1.NotificationEnvelope](t, noticed).Notification.ID
	made := f.do(nil, "POST", "/api-keys", body{"name": marker}).want(201)
	sentFile := f.do(nil, "POST", "/media?file_name="+marker+".jpg", mediatest.JPEG(4, 3)).want(201)
	w.asset = decodeAs[apiv1.UploadedMedia](t, sentFile).MediaAsset.ID
	w.blackoutID = f.blackout(body{"from": "2036-12-24T00:00", "to": "2036-12-27T00:00", "timezone": "UTC", "mode": "avoid", "reason": marker, "social_account_ids": []string{f.mine.account}}).ID
	f.do(nil, "PUT", "/account-groups/"+marker+"-group", body{"social_account_ids": []string{f.mine.account}}).want(200)
	f.do(nil, "PUT", "/snippets/"+marker, body{"text": marker}).want(200)
	f.do(nil, "PUT", "/collections/"+marker, body{"source": marker}).want(200)
	w.calendarID = f.calendarFeed(nil, body{"name": marker}).CalendarFeed.ID
	w.shareID = f.share(nil, body{"kind": "review", "name": marker}).Share.ID
	w.sourceID = f.source(body{"name": marker, "filter": body{"include": []string{marker}}}).ID
	w.seriesID = f.series(body{"name": marker, "content": marker, "social_account_ids": []string{f.mine.account}, "timezone": "UTC", "start": "2036-11-01T09:00", "rule": "FREQ=DAILY"}).ID
	w.keyID = decodeAs[apiv1.CreatedAPIKey](t, made).APIKey.ID
	w.queue = f.newQueue(body{"name": marker, "social_account_ids": []string{f.mine.account}}).ID
	for range 2 {
		w.queued = append(w.queued, f.create(f.inSlot(body{"content": marker})).ID)
	}
	return w
}

// pendingPost creates a draft that another key has submitted.
func (w *world) pendingPost() string {
	w.t.Helper()
	author := as(w.scoped(schedctl.ScopePostsWrite))
	p := w.do(author, "POST", "/posts", body{"content": marker + " pending", "social_account_ids": []string{w.mine.account}}).want(201).post()
	w.do(author, "POST", "/posts/"+p.ID+"/submit", nil).want(200)
	return p.ID
}

// pendingSeries creates a series that another key has submitted.
func (w *world) pendingSeries() string {
	w.t.Helper()
	author := as(w.scoped(schedctl.ScopePostsWrite))
	one := w.do(author, "POST", "/series", body{
		"name": marker + " pending", "content": marker + " again", "social_account_ids": []string{w.mine.account}, "timezone": "UTC", "start": "2036-12-01T09:00", "rule": "FREQ=DAILY",
	}).want(201).series().Series
	w.do(author, "POST", "/series/"+one.ID+"/submit", nil).want(200)
	return one.ID
}

// digest returns the digest that a reflow of the queue needs.
func (w *world) digest() string {
	w.t.Helper()
	return decodeAs[apiv1.QueueMoves](w.t, w.do(nil, "POST", "/queues/"+w.queue+"/reflow", body{"dry_run": true}).want(200)).Digest
}

// attempts has a request for every operation of the document.
var attempts = map[string]func(*world) attempt{
	"getMe":           func(*world) attempt { return attempt{path: "/me"} },
	"getCapabilities": func(*world) attempt { return attempt{path: "/capabilities"} },
	"listNodes":       func(*world) attempt { return attempt{path: "/nodes"} },
	"listWorkspaces":  func(*world) attempt { return attempt{path: "/workspaces"} },
	"createWorkspace": func(*world) attempt {
		return attempt{path: "/workspaces", body: body{"name": marker, "timezone": "Europe/Rome"}}
	},
	"listAudit": func(*world) attempt { return attempt{path: "/audit"} },
	"getBackup": func(*world) attempt { return attempt{path: "/backup"} },

	"listAPIKeys": func(*world) attempt { return attempt{path: "/api-keys"} },
	"createAPIKey": func(w *world) attempt {
		return attempt{path: "/api-keys", body: body{"name": marker, "social_account_ids": []string{w.mine.account}}}
	},
	"getAPIKey":    func(w *world) attempt { return attempt{path: "/api-keys/" + w.keyID} },
	"revokeAPIKey": func(w *world) attempt { return attempt{path: "/api-keys/" + w.keyID, resource: w.keyID} },

	"listSocialAccounts": func(*world) attempt { return attempt{path: "/social-accounts?status=all"} },
	"addSocialAccount": func(*world) attempt {
		return attempt{path: "/social-accounts", body: body{"platform": "fake", "name": marker + " too"}}
	},
	"getSocialAccount": func(w *world) attempt { return attempt{path: "/social-accounts/" + w.mine.account} },
	"editSocialAccount": func(w *world) attempt {
		return attempt{path: "/social-accounts/" + w.spare, body: body{"name": marker + " renamed"}, resource: w.spare}
	},
	"removeSocialAccount": func(w *world) attempt { return attempt{path: "/social-accounts/" + w.spare, resource: w.spare} },
	"verifySocialAccount": func(w *world) attempt {
		return attempt{path: "/social-accounts/" + w.spare + "/verify", resource: w.spare}
	},

	"listPosts": func(w *world) attempt { return attempt{path: "/posts?social_account_id=" + w.mine.account} },
	"createPost": func(w *world) attempt {
		return attempt{path: "/posts", body: body{"content": marker, "social_account_ids": []string{w.mine.account}}}
	},
	"validatePost": func(w *world) attempt {
		return attempt{path: "/posts/validate", body: body{"content": "x", "social_account_ids": []string{w.mine.account}}}
	},
	"getPost":         func(w *world) attempt { return attempt{path: "/posts/" + w.draft.ID} },
	"getPostTimeline": func(w *world) attempt { return attempt{path: "/posts/" + w.failed.ID + "/timeline"} },
	"editPost": func(w *world) attempt {
		return attempt{path: "/posts/" + w.draft.ID, body: body{"content": marker + " edited"}, resource: w.draft.ID}
	},
	"deletePost": func(w *world) attempt { return attempt{path: "/posts/" + w.draft.ID, resource: w.draft.ID} },
	"schedulePost": func(w *world) attempt {
		return attempt{path: "/posts/" + w.draft.ID + "/schedule", body: body{"publish_at": in(time.Hour)}, resource: w.draft.ID}
	},
	"publishPostNow": func(w *world) attempt {
		return attempt{path: "/posts/" + w.draft.ID + "/publish-now", resource: w.draft.ID}
	},
	"cancelPost": func(w *world) attempt {
		return attempt{path: "/posts/" + w.scheduled.ID + "/cancel", resource: w.scheduled.ID}
	},
	"unschedulePost": func(w *world) attempt {
		return attempt{path: "/posts/" + w.scheduled.ID + "/unschedule", resource: w.scheduled.ID}
	},
	"retryPost": func(w *world) attempt {
		return attempt{path: "/posts/" + w.failed.ID + "/retry", body: body{"target_ids": []string{w.failed.Targets[0].ID}}, resource: w.failed.ID}
	},

	"resendPost": func(w *world) attempt {
		return attempt{path: "/posts/" + w.failed.ID + "/resend", body: body{"content": marker}, resource: w.failed.ID}
	},
	"archivePost": func(w *world) attempt {
		return attempt{path: "/posts/" + w.failed.ID + "/archive", resource: w.failed.ID}
	},
	"unarchivePost": func(w *world) attempt {
		return attempt{path: "/posts/" + w.failed.ID + "/unarchive", resource: w.failed.ID}
	},

	"editWorkspace": func(w *world) attempt {
		return attempt{path: "/workspaces/" + w.mine.workspace, body: body{"approvals": "agents"}, resource: w.mine.workspace}
	},
	"submitPost": func(w *world) attempt {
		return attempt{path: "/posts/" + w.draft.ID + "/submit", body: body{"note": marker}, resource: w.draft.ID}
	},
	"approvePost": func(w *world) attempt {
		id := w.pendingPost()
		return attempt{path: "/posts/" + id + "/approve", body: body{"publish_at": in(time.Hour)}, resource: id}
	},
	"requestPostChanges": func(w *world) attempt {
		id := w.pendingPost()
		return attempt{path: "/posts/" + id + "/request-changes", body: body{"note": marker}, resource: id}
	},
	"withdrawPost": func(w *world) attempt {
		id := w.pendingPost()
		return attempt{path: "/posts/" + id + "/withdraw", resource: id}
	},
	"listPostNotes": func(w *world) attempt { return attempt{path: "/posts/" + w.draft.ID + "/notes"} },
	"addPostNote": func(w *world) attempt {
		return attempt{path: "/posts/" + w.draft.ID + "/notes", body: body{"text": marker}, resource: w.draft.ID}
	},
	"submitSeries": func(w *world) attempt {
		return attempt{path: "/series/" + w.seriesID + "/submit", body: body{"note": marker}, resource: w.seriesID}
	},
	"approveSeries": func(w *world) attempt {
		id := w.pendingSeries()
		return attempt{path: "/series/" + id + "/approve", resource: id}
	},
	"requestSeriesChanges": func(w *world) attempt {
		id := w.pendingSeries()
		return attempt{path: "/series/" + id + "/request-changes", body: body{"note": marker}, resource: id}
	},
	"withdrawSeries": func(w *world) attempt {
		id := w.pendingSeries()
		return attempt{path: "/series/" + id + "/withdraw", resource: id}
	},

	"getPostResults":   func(w *world) attempt { return attempt{path: "/posts/" + w.failed.ID + "/results"} },
	"getPostAnalytics": func(w *world) attempt { return attempt{path: "/analytics/post/" + w.failed.ID} },
	"listResults": func(*world) attempt {
		return attempt{path: "/results?sort=-views&after=2026-01-01T00:00:00Z&before=2026-12-01T00:00:00Z&limit=5"}
	},
	"refreshResults": func(w *world) attempt {
		id := w.onCounted(marker).ID
		return attempt{path: "/posts/" + id + "/results/refresh", resource: id}
	},
	"reportResults": func(w *world) attempt {
		p := w.onCounted(marker)
		return attempt{path: "/posts/" + p.ID + "/results", body: body{"target_id": p.Targets[0].ID, "metrics": body{"clicks": 1}}, resource: p.ID}
	},
	"summarizeResults": func(*world) attempt {
		return attempt{path: "/results/summary?by=hour&after=2026-01-01T00:00:00Z&before=2026-12-01T00:00:00Z"}
	},
	"getWorkspaceAnalytics": func(*world) attempt { return attempt{path: "/analytics/workspace?limit=5&offset=0"} },

	"getForecast": func(*world) attempt { return attempt{path: "/forecast?days=366"} },

	"listQueues": func(*world) attempt { return attempt{path: "/queues"} },
	"createQueue": func(w *world) attempt {
		return attempt{path: "/queues", body: body{
			"name": marker + " too", "timezone": "Europe/Rome", "times": []body{everyDay("09:00")}, "social_account_ids": []string{w.mine.account},
		}}
	},
	"getQueue": func(w *world) attempt { return attempt{path: "/queues/" + w.queue} },
	"editQueue": func(w *world) attempt {
		return attempt{path: "/queues/" + w.queue, body: body{"gap": "1h"}, resource: w.queue}
	},
	"deleteQueue":    func(w *world) attempt { return attempt{path: "/queues/" + w.queue, resource: w.queue} },
	"listQueueSlots": func(w *world) attempt { return attempt{path: "/queues/" + w.queue + "/slots"} },
	"orderQueue": func(w *world) attempt {
		return attempt{path: "/queues/" + w.queue + "/order", body: body{"post_ids": []string{w.queued[1], w.queued[0]}}, resource: w.queue}
	},
	"reflowQueue": func(w *world) attempt {
		return attempt{path: "/queues/" + w.queue + "/reflow", body: body{"digest": w.digest()}, resource: w.queue}
	},

	"listWebhooks": func(*world) attempt { return attempt{path: "/webhooks"} },
	"createWebhook": func(*world) attempt {
		return attempt{path: "/webhooks", body: body{"url": "https://hooks.example/" + marker, "event_types": []string{"post.failed"}}}
	},
	"getWebhook": func(w *world) attempt { return attempt{path: "/webhooks/" + w.webhook} },
	"editWebhook": func(w *world) attempt {
		return attempt{path: "/webhooks/" + w.webhook, body: body{"enabled": false}, resource: w.webhook}
	},
	"deleteWebhook": func(w *world) attempt { return attempt{path: "/webhooks/" + w.webhook, resource: w.webhook} },
	"testWebhook":   func(w *world) attempt { return attempt{path: "/webhooks/" + w.webhook + "/test", resource: w.webhook} },
	"rotateWebhookSecret": func(w *world) attempt {
		return attempt{path: "/webhooks/" + w.webhook + "/rotate-secret", resource: w.webhook}
	},
	"listWebhookDeliveries": func(w *world) attempt { return attempt{path: "/webhooks/" + w.webhook + "/deliveries"} },
	"replayWebhookDelivery": func(w *world) attempt {
		return attempt{path: "/webhooks/" + w.webhook + "/deliveries/" + w.delivery + "/replay", resource: w.webhook}
	},
	"replayWebhook": func(w *world) attempt {
		return attempt{path: "/webhooks/" + w.webhook + "/replay", body: body{"since": in(-time.Hour)}, resource: w.webhook}
	},
	"listCalendarFeeds":  func(*world) attempt { return attempt{path: "/calendar-feeds"} },
	"createCalendarFeed": func(*world) attempt { return attempt{path: "/calendar-feeds", body: body{"name": marker + " too"}} },
	"deleteCalendarFeed": func(w *world) attempt {
		return attempt{path: "/calendar-feeds/" + w.calendarID, resource: w.calendarID}
	},

	"listShares":  func(*world) attempt { return attempt{path: "/shares"} },
	"createShare": func(*world) attempt { return attempt{path: "/shares", body: body{"kind": "review", "name": marker}} },
	"getShare":    func(w *world) attempt { return attempt{path: "/shares/" + w.shareID, resource: w.shareID} },
	"revokeShare": func(w *world) attempt { return attempt{path: "/shares/" + w.shareID, resource: w.shareID} },

	"listSources": func(*world) attempt { return attempt{path: "/sources"} },
	"createSource": func(w *world) attempt {
		return attempt{path: "/sources", body: newSource(w.fixture, body{"name": "another"})}
	},
	"getSource": func(w *world) attempt { return attempt{path: "/sources/" + w.sourceID} },
	"editSource": func(w *world) attempt {
		return attempt{path: "/sources/" + w.sourceID, body: body{"interval": "1h"}, resource: w.sourceID}
	},
	"deleteSource": func(w *world) attempt { return attempt{path: "/sources/" + w.sourceID, resource: w.sourceID} },
	"pauseSource": func(w *world) attempt {
		return attempt{path: "/sources/" + w.sourceID + "/pause", resource: w.sourceID}
	},
	"resumeSource": func(w *world) attempt {
		return attempt{path: "/sources/" + w.sourceID + "/resume", resource: w.sourceID}
	},
	"releaseSource": func(w *world) attempt {
		w.flooded(w.sourceID)
		return attempt{path: "/sources/" + w.sourceID + "/release", body: body{"take": 1}, resource: w.sourceID}
	},
	"listSourceItems": func(w *world) attempt {
		w.sourceItem(w.sourceID, schedctl.ItemWaiting)
		return attempt{path: "/sources/" + w.sourceID + "/items"}
	},
	"previewSource": func(w *world) attempt {
		return attempt{path: "/sources/preview", body: body{"name": "another", "url": feedURL, "social_account_ids": []string{w.mine.account}}}
	},
	"fetchSource": func(w *world) attempt {
		w.changeSource(w.sourceID, func(s *schedctl.Source) { s.URL = feedURL })
		return attempt{path: "/sources/" + w.sourceID + "/fetch", resource: w.sourceID}
	},
	"sendSourceItem": func(w *world) attempt {
		id := w.webhookSource(marker + " hook")
		return attempt{path: "/sources/" + id + "/items", body: body{"external_id": "1", "title": marker}, resource: id}
	},
	"postSourceItem": func(w *world) attempt {
		w.changeSource(w.sourceID, func(s *schedctl.Source) { s.URL = feedURL })
		return attempt{path: "/sources/" + w.sourceID + "/items/" + w.sourceItem(w.sourceID, schedctl.ItemWaiting).ID + "/post", resource: w.sourceID}
	},
	"skipSourceItem": func(w *world) attempt {
		return attempt{path: "/sources/" + w.sourceID + "/items/" + w.sourceItem(w.sourceID, schedctl.ItemWaiting).ID + "/skip", resource: w.sourceID}
	},

	"listAccountGroups": func(*world) attempt { return attempt{path: "/account-groups"} },
	"setAccountGroup": func(w *world) attempt {
		return attempt{path: "/account-groups/" + marker + "-group", body: body{"social_account_ids": []string{w.mine.account}}, resource: marker + "-group"}
	},
	"deleteAccountGroup": func(*world) attempt {
		return attempt{path: "/account-groups/" + marker + "-group", resource: marker + "-group"}
	},
	"listSnippets": func(*world) attempt { return attempt{path: "/snippets"} },
	"setSnippet": func(*world) attempt {
		return attempt{path: "/snippets/" + marker, body: body{"text": marker}, resource: marker}
	},
	"deleteSnippet": func(*world) attempt { return attempt{path: "/snippets/" + marker, resource: marker} },

	"listLabels":      func(*world) attempt { return attempt{path: "/labels"} },
	"listCollections": func(*world) attempt { return attempt{path: "/collections"} },
	"getCollection":   func(*world) attempt { return attempt{path: "/collections/" + marker} },
	"applyCollection": func(*world) attempt {
		return attempt{path: "/collections/" + marker + "/apply", body: body{"source": marker}, resource: marker}
	},
	"adoptCollection": func(*world) attempt {
		return attempt{path: "/collections/" + marker, body: body{"source": marker + "/fork"}, resource: marker}
	},
	"deleteCollection": func(*world) attempt { return attempt{path: "/collections/" + marker, resource: marker} },

	"listBlackouts": func(*world) attempt { return attempt{path: "/blackouts"} },
	"createBlackout": func(w *world) attempt {
		return attempt{path: "/blackouts", body: body{"from": "2036-12-24T00:00", "to": "2036-12-27T00:00", "timezone": "UTC", "mode": "avoid", "reason": marker, "social_account_ids": []string{w.mine.account}}}
	},
	"getBlackout": func(w *world) attempt { return attempt{path: "/blackouts/" + w.blackoutID} },
	"editBlackout": func(w *world) attempt {
		return attempt{path: "/blackouts/" + w.blackoutID, body: body{"to": "2036-12-28T00:00"}, resource: w.blackoutID}
	},
	"deleteBlackout": func(w *world) attempt {
		return attempt{path: "/blackouts/" + w.blackoutID, resource: w.blackoutID}
	},

	"listSeries": func(*world) attempt { return attempt{path: "/series"} },
	"createSeries": func(w *world) attempt {
		return attempt{path: "/series", body: body{
			"name": marker + " too", "content": marker + " too", "social_account_ids": []string{w.mine.account}, "timezone": "UTC", "start": "2036-12-01T09:00", "rule": "FREQ=DAILY",
		}}
	},
	"previewSeries": func(*world) attempt {
		return attempt{path: "/series/preview", body: body{"timezone": "UTC", "start": "2036-12-01T09:00", "rule": "FREQ=DAILY"}}
	},
	"getSeries":       func(w *world) attempt { return attempt{path: "/series/" + w.seriesID} },
	"listOccurrences": func(w *world) attempt { return attempt{path: "/series/" + w.seriesID + "/occurrences"} },
	"editSeries": func(w *world) attempt {
		return attempt{path: "/series/" + w.seriesID, body: body{"content": marker + " edited"}, resource: w.seriesID}
	},
	"deleteSeries": func(w *world) attempt { return attempt{path: "/series/" + w.seriesID, resource: w.seriesID} },
	"skipOccurrence": func(w *world) attempt {
		return attempt{path: "/series/" + w.seriesID + "/skip", body: body{"occurrence": "2036-11-01T09:00"}, resource: w.seriesID}
	},
	"pauseSeries": func(w *world) attempt { return attempt{path: "/series/" + w.seriesID + "/pause", resource: w.seriesID} },
	"resumeSeries": func(w *world) attempt {
		return attempt{path: "/series/" + w.seriesID + "/resume", resource: w.seriesID}
	},
	"endSeries": func(w *world) attempt { return attempt{path: "/series/" + w.seriesID + "/end", resource: w.seriesID} },

	"listNotifications":  func(*world) attempt { return attempt{path: "/notifications"} },
	"createNotification": func(*world) attempt { return attempt{path: "/notifications", body: body{"email": emailSettings()}} },
	"getNotification":    func(w *world) attempt { return attempt{path: "/notifications/" + w.notification} },
	"editNotification": func(w *world) attempt {
		return attempt{path: "/notifications/" + w.notification, body: body{"enabled": false}, resource: w.notification}
	},
	"deleteNotification": func(w *world) attempt {
		return attempt{path: "/notifications/" + w.notification, resource: w.notification}
	},
	"testNotification": func(w *world) attempt {
		return attempt{path: "/notifications/" + w.notification + "/test", resource: w.notification}
	},
	"streamEvents": func(*world) attempt { return attempt{path: "/events"} },

	"getMediaConfig":  func(*world) attempt { return attempt{path: "/media/config"} },
	"listMedia":       func(*world) attempt { return attempt{path: "/media"} },
	"getMedia":        func(w *world) attempt { return attempt{path: "/media/" + w.asset} },
	"getMediaContent": func(w *world) attempt { return attempt{path: "/media/" + w.asset + "/content"} },
	"createMedia": func(*world) attempt {
		return attempt{path: "/media?file_name=" + marker + ".png", body: mediatest.PNG(9, 9)}
	},
	"createMediaFromURL": func(w *world) attempt {
		return attempt{path: "/media/from-url", body: body{"url": w.fileServer(mediatest.PNG(8, 9)) + "/" + marker + ".png"}}
	},
	"editMedia": func(w *world) attempt {
		return attempt{path: "/media/" + w.asset, body: body{"alt_text": marker}, resource: w.asset}
	},
	"deleteMedia": func(w *world) attempt { return attempt{path: "/media/" + w.asset, resource: w.asset} },
	"createUpload": func(*world) attempt {
		return attempt{path: "/media/uploads", body: body{"file_name": marker + ".png", "mime_type": "image/png", "size_bytes": 123}}
	},
	"putUpload": func(w *world) attempt {
		file := mediatest.PNG(7, 9)
		upload := w.announce(file)
		return attempt{path: upload.path(), body: file, resource: upload.MediaAsset.ID}
	},
	"createUploadLink": func(*world) attempt {
		return attempt{path: "/media/upload-links", body: body{"file_name": marker + ".png", "alt_text": marker}}
	},
	"putUploadLink": func(w *world) attempt {
		link := w.link(nil)
		return attempt{path: link.path(), body: mediatest.PNG(4, 9), resource: link.MediaAsset.ID}
	},
	"confirmUpload": func(w *world) attempt {
		file := mediatest.PNG(6, 9)
		upload := w.announce(file)
		w.do(nil, "PUT", upload.path(), file).want(204)
		return attempt{path: "/media/" + upload.MediaAsset.ID + "/confirm-upload", resource: upload.MediaAsset.ID}
	},
	"failUpload": func(w *world) attempt {
		id := w.announce(mediatest.PNG(5, 9)).MediaAsset.ID
		return attempt{path: "/media/" + id + "/upload-failure", resource: id}
	},
}

// eachOperation runs a test for every operation of the document, each with its own
// world on each engine.
func eachOperation(t *testing.T, test func(t *testing.T, w *world, op operation, a attempt)) {
	t.Helper()
	onEveryEngine(t, func(t *testing.T, shared *fixture) {
		operations := documentOperations(t)
		for id := range attempts {
			if operations[id].Operation == nil {
				t.Errorf("the document has no operation %s", id)
			}
		}
		for id, op := range operations {
			try := attempts[id]
			if try == nil {
				t.Errorf("%s %s: say in attempts how to try %s", op.method, op.path, id)
				continue
			}
			t.Run(id, func(t *testing.T) {
				w := newWorld(t, shared.sibling(t))
				test(t, w, op, try(w))
			})
		}
	})
}

// sibling returns a fixture with two new workspaces in the same database.
func (f *fixture) sibling(t *testing.T) *fixture {
	t.Helper()
	s := *f
	s.t = t
	s.mine, s.other = s.newTenant("mine"), s.newTenant("other")
	return &s
}

// try sends the request of an operation. It closes a stream after a while, which is
// longer on a busy machine.
func (w *world) try(o option, op operation, a attempt) *response {
	w.t.Helper()
	if op.OperationID != "streamEvents" {
		return w.do(o, op.method, a.path, a.body)
	}
	for patience := 50 * time.Millisecond; ; patience *= 10 {
		r, left := w.tryFor(patience, o, op, a)
		if !left || r.status != http.StatusServiceUnavailable || patience > testsize.Patience {
			return r
		}
	}
}

// tryFor sends a request, cancels it after a while, and reports whether it was
// canceled.
func (w *world) tryFor(patience time.Duration, o option, op operation, a attempt) (r *response, left bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	r = w.do(all(o, func(r *http.Request) { *r = *r.WithContext(ctx) }), op.method, a.path, a.body)
	return r, ctx.Err() != nil
}

// writes reports whether an operation can be repeated with an Idempotency-Key.
func (op operation) writes() bool {
	for _, p := range op.Parameters {
		if p.Value.Name == "Idempotency-Key" {
			return true
		}
	}
	return false
}

func TestEveryOperation(t *testing.T) {
	t.Parallel()
	eachOperation(t, func(t *testing.T, w *world, op operation, a attempt) {
		r := w.try(all(), op, a)
		if op.OperationID == "getBackup" {
			r.refused(schedctl.Unavailable) // these stores cannot be copied
			return
		}
		if r.status >= 300 {
			t.Errorf("%d: %s", r.status, r.body)
		}
	})
}

// TestEveryWriteCanBeRepeated also guards that each accepted write has one audit
// entry with its resource, and a repetition has none. The post that a source makes of an item
// has an entry of its own.
func TestEveryWriteCanBeRepeated(t *testing.T) {
	t.Parallel()
	eachOperation(t, func(t *testing.T, w *world, op operation, a attempt) {
		if op.method == http.MethodGet || slices.Contains([]string{"validatePost", "previewSeries", "previewSource"}, op.OperationID) {
			if op.writes() {
				t.Error("this operation writes nothing and takes an Idempotency-Key")
			}
			return
		}
		if op.OperationID == "putUploadLink" { // it takes one file
			w.try(nil, op, a).want(201)
			w.try(nil, op, a).refused(schedctl.NotFound)
			return
		}
		if op.OperationID == "putUpload" { // the bytes can be sent again without a key
			w.try(nil, op, a).want(204)
			w.try(nil, op, a).want(204)
			return
		}
		before := w.audit()
		first := w.try(key("k"), op, a)
		if first.status >= 300 {
			t.Fatalf("%d: %s", first.status, first.body)
		}
		replays(t, first, w.try(key("k"), op, a))
		written := slices.DeleteFunc(w.audit()[len(before):], func(e schedctl.AuditEntry) bool {
			return strings.HasPrefix(e.Detail, "by the source ") && e.Action != op.OperationID
		})
		if len(written) != 1 {
			t.Fatalf("%d audit entries: %+v", len(written), written)
		}
		entry := written[0]
		if a.resource == "" {
			if entry.ResourceID == "" || !strings.Contains(string(first.body), `"id":"`+entry.ResourceID+`"`) {
				t.Errorf("the audit log names %q; created was %s", entry.ResourceID, first.body)
			}
			a.resource = entry.ResourceID
		}
		want := schedctl.AuditEntry{
			ID: entry.ID, WorkspaceID: w.mine.workspace, At: entry.At, KeyID: w.keyOf(w.mine.key).ID, KeyName: "test",
			RemoteAddr: "192.0.2.1", Action: op.OperationID, ResourceID: a.resource, RequestID: first.header.Get("X-Request-Id"),
			Detail: entry.Detail,
		}
		if diff := cmp.Diff(want, entry); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if age := time.Since(entry.At); age < -time.Second || age > testsize.Patience {
			t.Errorf("the audit entry is from %s", entry.At)
		}
	})
}

// audit returns the audit log of my workspace, the oldest entry first.
func (f *fixture) audit() (entries []schedctl.AuditEntry) {
	f.t.Helper()
	err := f.store.View(f.t.Context(), func(r storage.Reader) error {
		youngest, err := r.Audit(f.mine.workspace, "", 1000)
		entries = nil
		for i := len(youngest); i > 0; i-- {
			entries = append(entries, youngest[i-1])
		}
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return entries
}

// keyOf returns the stored key with a secret.
func (f *fixture) keyOf(secret string) (k schedctl.APIKey) {
	f.t.Helper()
	hash, _ := schedctl.HashKeySecret(secret)
	err := f.store.View(f.t.Context(), func(r storage.Reader) (err error) {
		k, err = r.KeyByHash(hash)
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return k
}

// draftKeysMay are the operations that a draft key may use.
var draftKeysMay = map[string]bool{
	"getMe": true, "getCapabilities": true, "listNodes": true, "createPost": true, "editPost": true, "deletePost": true,
	"createMedia": true, "createMediaFromURL": true, "editMedia": true, "deleteMedia": true,
	"createUpload": true, "putUpload": true, "createUploadLink": true, "putUploadLink": true, "confirmUpload": true, "failUpload": true,
	"submitPost": true, "withdrawPost": true, "addPostNote": true, "submitSeries": true, "withdrawSeries": true, "applyCollection": true,
	"sendSourceItem": true, // what it makes is a draft
}

func TestDraftKeysMakeNothingGoOut(t *testing.T) {
	t.Parallel()
	eachOperation(t, func(t *testing.T, w *world, op operation, a attempt) {
		drafter := w.scoped(schedctl.ScopePostsDraft)
		drafts := as(drafter)
		w.giveAll(w.keyOf(drafter).ID)
		before := w.goesOut()
		r := w.try(drafts, op, a)
		switch {
		case !draftKeysMay[op.OperationID]:
			r.refused(schedctl.InsufficientScope)
		case r.status >= 300:
			t.Errorf("%d: %s", r.status, r.body)
		}
		if after := w.goesOut(); !cmp.Equal(before, after) {
			t.Errorf("due was %v and is %v", before, after)
		}
	})
}

// TestDraftKeysCannotSchedule tries to publish or schedule with the operations that
// a draft key may use.
func TestDraftKeysCannotSchedule(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := newWorld(t, f)
	drafts := as(f.scoped(schedctl.ScopePostsDraft))
	before := w.goesOut()
	accounts := []string{f.mine.account}
	for _, at := range []string{in(time.Hour), "now"} {
		f.do(drafts, "POST", "/posts", body{"content": "x", "social_account_ids": accounts, "publish_at": at}).refused(schedctl.InsufficientScope)
	}
	f.do(drafts, "PATCH", "/posts/"+w.draft.ID, body{"publish_at": in(time.Hour)}).refused(schedctl.InsufficientScope)
	f.do(drafts, "PATCH", "/posts/"+w.scheduled.ID, body{"publish_at": in(time.Minute)}).refused(schedctl.InsufficientScope)
	f.do(drafts, "PATCH", "/posts/"+w.scheduled.ID, body{"content": "another text"}).refused(schedctl.InsufficientScope)
	f.do(drafts, "PATCH", "/posts/"+w.scheduled.ID, body{"social_account_ids": []string{w.spare}}).refused(schedctl.InsufficientScope)
	f.do(drafts, "DELETE", "/posts/"+w.scheduled.ID, nil).refused(schedctl.InsufficientScope)
	if after := w.goesOut(); !cmp.Equal(before, after) {
		t.Errorf("due was %v and is %v", before, after)
	}
	if p := f.do(nil, "GET", "/posts/"+w.scheduled.ID, nil).post(); p.Version != w.scheduled.Version {
		t.Errorf("a draft key has changed a scheduled post: %+v", p)
	}
}

// goesOut returns everything that is due, now or later.
func (w *world) goesOut() (due []schedctl.Due) {
	w.t.Helper()
	err := w.store.View(w.t.Context(), func(r storage.Reader) error {
		due = nil
		return r.Due(schedctl.Due{}, func(d schedctl.Due) bool {
			due = append(due, d)
			return true
		})
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return due
}
