package template_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"pgregory.net/rapid"

	"github.com/schedctl/schedctl/daemon/source/template"
	"github.com/schedctl/schedctl/scripts/cost"
)

var item = template.Data{
	Title: "Fast & safe: a longer title", Summary: "First line.\nSecond line.", Link: "https://example.org/a?x=1", Author: "Ada",
	Tags: []string{"machine learning", "Go", "go", "C++", "2026", "#iOS"}, Published: time.Date(2026, 11, 28, 9, 5, 0, 0, time.UTC),
	Version: "v1.2.0", Source: "blog", Platform: "mastodon",
}

// characters counts a text in characters.
func characters(limit int) template.Measure {
	return func(text string) template.Length {
		return template.Length{Count: utf8.RuneCountInString(text), Limit: limit, Unit: "characters"}
	}
}

func render(t testing.TB, text string, d template.Data, limit int) (template.Result, error) {
	t.Helper()
	parsed, err := template.Parse(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return parsed.Render(d, characters(limit))
}

func TestRender(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{template.Default, "Fast & safe: a longer title\n\nhttps://example.org/a?x=1"},
		{"{{.Version}} {{hashtags .Tags 3}}", "v1.2.0 #MachineLearning #Go #CPlusPlus"},
		{"{{.Tags | hashtags 30}}", "#MachineLearning #Go #CPlusPlus #iOS"},
		{"{{.Title | truncate 12}}", "Fast & safe…"},
		{"{{truncate 100 .Title}}", item.Title},
		{"{{.Summary | oneline}}", "First line. Second line."},
		{`{{.Published | date "2 January 2006"}}`, "28 November 2026"},
		{`{{.Published}}{{.Updated}}`, "2026-11-28"},
		{`{{.Updated | date "2006" | default "never"}}`, "never"},
		{`{{default "x" .Audio}}`, "x"},
		{`{{.Title | replace "&" "and" | upper}}`, "FAST AND SAFE: A LONGER TITLE"},
		{`{{lower .Source}}{{if .Updated}} changed{{end}}{{if .Published}} dated{{end}}`, "blog dated"},
		{`{{range $i, $t := .Tags}}{{if lt $i 2}}{{$t}},{{end}}{{end}}`, "machine learning,Go,"},
		{`{{range .Tags}}{{if eq . "Go"}}{{.}} {{$.Source}}{{break}}{{end}}{{end}}`, "Go blog"},
		{`{{with .Author}}by {{.}} on {{$.Platform}}{{end}}`, "by Ada on mastodon"},
		{`{{if eq .Platform "x"}}short{{else}}long{{end}}`, "long"},
		{"A\n\n{{.Audio}}\n\n\n{{.Image}}\n\nB", "A\n\nB"},
		{"{{.Tags}}", "machine learning, Go, go, C++, 2026, #iOS"},
	} {
		if got, err := render(t, c.text, item, 0); err != nil || got.Text != c.want || got.Shortened {
			t.Errorf("%q: got %+v, %v; want %q", c.text, got, err, c.want)
		}
	}
}

// TestFit guards that only what fit marks is shortened, at a word, and the last text first.
func TestFit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		limit int
		want  string // empty for a text that does not fit
	}{
		{template.Default, 54, "Fast & safe: a longer title\n\nhttps://example.org/a?x=1"},
		{template.Default, 53, "Fast & safe: a longer…\n\nhttps://example.org/a?x=1"},
		{template.Default, 32, "Fast…\n\nhttps://example.org/a?x=1"},
		{template.Default, 28, ""},
		{"{{.Title}}", 20, ""},
		{"{{fit .Title}} {{fit .Summary}}", 40, "Fast & safe: a longer title First line…"},
		{"{{fit .Title}} {{fit .Summary}}", 28, "Fast & safe: a longer title"},
		{"{{fit .Title}} {{fit .Summary}}", 12, "Fast & safe…"},
		{"{{fit .Title}} {{hashtags .Tags 2}}", 34, "Fast & safe… #MachineLearning #Go"},
		{"{{.Title | oneline | fit}}", 12, "Fast & safe…"},
	} {
		got, err := render(t, c.text, item, c.limit)
		if c.want == "" {
			if tooLong := (*template.TooLongError)(nil); !errors.As(err, &tooLong) || tooLong.Length.Limit != c.limit {
				t.Errorf("%q in %d: got %+v, %v; want that it does not fit", c.text, c.limit, got, err)
			}
			continue
		}
		if err != nil || got.Text != c.want || !got.Length.Fits() {
			t.Errorf("%q in %d: got %+v, %v; want %q", c.text, c.limit, got, err, c.want)
		}
	}
	if _, err := render(t, "{{.Audio}}", item, 0); !errors.Is(err, template.ErrEmpty) {
		t.Errorf("an empty text: %v", err)
	}
}

