package client_test

import (
	"context"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// Each method about queues, blackouts, series and calendar feeds sends one request and
// returns the daemon's response.
func TestPlanningMethods(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 12, 8, 9, 0, 0, 0, time.UTC)
	queue := apiv1.QueueEnvelope{Queue: apiv1.Queue{ID: "que_1"}}
	moves := apiv1.QueueMoves{Digest: "d1"}
	blackout := apiv1.BlackoutEnvelope{Blackout: apiv1.Blackout{ID: "blk_1"}}
	series := apiv1.SeriesEnvelope{Series: apiv1.Series{ID: "ser_2"}, Previous: &apiv1.Series{ID: "ser_1"}}
	feed := apiv1.CalendarFeed{ID: "cal_1"}
	queueID := func(q apiv1.QueueEnvelope, err error) (string, error) { return q.Queue.ID, err }
	digest := func(m apiv1.QueueMoves, err error) (string, error) { return m.Digest, err }
	blackoutID := func(b apiv1.BlackoutEnvelope, err error) (string, error) { return b.Blackout.ID, err }
	seriesID := func(s apiv1.SeriesEnvelope, err error) (string, error) { return s.Series.ID, err }
	testMethods(t, map[string]methodCase{
		"queues": {apiv1.QueueList{Results: []apiv1.Queue{{ID: "que_1"}}}, func(ctx context.Context, c *client.Client) (string, error) {
			list, err := c.Queues(ctx)
			return list[0].ID, err
		}, "GET /api/v1/queues ", "que_1"},
		"queue": {queue, func(ctx context.Context, c *client.Client) (string, error) { return queueID(c.Queue(ctx, "que_1")) },
			"GET /api/v1/queues/que_1 ", "que_1"},
		"create queue": {queue, func(ctx context.Context, c *client.Client) (string, error) {
			return queueID(c.CreateQueue(ctx, apiv1.CreateQueue{Name: "main", Timezone: "Europe/Berlin", Gap: "30m", Default: true,
				Times: []apiv1.QueueTime{{Days: []string{"mon", "fri"}, At: "09:00"}}, SocialAccountIDs: []string{"acct_1"}}))
		}, `POST /api/v1/queues {"name":"main","timezone":"Europe/Berlin","times":[{"days":["mon","fri"],"at":"09:00"}],"social_account_ids":["acct_1"],"gap":"30m","default":true}`, "que_1"},
		"edit queue": {queue, func(ctx context.Context, c *client.Client) (string, error) {
			return queueID(c.EditQueue(ctx, "que_1", apiv1.EditQueue{SocialAccountIDs: &[]string{}, Default: ptr(true)}))
		}, `PATCH /api/v1/queues/que_1 {"social_account_ids":[],"default":true}`, "que_1"},
		"delete queue": {nil, func(ctx context.Context, c *client.Client) (string, error) { return "", c.DeleteQueue(ctx, "que_1") },
			"DELETE /api/v1/queues/que_1 ", ""},
		"results of a post": {apiv1.PostResults{PostID: "post_1"}, func(ctx context.Context, c *client.Client) (string, error) {
			found, err := c.PostResults(ctx, "post_1")
			return found.PostID, err
		}, "GET /api/v1/posts/post_1/results ", "post_1"},
		"analytics of a post": {apiv1.AnalyticsPost{PostID: "post_1"}, func(ctx context.Context, c *client.Client) (string, error) {
			found, err := c.PostAnalytics(ctx, "post_1")
			return found.PostID, err
		}, "GET /api/v1/analytics/post/post_1 ", "post_1"},
		"list of results": {apiv1.ResultsList{Count: 2}, func(ctx context.Context, c *client.Client) (string, error) {
			found, err := c.Results(ctx, client.ResultsQuery{
				After: time.Unix(0, 0), Accounts: []string{"acct_1", "acct_2"}, Platform: "mastodon", Labels: []string{"a"}, SeriesID: "ser_1", Removed: new(true),
				Sort: apiv1.ResultsByViews, Limit: 9, Cursor: "c",
			})
			return strconv.Itoa(found.Count), err
		}, "GET /api/v1/results?after=1970-01-01T00%3A00%3A00Z&cursor=c&label=a&limit=9&platform=mastodon&removed=true&series_id=ser_1&social_account_id=acct_1&social_account_id=acct_2&sort=-views ", "2"},
		"summary of results": {apiv1.ResultsSummary{Truncated: true}, func(ctx context.Context, c *client.Client) (string, error) {
			found, err := c.ResultsSummary(ctx, apiv1.ResultsByHour, client.ResultsQuery{After: time.Unix(0, 0)})
			return strconv.FormatBool(found.Truncated), err
		}, "GET /api/v1/results/summary?after=1970-01-01T00%3A00%3A00Z&by=hour ", "true"},
		"refresh results": {apiv1.ResultsRefresh{PostID: "post_1"}, func(ctx context.Context, c *client.Client) (string, error) {
			done, err := c.RefreshResults(ctx, "post_1", apiv1.RefreshResults{TargetIDs: []string{"pt_1"}})
			return done.PostID, err
		}, `POST /api/v1/posts/post_1/results/refresh {"target_ids":["pt_1"]}`, "post_1"},
		"report results": {apiv1.PostResults{PostID: "post_1"}, func(ctx context.Context, c *client.Client) (string, error) {
			done, err := c.ReportResults(ctx, "post_1", apiv1.ReportResults{TargetID: "pt_1", Metrics: apiv1.ReportedCounts{Clicks: new(int64(31))}})
			return done.PostID, err
		}, `PUT /api/v1/posts/post_1/results {"target_id":"pt_1","metrics":{"clicks":31}}`, "post_1"},
		"analytics of a workspace": {apiv1.AnalyticsWorkspace{Count: 2}, func(ctx context.Context, c *client.Client) (string, error) {
			found, err := c.WorkspaceAnalytics(ctx, 50, 100)
			return strconv.Itoa(found.Count), err
		}, "GET /api/v1/analytics/workspace?limit=50&offset=100 ", "2"},
		"default analytics": {apiv1.AnalyticsWorkspace{Count: 2}, func(ctx context.Context, c *client.Client) (string, error) {
			found, err := c.WorkspaceAnalytics(ctx, 0, 0)
			return strconv.Itoa(found.Count), err
		}, "GET /api/v1/analytics/workspace ", "2"},
		"forecast": {apiv1.ForecastList{Results: []apiv1.ForecastEntry{{Message: "m"}}}, func(ctx context.Context, c *client.Client) (string, error) {
			list, err := c.Forecast(ctx, 7)
			return list.Results[0].Message, err
		}, "GET /api/v1/forecast?days=7 ", "m"},
		"default forecast": {apiv1.ForecastList{Count: 2}, func(ctx context.Context, c *client.Client) (string, error) {
			list, err := c.Forecast(ctx, 0)
			return strconv.Itoa(list.Count), err
		}, "GET /api/v1/forecast ", "2"},
		"slots": {apiv1.QueueSlots{Results: []apiv1.QueueSlot{{Local: "2026-12-08T10:00"}}}, func(ctx context.Context, c *client.Client) (string, error) {
			slots, err := c.QueueSlots(ctx, "que_1", client.SlotQuery{AccountID: "acct_1", After: at, Before: at.Add(time.Hour), Limit: 7})
			return slots[0].Local, err
		}, "GET /api/v1/queues/que_1/slots?after=2026-12-08T09%3A00%3A00Z&before=2026-12-08T10%3A00%3A00Z&limit=7&social_account_id=acct_1 ", "2026-12-08T10:00"},
		"all slots": {apiv1.QueueSlots{Results: []apiv1.QueueSlot{{Local: "x"}}}, func(ctx context.Context, c *client.Client) (string, error) {
			slots, err := c.QueueSlots(ctx, "que_1", client.SlotQuery{})
			return slots[0].Local, err
		}, "GET /api/v1/queues/que_1/slots ", "x"},
		"order": {moves, func(ctx context.Context, c *client.Client) (string, error) {
			return digest(c.OrderQueue(ctx, "que_1", []string{"post_2", "post_1"}))
		}, `POST /api/v1/queues/que_1/order {"post_ids":["post_2","post_1"]}`, "d1"},
		"preview of reflow": {moves, func(ctx context.Context, c *client.Client) (string, error) {
			return digest(c.PreviewReflow(ctx, "que_1"))
		}, `POST /api/v1/queues/que_1/reflow {"dry_run":true}`, "d1"},
		"reflow": {moves, func(ctx context.Context, c *client.Client) (string, error) {
			return digest(c.ReflowQueue(ctx, "que_1", "d0"))
		}, `POST /api/v1/queues/que_1/reflow {"digest":"d0"}`, "d1"},
		"blackouts": {apiv1.BlackoutList{Results: []apiv1.Blackout{{ID: "blk_1"}}}, func(ctx context.Context, c *client.Client) (string, error) {
			list, err := c.Blackouts(ctx)
			return list[0].ID, err
		}, "GET /api/v1/blackouts ", "blk_1"},
		"blackout": {blackout, func(ctx context.Context, c *client.Client) (string, error) {
			return blackoutID(c.Blackout(ctx, "blk_1"))
		}, "GET /api/v1/blackouts/blk_1 ", "blk_1"},
		"create blackout": {blackout, func(ctx context.Context, c *client.Client) (string, error) {
			return blackoutID(c.CreateBlackout(ctx, apiv1.CreateBlackout{From: "2026-12-24T00:00", Timezone: "UTC", Mode: schedctl.BlackoutHold, Reason: ptr("x")}))
		}, `POST /api/v1/blackouts {"from":"2026-12-24T00:00","timezone":"UTC","reason":"x","mode":"hold"}`, "blk_1"},
		"edit blackout": {blackout, func(ctx context.Context, c *client.Client) (string, error) {
			return blackoutID(c.EditBlackout(ctx, "blk_1", apiv1.EditBlackout{To: ptr("2026-12-27T00:00")}))
		}, `PATCH /api/v1/blackouts/blk_1 {"to":"2026-12-27T00:00"}`, "blk_1"},
		"delete blackout": {nil, func(ctx context.Context, c *client.Client) (string, error) {
			return "", c.DeleteBlackout(ctx, "blk_1")
		}, "DELETE /api/v1/blackouts/blk_1 ", ""},
		"series": {apiv1.SeriesList{Results: []apiv1.Series{{ID: "ser_1"}}}, func(ctx context.Context, c *client.Client) (string, error) {
			list, err := c.SeriesList(ctx, client.SeriesQuery{ExternalID: "site/a", Approval: schedctl.ApprovalPending, Limit: 5, Cursor: "x"})
			return list.Results[0].ID, err
		}, "GET /api/v1/series?approval=pending&cursor=x&external_id=site%2Fa&limit=5 ", "ser_1"},
		"one series": {series, func(ctx context.Context, c *client.Client) (string, error) {
			s, err := c.Series(ctx, "ser_2")
			return s.ID, err
		}, "GET /api/v1/series/ser_2 ", "ser_2"},
		"create series": {series, func(ctx context.Context, c *client.Client) (string, error) {
			s, err := c.CreateSeries(ctx, apiv1.CreateSeries{Name: "tips", Content: "x", SocialAccountIDs: []string{"acct_1"}, Timezone: "UTC", Start: "2026-12-08T09:00", Rule: "FREQ=DAILY"})
			return s.ID, err
		}, `POST /api/v1/series {"name":"tips","content":"x","social_account_ids":["acct_1"],"timezone":"UTC","start":"2026-12-08T09:00","rule":"FREQ=DAILY"}`, "ser_2"},
		"preview of series": {apiv1.SeriesPreview{Hints: []string{"h"}}, func(ctx context.Context, c *client.Client) (string, error) {
			p, err := c.PreviewSeries(ctx, apiv1.PreviewSeries{Timezone: "UTC", Start: "2026-12-08T09:00", Rule: "FREQ=DAILY"})
			return p.Hints[0], err
		}, `POST /api/v1/series/preview {"timezone":"UTC","start":"2026-12-08T09:00","rule":"FREQ=DAILY"}`, "h"},
		"edit series": {series, func(ctx context.Context, c *client.Client) (string, error) {
			return seriesID(c.EditSeries(ctx, "ser_1", apiv1.EditSeries{Content: ptr("y")}))
		}, `PATCH /api/v1/series/ser_1 {"content":"y"}`, "ser_2"},
		"edit series from": {series, func(ctx context.Context, c *client.Client) (string, error) {
			s, err := c.EditSeriesFrom(ctx, "ser_1", "2026-12-15T09:00", apiv1.EditSeries{Content: ptr("y")})
			return s.Previous.ID + s.Series.ID, err
		}, `PATCH /api/v1/series/ser_1?from=2026-12-15T09%3A00 {"content":"y"}`, "ser_1ser_2"},
		"delete series": {nil, func(ctx context.Context, c *client.Client) (string, error) {
			return "", c.DeleteSeries(ctx, "ser_1")
		}, "DELETE /api/v1/series/ser_1 ", ""},
		"occurrences": {apiv1.OccurrenceList{Results: []apiv1.Occurrence{{Occurrence: "2026-12-08T09:00"}}}, func(ctx context.Context, c *client.Client) (string, error) {
			list, err := c.Occurrences(ctx, "ser_1", client.OccurrenceQuery{After: at, Before: at.Add(time.Hour), Limit: 7, Cursor: "x"})
			return list.Results[0].Occurrence, err
		}, "GET /api/v1/series/ser_1/occurrences?after=2026-12-08T09%3A00%3A00Z&before=2026-12-08T10%3A00%3A00Z&cursor=x&limit=7 ", "2026-12-08T09:00"},
		"skip": {series, func(ctx context.Context, c *client.Client) (string, error) {
			return seriesID(c.SkipOccurrence(ctx, "ser_1", "2026-12-08T09:00"))
		}, `POST /api/v1/series/ser_1/skip {"occurrence":"2026-12-08T09:00"}`, "ser_2"},
		"pause series": {series, func(ctx context.Context, c *client.Client) (string, error) {
			return seriesID(c.PauseSeries(ctx, "ser_1"))
		}, "POST /api/v1/series/ser_1/pause ", "ser_2"},
		"resume series": {series, func(ctx context.Context, c *client.Client) (string, error) {
			return seriesID(c.ResumeSeries(ctx, "ser_1"))
		}, "POST /api/v1/series/ser_1/resume ", "ser_2"},
		"end series": {series, func(ctx context.Context, c *client.Client) (string, error) {
			return seriesID(c.EndSeries(ctx, "ser_1"))
		}, "POST /api/v1/series/ser_1/end ", "ser_2"},
		"calendar feeds": {apiv1.CalendarFeedList{Results: []apiv1.CalendarFeed{feed}}, func(ctx context.Context, c *client.Client) (string, error) {
			list, err := c.CalendarFeeds(ctx)
			return list[0].ID, err
		}, "GET /api/v1/calendar-feeds ", "cal_1"},
		"create calendar feed": {apiv1.CalendarFeedAddress{CalendarFeed: feed, URL: "u"}, func(ctx context.Context, c *client.Client) (string, error) {
			f, err := c.CreateCalendarFeed(ctx, apiv1.CreateCalendarFeed{Name: "team", TitlesOnly: true})
			return f.CalendarFeed.ID + f.URL, err
		}, `POST /api/v1/calendar-feeds {"name":"team","titles_only":true}`, "cal_1u"},
		"delete calendar feed": {nil, func(ctx context.Context, c *client.Client) (string, error) {
			return "", c.DeleteCalendarFeed(ctx, "cal_1")
		}, "DELETE /api/v1/calendar-feeds/cal_1 ", ""},
		"shares": {apiv1.ShareList{Results: []apiv1.Share{{ID: "shr_1"}}}, func(ctx context.Context, c *client.Client) (string, error) {
			list, err := c.Shares(ctx)
			return list[0].ID, err
		}, "GET /api/v1/shares ", "shr_1"},
		"share": {apiv1.ShareEnvelope{Share: apiv1.Share{ID: "shr_1"}}, func(ctx context.Context, c *client.Client) (string, error) {
			s, err := c.Share(ctx, "shr_1")
			return s.ID, err
		}, "GET /api/v1/shares/shr_1 ", "shr_1"},
		"create share": {apiv1.ShareAddress{Share: apiv1.Share{ID: "shr_1"}, URL: "u"}, func(ctx context.Context, c *client.Client) (string, error) {
			s, err := c.CreateShare(ctx, apiv1.CreateShare{Kind: "review", Name: "Dana"})
			return s.Share.ID + s.URL, err
		}, `POST /api/v1/shares {"kind":"review","name":"Dana"}`, "shr_1u"},
		"revoke share": {nil, func(ctx context.Context, c *client.Client) (string, error) {
			return "", c.RevokeShare(ctx, "shr_1")
		}, "DELETE /api/v1/shares/shr_1 ", ""},
		"account groups": {apiv1.AccountGroupList{Results: []apiv1.AccountGroup{{Name: "brand"}}}, func(ctx context.Context, c *client.Client) (string, error) {
			list, err := c.AccountGroups(ctx)
			return list[0].Name, err
		}, "GET /api/v1/account-groups ", "brand"},
		"set account group": {apiv1.AccountGroupEnvelope{AccountGroup: apiv1.AccountGroup{Name: "brand"}}, func(ctx context.Context, c *client.Client) (string, error) {
			g, err := c.SetAccountGroup(ctx, "brand", apiv1.SetAccountGroup{SocialAccountIDs: []string{"acct_1"}, CreateOnly: true})
			return g.Name, err
		}, `PUT /api/v1/account-groups/brand {"social_account_ids":["acct_1"],"create_only":true}`, "brand"},
		"delete account group": {nil, func(ctx context.Context, c *client.Client) (string, error) {
			return "", c.DeleteAccountGroup(ctx, "brand")
		}, "DELETE /api/v1/account-groups/brand ", ""},
		"snippets": {apiv1.SnippetList{Results: []apiv1.Snippet{{Name: "tags"}}}, func(ctx context.Context, c *client.Client) (string, error) {
			list, err := c.Snippets(ctx)
			return list[0].Name, err
		}, "GET /api/v1/snippets ", "tags"},
		"set snippet": {apiv1.SnippetEnvelope{Snippet: apiv1.Snippet{Name: "tags"}}, func(ctx context.Context, c *client.Client) (string, error) {
			s, err := c.SetSnippet(ctx, "tags", apiv1.SetSnippet{Text: "#go"})
			return s.Name, err
		}, `PUT /api/v1/snippets/tags {"text":"#go"}`, "tags"},
		"delete snippet": {nil, func(ctx context.Context, c *client.Client) (string, error) {
			return "", c.DeleteSnippet(ctx, "tags")
		}, "DELETE /api/v1/snippets/tags ", ""},
		"create in the next slot": {apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1"}}, func(ctx context.Context, c *client.Client) (string, error) {
			p, err := c.CreatePost(ctx, apiv1.CreatePost{Content: "x", PublishAt: apiv1.NextSlot(), QueueID: ptr("que_1"), NotBefore: apiv1.NewTime(at)})
			return p.ID, err
		}, `POST /api/v1/posts {"content":"x","publish_at":"next-slot","queue_id":"que_1","not_before":"2026-12-08T09:00:00Z"}`, "post_1"},
		"schedule in the next slot": {apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1"}}, func(ctx context.Context, c *client.Client) (string, error) {
			p, err := c.SchedulePost(ctx, "post_1", apiv1.SchedulePost{PublishAt: *apiv1.NextSlot(), AllowBlackout: true})
			return p.ID, err
		}, `POST /api/v1/posts/post_1/schedule {"publish_at":"next-slot","allow_blackout":true}`, "post_1"},
	}, checkDocumented)
}

