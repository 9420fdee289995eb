package page

import (
	"strings"
	"testing"
)

// TestNoLinkIsCut guards that a text which is cut in the middle of a link does not show a
// link to another address.
func TestNoLinkIsCut(t *testing.T) {
	t.Parallel()
	link := "https://example.com/" + strings.Repeat("a", 5000)
	for _, text := range []string{link, "長い文章" + link, "a\t" + link, "x " + link} {
		b := &budget{left: 3000}
		cut := b.text(text, 1)
		if cut == text {
			t.Fatal("the text was not cut")
		}
		for _, s := range segments(cut) {
			if s.Link != "" {
				t.Errorf("%.30q shows the link %.40q", text, s.Link)
			}
		}
	}
}
