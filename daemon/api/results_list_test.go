package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// results returns the posts of all pages of a list, and how many pages it has.
func (f *fixture) resultsList(query string, limit int, options ...option) (posts []string, pages int) {
	f.t.Helper()
	with := as(f.mine.key)
	if len(options) > 0 {
		with = options[0]
	}
	for path := fmt.Sprintf("/results?limit=%d&%s", limit, query); ; pages++ {
		list := decodeAs[apiv1.ResultsList](f.t, f.do(with, "GET", path, nil).want(200))
		for _, row := range list.Results {
			posts = append(posts, row.PostID)
		}
		if list.Count != len(list.Results) {
			f.t.Errorf("count %d of %d", list.Count, len(list.Results))
		}
		if list.NextCursor == nil {
			return posts, pages + 1
		}
		path = fmt.Sprintf("/results?limit=%d&%s&cursor=%s", limit, query, url.QueryEscape(*list.NextCursor))
	}
}

// changeResults changes the results of the only target of a post.
func (f *fixture) changeResults(p apiv1.Post, change func(*schedctl.Results)) {
	f.t.Helper()
	f.update(func(tx storage.Tx) error {
		list, err := tx.Results(f.mine.workspace, []string{p.Targets[0].ID})
		if err != nil {
			return err
		}
		change(&list[0])
		return tx.PutResults(list[0])
	})
}

// TestResultsAreSorted checks each order, pages of each size, and each filter.
func TestResultsAreSorted(t *testing.T) {
	t.Parallel()
	f := newReadFixture(t)
	counts := []int64{3, 9, 9, 1, 5}
	var posts []apiv1.Post
	for i, n := range counts { // the first one is the oldest
		posts = append(posts, f.readBy(fmt.Sprint(i), time.Duration(10-i)*time.Hour, [2]int64{60, n}))
	}
	unread := f.readBy("unread", 2*time.Hour)
	id := func(list ...int) (ids []string) {
		for _, i := range list {
			ids = append(ids, posts[i].ID)
		}
		return ids
	}
	f.changeResults(posts[0], func(v *schedctl.Results) {
		v.Latest.Views, v.Latest.Clicks, v.Latest.Replies = new(int64(10)), new(int64(7)), new(int64(0))
	})
	f.changeResults(posts[3], func(v *schedctl.Results) { v.Latest.Views, v.RemovedAt = new(int64(2)), time.Now().Add(-time.Hour) })
	f.changeResults(posts[4], func(v *schedctl.Results) { v.RemovedAt = time.Now().Add(-2 * time.Hour) })
	window := "after=" + time.Now().Add(-24*time.Hour).UTC().Format(time.RFC3339)
	for query, want := range map[string][]string{
		"":                                 append([]string{unread.ID}, id(4, 3, 2, 1, 0)...),
		"sort=-published_at&removed=false": append([]string{unread.ID}, id(2, 1, 0)...),
		"removed=true":                     id(4, 3),
		window + "&sort=-reactions":        append(id(2, 1, 4, 0, 3), unread.ID),
		window + "&sort=-engagements&removed=false": append(id(2, 1, 0), unread.ID),
		window + "&sort=-views":                     append(append(id(0, 3), unread.ID), id(4, 2, 1)...),
		window + "&sort=-clicks":                    append(append(id(0), unread.ID), id(4, 3, 2, 1)...),
		window + "&sort=-replies":                   append(append(id(0), unread.ID), id(4, 3, 2, 1)...),
		window + "&sort=-engagement_rate":           append(append(id(3, 0), unread.ID), id(4, 2, 1)...),
		window + "&sort=removed_at&removed=true":    id(4, 3),
		"platform=http":                             nil,
		"before=" + time.Now().Add(-7*time.Hour-time.Minute).UTC().Format(time.RFC3339): id(2, 1, 0),
		"after=" + time.Now().Add(-7*time.Hour-time.Minute).UTC().Format(time.RFC3339):  append([]string{unread.ID}, id(4, 3)...),
	} {
		for limit := 1; limit <= 7; limit++ {
			got, pages := f.resultsList(query, limit)
			if !slices.Equal(got, want) || pages > len(want)/limit+1 {
				t.Errorf("%s, %d a page: %d pages with %v, want %v", query, limit, pages, got, want)
			}
		}
	}
}

