package bluesky

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// spans describes the facets as "part of the text=target".
func spans(text string) []string {
	var list []string
	for _, f := range facets(text) {
		of := f.Features[0]
		list = append(list, text[f.Index.Start:f.Index.End]+"="+of.URI+of.handle+of.Tag)
	}
	return list
}

func TestLinks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://example.com":                   "https://example.com=https://example.com",
		"see http://example.com/a?b=c#d now":    "http://example.com/a?b=c#d=http://example.com/a?b=c#d",
		"HTTPS://Example.COM":                   "HTTPS://Example.COM=HTTPS://Example.COM",
		"(https://example.com)":                 "https://example.com=https://example.com",
		"(https://example.com).":                "https://example.com=https://example.com",
		"https://example.com/a_(b)":             "https://example.com/a_(b)=https://example.com/a_(b)",
		"https://example.com.":                  "https://example.com=https://example.com",
		"https://example.com, and":              "https://example.com=https://example.com",
		"https://example.com/?!":                "https://example.com/?=https://example.com/?",
		"https://bücher.example/ß":              "https://bücher.example/ß=https://bücher.example/ß",
		"http://127.0.0.1:8080/x":               "http://127.0.0.1:8080/x=http://127.0.0.1:8080/x",
		"example.com":                           "example.com=https://example.com",
		"🙂 example.com/a.":                      "example.com/a=https://example.com/a",
		"(example.com)":                         "example.com=https://example.com",
		"my-site.example.com:8080/x":            "my-site.example.com:8080/x=https://my-site.example.com:8080/x",
		"example.com:":                          "example.com=https://example.com",
		"example.com…":                          "example.com=https://example.com",
		"example.com, too":                      "example.com=https://example.com",
		"foo(example.com)":                      "example.com=https://example.com",
		"https://a.example\u3000https://b.test": "https://a.example=https://a.example https://b.test=https://b.test",
		"https://":                              "",
		"https:///path":                         "",
		"https://.":                             "",
		"xhttps://example.com":                  "",
		"mail jane.name@example.com":            "",
		"ends.Next sentence":                    "",
		"main.go, e.g. v1.2":                    "",
		"example..com":                          "",
		"ftp://example.com":                     "",

		"README.md": "",
		"see README.md, main.rs:10 and (install.sh)": "",
		"README.md#usage":   "",
		"readme.md?plain=1": "",
		"README.de.md":      "",
		"archive.zip.":      "",
		"https://README.md": "https://README.md=https://README.md",
		"brew.sh/":          "brew.sh/=https://brew.sh/",
		"example.md/page":   "example.md/page=https://example.md/page",
		"lib.rs:443/x":      "lib.rs:443/x=https://lib.rs:443/x",
		"docs.astral.sh":    "docs.astral.sh=https://docs.astral.sh",
		"notion.so":         "notion.so=https://notion.so",

		"(https://en.wikipedia.org/wiki/Foo_(bar))":      "https://en.wikipedia.org/wiki/Foo_(bar)=https://en.wikipedia.org/wiki/Foo_(bar)",
		"(see https://en.wikipedia.org/wiki/Foo_(bar)).": "https://en.wikipedia.org/wiki/Foo_(bar)=https://en.wikipedia.org/wiki/Foo_(bar)",
		"(en.wikipedia.org/wiki/Foo_(bar)!)":             "en.wikipedia.org/wiki/Foo_(bar)=https://en.wikipedia.org/wiki/Foo_(bar)",
		"((https://example.com/a))":                      "https://example.com/a=https://example.com/a",
		"https://example.com/a(b)c)":                     "https://example.com/a(b)c=https://example.com/a(b)c",
		"https://example.com/(a":                         "https://example.com/(a=https://example.com/(a",
		"https://%zz":                                    "",
	} {
		if got := strings.Join(spans(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestLinksInSentences guards where links start and end next to quotes, brackets, arrows and
// Chinese, Japanese and Korean text.
func TestLinksInSentences(t *testing.T) {
	t.Parallel()
	const link, linked = "https://example.com/a", "https://example.com/a=https://example.com/a"
	for _, around := range []string{
		"“%s”", "„%s“", "‘%s’", "«%s»", "»%s«", "‹%s›", "\"%s\"", "'%s'", "“%s.”", "(“%s”)", "[%s]", "{%s}", "<%s>", "([%s])", "[%s].", "a [%s], b",
		"→%s", "⇒%s.", "➡️%s", "->%s", "=>%s", "👉%s", "⬇%s",
		"「%s」", "『%s』", "【%s】", "（%s）", "《%s》", "詳細は%s。", "詳細は%s、次", "リンク：%s", "见%s，谢谢", "자세히%s", "。%s！",
		"%s…", "%s...", "%s.", "%s!", "%s」と", "%s）。", "%s’s",
	} {
		text := strings.Replace(around, "%s", link, 1)
		if got := strings.Join(spans(text), " "); got != linked {
			t.Errorf("%q: got %q", text, got)
		}
	}
	for text, want := range map[string]string{
		"“example.com”":                       "example.com=https://example.com",
		"詳細はexample.comへ":                     "example.com=https://example.com",
		"詳細はhttps://example.comです":            "https://example.com=https://example.com",
		"https://例え.jp/と":                     "https://例え.jp/と=https://例え.jp/と",
		"https://ja.wikipedia.org/wiki/東京。":   "https://ja.wikipedia.org/wiki/東京=https://ja.wikipedia.org/wiki/東京",
		"https://a.example、https://b.example": "https://a.example=https://a.example https://b.example=https://b.example",
		"https://example.com/?q[0]=1":         "https://example.com/?q[0]=1=https://example.com/?q[0]=1",
		"https://example.com/it's":            "https://example.com/it's=https://example.com/it's",
		"http://[::1]:80/x":                   "http://[::1]:80/x=http://[::1]:80/x",
		"Map<node.id> x[node.id] don't.is":    "",
		"“@alice.bsky.social”":                "@alice.bsky.social=alice.bsky.social",
		"日本@alice.bsky.social":                "",
	} {
		if got := strings.Join(spans(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestLinkWarnings guards that a check names the links that Bluesky's app would make in another
// way.
func TestLinkWarnings(t *testing.T) {
	t.Parallel()
	p := New(nil, nil, "test")
	for text, want := range map[string][]string{
		"https://example.com, (example.com) and #tag @alice.bsky.social": nil,
		"See “https://example.com/a”":                                    {`"https://example.com/a" becomes a link, which it does not in Bluesky's app`},
		"https://example.com/a」と":                                        {`"https://example.com/a" becomes a link; in Bluesky's app the link is "https://example.com/a」と"`},
		"see README.md":                                                  {`"README.md" does not become a link, as it does in Bluesky's app; write https:// before it if it is one`},
		"→a.com →b.com →c.com →d.com": {
			`"a.com" becomes a link, which it does not in Bluesky's app`, `"b.com" becomes a link, which it does not in Bluesky's app`, `"c.com" becomes a link, which it does not in Bluesky's app`,
		},
	} {
		if diff := cmp.Diff(want, p.Check(schedctl.Account{}, publish.Text(text)).Warnings); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestMentions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"@alice.bsky.social":                      "@alice.bsky.social=alice.bsky.social",
		"hi @Alice.BSKY.Social!":                  "@Alice.BSKY.Social=alice.bsky.social",
		"(@alice.bsky.social)":                    "@alice.bsky.social=alice.bsky.social",
		"@alice.bsky.social's":                    "@alice.bsky.social=alice.bsky.social",
		"@alice.bsky.social. And":                 "@alice.bsky.social=alice.bsky.social",
		"@alice.bsky.social, @bob.test":           "@alice.bsky.social=alice.bsky.social @bob.test=bob.test",
		"日本 @a-b.example.com":                     "@a-b.example.com=a-b.example.com",
		"@alice":                                  "",
		"@alice.invalid":                          "",
		"@alice.example.com_x":                    "",
		"@-alice.example.com":                     "",
		"@alice..com":                             "",
		"a@alice.bsky.social":                     "",
		"@":                                       "",
		"@" + strings.Repeat("a", 64) + ".com":    "",
		"@" + strings.Repeat("a.", 130) + "a.com": "",
	} {
		if got := strings.Join(spans(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestTags(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"#golang":                     "#golang=golang",
		"a #golang, b":                "#golang=golang",
		"＃日本語 です":                     "＃日本語=日本語",
		"#a1 #1a #C++":                "#a1=a1 #1a=1a #C++=C++",
		"#don't!?":                    "#don't=don't",
		"#a#b":                        "#a#b=a#b",
		"##a":                         "##a=#a",
		"#\U0001F642":                 "#🙂=🙂",
		"#foo\u200bbar":               "#foo=foo",
		"#foo(example.com)":           "#foo(example.com=foo(example.com",
		"#" + strings.Repeat("x", 64): "#" + strings.Repeat("x", 64) + "=" + strings.Repeat("x", 64),
		"#" + strings.Repeat("x", 65): "",
		"#" + strings.Repeat("🙂", 33): "",
		"#":                           "",
		"#1 #2024 #...":               "",
		"#\uFE0Fx":                    "",
		"a#b (#c)":                    "",
		"#日本、次":                       "#日本=日本",
		"#日本、#東京。":                    "#日本=日本 #東京=東京",
		"#tag」と「#b」":                  "#tag=tag #b=b",
		"# golang":                    "",
	} {
		if got := strings.Join(spans(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestOffsetsAreBytes(t *testing.T) {
	t.Parallel()
	text := "👍🏽 #grö✓\nü example.com"
	want := []facet{
		{Index: byteSlice{9, 17}, Features: []feature{{Type: typeTag, Tag: "grö✓"}}},
		{Index: byteSlice{21, 32}, Features: []feature{{Type: typeLink, URI: "https://example.com"}}},
	}
	if diff := cmp.Diff(want, facets(text), cmp.AllowUnexported(feature{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func checkFacets(t *testing.T, text string) {
	end := 0
	for _, found := range facets(text) {
		i, of := found.Index, found.Features[0]
		if i.Start < end || i.End <= i.Start || i.End > len(text) {
			t.Fatalf("%q: %+v after %d", text, i, end)
		}
		end = i.End
		part := text[i.Start:i.End]
		if utf8.ValidString(text) && !utf8.ValidString(part) {
			t.Errorf("%q: %q splits a character", text, part)
		}
		switch of.Type {
		case typeLink:
			if strings.TrimPrefix(of.URI, "https://") != strings.TrimPrefix(part, "https://") {
				t.Errorf("%q: link %q shown as %q", text, of.URI, part)
			}
		case typeMention:
			if !strings.EqualFold("@"+of.handle, part) || len(of.handle) > maxHandle {
				t.Errorf("%q: mention %q shown as %q", text, of.handle, part)
			}
		case typeTag:
			if !strings.HasSuffix(part, of.Tag) || len(of.Tag) > 640 || of.Tag == "" {
				t.Errorf("%q: tag %q shown as %q", text, of.Tag, part)
			}
		default:
			t.Errorf("%q: type %q", text, of.Type)
		}
	}
}
