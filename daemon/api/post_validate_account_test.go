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