// TestResultsOfLabelsAndSeries checks the filters that need the posts.
func TestResultsOfLabelsAndSeries(t *testing.T) {
	t.Parallel()
	f := newReadFixture(t)
	var ids []string
	for i, labels := range [][]string{{"a"}, {"a", "b"}, nil} {
		p := f.readBy(fmt.Sprint(i), time.Duration(10-i)*time.Hour, [2]int64{60, int64(i)})
		f.do(nil, "PATCH", "/posts/"+p.ID, body{"labels": append([]string{}, labels...)}).want(200)
		ids = append(ids, p.ID)
	}
	series := schedctl.NewID(schedctl.SeriesPrefix, time.Now())
	f.update(func(tx storage.Tx) error {
		p, err := tx.Post(f.mine.workspace, ids[2])
		p.SeriesID, p.Occurrence = series, "2026-06-01T08:30"
		if err != nil {
			return err
		}
		return tx.PutPost(p)
	})
	for query, want := range map[string][]string{"label=a": {ids[1], ids[0]}, "label=a&label=b": {ids[1]}, "label=c": nil, "series_id=" + series: {ids[2]}} {
		for _, sort := range []string{"", "&sort=-replies&after=" + time.Now().Add(-24*time.Hour).UTC().Format(time.RFC3339)} {
			if got, _ := f.resultsList(query+sort, 2); !slices.Equal(got, want) {
				t.Errorf("%s%s: %v, want %v", query, sort, got, want)
			}
		}
	}
	limited := f.limitedKey(f.newAccount(f.mine, "spare"))
	if got, _ := f.resultsList("", 5, as(limited)); len(got) > 0 {
		t.Errorf("a key without posts sees %v", got)
	}
}

// TestResultsListRefusals checks what the query may not say.
func TestResultsListRefusals(t *testing.T) {
	t.Parallel()
	f := newReadFixture(t)
	for i := range 3 {
		f.readBy(fmt.Sprint(i), time.Hour, [2]int64{30, 1})
	}
	for query, field := range map[string]string{
		"sort=views": "sort", "sort=-views": "after", "sort=-views&after=2020-01-01T00:00:00Z": "after", "removed=maybe": "removed", "platform=myspace": "platform",
		"after=2026-02-01T00:00:00Z&before=2026-01-01T00:00:00Z": "after", "social_account_id=x": "social_account_id", "series_id=x": "series_id", "limit=0": "limit", "q=x": "q",
		strings.Repeat("social_account_id="+f.mine.account+"&", 101): "social_account_id",
	} {
		refusal := f.do(nil, "GET", "/results?"+query, nil).refused(schedctl.ValidationFailed)
		if len(refusal.Details) != 1 || refusal.Details[0].Field != field {
			t.Errorf("%s: %+v", query, refusal)
		}
	}
	list := decodeAs[apiv1.ResultsList](t, f.do(nil, "GET", "/results?limit=1", nil).want(200))
	for _, path := range []string{"/results?limit=1&removed=false&cursor=" + *list.NextCursor, "/results?cursor=x", "/results?sort=-views&after=2026-01-01T00:00:00Z&cursor=" + *list.NextCursor} {
		f.do(nil, "GET", path, nil).refused(schedctl.InvalidCursor)
	}
}

// TestPreviewOfFiles checks what a post without a text shows.
func TestPreviewOfFiles(t *testing.T) {
	t.Parallel()
	f := newReadFixture(t)
	p := f.readBy("text", time.Hour, [2]int64{30, 1})
	var assets []schedctl.PostMedia
	preview := func() string {
		f.update(func(tx storage.Tx) error {
			post, err := tx.Post(f.mine.workspace, p.ID)
			post.Text, post.Media = "", assets
			if err != nil {
				return err
			}
			return tx.PutPost(post)
		})
		return decodeAs[apiv1.ResultsList](t, f.do(nil, "GET", "/results", nil).want(200)).Results[0].Preview
	}
	add := func(mimeType string) {
		a := schedctl.MediaAsset{ID: schedctl.NewID(schedctl.MediaPrefix, time.Now()), WorkspaceID: f.mine.workspace, MIMEType: mimeType, Status: schedctl.MediaReady}
		f.update(func(tx storage.Tx) error { return tx.PutMediaAsset(a) })
		assets = append(assets, schedctl.PostMedia{AssetID: a.ID})
	}
	for _, step := range [][2]string{{"image/png", "(1 picture)"}, {"image/jpeg", "(2 pictures)"}, {"video/mp4", "(3 files)"}} {
		if add(step[0]); preview() != step[1] {
			t.Errorf("with %s: %s, want %s", step[0], preview(), step[1])
		}
	}
	assets = []schedctl.PostMedia{{AssetID: schedctl.NewID(schedctl.MediaPrefix, time.Now())}}
	if got := preview(); got != "(1 file)" {
		t.Errorf("without the asset: %s", got)
	}
}