func TestEachOccurrenceGoesFromPageToPage(t *testing.T) {
	t.Parallel()
	f, c := serve(t,
		ok(apiv1.OccurrenceList{Results: []apiv1.Occurrence{{Occurrence: "a"}}, NextCursor: ptr("two")}),
		ok(apiv1.OccurrenceList{Results: []apiv1.Occurrence{{Occurrence: "b"}}}))
	var got []string
	for o, err := range c.EachOccurrence(t.Context(), "ser_1", client.OccurrenceQuery{Limit: 1}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, o.Occurrence)
	}
	if diff := cmp.Diff([]string{"a", "b"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	second, err := url.ParseQuery(f.seen()[1].Query)
	if err != nil || second.Get("cursor") != "two" || second.Get("limit") != "1" {
		t.Errorf("second request: %v, %v", second, err)
	}
}

func TestEachSeriesGoesFromPageToPage(t *testing.T) {
	t.Parallel()
	_, c := serve(t,
		ok(apiv1.SeriesList{Results: []apiv1.Series{{ID: "ser_2"}}, NextCursor: ptr("two")}),
		ok(apiv1.SeriesList{Results: []apiv1.Series{{ID: "ser_1"}}}))
	var got []string
	for s, err := range c.EachSeries(t.Context(), client.SeriesQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, s.ID)
	}
	if diff := cmp.Diff([]string{"ser_2", "ser_1"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
