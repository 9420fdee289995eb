package bluesky

import (
	"iter"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"

	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// facet says what a part of a text is: a link, a mention or a tag. Offsets are
// bytes of UTF-8 (https://docs.bsky.app/docs/advanced-guides/post-richtext).
type facet struct {
	Index    byteSlice `json:"index"`
	Features []feature `json:"features"` // always one
}

type byteSlice struct {
	Start int `json:"byteStart"`
	End   int `json:"byteEnd"`
}

// feature is one of three, by its type. The handle of a mention is replaced by
// its DID before it is sent.
type feature struct {
	Type   string `json:"$type"`
	URI    string `json:"uri,omitempty"`
	DID    string `json:"did,omitempty"`
	Tag    string `json:"tag,omitempty"`
	handle string
}

const (
	typeLink    = "app.bsky.richtext.facet#link"
	typeMention = "app.bsky.richtext.facet#mention"
	typeTag     = "app.bsky.richtext.facet#tag"
)

// facets finds links, mentions and tags, in order and apart from each other. It
// finds what Bluesky's own app does: each begins a word, and links and mentions
// may also follow an opening bracket. Mentions have their handle and no DID.
//
// It differs from the app in two points. The name of a file is no link, even if
// its ending is a top-level domain ([isFileName]), and a link keeps the closing
// brackets that it has opened and no others ([trimSentence]).
func facets(text string) []facet {
	var found []facet
	for start, end := range eachWord(text) {
		for at := start; at < end; {
			if f, length := matchFacet(text[at:end], at == start); length > 0 {
				found = append(found, facet{Index: byteSlice{at, at + length}, Features: []feature{f}})
				at += length
			}
			bracket := strings.IndexByte(text[at:end], '(')
			if bracket < 0 {
				break
			}
			at += bracket + 1
		}
	}
	return found
}

// eachWord yields where each run of characters that are not white space begins and
// ends.
func eachWord(text string) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		start := -1
		for i, r := range text {
			switch space := unicode.IsSpace(r) || r == '\uFEFF'; {
			case space && start >= 0:
				if !yield(start, i) {
					return
				}
				start = -1
			case !space && start < 0:
				start = i
			}
		}
		if start >= 0 {
			yield(start, len(text))
		}
	}
}

// matchFacet returns what the rest of a word begins with, and its length in bytes; 0
// for nothing.
func matchFacet(s string, word bool) (feature, int) {
	if word {
		if f, n := tagFacet(s); n > 0 {
			return f, n
		}
	}
	if f, n := mentionFacet(s); n > 0 {
		return f, n
	}
	return linkFacet(s)
}

var (
	handle    = pattern.Lazy(`^@[A-Za-z0-9.-]*[A-Za-z0-9]`)
	scheme    = pattern.Lazy(`^(?i:https?)://`)
	hostname  = pattern.Lazy(`^[A-Za-z][A-Za-z0-9-]*(\.[A-Za-z0-9-]+)+`)
	afterHost = pattern.Lazy(`^(:[0-9]+)?([/?#]|$)`)

	pathFollows = pattern.Lazy(`^(:[0-9]+)?/`)
)

// mentionFacet reads @ and a handle. Points and hyphens at its end are the
// sentence's.
func mentionFacet(s string) (feature, int) {
	found := handle().FindString(s)
	if found == "" || strings.HasPrefix(strings.TrimLeft(s[len(found):], ".-"), "_") {
		return feature{}, 0
	}
	name := strings.ToLower(found[1:])
	if !handlePattern().MatchString(name) || len(name) > maxHandle || !(knownDomain(name) || strings.HasSuffix(name, ".test")) {
		return feature{}, 0
	}
	return feature{Type: typeMention, handle: name}, len(found)
}

// linkFacet reads a link with a scheme, or one that begins with a domain.
func linkFacet(s string) (feature, int) {
	if scheme().MatchString(s) {
		found := trimSentence(s)
		if !linkable(found) {
			return feature{}, 0
		}
		return feature{Type: typeLink, URI: found}, len(found)
	}
	host := strings.TrimRight(hostname().FindString(s), "-")
	rest := s[len(host):]
	if host == "" || !knownDomain(host) || strings.HasPrefix(rest, "@") || isFileName(host, rest) {
		return feature{}, 0
	}
	found := host
	if afterHost().MatchString(rest) {
		found = trimSentence(s)
	}
	if !linkable("https://" + found) {
		return feature{}, 0
	}
	return feature{Type: typeLink, URI: "https://" + found}, len(found)
}

// fileEndings are top-level domains that are better known as the endings of file
// names.
var fileEndings = []string{"cc", "java", "md", "ml", "mm", "mov", "pl", "pm", "ps", "py", "rs", "sh", "zip"}

// isFileName reports whether a domain without a scheme is rather the name of a
// file, such as README.md or main.rs: its ending is that of files, no path
// follows, and it has only two parts or is not in lower case. A scheme, a path
// or a third part, as in docs.example.sh, make it a link again.
func isFileName(host, rest string) bool {
	ending := host[strings.LastIndexByte(host, '.')+1:]
	if !slices.Contains(fileEndings, strings.ToLower(ending)) || pathFollows().MatchString(rest) {
		return false
	}
	return strings.Count(host, ".") == 1 || strings.ToLower(host) != host
}

// trimSentence cuts what belongs to the sentence around a link: one sign that ends
// a sentence, and closing brackets that the link did not open, with a sign before
// them.
func trimSentence(link string) string {
	link = trimPunctuation(link)
	opened, closed := strings.Count(link, "("), strings.Count(link, ")")
	for ; closed > opened && strings.HasSuffix(link, ")"); closed-- {
		link = trimPunctuation(link[:len(link)-1])
	}
	return link
}

func trimPunctuation(link string) string {
	if last := len(link) - 1; last >= 0 && strings.IndexByte(".,;:!?", link[last]) >= 0 {
		return link[:last]
	}
	return link
}

// linkable reports whether servers take an URI in a link.
func linkable(uri string) bool {
	u, err := url.Parse(uri)
	return err == nil && u.Hostname() != "" && utf8.ValidString(uri)
}

// knownDomain reports whether a name ends in a top-level domain that exists, in
// lower case: "the end.Next" is no link.
func knownDomain(name string) bool {
	top := name[strings.LastIndexByte(name, '.')+1:]
	_, listed := publicsuffix.PublicSuffix("example." + top)
	return listed
}

// maxTag is the longest tag, in UTF-16 units, as the app counts it.
const maxTag = 64

// tagFacet reads # and a tag. It ends before a character without width, and without
// the punctuation at its end; it is not all digits and punctuation.
func tagFacet(s string) (feature, int) {
	first, sign := utf8.DecodeRuneInString(s)
	if first != '#' && first != '＃' {
		return feature{}, 0
	}
	text := s[sign:]
	if end := strings.IndexFunc(text, isZeroWidth); end >= 0 {
		text = text[:end]
	}
	text = strings.TrimRightFunc(text, unicode.IsPunct)
	says := strings.ContainsFunc(text, func(r rune) bool { return !(r >= '0' && r <= '9') && !unicode.IsPunct(r) })
	if !says || strings.HasPrefix(text, "\uFE0F") || len(utf16.Encode([]rune(text))) > maxTag {
		return feature{}, 0
	}
	return feature{Type: typeTag, Tag: text}, sign + len(text)
}

func isZeroWidth(r rune) bool {
	switch r {
	case '\u00AD', '\u2060', '\u200A', '\u200B', '\u200C', '\u200D', '\u20E2':
		return true
	}
	return false
}
