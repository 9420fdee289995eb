package feed_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rssOf returns a feed whose items have these pictures, separated by spaces.
func rssOf(pictures ...string) string {
	var b strings.Builder
	b.WriteString(`<rss version="2.0"><channel><title>T</title>`)
	for i, list := range pictures {
		fmt.Fprintf(&b, "<item><guid>%d</guid><pubDate>0%d May 2026 10:00:00 GMT</pubDate><link>https://blog.example/%d</link>", i, i+1, i)
		for name := range strings.FieldsSeq(list) {
			fmt.Fprintf(&b, `<enclosure type="image/png" url="https://blog.example/%s.png"/>`, name)
		}
		b.WriteString("</item>")
	}
	b.WriteString("</channel></rss>")
	return b.String()
}

// TestRepeatedPictures guards that a picture of three items in a row is none of theirs.
func TestRepeatedPictures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ pictures, want []string }{
		"each its own":     {[]string{"a", "b", "c"}, []string{"a", "b", "c"}},
		"two in a row":     {[]string{"a", "a", "c", "a"}, []string{"a", "a", "c", "a"}},
		"three in a row":   {[]string{"a", "a", "a", "b", "a"}, []string{"", "", "", "b", ""}},
		"a banner":         {[]string{"x a", "x b", "c x"}, []string{"a", "b", "c"}},
		"with a gap":       {[]string{"x", "x", "", "x", "x"}, []string{"x", "x", "", "x", "x"}},
		"twice in an item": {[]string{"x x", "x x", "a"}, []string{"x", "x", "a"}},
	} {
		var got []string
		for _, item := range mustParse(t, rssOf(c.pictures...)).Items {
			var names []string
			for _, image := range item.Images {
				names = append(names, strings.TrimSuffix(strings.TrimPrefix(image.URL, "https://blog.example/"), ".png"))
			}
			got = append(got, strings.Join(names, " "))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestLinkWarnings guards that people learn of links without encryption and through counters.
func TestLinkWarnings(t *testing.T) {
	t.Parallel()
	body := strings.Replace(rssOf("a", "b"), "https://blog.example/0<", "http://feedproxy.google.com/~r/x/1<", 1)
	want := []string{
		"1 of 2 items with a link without encryption (http)",
		"1 of 2 items with a link that leads to the page through a counter of clicks",
	}
	if diff := cmp.Diff(want, mustParse(t, body).Warnings); diff != "" {
		t.Error(diff)
	}
	if warnings := mustParse(t, rssOf("a", "b")).Warnings; len(warnings) > 0 {
		t.Errorf("got %q", warnings)
	}
}
