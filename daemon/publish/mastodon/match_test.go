package mastodon

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// The HTML is copied from the servers.
func TestShown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		server, text, html string
		want               similarity
	}{
		{"Mastodon, a link", "Read https://example.com/a/very/long/path?x=1&y=2 now",
			`<p>Read <a href="https://example.com/a/very/long/path?x=1&amp;y=2" target="_blank" rel="nofollow noopener" translate="no"><span class="invisible">https://</span><span class="ellipsis">example.com/a/very/long/path?x</span><span class="invisible">=1&amp;y=2</span></a> now</p>`, same},
		{"Mastodon, a mention and a tag", "Hi @bob@other.example and @carol, #Boats!",
			`<p>Hi <span class="h-card" translate="no"><a href="https://other.example/@bob" class="u-url mention">@<span>bob</span></a></span> and <span class="h-card"><a href="https://social.example/@carol" class="u-url mention">@<span>carol</span></a></span>, <a href="https://social.example/tags/Boats" class="mention hashtag" rel="tag">#<span>Boats</span></a>!</p>`, same},
		{"Mastodon, paragraphs", "One\nTwo\n\nThree & <four> \"five\" 'six'", "<p>One<br />Two</p><p>Three &amp; &lt;four&gt; &quot;five&quot; &#39;six&#39;</p>", same},
		{"Mastodon, an emoji of its own", "So :blobcat: 👩‍💻❤️", "<p>So :blobcat: 👩‍💻❤️</p>", same},
		{"snac, an emoji of its own", "So :blobcat:", `So <img src="/x.png" alt=":blobcat:"/><br>`, same},
		{"snac, Markdown", "*bold* words and more of them", "<i>bold</i> words and more of them<br>", unclear},
		{"GoToSocial, Markdown", "# Title\n\n- one\n- two\n\n> said [here](https://example.com/x)",
			`<h1>Title</h1><ul><li>one</li><li>two</li></ul><blockquote><p>said <a href="https://example.com/x" rel="nofollow">here</a></p></blockquote>`, unclear},
		{"a shortened link", "Read https://www.example.com/a/very/long/path", `<p>Read <a href="https://www.example.com/a/very/long/path">example.com/a/very/lo…</a></p>`, same},
		{"a link alone", "https://example.com/x", `<p><a href="https://example.com/x">https://example.com/x</a></p>`, same},
		{"another link alone", "https://example.com/x", `<p><a href="https://example.com/y">https://example.com/y</a></p>`, unclear},
		{"an emoji alone", "🎉", "<p>🎈</p>", unclear},
		{"one word", "Yes", "<p>Nope</p>", different},
		{"no break spaces", "a\u00a0b", "<p>a b</p>", same},
		{"other words", "The ferry leaves at nine from the old pier.", "<p>We are closed on Sunday, see you next week in the new shop.</p>", different},
		{"other words, Chinese", "今天的天气很好，我们去公园散步吧", "<p>新书已经上架，欢迎大家前来购买</p>", different},
		{"almost the same, Chinese", "今天的天气很好，我们去公园散步吧", "<p>今天的天气很好，我们去海边散步吧</p>", unclear},
		{"nothing shown", "Words", "", different},
	} {
		if got := compareShown(statusText{text: tt.text}, statusText{text: tt.html}, false); got != tt.want {
			t.Errorf("%s: got %d, want %d (%q)", tt.server, got, tt.want, plainText(tt.html))
		}
	}
}

