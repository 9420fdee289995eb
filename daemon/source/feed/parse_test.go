package feed_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/daemon/source/feed"
)

var update = flag.Bool("update", false, "write the golden files")

// address returns a URL for tests.
func address(t testing.TB, link string) *url.URL {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// mustParse returns the feed of a document.
func mustParse(t testing.TB, body string) *feed.Feed {
	t.Helper()
	f, err := feed.Parse([]byte(body), "", address(t, "https://blog.example/feed.xml"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestParse reads feeds as real programs write them. Their texts are made up.
func TestParse(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/feeds/*")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no feeds: %v", err)
	}
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			f, err := feed.Parse(body, "", address(t, "https://feeds.example/blog/feed.xml"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.MarshalIndent(f, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata/golden", filepath.Base(path)+".json")
			if *update {
				if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimSpace(string(want)), string(got)); diff != "" {
				t.Errorf("run go test with -update if this is wanted (-want +got):\n%.4000s", diff)
			}
		})
	}
}

// TestErrors guards that people learn what is wrong with a document.
func TestErrors(t *testing.T) {
	t.Parallel()
	const open = `<rss version="2.0"><channel><title>T</title><item><title>One</title>`
	for name, c := range map[string]struct {
		body string
		want error
	}{
		"empty":           {"", feed.ErrNotFeed},
		"text":            {"Not found", feed.ErrNotFeed},
		"a page":          {"<!doctype html><html><head><title>T</title></head><body><p>Hi<br></body></html>", feed.ErrNotFeed},
		"other XML":       {`<?xml version="1.0"?><urlset><url/></urlset>`, feed.ErrNotFeed},
		"other JSON":      {`{"items": []}`, feed.ErrNotFeed},
		"a list in JSON":  {`[]`, feed.ErrNotFeed},
		"a comment":       {"<!-- nothing -->", feed.ErrNotFeed},
		"cut":             {open, feed.ErrCut},
		"cut in a tag":    {open + "<li", feed.ErrCut},
		"cut in JSON":     {`{"version": "https://jsonfeed.org/version/1.1", "items": [{"id": "1"`, feed.ErrCut},
		"broken":          {open + "<1></item></channel></rss>", feed.ErrMalformed},
		"broken JSON":     {`{"version": nothing, "items": []}`, feed.ErrMalformed},
		"items as text":   {`{"version": "https://jsonfeed.org/version/1.1", "items": "none"}`, feed.ErrMalformed},
		"too deep":        {open + strings.Repeat("<a>", 300) + strings.Repeat("</a>", 300) + "</item></channel></rss>", feed.ErrTooLarge},
		"too long":        {open + strings.Repeat(" ", feed.MaxBytes), feed.ErrTooLarge},
		"many parts":      {open + "<x:y>" + strings.Repeat("text<!---->", 30_000) + "</x:y></item></channel></rss>", feed.ErrTooLarge},
		"many elements":   {`<feed>` + strings.Repeat("<a/>", 260_000) + `</feed>`, feed.ErrTooLarge},
		"long addresses":  {`<feed xml:base="https://blog.example/` + strings.Repeat("a", 5000) + `">` + strings.Repeat("<link/>", 20_000) + `</feed>`, feed.ErrTooLarge},
		"many namespaces": {`<rss><channel ` + namespaces(20_000) + `>` + strings.Repeat("<item/>", 2000) + `</channel></rss>`, feed.ErrTooLarge},
	} {
		f, err := feed.Parse([]byte(c.body), "", nil)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, %v; want %v", name, f, err, c.want)
		}
	}
}

// namespaces returns declarations of namespaces.
func namespaces(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ` xmlns:n%d="n"`, i)
	}
	return b.String()
}
