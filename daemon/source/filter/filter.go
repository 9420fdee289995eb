// Package filter decides which items of a source become posts.
package filter

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/schedctl/schedctl/daemon/source/feed"
)

// Limits of a filter.
const (
	MaxWords   = 50  // of each list
	MaxWord    = 100 // characters
	MaxPattern = 500 // bytes
)

// Filter says which items become posts. An item must match each list that is not empty.
// Everything is compared without case.
type Filter struct {
	// Include and Exclude are words or phrases of the title, the text or a tag. They match
	// whole words: "go" does not match "good". An item needs one of Include and none of
	// Exclude.
	Include, Exclude []string

	Categories []string // an item needs one of these tags
	Authors    []string // an item needs one of these authors
	TitleRegex string   // an item needs a title with a match of this expression (RE2); it sees case
	Prerelease bool     // items about versions before a release become posts, too
}

// Compiled is a filter that was checked. Its methods may be called from any goroutine.
type Compiled struct {
	include, exclude    []string // folded, with a space around
	categories, authors []string // folded
	title               *regexp.Regexp
	prerelease          bool
}

// Compile checks a filter. The error is fit for users: it starts with the field, such as
// "include: …".
func (f Filter) Compile() (*Compiled, error) {
	c := &Compiled{prerelease: f.Prerelease}
	for _, list := range []struct {
		name  string
		words []string
		to    *[]string
		fold  func(string) string
	}{
		{"include", f.Include, &c.include, spaced}, {"exclude", f.Exclude, &c.exclude, spaced},
		{"categories", f.Categories, &c.categories, folded}, {"authors", f.Authors, &c.authors, folded},
	} {
		if len(list.words) > MaxWords {
			return nil, fmt.Errorf("%s: it has %d entries; the limit is %d", list.name, len(list.words), MaxWords)
		}
		for _, word := range list.words {
			if len([]rune(word)) > MaxWord {
				return nil, fmt.Errorf("%s: an entry has more than %d characters", list.name, MaxWord)
			}
			text := list.fold(word)
			if strings.TrimSpace(text) == "" {
				return nil, fmt.Errorf("%s: %q has no letter or digit; write a word", list.name, word)
			}
			*list.to = append(*list.to, text)
		}
	}
	if f.TitleRegex == "" {
		return c, nil
	}
	if len(f.TitleRegex) > MaxPattern {
		return nil, fmt.Errorf("title_regex: it has %d bytes; the limit is %d", len(f.TitleRegex), MaxPattern)
	}
	title, err := regexp.Compile(f.TitleRegex)
	if err != nil {
		return nil, fmt.Errorf("title_regex: %w; expressions are those of RE2", err)
	}
	c.title = title
	return c, nil
}

// Match returns why an item is filtered, or an empty string for one that may become a post. The
// reason is fit for users.
func (c *Compiled) Match(item feed.Item) (reason string) {
	if item.Prerelease && !c.prerelease {
		return "it is a version before a release"
	}
	if c.title != nil && !c.title.MatchString(item.Title) {
		return "its title does not match title_regex"
	}
	if len(c.include)+len(c.exclude) > 0 {
		text := spaced(item.Title + "\n" + item.Summary + "\n" + strings.Join(item.Tags, "\n"))
		if word := first(c.exclude, text); word != "" {
			return fmt.Sprintf("it has the excluded word %q", strings.TrimSpace(word))
		}
		if len(c.include) > 0 && first(c.include, text) == "" {
			return "it has none of the included words"
		}
	}
	if len(c.categories) > 0 && !anyOf(c.categories, item.Tags) {
		return "it has none of the categories"
	}
	if len(c.authors) > 0 && !anyOf(c.authors, append(strings.Split(item.Author, ", "), item.Author)) {
		return "it is by none of the authors"
	}
	return ""
}

// first returns the first word that a text has, or an empty string.
func first(words []string, text string) string {
	for _, word := range words {
		if strings.Contains(text, word) {
			return word
		}
	}
	return ""
}

// anyOf reports whether one of the texts is one of those that are wanted.
func anyOf(wanted, texts []string) bool {
	for _, text := range texts {
		text = folded(text)
		for _, w := range wanted {
			if w == text {
				return true
			}
		}
	}
	return false
}

// folded returns a text in the form in which texts are compared.
func folded(text string) string {
	return strings.Join(strings.Fields(norm.NFC.String(cases.Fold().String(norm.NFC.String(text)))), " ")
}

// spaced returns the words of a text with one space before and after each, so that a word can
// be found as a whole. Signs such as + and # belong to a word: C and C++ are two.
func spaced(text string) string {
	words := strings.FieldsFunc(folded(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '+' && r != '#' && r != '_'
	})
	kept := words[:0]
	for _, word := range words {
		if word = strings.TrimLeft(word, "#+"); word != "" {
			kept = append(kept, word)
		}
	}
	if len(kept) == 0 {
		return ""
	}
	return " " + strings.Join(kept, " ") + " "
}
