package feed_test

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/feed"
	"github.com/schedctl/schedctl/scripts/cost"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const publicURL = "https://posts.example"

var start = time.Date(2026, 6, 2, 15, 0, 0, 250e6, time.UTC)

// memory is a Source with one feed named news. Its entries are in order of time.
type memory struct {
	entries []feed.Entry
	fault   error
}

func (m memory) Feed(_ context.Context, name string) (schedctl.Account, error) {
	if name != "news" {
		return schedctl.Account{}, schedctl.Errorf(schedctl.NotFound, "", "no feed %s", name)
	}
	return schedctl.Account{ID: id(schedctl.AccountPrefix, 4000), Name: name, Platform: "feed", CreatedAt: start}, m.fault
}

func (m memory) Entries(_ context.Context, _ schedctl.Account, after string) ([]feed.Entry, bool, error) {
	latest := slices.Clone(m.entries)
	slices.Reverse(latest)
	if after != "" {
		at := slices.IndexFunc(latest, func(e feed.Entry) bool { return e.ID == after })
		if at < 0 {
			return nil, false, schedctl.Errorf(schedctl.NotFound, "", "no entry %s", after)
		}
		latest = latest[at+1:]
	}
	return latest[:min(feed.PageSize, len(latest))], len(latest) > feed.PageSize, nil
}

func (m memory) File(ctx context.Context, account schedctl.Account, target, asset string) (publish.Media, error) {
	e, err := m.Entry(ctx, account, target)
	for _, part := range append([]feed.Part{{Media: e.Media}}, e.Parts...) {
		for _, file := range part.Media {
			if file.AssetID == asset {
				return file, err
			}
		}
	}
	return publish.Media{}, schedctl.Errorf(schedctl.NotFound, "", "no file %s", asset)
}

func (m memory) Entry(_ context.Context, _ schedctl.Account, target string) (feed.Entry, error) {
	for _, e := range m.entries {
		if e.ID == target {
			return e, nil
		}
	}
	return feed.Entry{}, schedctl.Errorf(schedctl.NotFound, "", "no entry %s", target)
}

// ServeMedia responds with the id of the asset.
func (m memory) ServeMedia(w http.ResponseWriter, _ *http.Request, _ schedctl.Account, file publish.Media) error {
	if m.fault != nil {
		return m.fault
	}
	fmt.Fprint(w, file.AssetID)
	return nil
}

// id returns the nth id of a kind, the same in each run.
func id(p schedctl.Prefix, n int) string {
	return schedctl.ULID{0: 1, 1: 0x9c, 14: byte(n >> 8), 15: byte(n)}.ID(p)
}

// posts returns a source with an entry for each text.
func posts(texts ...string) memory {
	var m memory
	for i, text := range texts {
		m.entries = append(m.entries, feed.Entry{
			ID: id(schedctl.TargetPrefix, i), Content: text, PublishedAt: start.Add(time.Duration(i) * time.Hour),
		})
	}
	return m
}

// ask returns the response to a request with the headers, given as pairs.
func ask(m memory, method, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	feed.Handler(m, publicURL, slog.New(slog.DiscardHandler)).ServeHTTP(w, r)
	return w
}

const nasty = "A first line with <b>, & and \"quotes\" ]]>\r\nthen\ttabs, \x01\x0b control characters,\nbad UTF-8 \xff, \uFFFE and 🙂\n</script><script>alert(1)</script>"

func TestGoldenDocuments(t *testing.T) {
	t.Parallel()
	m := posts("Hello, world", nasty)
	withMedia := posts("Holiday <3\nin pictures", "")
	withMedia.entries[0].Media = files()
	withMedia.entries[1].Media = files()[:1]
	for _, tt := range []struct {
		source     memory
		file, path string
	}{
		{m, "feed.atom", "/feeds/news.atom"},
		{m, "feed.json", "/feeds/news.json"},
		{m, "entry.html", "/feeds/news/" + m.entries[1].ID},
		{withMedia, "media.atom", "/feeds/news.atom"},
		{withMedia, "media.json", "/feeds/news.json"},
		{withMedia, "media.html", "/feeds/news/" + withMedia.entries[0].ID},
	} {
		golden := filepath.Join("testdata", tt.file)
		got := ask(tt.source, http.MethodGet, tt.path).Body.Bytes()
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s differs; run the test with -update if this is intended (-want +got):\n%s", golden, diff)
		}
	}
}

