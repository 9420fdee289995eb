package feed_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/schedctl/schedctl/daemon/source/feed"
	"github.com/schedctl/schedctl/scripts/cost"
)

// FuzzParse guards that every document gives a feed within its limits, or an error, and that
// reading it again gives the same keys.
func FuzzParse(f *testing.F) {
	paths, err := filepath.Glob("testdata/feeds/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body, "")
	}
	f.Add([]byte(`<rss><channel><item><title>A &amp;amp; B</title><link>/a</link></item></channel></rss>`), "text/xml; charset=windows-1251")
	f.Add([]byte(`{"version":"https://jsonfeed.org/version/1.1","items":[{"id":1}]}`), "application/feed+json")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		defer cost.Check(t, len(body))()
		base := address(t, "https://blog.example/feed.xml")
		parsed, err := feed.Parse(body, contentType, base)
		feed.Feeds(body, contentType, base)
		if err != nil {
			return
		}
		if len(parsed.Items) > feed.MaxItems {
			t.Errorf("got %d items", len(parsed.Items))
		}
		checkLinks(t, parsed.Link, parsed.Self, parsed.Hub)
		for _, item := range parsed.Items {
			checkText(t, item.Title, feed.MaxTitle)
			checkText(t, item.Summary, feed.MaxText)
			checkText(t, item.Author, 3000)
			if strings.Contains(item.Title, "\n") || len(item.Tags) > feed.MaxTags || item.GUID+item.Link+item.Title+item.Summary == "" {
				t.Errorf("got %+v", item)
			}
			checkLinks(t, item.Link, item.Audio)
			for _, picture := range item.Images {
				checkLinks(t, picture.URL)
			}
		}
		keys, _ := parsed.Keys(feed.Auto)
		for i, k := range keys {
			if len(k.List()) == 0 {
				t.Errorf("%+v has no key", parsed.Items[i])
			}
		}
	})
}

// FuzzText guards that texts are plain and bounded, and that a text which is plain stays.
func FuzzText(f *testing.F) {
	for _, text := range []string{
		"<p>A &amp; B</p><ul><li>one<li>two</ul>", "a < b & c", "<script>x</script><div hidden>y<div>z</div></div>w", "&amp;lt;b&amp;gt;", "<b>bold</b> The <script> tag",
		"\u202Eevil\u202C", "<nav><footer></nav>x</footer>y", "e\u0301", "<p style='display: none'>x</p>y", "The post a appeared first on b.",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, source string) {
		defer cost.Check(t, len(source))()
		title := feed.Title(source)
		checkText(t, title, feed.MaxTitle)
		if strings.Contains(title, "\n") {
			t.Errorf("%q has several lines", title)
		}
		checkText(t, feed.Text(source), feed.MaxText)
		plain := feed.PlainText(source)
		checkText(t, plain, feed.MaxText)
		if again := feed.PlainText(plain); again != plain && !strings.Contains(plain, "\n") {
			t.Errorf("%q becomes %q", plain, again)
		}
	})
}

// checkText checks that a text can be shown and is not too long.
func checkText(t *testing.T, text string, most int) {
	t.Helper()
	bad := func(r rune) bool { return unicode.IsControl(r) && r != '\n' || r >= '\u202A' && r <= '\u202E' }
	if !utf8.ValidString(text) || utf8.RuneCountInString(text) > most || strings.ContainsFunc(text, bad) || strings.TrimSpace(text) != text {
		t.Errorf("got the text %.200q of %d characters", text, utf8.RuneCountInString(text))
	}
	if !norm.NFC.IsNormalString(text) {
		t.Errorf("%.200q is not normalized", text)
	}
}

// checkLinks checks that links are absolute URLs of the web, or empty.
func checkLinks(t *testing.T, links ...string) {
	t.Helper()
	for _, link := range links {
		if u, err := url.Parse(link); link != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil) {
			t.Errorf("got the link %q", link)
		}
	}
}
