package feed_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/daemon/source/feed"
)

// TestVersion guards which items are about versions, and about versions before a release
// (grafana #56788: a test tag was announced).
func TestVersion(t *testing.T) {
	t.Parallel()
	const github, gitlab = "https://github.com/a/b/releases/tag/", "https://gitlab.example/a/b/-/releases/"
	for _, c := range []struct {
		link, title, version string
		before               bool
	}{
		{github + "v1.2.0", "Version 1.2", "v1.2.0", false},
		{github + "v1.2.0-rc.1", "Version 1.2", "v1.2.0-rc.1", true},
		{github + "v1.2.0-1", "", "v1.2.0-1", false},
		{github + "2.0b3", "", "2.0b3", true},
		{github + "v1.2.0.post1", "", "v1.2.0.post1", false},
		{github + "v1.2.0+build.5", "", "v1.2.0+build.5", false},
		{github + "tool%2Fv3.1.0-alpha", "", "v3.1.0-alpha", true},
		{github + "cli-v3", "", "v3", false},
		{github + "v9.2.1-test", "v9.2.1", "v9.2.1-test", true},
		{github + "nightly-test", "Nightly", "", true},
		{github + "spring", "Spring 2.0.1", "2.0.1", false},
		{gitlab + "v4.0.0-dev", "", "v4.0.0-dev", true},
		{"https://gitlab.example/a/b/-/tags/1.0.0", "", "1.0.0", false},
		{"https://blog.example/a", "Tool 1.22 is released", "1.22", false},
		{"https://blog.example/a", "Tool v1.22-beta2, at last", "v1.22-beta2", true},
		{"https://blog.example/a", "Pytool 3.14.0rc2", "3.14.0rc2", true},
		{"https://blog.example/a", "1.2.3-test", "1.2.3-test", true},
		{"https://blog.example/a", "Our first stress-test", "", true},
		{"https://blog.example/releases/2026", "News of 2026", "2026", false},
		{"https://blog.example/a", "Lunch at 12", "", false},
	} {
		f := mustParse(t, channel(fmt.Sprintf("<item><link>%s</link><title>%s</title><guid>1</guid></item>", c.link, c.title)))
		if got := f.Items[0]; got.Version != c.version || got.Prerelease != c.before {
			t.Errorf("%s %q: got %q, %v", c.link, c.title, got.Version, got.Prerelease)
		}
	}
}

// TestImages guards the order of the candidates, and what is no picture of an item.
func TestImages(t *testing.T) {
	t.Parallel()
	body := `<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
<link>https://blog.example/</link><image><url>/logo.png</url></image><itunes:image href="https://blog.example/cover.jpg"/>
<item><guid>1</guid>
<content:encoded><![CDATA[<img src="https://secure.gravatar.com/avatar/1?s=400"><img class="avatar large" src="/me.png"><img src="/logo.png"><img src="/tiny.png" width="16px" height="16">
<img src="https://pixel.wp.com/g.gif?x=1"><img src="/wide.png" width="100%" alt="A &amp; wide one"><img src="data:image/gif;base64,R0lGOD"><img alt="none"><img src="/wide.png">]]></content:encoded>
<itunes:image href="/episode.jpg"/>
<media:thumbnail url="/thumb.jpg" width="480" height="360"/><media:thumbnail url="/small.jpg" width="75" height="75"/>
<enclosure url="/enclosed.jpg" type="image/jpeg" length="1"/><enclosure url="/sound.mp3" type="audio/mpeg" length="1"/>
<media:content url="/video.mp4" medium="video"><media:thumbnail url="/still.jpg"/></media:content>
<media:group><media:content url="/media.jpg" type="image/jpeg"><media:description>The &lt;b&gt;harbour&lt;/b&gt;</media:description></media:content></media:group>
</item></channel></rss>`
	f := mustParse(t, body)
	want := []feed.Image{
		{URL: "https://blog.example/media.jpg", Alt: "The harbour"}, {URL: "https://blog.example/enclosed.jpg"}, {URL: "https://blog.example/thumb.jpg"},
		{URL: "https://blog.example/still.jpg"}, {URL: "https://blog.example/episode.jpg"}, {URL: "https://blog.example/wide.png", Alt: "A & wide one"},
	}
	if diff := cmp.Diff(want, f.Items[0].Images); diff != "" {
		t.Error(diff)
	}
	if f.Items[0].Audio != "https://blog.example/sound.mp3" {
		t.Errorf("got the sound %q", f.Items[0].Audio)
	}
}

// TestEncodings guards that feeds are read although their server or their declaration is
// wrong.
func TestEncodings(t *testing.T) {
	t.Parallel()
	document := func(declared, title string) string {
		return `<?xml version="1.0"` + declared + `?><rss><channel><item><guid>1</guid><title>` + title + `</title></item></channel></rss>`
	}
	for name, c := range map[string]struct{ body, contentType, want string }{
		"UTF-8":                        {document("", "é"), "", "é"},
		"a byte order mark":            {"\xEF\xBB\xBF" + document("", "é"), "text/xml; charset=iso-8859-1", "é"},
		"a wrong declaration":          {document(` encoding="ISO-8859-1"`, "é"), "", "é"},
		"a wrong server":               {document(` encoding="UTF-8"`, "é"), "text/xml; charset=us-ascii", "é"},
		"by the server":                {document("", "\xe9"), "text/xml; charset=ISO-8859-1", "é"},
		"the server before the rest":   {document(` encoding="windows-1251"`, "\xe9"), `application/rss+xml; charset="windows-1252"`, "é"},
		"the server says UTF-8, no":    {document(` encoding='windows-1251'`, "\xe9"), "text/xml; charset=utf-8", "й"},
		"no encoding at all":           {document("", "a\xe9b"), "", "a\uFFFDb"},
		"an unknown encoding":          {document(` encoding="klingon"`, "a"), "text/xml; charset=klingon", "a"},
		"Japanese with escapes":        {document(` encoding="iso-2022-jp"`, "\x1b$B3$\x1b(B"), "", "海"},
		"UTF-16 without a mark":        {utf16(document("", "é")), "", "é"},
		"version 1.1, control bytes":   {strings.Replace(document("", "a\x01\x0bb"), "1.0", "1.1", 1), "", "ab"},
		"text before the declaration":  {"\n\n  " + document("", "a"), "", "a"},
		"an entity of a DTD":           {`<!DOCTYPE rss [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><rss><channel><item><guid>1</guid><title>x &b; y</title></item></channel></rss>`, "", "x &b; y"},
		"an external entity of a file": {`<!DOCTYPE rss [<!ENTITY a SYSTEM "file:///etc/passwd">]><rss><channel><item><guid>1</guid><title>x &a; y</title></item></channel></rss>`, "", "x &a; y"},
	} {
		f, err := feed.Parse([]byte(c.body), c.contentType, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := strings.ReplaceAll(c.want, "\uFFFD", "")
		if got := f.Items[0].Title; got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// utf16 returns a text of Latin letters in UTF-16, the lower byte first.
func utf16(text string) string {
	var b strings.Builder
	for _, r := range text {
		b.WriteByte(byte(r))
		b.WriteByte(byte(r >> 8))
	}
	return b.String()
}
