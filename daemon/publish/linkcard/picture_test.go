package linkcard_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/daemon/publish/linkcard"
)

func TestPicture(t *testing.T) {
	t.Parallel()
	base, err := url.Parse("https://blog.example/posts/1")
	if err != nil {
		t.Fatal(err)
	}
	const og = `<meta property="og:image" content="`
	for _, c := range []struct{ head, address, alt string }{
		{og + `/a.png"><meta property="og:image:alt" content="A &amp; B` + "\n" + `c">`, "https://blog.example/a.png", "A & B c"},
		{og + `http://cdn.example/a.png">`, "http://cdn.example/a.png", ""},
		{`<meta name="twitter:image" content="a.png"><meta name="twitter:image:alt" content="Bird">`, "https://blog.example/posts/a.png", "Bird"},
		{og + `javascript:alert(1)">`, "", ""},
		{og + `https://a:b@blog.example/a.png">`, "", ""},
		{og + `data:image/png;base64,AAAA"><meta property="og:image:alt" content="x">`, "", ""},
		{`<meta property="og:image:alt" content="x">`, "", ""},
		{`</head><body>` + og + `/reader.png">`, "", ""},
		{strings.Repeat(" ", 2<<20) + og + `/late.png">`, "", ""},
		{"", "", ""},
	} {
		address, alt := linkcard.Picture([]byte("<!doctype html><html><head>"+c.head), "text/html; charset=utf-8", base)
		if address != c.address || alt != c.alt {
			t.Errorf("%.80q: got %q, %q; want %q, %q", c.head, address, alt, c.address, c.alt)
		}
	}
}