// atomDocument and jsonDocument are the documents as a feed reader decodes them.
type atomDocument struct {
	XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string   `xml:"id"`
	Updated string   `xml:"updated"`
	Links   []struct {
		Rel  string `xml:"rel,attr"`
		Href string `xml:"href,attr"`
	} `xml:"link"`
	Entries []struct {
		ID      string `xml:"id"`
		Title   string `xml:"title"`
		Content string `xml:"content"`
	} `xml:"entry"`
}

type jsonDocument struct {
	Version string `json:"version"`
	NextURL string `json:"next_url"`
	Items   []struct {
		ID      string `json:"id"`
		URL     string `json:"url"`
		Content string `json:"content_text"`
	} `json:"items"`
}

func (d atomDocument) link(rel string) string {
	for _, l := range d.Links {
		if l.Rel == rel {
			return l.Href
		}
	}
	return ""
}

// read decodes a document strictly.
func read(t *testing.T, body []byte, into any) {
	t.Helper()
	if _, isAtom := into.(*atomDocument); isAtom {
		if err := xml.Unmarshal(body, into); err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, body)
		}
		return
	}
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, body)
	}
}

func TestPagesHoldEveryEntryOnce(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, feed.PageSize, feed.PageSize + 1, 3 * feed.PageSize} {
		texts := make([]string, n)
		for i := range texts {
			texts[i] = fmt.Sprint("post ", i)
		}
		m := posts(texts...)
		slices.Reverse(texts)
		if diff := cmp.Diff(texts, atomTexts(t, m)); diff != "" {
			t.Errorf("Atom, %d entries (-want +got):\n%s", n, diff)
		}
		if diff := cmp.Diff(texts, jsonTexts(t, m)); diff != "" {
			t.Errorf("JSON, %d entries (-want +got):\n%s", n, diff)
		}
	}
}

// atomTexts follows the pages of the Atom feed.
func atomTexts(t *testing.T, m memory) []string {
	t.Helper()
	texts, next := []string{}, publicURL+"/feeds/news.atom"
	for next != "" {
		var d atomDocument
		read(t, ask(m, http.MethodGet, path(t, next)).Body.Bytes(), &d)
		if d.link("self") != next || d.link("first") != publicURL+"/feeds/news.atom" {
			t.Errorf("page %s links to self %s, first %s", next, d.link("self"), d.link("first"))
		}
		for _, e := range d.Entries {
			texts = append(texts, e.Content)
		}
		next = d.link("next")
	}
	return texts
}

func jsonTexts(t *testing.T, m memory) []string {
	t.Helper()
	texts, next := []string{}, publicURL+"/feeds/news.json"
	for next != "" {
		var d jsonDocument
		read(t, ask(m, http.MethodGet, path(t, next)).Body.Bytes(), &d)
		for _, item := range d.Items {
			texts = append(texts, item.Content)
		}
		next = d.NextURL
	}
	return texts
}

// path checks that a URL is below the public one and returns its path and query.
func path(t *testing.T, link string) string {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil || !strings.HasPrefix(link, publicURL+"/feeds/") {
		t.Fatalf("link %q: %v", link, err)
	}
	return u.RequestURI()
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	m := posts("Hello, world")
	entry := "/feeds/news/" + m.entries[0].ID
	for path, contentType := range map[string]string{
		"/feeds/news.atom": "application/atom+xml; charset=utf-8",
		"/feeds/news.json": "application/feed+json; charset=utf-8",
		entry:              "text/html; charset=utf-8",
	} {
		w := ask(m, http.MethodGet, path)
		h := w.Result().Header
		if w.Code != 200 || h.Get("Content-Type") != contentType || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", path, w.Code, h)
		}
		if got := h.Get("Last-Modified"); got != "Tue, 02 Jun 2026 15:00:00 GMT" {
			t.Errorf("%s: Last-Modified %q", path, got)
		}
		head := ask(m, http.MethodHead, path)
		if head.Code != 200 || head.Body.Len() != 0 || head.Header().Get("ETag") != h.Get("ETag") || head.Header().Get("Content-Length") != fmt.Sprint(w.Body.Len()) {
			t.Errorf("HEAD %s: %d, %d bytes, %v", path, head.Code, head.Body.Len(), head.Header())
		}
	}
	if csp := ask(m, http.MethodGet, entry).Header().Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") {
		t.Errorf("the page has Content-Security-Policy %q", csp)
	}
}

