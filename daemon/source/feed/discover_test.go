package feed_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/daemon/source/feed"
)

func TestFeeds(t *testing.T) {
	t.Parallel()
	base := address(t, "https://blog.example/about/")
	page := `<!doctype html><head><title>T</title>
<link rel="stylesheet" href="a.css"><link rel="alternate" hreflang="de" href="/de/">
<link rel="alternate" type="application/rss+xml" title="Blog &amp; news" href="/feed/">
<LINK REL='Alternate feed' TYPE='application/atom+xml; charset=utf-8' href='atom.xml'>
<link rel="alternate" type="application/rss+xml" title="the same" href="https://blog.example/feed/">
<link rel="alternate" type="application/feed+json" href="//json.example/feed.json">
<link rel="alternate" type="application/json" href="/wp-json/wp/v2/posts/1"><link rel="alternate" type="text/xml+oembed" href="/oembed">
<link rel="alternate" type="application/rss+xml" href="javascript:alert(1)"><link rel="alternate" type="application/rss+xml">`
	want := []feed.Found{{URL: "https://blog.example/feed/", Title: "Blog & news"}, {URL: "https://blog.example/about/atom.xml"}, {URL: "https://json.example/feed.json"}}
	if diff := cmp.Diff(want, feed.Feeds([]byte(page), "text/html", base)); diff != "" {
		t.Error(diff)
	}
	moved := `<base href="https://other.example/x/"><link rel=alternate type=application/rss+xml title="caf` + "\xe9" + `" href=feed>`
	if diff := cmp.Diff([]feed.Found{{URL: "https://other.example/x/feed", Title: "café"}}, feed.Feeds([]byte(moved), "text/html; charset=iso-8859-1", base)); diff != "" {
		t.Error(diff)
	}
	if found := feed.Feeds([]byte("no page"), "", nil); len(found) != 0 {
		t.Errorf("got %v", found)
	}
}

func TestPagePicture(t *testing.T) {
	t.Parallel()
	base := address(t, "https://blog.example/a/")
	for page, want := range map[string]string{
		`<meta property="og:image" content="../a.png">`:                                                          "https://blog.example/a.png",
		`<meta name="twitter:image" content="/t.png"><meta property="og:image" content="/o.png">`:                "https://blog.example/o.png",
		`<meta name="twitter:image" content="/t.png">`:                                                           "https://blog.example/t.png",
		`<meta property="og:image" content=""><meta property="og:image" content="/2.png">`:                       "https://blog.example/2.png",
		`<meta property="og:image" content="data:image/png;base64,AA=="><meta name="twitter:image" content=x>`:   "https://blog.example/a/x",
		`<body><meta property="og:image" content="/reader.png">`:                                                 "",
		`<meta property="og:image" content="/first.png"><meta property="og:image" content="/second.png"></head>`: "https://blog.example/first.png",
	} {
		if got := feed.PagePicture([]byte(page), "", base); got != want {
			t.Errorf("%s: got %q, want %q", page, got, want)
		}
	}
}
