package linkcard

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/schedctl/schedctl/scripts/cost"
)

// FuzzPage checks that texts from pages can be shown.
func FuzzPage(f *testing.F) {
	f.Add("<title>A &amp; B</title><meta property=og:description content=x>", "text/html")
	f.Add("<meta charset=utf-16><title>\x00a\xff</title>", "text/html; charset=shift_jis")
	f.Add("<title><title></title><body>", "")
	f.Fuzz(func(t *testing.T, body, contentType string) {
		defer cost.Check(t, len(body)+len(contentType))()
		p := parsePage(strings.NewReader(body), contentType)
		for limit, text := range map[int]string{maxTitle: p.title(), maxDescription: p.description()} {
			if !utf8.ValidString(text) || utf8.RuneCountInString(text) > limit || strings.ContainsFunc(text, unicode.IsControl) {
				t.Errorf("%q: got %q", body, text)
			}
		}
	})
}