func TestConditionalRequests(t *testing.T) {
	t.Parallel()
	m := posts("Hello, world")
	const atom, date, earlier = "/feeds/news.atom", "Tue, 02 Jun 2026 15:00:00 GMT", "Tue, 02 Jun 2026 14:59:59 GMT"
	tag := ask(m, http.MethodGet, atom).Header().Get("ETag")
	for _, tt := range []struct {
		header []string
		status int
	}{
		{[]string{"If-None-Match", tag}, 304},
		{[]string{"If-None-Match", `"other", ` + tag}, 304},
		{[]string{"If-None-Match", "W/" + tag}, 304},
		{[]string{"If-None-Match", "*"}, 304},
		{[]string{"If-None-Match", `"other"`}, 200},
		{[]string{"If-Modified-Since", date}, 304},
		{[]string{"If-Modified-Since", earlier}, 200},
		{[]string{"If-Modified-Since", "yesterday"}, 200},
		{[]string{"If-None-Match", `"other"`, "If-Modified-Since", date}, 200},
		{[]string{"If-None-Match", tag, "If-Modified-Since", earlier}, 304},
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			w := ask(m, method, atom, tt.header...)
			if w.Code != tt.status || w.Header().Get("ETag") != tag || (w.Code == 304 && w.Body.Len() > 0) {
				t.Errorf("%s with %q: got %d, ETag %s, %d bytes; want %d", method, tt.header, w.Code, w.Header().Get("ETag"), w.Body.Len(), tt.status)
			}
		}
	}
	m.entries[0].Content += "!"
	if changed := ask(m, http.MethodGet, atom).Header().Get("ETag"); changed == tag {
		t.Error("a changed feed has the same ETag")
	}
}

func TestMissingDocuments(t *testing.T) {
	t.Parallel()
	m := posts("Hello, world")
	target := m.entries[0].ID
	for _, tt := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/feeds/other.atom", 404},
		{"GET", "/feeds/news", 404},
		{"GET", "/feeds/news.rss", 404},
		{"GET", "/feeds/NEWS.atom", 404},
		{"GET", "/feeds/%2e%2e.atom", 404},
		{"GET", "/feeds/.atom", 404},
		{"GET", "/feeds/" + strings.Repeat("a", 41) + ".json", 404},
		{"GET", "/feeds/other/" + target, 404},
		{"GET", "/feeds/news/" + id(schedctl.TargetPrefix, 99), 404},
		{"GET", "/feeds/news/" + strings.ToLower(target), 404},
		{"GET", "/feeds/news/x%2fy", 404},
		{"GET", "/feeds/news.atom?after=" + id(schedctl.TargetPrefix, 99), 404},
		{"GET", "/feeds/news.atom?after=x", 400},
		{"POST", "/feeds/news.atom", 405},
		{"DELETE", "/feeds/news/" + target, 405},
	} {
		w := ask(m, tt.method, tt.path)
		if w.Code != tt.status || strings.Contains(w.Body.String(), "<") {
			t.Errorf("%s %s: got %d %q, want %d", tt.method, tt.path, w.Code, w.Body, tt.status)
		}
		if allow := w.Header().Get("Allow"); w.Code == 405 && allow != "GET, HEAD" {
			t.Errorf("%s %s: Allow %q", tt.method, tt.path, allow)
		}
	}
}

