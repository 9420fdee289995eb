package filter_test

import (
	"strings"
	"testing"

	"github.com/schedctl/schedctl/daemon/source/feed"
	"github.com/schedctl/schedctl/daemon/source/filter"
	"github.com/schedctl/schedctl/scripts/cost"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	item := feed.Item{Title: "Grüße aus der C++ Welt", Summary: "A good day.\nIt's open-source.", Tags: []string{"News", "Open Source"}, Author: "Ada L., Bob"}
	for _, c := range []struct {
		name   string
		filter filter.Filter
		passes bool
	}{
		{"no rule", filter.Filter{}, true},
		{"a word", filter.Filter{Include: []string{"GOOD"}}, true},
		{"a part of a word", filter.Filter{Include: []string{"go"}}, false},
		{"a fold", filter.Filter{Include: []string{"GRÜSSE"}}, true},
		{"a phrase over punctuation", filter.Filter{Include: []string{"open source"}}, true},
		{"a phrase of two lines", filter.Filter{Include: []string{"day it"}}, true},
		{"one of two", filter.Filter{Include: []string{"missing", "welt"}}, true},
		{"a sign", filter.Filter{Include: []string{"c++"}}, true},
		{"without its sign", filter.Filter{Include: []string{"c"}}, false},
		{"a tag", filter.Filter{Include: []string{"news"}}, true},
		{"excluded", filter.Filter{Include: []string{"good"}, Exclude: []string{"Day"}}, false},
		{"not excluded", filter.Filter{Exclude: []string{"days"}}, true},
		{"a category", filter.Filter{Categories: []string{"open  source"}}, true},
		{"a part of a category", filter.Filter{Categories: []string{"open"}}, false},
		{"an author", filter.Filter{Authors: []string{"bob"}}, true},
		{"all authors", filter.Filter{Authors: []string{"ADA L., bob"}}, true},
		{"another author", filter.Filter{Authors: []string{"ada"}}, false},
		{"an expression", filter.Filter{TitleRegex: `^Gr.+Welt$`}, true},
		{"an expression sees case", filter.Filter{TitleRegex: `welt`}, false},
		{"two rules", filter.Filter{Categories: []string{"news"}, Authors: []string{"eve"}}, false},
	} {
		compiled, err := c.filter.Compile()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if reason := compiled.Match(item); (reason == "") != c.passes {
			t.Errorf("%s: got %q", c.name, reason)
		}
	}
}

// TestTestTagsAreNotAnnounced guards against the tag of a test that became a post
// (grafana #56788), and against versions before a release.
func TestTestTagsAreNotAnnounced(t *testing.T) {
	t.Parallel()
	const rss = `<rss version="2.0"><channel><title>Releases</title>
<item><title>v9.2.1-test</title><link>https://git.example/a/b/releases/tag/v9.2.1-test</link></item>
<item><title>v1.2.0-rc.1</title><link>https://git.example/a/b/releases/tag/v1.2.0-rc.1</link></item>
<item><title>v1.2.0</title><link>https://git.example/a/b/releases/tag/v1.2.0</link></item></channel></rss>`
	f, err := feed.Parse([]byte(rss), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, all := range []bool{false, true} {
		compiled, err := filter.Filter{Prerelease: all}.Compile()
		if err != nil {
			t.Fatal(err)
		}
		for i, item := range f.Items {
			if reason := compiled.Match(item); (reason == "") != (all || i == 2) {
				t.Errorf("%s, all %v: got %q", item.Title, all, reason)
			}
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]filter.Filter{
		"include: ":     {Include: []string{" - "}},
		"exclude: ":     {Exclude: make([]string, filter.MaxWords+1)},
		"categories: ":  {Categories: []string{strings.Repeat("x", filter.MaxWord+1)}},
		"authors: ":     {Authors: []string{""}},
		"title_regex: ": {TitleRegex: "("},
	} {
		if _, err := f.Compile(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
	if _, err := (filter.Filter{TitleRegex: strings.Repeat("x", filter.MaxPattern+1)}).Compile(); err == nil {
		t.Error("a long expression was accepted")
	}
}

// FuzzFilter checks that a word is found in the text that has it, whatever stands around it.
func FuzzFilter(f *testing.F) {
	f.Add("word", "A word, and more")
	f.Add("ß", "\xffSS")
	f.Add("C#", "C# 12")
	f.Fuzz(func(t *testing.T, word, text string) {
		defer cost.Check(t, len(word)+len(text))()
		compiled, err := filter.Filter{Include: []string{word}, TitleRegex: "."}.Compile()
		if err != nil {
			return
		}
		if reason := compiled.Match(feed.Item{Title: "x " + word + " y", Summary: text}); reason != "" && !strings.Contains(word, "\n") {
			t.Errorf("%q was not found: %s", word, reason)
		}
	})
}
