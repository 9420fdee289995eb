package api_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
)

// TestValidateWarnsAboutTheAccount covers credentials that end before the post, and networks
// that accept only some posts in a period.
func TestValidateWarnsAboutTheAccount(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	warns := func(in time.Duration, text string) bool {
		f.t.Helper()
		v := f.validate(f.planned("hello", in))
		return slices.ContainsFunc(v.Accounts[0].Warnings, func(w string) bool { return strings.Contains(w, text) })
	}
	ends := schedctl.Millis(time.Now().Add(48 * time.Hour))
	for _, tt := range []struct {
		name   string
		expiry schedctl.Expiry
		in     time.Duration
		want   bool
	}{
		{"before the end", schedctl.Expiry{At: ends}, time.Hour, false},
		{"after the end", schedctl.Expiry{At: ends}, 72 * time.Hour, true},
		{"renewed before", schedctl.Expiry{At: ends, RenewAt: ends.Add(-time.Hour)}, 72 * time.Hour, false},
		{"not renewed in time", schedctl.Expiry{At: ends, RenewAt: ends.Add(-90 * time.Hour)}, 72 * time.Hour, true},
	} {
		f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Expiry = tt.expiry })
		if got := warns(tt.in, "due after that"); got != tt.want {
			t.Errorf("%s: warned %v", tt.name, got)
		}
	}
	f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Limits.Posts, a.Limits.Window = 2, 24*time.Hour })
	f.create(f.planned("one", time.Hour))
	if warns(3*time.Hour, "waits until there is room") {
		t.Error("warned about the second post")
	}
	f.create(f.planned("two", 2*time.Hour))
	if !warns(3*time.Hour, "waits until there is room") || warns(30*time.Hour, "waits until there is room") {
		t.Error("the window is not counted")
	}
}

// TestValidateWarnsAboutReplies covers networks that accept only some replies in a period. A
// first comment is one of them.
func TestValidateWarnsAboutReplies(t *testing.T) {
	t.Parallel()
	withThreads(t, func(t *testing.T, f *fixture) { // which has room for 7 replies in 24 hours
		thread := func(replies int, after time.Duration) body {
			b := f.planned("a thread", after)
			parts := []body{}
			for range replies - 1 {
				parts = append(parts, body{"content": "a part"})
			}
			b["thread"], b["first_comment"] = parts, body{"content": "a comment"}
			return b
		}
		first := thread(4, time.Hour)
		first["content"] = "another thread"
		f.create(first)
		const full = "its network accepts 7 replies in 24h0m0s, and the account has 4 before the 4 of this post"
		for _, tt := range []struct {
			name string
			post body
			want bool
		}{
			{"room for three", thread(3, 2*time.Hour), false},
			{"no room for four", thread(4, 2*time.Hour), true},
			{"before the other", thread(4, time.Minute), false},
			{"a day later", thread(4, 26*time.Hour), false},
			{"without replies", f.planned("a post", 2*time.Hour), false},
		} {
			v := f.validate(tt.post)
			if got := slices.ContainsFunc(v.Accounts[0].Warnings, func(w string) bool { return strings.HasPrefix(w, full) }); got != tt.want {
				t.Errorf("%s: warnings %q", tt.name, v.Accounts[0].Warnings)
			}
		}
	})
}