func TestAFaultIsLoggedAndNotShown(t *testing.T) {
	t.Parallel()
	m := posts("Hello, world")
	m.fault = errors.New("disk on fire")
	var log strings.Builder
	h := feed.Handler(m, publicURL, slog.New(slog.NewTextHandler(&log, nil)))
	for _, path := range []string{"/feeds/news.atom", "/feeds/news/" + m.entries[0].ID} {
		log.Reset()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != 500 || strings.Contains(w.Body.String(), "fire") || !strings.Contains(log.String(), "disk on fire") {
			t.Errorf("%s: got %d %q, log %q", path, w.Code, w.Body, log.String())
		}
	}
}

func TestIDsDoNotDependOnTheHost(t *testing.T) {
	t.Parallel()
	m := posts("Hello, world")
	seen := map[string]bool{}
	for _, host := range []string{"https://posts.example/", "http://127.0.0.1:7733"} {
		w := httptest.NewRecorder()
		feed.Handler(m, host, slog.New(slog.DiscardHandler)).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/feeds/news.atom", nil))
		var d atomDocument
		read(t, w.Body.Bytes(), &d)
		seen[d.ID+" "+d.Entries[0].ID] = true
		if d.ID == d.Entries[0].ID || !strings.HasPrefix(d.Entries[0].ID, "urn:uuid:") {
			t.Errorf("ids %s and %s", d.ID, d.Entries[0].ID)
		}
	}
	if len(seen) != 1 {
		t.Errorf("ids %v", seen)
	}
}

func TestTitles(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"one line":                   "one line",
		"\n\n first \nsecond":        "first",
		"first\r\nsecond":            "first",
		strings.Repeat("é", 80):      strings.Repeat("é", 80),
		strings.Repeat("é", 81):      strings.Repeat("é", 79) + "…",
		strings.Repeat("word ", 30):  strings.TrimSpace(strings.Repeat("word ", 16)[:79]) + "…",
		"\x00 is not allowed in XML": "\uFFFD is not allowed in XML",
	} {
		var d atomDocument
		read(t, ask(posts(content), http.MethodGet, "/feeds/news.atom").Body.Bytes(), &d)
		if got := d.Entries[0].Title; got != want {
			t.Errorf("%q: got %q, want %q", content, got, want)
		}
	}
}

func FuzzDocuments(f *testing.F) {
	for _, text := range []string{"Hello", nasty, "\x00", "]]>", "<!--", "\xed\xa0\x80", "&#0;", "\u2028\u2029", "{{.}}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, content string) {
		defer cost.Check(t, len(content))()
		m := posts(content)
		var atom atomDocument
		body := ask(m, http.MethodGet, "/feeds/news.atom").Body.Bytes()
		read(t, body, &atom)
		// A decoder returns the original text, except for characters that XML does not
		// allow.
		if got, want := atom.Entries[0].Content, xmlText(content); got != want {
			t.Errorf("Atom: got %q, want %q", got, want)
		}
		var feed jsonDocument
		read(t, ask(m, http.MethodGet, "/feeds/news.json").Body.Bytes(), &feed)
		if got, want := feed.Items[0].Content, strings.ToValidUTF8(content, "\uFFFD"); got != want && strings.ToValidUTF8(content, "") == content {
			t.Errorf("JSON: got %q, want %q", got, want)
		}
		page := ask(m, http.MethodGet, "/feeds/news/"+m.entries[0].ID).Body.String()
		if tags := strings.Count(page, "<"); tags-strings.Count(page, "<br>") != pageTags {
			t.Errorf("%q puts tags into the page:\n%s", content, page)
		}
	})
}

// pageTags is the number of tags in the page of an entry, without line breaks.
var pageTags = func() int {
	m := posts("x")
	return strings.Count(ask(m, http.MethodGet, "/feeds/news/"+m.entries[0].ID).Body.String(), "<")
}()

// xmlText replaces each rune, or invalid byte, that XML 1.0 does not allow.
func xmlText(s string) string {
	var out strings.Builder
	for _, r := range s {
		switch {
		case r == '\t', r == '\n', r == '\r', r >= 0x20 && r <= 0xD7FF, r >= 0xE000 && r <= 0xFFFD, r >= 0x10000:
			out.WriteRune(r)
		default:
			out.WriteRune('\uFFFD')
		}
	}
	return out.String()
}
