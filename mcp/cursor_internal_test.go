package mcp

import (
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl/scripts/cost"
)

// FuzzPageCursor: a cursor that is accepted is the text of what was read, and is short.
func FuzzPageCursor(f *testing.F) {
	good := pageCursor{time.UnixMilli(1796720400123).UTC(), time.Time{}, "0123abcd", "AbC_-9"}
	for _, seed := range []string{
		good.String(), "", "p1.", "p1....", "p1.a.b.01234567.x", "p1.-1.zzzzzzzzzzz.01234567.x", "p1..." + strings.Repeat("x", 3000), "AbC", "p1.+1..01234567.x", "p1..\u2028.01234567.x", "p1.00..01234567.x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer cost.Check(t, len(text))()
		p, ok := parsePageCursor(text)
		if !ok {
			return
		}
		if len(text) > 1100 || p.next == "" {
			t.Errorf("%q was accepted", text)
		}
		if again, ok := parsePageCursor(p.String()); !ok || again != p {
			t.Errorf("%q, then %q", text, p)
		}
	})
}

func TestPageCursor(t *testing.T) {
	t.Parallel()
	p := pageCursor{time.UnixMilli(1796720400123).UTC(), time.UnixMilli(-5).UTC(), "0123abcd", "AbC_-9"}
	if got, ok := parsePageCursor(p.String()); !ok || got != p {
		t.Errorf("%+v, want %+v", got, p)
	}
	for _, text := range []string{"", "AbC", "p1.a.b.01234567", "p1.a.b.01234567.", "p1.a.b.0123456.x", "p1.a.B.01234567.x", "p1.a.b.01234567.x y", "p1.zzzzzzzzzzz..01234567.x", "p1.a.b.01234567." + strings.Repeat("x", 1001)} {
		if got, ok := parsePageCursor(text); ok {
			t.Errorf("%q is %+v", text, got)
		}
	}
}
