package feedtest_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/source/feed"
	"github.com/schedctl/schedctl/daemon/source/feedtest"
	"github.com/schedctl/schedctl/daemon/source/fetch"
)

// fetchFrom fetches the feed of a server with the guard of a policy.
func fetchFrom(t *testing.T, server *feedtest.Server, policy outbound.Policy, etag string) (*fetch.Result, error) {
	t.Helper()
	return fetch.New(outbound.FetchClient(policy), "test", "").Fetch(t.Context(), fetch.Request{URL: server.URL, ETag: etag})
}

func read(t *testing.T, server *feedtest.Server) *feed.Feed {
	t.Helper()
	got, err := fetchFrom(t, server, outbound.AllowPrivate, "")
	if err != nil {
		t.Fatal(err)
	}
	f, err := feed.Parse(got.Body, got.ContentType, got.URL)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFormats guards that the same items are read from each format.
func TestFormats(t *testing.T) {
	t.Parallel()
	for name, format := range map[string]feedtest.Format{"RSS": feedtest.RSS, "Atom": feedtest.Atom, "JSON": feedtest.JSON} {
		server := feedtest.New(t)
		server.SetFormat(format)
		server.Set(feedtest.Numbered(2)...)
		server.Publish(feedtest.Item{GUID: "x", Link: "/x", Title: "A & <B>", Author: "Ada", Tags: []string{"Go"}, Published: feedtest.Start})
		f := read(t, server)
		if len(f.Items) != 3 {
			t.Fatalf("%s: got %d items", name, len(f.Items))
		}
		first, last := f.Items[0], f.Items[2]
		if first.Title != "A & <B>" || first.Author != "Ada" || !cmp.Equal(first.Tags, []string{"Go"}) || first.Link != server.Site+"/x" {
			t.Errorf("%s: got %+v", name, first)
		}
		if last.GUID != "id-1" || last.Title != "Title 1" || last.Summary != "Text of number 1." || !last.Published.Equal(feedtest.Start) {
			t.Errorf("%s: got %+v", name, last)
		}
	}
}

// TestNotModified guards that the server knows what a client has.
func TestNotModified(t *testing.T) {
	t.Parallel()
	server := feedtest.New(t)
	server.Set(feedtest.Numbered(1)...)
	first, err := fetchFrom(t, server, outbound.AllowPrivate, "")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := fetchFrom(t, server, outbound.AllowPrivate, first.ETag); err != nil || !again.NotModified {
		t.Errorf("got %+v, %v", again, err)
	}
	server.Change(feedtest.NewTitles)
	if changed, err := fetchFrom(t, server, outbound.AllowPrivate, first.ETag); err != nil || changed.NotModified {
		t.Errorf("got %+v, %v", changed, err)
	}
	if n := len(server.Requests()); n != 3 || server.Requests()[1].Header.Get("If-None-Match") != first.ETag {
		t.Errorf("%d requests", n)
	}
}

// TestFailures guards that each way to fail has the kind that the fetcher names.
func TestFailures(t *testing.T) {
	t.Parallel()
	server := feedtest.New(t)
	server.Set(feedtest.Numbered(3)...)
	for name, c := range map[string]struct {
		response feedtest.Response
		want     fetch.Kind
	}{
		"404":            {feedtest.Status(404), fetch.NotFound},
		"410":            {feedtest.Status(410), fetch.Gone},
		"429":            {feedtest.Status(429, "Retry-After", "60"), fetch.Busy},
		"500":            {feedtest.Status(500), fetch.Unavailable},
		"a loop":         {feedtest.Loop, fetch.Unexpected},
		"a bomb":         {feedtest.Bomb(20 << 20), fetch.TooLarge},
		"huge":           {feedtest.Huge(fetch.MaxBytes), fetch.TooLarge},
		"a hung-up call": {feedtest.HangUp, fetch.Unreachable},
	} {
		server.Respond(c.response)
		got, err := fetchFrom(t, server, outbound.AllowPrivate, "")
		if failure, ok := errors.AsType[*fetch.Failure](err); !ok || failure.Kind != c.want {
			t.Errorf("%s: got %+v, %v; want %s", name, got, err, c.want)
		}
	}
	for name, response := range map[string]feedtest.Response{"Feed": nil, "Gzip": feedtest.Gzip, "With": feedtest.With("Cache-Control", "max-age=600")} {
		server.Respond(response)
		if f := read(t, server); len(f.Items) != 3 {
			t.Errorf("%s: got %d items", name, len(f.Items))
		}
	}
	server.Respond(nil)
	server.Next(feedtest.Status(503))
	if _, err := fetchFrom(t, server, outbound.AllowPrivate, ""); err == nil {
		t.Error("the next response was not 503")
	}
	if f := read(t, server); len(f.Items) != 3 {
		t.Error("the response after the next one was not the feed")
	}
}

// TestDocuments guards that documents that are no whole feed are told apart.
func TestDocuments(t *testing.T) {
	t.Parallel()
	server := feedtest.New(t)
	server.Set(feedtest.Numbered(3)...)
	for name, c := range map[string]struct {
		response feedtest.Response
		want     error
	}{
		"cut": {feedtest.Cut, feed.ErrCut}, "not XML": {feedtest.NotXML, feed.ErrMalformed}, "nothing": {feedtest.Nothing, feed.ErrNotFeed}, "a page": {feedtest.Page, feed.ErrNotFeed},
	} {
		server.Respond(c.response)
		got, err := fetchFrom(t, server, outbound.AllowPrivate, "")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := feed.Parse(got.Body, got.ContentType, got.URL); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
		if name == "a page" {
			if found := feed.Feeds(got.Body, got.ContentType, got.URL); len(found) != 1 || found[0].URL != server.URL {
				t.Errorf("a page: got %+v", found)
			}
		}
	}
}

// TestSlowServers guards that a client can leave a server that never ends.
func TestSlowServers(t *testing.T) {
	t.Parallel()
	for name, response := range map[string]feedtest.Response{"drip": feedtest.Drip(time.Millisecond), "hang": feedtest.Hang} {
		server := feedtest.New(t)
		server.Set(feedtest.Numbered(1)...)
		server.Respond(response)
		client := &http.Client{Timeout: 50 * time.Millisecond}
		resp, err := client.Get(server.URL)
		if err == nil {
			_, err = resp.Body.Read(make([]byte, 1))
			for err == nil {
				_, err = resp.Body.Read(make([]byte, 100))
			}
			resp.Body.Close()
		}
		if timeout, ok := errors.AsType[interface {
			error
			Timeout() bool
		}](err); !ok || !timeout.Timeout() {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestPrivateAddresses guards that a redirect to the machine itself can be tested.
func TestPrivateAddresses(t *testing.T) {
	t.Parallel()
	server, hidden := feedtest.New(t), feedtest.New(t)
	server.Respond(feedtest.Redirect(302, hidden.URL))
	_, err := fetchFrom(t, server, outbound.PublicOnly, "")
	if failure, ok := errors.AsType[*fetch.Failure](err); !ok || failure.Kind != fetch.Refused || len(hidden.Requests()) > 0 {
		t.Errorf("got %v", err)
	}
	if got, err := fetchFrom(t, server, outbound.AllowPrivate, ""); err != nil || got.URL.String() != hidden.URL {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestEncodings guards that feeds in other encodings are read.
func TestEncodings(t *testing.T) {
	t.Parallel()
	utf16 := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	for _, c := range []struct {
		name     string
		encoding encoding.Encoding
		title    string
	}{{"windows-1251", charmap.Windows1251, "Новости"}, {"ISO-8859-1", charmap.ISO8859_1, "Café"}, {"UTF-16", utf16, "Ünïcödé 日本"}} {
		server := feedtest.New(t)
		server.Set(feedtest.Item{GUID: "1", Title: c.title})
		server.Respond(feedtest.Encoded(c.name, c.encoding))
		if f := read(t, server); f.Items[0].Title != c.title {
			t.Errorf("%s: got %q, want %q", c.name, f.Items[0].Title, c.title)
		}
	}
}

// TestChanges guards what each change does to the keys of items.
func TestChanges(t *testing.T) {
	t.Parallel()
	server := feedtest.New(t)
	for name, c := range map[string]struct {
		change           feedtest.Change
		guid, link, hash bool // the key of the first item is the same as before
	}{
		"NewGUIDs": {feedtest.NewGUIDs, false, true, true}, "NewLinks": {feedtest.NewLinks, true, false, true}, "NewTitles": {feedtest.NewTitles, true, true, false},
		"NewTexts": {feedtest.NewTexts, true, true, false}, "Redated": {feedtest.Redated, true, true, true}, "Tracked": {feedtest.Tracked, true, true, true},
		"NoDates": {feedtest.NoDates, true, true, true}, "Twice": {feedtest.Twice, true, true, true}, "NoGUIDs": {feedtest.NoGUIDs, false, true, true},
		"OneGUID": {feedtest.OneGUID, false, true, true}, "OneLink": {feedtest.OneLink, true, false, true}, "NoLinks": {feedtest.NoLinks, true, false, true},
		"OneDate": {feedtest.OneDate, true, true, true}, "NoTitles": {feedtest.NoTitles, true, true, false},
	} {
		server.Set(feedtest.Numbered(3)...)
		before, _ := read(t, server).Keys(feed.Auto)
		server.Change(c.change)
		after, _ := read(t, server).Keys(feed.Auto)
		a, b := before[0], after[0]
		if (a.GUID == b.GUID) != c.guid || (a.Link == b.Link) != c.link || (a.Hash == b.Hash) != c.hash {
			t.Errorf("%s: before %+v, after %+v", name, a, b)
		}
	}
	server.Set(feedtest.Numbered(3)...)
	server.Change(feedtest.Reversed, feedtest.Without(0))
	if items := server.Items(); len(items) != 2 || items[0].GUID != "id-2" {
		t.Errorf("got %+v", items)
	}
	if server.Change(feedtest.Emptied); len(read(t, server).Items) != 0 {
		t.Error("the feed has items")
	}
}