// TestCheck guards that templates cannot do what costs much, and that errors say what to do.
func TestCheck(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                   "empty",
		"{{.Titel}}":                         "fields are",
		"{{.Title.Length}}":                  "no fields",
		"{{.Published.Year}}":                "no fields",
		"{{title .Title}}":                   "functions are",
		"{{printf \"%1000000d\" 1}}":         "printf does not exist",
		"{{html .Title}}":                    "html does not exist",
		"{{call .Title}}":                    "call does not exist",
		"{{range 1000000000}}x{{end}}":       "over the tags",
		"{{range .Title}}x{{end}}":           "over the tags",
		"{{$x := .Tags}}{{range $x}}{{end}}": "over the tags",
		"{{range .Tags}}{{range $.Tags}}x{{end}}{{end}}": "inside of another",
		"{{range .Tags}}{{.Title}}{{end}}":               "$.Title",
		"{{with .Author}}{{.Title}}{{end}}":              "$.Title",
		`{{define "a"}}x{{end}}{{.Title}}`:               "define",
		`{{block "a" .}}x{{end}}`:                        "define",
		`{{template "a"}}`:                               "cannot be used",
		"{{.}}":                                          "the dot alone",
		"{{$}}":                                          "$ alone",
		"{{fit .Title | upper}}":                         "last function",
		"{{(.Title).X}}":                                 "no fields",
		"{{.Title":                                       "line 1",
		"a\n{{if .Title}}":                               "line 2",
		"{{truncate 0 .Title}}":                          "from 1",
		"{{upper .Published}}":                           "cannot be used",
		"{{hashtags .Title 3}}":                          "hashtags .Tags 3",
		`{{date "" .Published}}`:                         "layout",
		`{{replace "" "x" .Title}}`:                      "replace",
		strings.Repeat("x", template.MaxTemplate+1):      "limit",
		"\xff": "no text",
	} {
		err := template.Check(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "template: ") {
			t.Errorf("%.80q: got %v, want %q", text, err, want)
		}
	}
}

// TestBounds guards that no template makes much of a large item.
func TestBounds(t *testing.T) {
	t.Parallel()
	large := template.Data{Title: strings.Repeat("a ", 500), Summary: strings.Repeat("a ", 5000), Tags: make([]string, 50)}
	for i := range large.Tags {
		large.Tags[i] = strings.Repeat("t", 200)
	}
	for _, text := range []string{
		strings.Repeat("{{.Summary}}", 300),
		`{{.Summary | replace "a" "` + strings.Repeat("b", 500) + `"}}`,
		`{{range .Tags}}` + strings.Repeat("{{if upper $.Summary}}{{end}}", 100) + `{{end}}`,
		`{{range .Tags}}` + strings.Repeat("{{if truncate 4999 $.Summary}}{{end}}", 100) + `{{end}}`,
	} {
		parsed, err := template.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		end := cost.Check(t, len(text)+30_000)
		if got, err := parsed.Render(large, characters(0)); err == nil {
			t.Errorf("%.60q gives %d bytes", text, len(got.Text))
		}
		end()
	}
}

// TestMarksOfItems guards that an item cannot mark its own text.
func TestMarksOfItems(t *testing.T) {
	t.Parallel()
	got, err := render(t, "{{.Title}}", template.Data{Title: "\uFDD0long text\uFDD1 \xff"}, 0)
	if err != nil || got.Text != "long text \uFFFD" {
		t.Errorf("got %q, %v", got.Text, err)
	}
	if _, err := render(t, "{{.Title}}", template.Data{Title: "\uFDD0long text\uFDD1"}, 5); err == nil {
		t.Error("an item marked its text")
	}
}

func TestHashtag(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"open source": "#OpenSource", "golang": "#Golang", "iOS": "#iOS", "#Already": "#Already", "C#": "#CSharp", "R&D": "#RAndD", "Node.js": "#NodeJs",
		"don't panic": "#DontPanic", "2026": "", "": "", "!!": "", "日本語": "#日本語", "snake_case": "#Snake_case", "ünder": "#Ünder",
	} {
		if got := template.Hashtag(tag); got != want {
			t.Errorf("%q: got %q, want %q", tag, got, want)
		}
	}
}

