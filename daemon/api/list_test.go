package api_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

func (f *fixture) list(query string) apiv1.PostList {
	f.t.Helper()
	list := decodeAs[apiv1.PostList](f.t, f.do(nil, "GET", "/posts"+query, nil).want(200))
	if list.Count != len(list.Results) {
		f.t.Fatalf("%s: count %d of %d results", query, list.Count, len(list.Results))
	}
	return list
}

// walk returns the contents of all posts of a list, page by page.
func (f *fixture) walk(query url.Values) []string {
	f.t.Helper()
	contents := []string{}
	for {
		page := f.list("?" + query.Encode())
		for _, p := range page.Results {
			contents = append(contents, p.Content)
		}
		if page.NextCursor == nil {
			return contents
		}
		query.Set("cursor", *page.NextCursor)
	}
}

// planDay is the day of the scheduled posts of plan.
var planDay = time.Date(2036, 6, 2, 0, 0, 0, 0, time.UTC)

// plan creates five posts: two drafts and three scheduled posts, created in a
// different order than their times.
func (f *fixture) plan() {
	f.t.Helper()
	second := f.newAccount(f.mine, "second")
	for _, p := range []struct {
		content string
		hours   time.Duration
		account string
	}{
		{"draft one", 0, f.mine.account}, {"plan in 3", 3, f.mine.account}, {"plan in 1", 1, second},
		{"draft TWO", 0, second}, {"plan in 2", 2, f.mine.account},
	} {
		b := body{"content": p.content, "social_account_ids": []string{p.account}}
		if p.hours > 0 {
			b["publish_at"] = planDay.Add(p.hours * time.Hour).Format(time.RFC3339)
		}
		f.create(b)
	}
	f.do(as(f.other.key), "POST", "/posts", body{"content": "draft in a second workspace"}).want(201)
}

func TestListPosts(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testListPosts)
}

func testListPosts(t *testing.T, f *fixture) {
	f.plan()
	at := func(hours time.Duration) string { return planDay.Add(hours * time.Hour).Format(time.RFC3339) }
	for _, tt := range []struct {
		query url.Values
		want  []string
	}{
		{url.Values{}, []string{"plan in 2", "draft TWO", "plan in 1", "plan in 3", "draft one"}},
		{url.Values{"sort": {"-created_at"}}, []string{"plan in 2", "draft TWO", "plan in 1", "plan in 3", "draft one"}},
		{url.Values{"sort": {"created_at"}}, []string{"draft one", "plan in 3", "plan in 1", "draft TWO", "plan in 2"}},
		{url.Values{"sort": {"publish_at"}}, []string{"plan in 1", "plan in 2", "plan in 3", "draft one", "draft TWO"}},
		{url.Values{"sort": {"-publish_at"}}, []string{"plan in 3", "plan in 2", "plan in 1", "draft TWO", "draft one"}},
		{url.Values{"status": {"draft"}}, []string{"draft TWO", "draft one"}},
		{url.Values{"status": {"draft", "scheduled"}, "sort": {"created_at"}}, []string{"draft one", "plan in 3", "plan in 1", "draft TWO", "plan in 2"}},
		{url.Values{"status": {"failed"}}, []string{}},
		{url.Values{"social_account_id": {f.mine.account}}, []string{"plan in 2", "plan in 3", "draft one"}},
		{url.Values{"social_account_id": {f.other.account}}, []string{}},
		{url.Values{"social_account_id": {schedctl.NewID(schedctl.AccountPrefix, time.Now())}}, []string{}},
		{url.Values{"publish_after": {at(2)}, "sort": {"publish_at"}}, []string{"plan in 2", "plan in 3"}},
		{url.Values{"publish_before": {at(2)}, "sort": {"publish_at"}}, []string{"plan in 1"}},
		{url.Values{"publish_after": {at(1)}, "publish_before": {at(3)}, "sort": {"-publish_at"}}, []string{"plan in 2", "plan in 1"}},
		{url.Values{"q": {"two"}}, []string{"draft TWO"}},
		{url.Values{"q": {"PLAN"}, "sort": {"publish_at"}}, []string{"plan in 1", "plan in 2", "plan in 3"}},
		{url.Values{"q": {"DRAFT"}, "social_account_id": {f.mine.account}}, []string{"draft one"}},
	} {
		for _, limit := range []string{"1", "2", "100"} {
			query := url.Values{"limit": {limit}}
			for name, values := range tt.query {
				query[name] = values
			}
			if got := f.walk(query); !slices.Equal(got, tt.want) {
				t.Errorf("%v by %s: %q, want %q", tt.query, limit, got, tt.want)
			}
		}
	}
}