func TestPlainText(t *testing.T) {
	t.Parallel()
	for html, want := range map[string]string{
		"":                    "",
		"plain":               "plain",
		"<p>a</p><p>b</p>":    "a\n\nb",
		"a<br>b<br/>c":        "a\nb\nc",
		"&amp;lt; &hearts;":   "&lt; ♥",
		"<script>x</script>y": "y",
		"<style>x</style>y":   "y",
		"<!-- x -->y":         "y",
		"<p>unclosed <b>tags": "unclosed tags",
		`<a>no address</a>`:   "no address",
		`<a href="https://example.com/xyz"><b>example.com/x</b></a>`:      "https://example.com/xyz",
		`<a href="https://example.com/xyz">https://example.com/xyz</a>`:   "https://example.com/xyz",
		`<a href="https://xn--bcher-kva.de/">https://bücher.de/</a>`:      "https://bücher.de/",
		`<a href="https://www.example.com/xyz">www.example.com/x…</a>`:    "https://www.example.com/xyz",
		`<a href="https://example.com/xyz"></a>.`:                         ".",
		strings.Repeat("<div>", 300) + "deep" + strings.Repeat("<b>", 10): "",
	} {
		if got := plainText(html); got != want {
			t.Errorf("%.80q: got %q, want %q", html, got, want)
		}
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 6, 2, 15, 0, 0, 500e6, time.UTC)
	now := time.Date(2026, 6, 2, 15, 10, 0, 0, time.UTC)
	for _, tt := range []struct {
		name    string
		date    string
		created string
		want    windowPosition
	}{
		{"right clock, in the second", "Tue, 02 Jun 2026 15:10:00 GMT", "2026-06-02T15:00:00Z", inside},
		{"right clock, a minute after", "Tue, 02 Jun 2026 15:10:00 GMT", "2026-06-02T15:01:00Z", inside},
		{"right clock, 3 s before", "Tue, 02 Jun 2026 15:10:00 GMT", "2026-06-02T14:59:57Z", onEdge},
		{"right clock, 2 min before", "Tue, 02 Jun 2026 15:10:00 GMT", "2026-06-02T14:58:00Z", outside},
		{"an hour behind, in the second", "Tue, 02 Jun 2026 14:10:00 GMT", "2026-06-02T14:00:00Z", inside},
		{"an hour behind, 2 min before", "Tue, 02 Jun 2026 14:10:00 GMT", "2026-06-02T13:58:00Z", outside},
		{"an hour ahead, 2 min before", "Tue, 02 Jun 2026 16:10:00 GMT", "2026-06-02T15:58:00Z", outside},
		{"no clock, in the second", "", "2026-06-02T15:00:00Z", inside},
		{"no clock, 4 min before", "", "2026-06-02T14:56:00Z", onEdge},
		{"no clock, 6 min before", "", "2026-06-02T14:54:00Z", outside},
		{"nonsense for a clock", "yesterday", "2026-06-02T14:56:00Z", onEdge},
		{"no time", "Tue, 02 Jun 2026 15:10:00 GMT", "", onEdge},
	} {
		var created time.Time
		if tt.created != "" {
			created, _ = time.Parse(time.RFC3339, tt.created)
		}
		if got := windowOf(began, now, tt.date).position(created); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, got, tt.want)
		}
	}
}

func checkPlainText(t *testing.T, content string) {
	text := plainText(content)
	if strings.TrimSpace(text) != text {
		t.Errorf("%q: got %q", content, text)
	}
	if escaped := plainText(strings.NewReplacer("&", "&amp;", "<", "&lt;", "\r", "", "\x00", "").Replace(content)); utf8.ValidString(content) {
		if want := strings.NewReplacer("\r", "", "\x00", "").Replace(content); normalize(escaped) != normalize(want) {
			t.Errorf("%q: escaped and parsed again it is %q", content, escaped)
		}
	}
}

func checkCompare(t *testing.T, a, b string) {
	if got := compareSource(statusText{text: a}, statusText{text: " " + a + "\n"}, false); got != same {
		t.Errorf("%q: got %d when compared with itself", a, got)
	}
	if ab, ba := similar(lettersOf(a), lettersOf(b)), similar(lettersOf(b), lettersOf(a)); ab != ba {
		t.Errorf("%q and %q: %v one way, %v the other", a, b, ab, ba)
	}
	if compareSource(statusText{text: a}, statusText{text: b}, false) == same && normalize(a) != normalize(b) {
		t.Errorf("%q and %q are the same", a, b)
	}
}

func checkParseStatuses(t *testing.T, body []byte) {
	page, ok := parseStatuses(outbound.Response{Status: 200, Body: body})
	var list []any
	if err := json.Unmarshal(body, &list); ok && (err != nil || len(list) != len(page)) {
		t.Fatalf("%q: got %d statuses of %d", body, len(page), len(list))
	}
	if slices.ContainsFunc(page, func(l listedStatus) bool { return l.ID == "" || l.receipt.ID != l.ID }) {
		t.Errorf("%q: a status without an id: %+v", body, page)
	}
}

func checkParseSource(t *testing.T, body []byte) {
	source, ok := parseSource(outbound.Response{Status: 200, Body: body})
	if !ok && source.text != "" {
		t.Errorf("%q: got %+v", body, source)
	}
	o, ok := parseOwner(outbound.Response{Status: 200, Body: body})
	if ok != (o.id != "") {
		t.Errorf("%q: got %+v, %v", body, o, ok)
	}
}