func TestLink(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		link    string
		options template.LinkOptions
		want    string
	}{
		{"https://example.org/a?utm_source=rss&id=7#part", template.LinkOptions{Strip: true}, "https://example.org/a?id=7#part"},
		{"https://example.org/a?utm_source=rss", template.LinkOptions{}, "https://example.org/a?utm_source=rss"},
		{"https://example.org/a?b=%20&a=1", template.LinkOptions{Params: map[string]string{"utm_source": "{{.Platform}}", "a": "2"}}, "https://example.org/a?b=%20&a=2&utm_source=mastodon"},
		{"https://example.org/a", template.LinkOptions{Params: map[string]string{"v": "{{.Version}}"}}, "https://example.org/a"},
		{"", template.LinkOptions{Params: map[string]string{"a": "1"}}, ""},
	} {
		if err := c.options.Check(); err != nil {
			t.Errorf("%v: %v", c.options, err)
		}
		got, err := c.options.Link(template.Data{Link: c.link, Platform: "mastodon"})
		if err != nil || got != c.want {
			t.Errorf("%s: got %q, %v; want %q", c.link, got, err, c.want)
		}
	}
	for _, params := range []map[string]string{{"a b": "1"}, {"a": "{{.Title}}"}, {"a": strings.Repeat("x", 300)}, {"": "x"}, {"a": ""}} {
		if (template.LinkOptions{Params: params}).Check() == nil {
			t.Errorf("%v was accepted", params)
		}
	}
	for _, link := range []string{"javascript:alert(1)", "ftp://example.org", "https://a:b@example.org", "/a"} {
		if got, err := (template.LinkOptions{}).Link(template.Data{Link: link}); err == nil {
			t.Errorf("%q was accepted as %q", link, got)
		}
	}
}

// FuzzTemplate checks that a template that is accepted shows an item within its limits, and that
// what fit does not mark stays whole.
func FuzzTemplate(f *testing.F) {
	for _, text := range []string{
		template.Default, "{{range .Tags}}#{{.}} {{end}}", `{{.Published | date "2006"}}`, `{{with .Author}}{{.}}{{end}}`, "{{hashtags .Tags 3}}",
		`{{replace "a" "bb" .Title | fit}}`, "{{$x := .Title}}{{$x}}", "{{if and .Title (not .Audio)}}{{fit .Summary}}{{end}}", "{{define `a`}}{{end}}", "{{/* a */}}",
	} {
		f.Add(text, "A title\n", "Some text with https://example.org/x in it", 30)
	}
	f.Fuzz(func(t *testing.T, text, title, summary string, limit int) {
		defer cost.Check(t, len(text)+len(title)+len(summary))()
		parsed, err := template.Parse(text)
		if err != nil {
			return
		}
		if len(title) > 2000 || len(summary) > 20_000 {
			return
		}
		d := template.Data{Title: title, Summary: summary, Link: "https://example.org/x", Tags: []string{title, "b"}}
		got, err := parsed.Render(d, characters(limit))
		if err != nil {
			return
		}
		if len(got.Text) > template.MaxOutput+3 || !utf8.ValidString(got.Text) || strings.ContainsAny(got.Text, "\uFDD0\uFDD1") || strings.TrimSpace(got.Text) != got.Text || !got.Length.Fits() {
			t.Errorf("%q: got %+v", text, got)
		}
	})
}

// TestRenderProperties guards that a text fits, keeps its link and its fixed words, and ends what
// was cut at a whole grapheme.
func TestRenderProperties(t *testing.T) {
	t.Parallel()
	parsed, err := template.Parse("New: {{fit .Title}} {{fit .Summary}}\n{{.Link}} {{hashtags .Tags 1}}")
	if err != nil {
		t.Fatal(err)
	}
	words := rapid.SliceOf(rapid.SampledFrom([]string{"word ", "e\u0301", "👨‍👩‍👧", "Donaudampfschiff", "語", "https://e.example/x ", "\n"}))
	rapid.Check(t, func(t *rapid.T) {
		d := template.Data{Title: "t" + strings.Join(words.Draw(t, "title"), ""), Summary: strings.Join(words.Draw(t, "summary"), ""), Link: "https://example.org/x", Tags: []string{"go"}}
		got, err := parsed.Render(d, characters(rapid.IntRange(1, 120).Draw(t, "limit")))
		if err != nil {
			return
		}
		if !got.Length.Fits() || !strings.HasPrefix(got.Text, "New: ") || !strings.HasSuffix(got.Text, "\nhttps://example.org/x #Go") {
			t.Fatalf("got %q", got.Text)
		}
		if kept, _, cut := strings.Cut(got.Text, "…"); cut && got.Shortened {
			clusters := graphemes.FromString(kept)
			last := ""
			for clusters.Next() {
				last = clusters.Value()
			}
			if !strings.Contains(d.Title+" "+d.Summary, last) {
				t.Fatalf("%q ends within a grapheme", kept)
			}
		}
	})
}
