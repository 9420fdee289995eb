package mcp_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// TestLaterPages: later pages have the bounds of the first one, although the words that they
// came from mean another time by then.
func TestLaterPages(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	agent, c := f.agent(), f.client(f.publisher())
	for i := range 5 {
		_, err := c.CreatePost(t.Context(), apiv1.CreatePost{
			Content: fmt.Sprint(i), SocialAccountIDs: []string{f.account}, PublishAt: apiv1.At(time.Now().Add(time.Duration(i+1) * 24 * time.Hour)),
		})
		f.ok(err)
	}
	for _, tt := range []struct {
		tool         string
		first, later map[string]any
	}{
		{"get_calendar", nil, nil},
		{"get_calendar", map[string]any{"from": "1h ago"}, map[string]any{"from": "1h ago"}},
		{"get_calendar", map[string]any{"before": "in 6 days"}, map[string]any{"before": "in 6 days"}},
		{"get_calendar", map[string]any{"from": "2020-01-01", "before": "in 6 days"}, map[string]any{"from": "2020-01-01T00:00:00Z"}},
		{"list_posts", map[string]any{"publish_after": "1m ago"}, map[string]any{"publish_after": "1m ago"}},
		{"list_posts", map[string]any{"publish_before": "in 6 days"}, nil},
		{"list_posts", map[string]any{"publish_after": "1m ago", "options": map[string]any{"sort": "-publish_at"}}, map[string]any{"options": map[string]any{"sort": "-publish_at"}}},
	} {
		var seen []string
		arguments := map[string]any{"limit": 2}
		for name, v := range tt.first {
			arguments[name] = v
		}
		for pages := range 5 {
			page := f.call(agent, tt.tool, arguments).object(t)
			for _, p := range page["results"].([]any) {
				seen = append(seen, p.(map[string]any)["content"].(string))
			}
			if page["next_cursor"] == nil {
				break
			}
			f.ahead.Add(int64(time.Minute))
			arguments = map[string]any{"limit": 2, "cursor": page["next_cursor"]}
			for name, v := range tt.later {
				if pages > 0 || name == "options" { // the second page has no times, and the third has them again
					arguments[name] = v
				}
			}
		}
		f.ahead.Store(0)
		want := "0 1 2 3 4"
		if tt.first["options"] != nil {
			want = "4 3 2 1 0"
		}
		if got := strings.Join(seen, " "); got != want {
			t.Errorf("%s %v: %s", tt.tool, tt.first, got)
		}
	}
}

// TestCursorsOfOtherLists: a cursor is refused with other times or filters, and the error
// says what to call.
func TestCursorsOfOtherLists(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	agent, c := f.agent(), f.client(f.publisher())
	for i := range 3 {
		_, err := c.CreatePost(t.Context(), f.longPost(i))
		f.ok(err)
	}
	cursor := f.call(agent, "get_calendar", map[string]any{"from": "2090-01-01", "limit": 1}).object(t)["next_cursor"].(string)
	plain := f.call(agent, "list_posts", map[string]any{"limit": 1}).object(t)["next_cursor"].(string)
	for _, tt := range []struct {
		tool      string
		arguments map[string]any
	}{
		{"get_calendar", map[string]any{"cursor": cursor, "from": "2090-01-02"}},
		{"get_calendar", map[string]any{"cursor": cursor, "before": "2090-01-02"}},
		{"get_calendar", map[string]any{"cursor": cursor + "x"}},
		{"get_calendar", map[string]any{"cursor": plain}},
		{"get_calendar", map[string]any{"cursor": "p1." + plain}},
		{"list_posts", map[string]any{"cursor": cursor, "q": "x"}},
		{"list_posts", map[string]any{"cursor": plain, "status": []string{"draft"}}},
	} {
		a := f.call(agent, tt.tool, tt.arguments)
		if text := a.message(t); a.code(t) != string(schedctl.InvalidCursor) || !strings.Contains(text, "call "+tt.tool) {
			t.Errorf("%s %v: %s", tt.tool, tt.arguments, text)
		}
	}
}

// TestBackwardBounds: a time range that ends before it starts is an error.
func TestBackwardBounds(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	agent := f.agent()
	f.queue("daily")
	for _, tt := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"get_calendar", map[string]any{"from": "2090-01-02", "before": "2090-01-01"}, "before is Sun 1 Jan 2090"},
		{"get_calendar", map[string]any{"before": "2020-01-01"}, "give a later before"},
		{"list_posts", map[string]any{"publish_after": "2090-01-01", "publish_before": "2090-01-01"}, "not after publish_after"},
		{"list_slots", map[string]any{"after": "2090-01-02", "before": "2090-01-01"}, "not after after"},
		{"list_slots", map[string]any{"before": "2020-01-01"}, "give a later before"},
	} {
		if text := f.call(agent, tt.tool, tt.arguments).message(t); !strings.Contains(text, tt.want) || !strings.Contains(text, "VALIDATION_FAILED") {
			t.Errorf("%s %v: %s", tt.tool, tt.arguments, text)
		}
	}
}

// TestSameWordsOnAnotherDay: a repeated call has no effect twice, and the same words for
// another time are another call.
func TestSameWordsOnAnotherDay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := f.agent()
	midday := time.Until(time.Now().UTC().Truncate(24 * time.Hour).Add(36 * time.Hour)) // until 12:00
	for _, at := range []string{"tomorrow 9am", "in 2h", "23:00"} {
		create := func() post {
			t.Helper()
			return f.call(key, "create_draft", map[string]any{"content": at, "proposed_at": at}).post(t)
		}
		f.ahead.Store(int64(midday))
		first := create()
		f.ahead.Add(int64(time.Minute))
		second := create()
		f.ahead.Add(int64(24 * time.Hour))
		third := create()
		if first.Replayed || !second.Replayed || second.Post.ID != first.Post.ID || third.Replayed {
			t.Errorf("%s: %+v, then %+v, and on the next day %+v", at, first, second, third)
		}
	}
	several := func() map[string]any {
		return f.call(key, "create_draft", map[string]any{"posts": []any{map[string]any{"content": "of several", "proposed_at": "tomorrow 9am"}}}).object(t)
	}
	f.ahead.Store(int64(midday))
	several()
	f.ahead.Add(int64(24 * time.Hour))
	if out := several(); out["replayed"] != nil {
		t.Errorf("%v", out)
	}
	// The account that has the name now is another one.
	named := func() post {
		return f.call(key, "create_draft", map[string]any{"content": "named", "social_account_ids": []string{"blog"}}).post(t)
	}
	before := named()
	f.connect("blog", schedctl.AccountDisconnected)
	f.account = ""
	f.account = f.connect("other", schedctl.AccountConnected)
	f.connect("blog", schedctl.AccountConnected)
	if after := named(); after.Replayed || after.Post.ID == before.Post.ID {
		t.Errorf("%+v, then %+v", before, after)
	}
}