func TestListOffset(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testListOffset)
}

func testListOffset(t *testing.T, f *fixture) {
	f.plan()
	if got := f.list("?offset=3&sort=created_at"); got.Count != 2 || got.Results[0].Content != "draft TWO" || got.NextCursor != nil {
		t.Errorf("%+v", got)
	}
	if got := f.list("?offset=99"); got.Count != 0 || got.NextCursor != nil {
		t.Errorf("%+v", got)
	}
}

func TestListHasTwentyByDefault(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 21 {
		f.create(body{"content": fmt.Sprint(i)})
	}
	if got := f.list(""); got.Count != 20 || got.NextCursor == nil {
		t.Errorf("%d posts", got.Count)
	}
}

func TestListWalkIsStable(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testListWalkIsStable)
}

func testListWalkIsStable(t *testing.T, f *fixture) {
	for i := range 6 {
		f.create(body{"content": fmt.Sprint(i)})
	}
	first := f.list("?limit=3")
	f.create(body{"content": "new"})
	f.do(nil, "DELETE", "/posts/"+first.Results[2].ID, nil).want(204) // the cursor's own post
	rest := f.walk(url.Values{"limit": {"2"}, "cursor": {*first.NextCursor}})
	if !slices.Equal(rest, []string{"2", "1", "0"}) {
		t.Errorf("after the first page come %q", rest)
	}
}

func TestCursors(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.plan()
	cursor := *f.list("?limit=1&status=draft&status=scheduled").NextCursor
	f.list("?limit=50&status=scheduled&status=draft&cursor=" + cursor) // a different size, the same filter

	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		t.Fatal(err)
	}
	for i := range raw {
		changed := slices.Clone(raw)
		changed[i] ^= 1
		f.do(nil, "GET", "/posts?status=draft&status=scheduled&cursor="+base64.RawURLEncoding.EncodeToString(changed), nil).refused(schedctl.InvalidCursor)
	}
	for name, query := range map[string]string{
		"no filter":      "?cursor=" + cursor,
		"another filter": "?status=draft&cursor=" + cursor,
		"another sort":   "?status=draft&status=scheduled&sort=publish_at&cursor=" + cursor,
		"cut":            "?status=draft&status=scheduled&cursor=" + cursor[:len(cursor)-1],
		"longer":         "?status=draft&status=scheduled&cursor=" + cursor + "AAAA",
		"empty":          "?status=draft&status=scheduled&cursor=",
	} {
		if r := f.do(nil, "GET", "/posts"+query, nil); r.status != 400 {
			t.Errorf("%s: %d", name, r.status)
		} else {
			r.refused(schedctl.InvalidCursor)
		}
	}
	f.do(as(f.other.key), "GET", "/posts?status=draft&status=scheduled&cursor="+cursor, nil).refused(schedctl.InvalidCursor)
}

func TestListParametersAreChecked(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for query, field := range map[string]string{
		"?stats=draft":                         "stats",
		"?status=done":                         "status",
		"?status=":                             "status",
		"?social_account_id=acct_nobody":       "social_account_id",
		"?social_account_id=":                  "social_account_id",
		"?sort=content":                        "sort",
		"?limit=0":                             "limit",
		"?limit=101":                           "limit",
		"?limit=ten":                           "limit",
		"?limit=":                              "limit",
		"?limit=1&limit=2":                     "limit",
		"?offset=-1":                           "offset",
		"?q=a&q=b":                             "q",
		"?q=%ff":                               "q",
		"?q=" + strings.Repeat("%C3%A9", 201):  "q",
		"?offset=100001":                       "offset",
		"?publish_after=tomorrow":              "publish_after",
		"?publish_before=2026-06-02":           "publish_before",
		"?publish_before=0001-01-01T00:00:00Z": "publish_before",
		"?offset=1&cursor=abc":                 "offset",
		"?publish_after=2026-06-02T15:00:00%2B02:00": "publish_after",
		"?q=%zz": "",
		"?a;b":   "",
	} {
		e := f.do(nil, "GET", "/posts"+query, nil).refused(schedctl.ValidationFailed)
		got := ""
		if len(e.Details) > 0 {
			got = e.Details[0].Field
		}
		if got != field {
			t.Errorf("%s: field %q, want %q", query, got, field)
		}
	}
}
