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

// facet marks a part of a text as a link, a mention or a tag. Offsets are in bytes
// of UTF-8 (https://docs.bsky.app/docs/advanced-guides/post-richtext).
type facet struct {
	Index    byteSlice `json:"index"`
	Features []feature `json:"features"` // always one
}

type byteSlice struct {
	Start int `json:"byteStart"`
	End   int `json:"byteEnd"`
}

// feature is a link, a mention or a tag, depending on its type. The handle of a
// mention is replaced by its DID before sending.
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

// facets returns the links, mentions and tags in a text, in order and without
// overlaps. Each starts a word. Links and mentions may also follow an opening bracket or
// quote, and links a letter of Chinese, Japanese or Korean or an arrow ([startsAfter]).
// Mentions have a handle and no DID.
//
// Bluesky's own app has other rules ([appLinks]): it makes links only at the start of a word
// and after "(", and they end with the word. The name of a file is a link there if its ending
// is a top-level domain ([isFileName]). A check warns about such texts.
func facets(text string) []facet {
	var found []facet
	for start, end := range eachWord(text) {
		w := linkEnds{word: text[start:end]}
		for at := start; at < end; {
			if f, length := w.matchFacet(at - start); length > 0 {
				found = append(found, facet{Index: byteSlice{at, at + length}, Features: []feature{f}})
				at += length
			}
			at = nextStart(w.word, at-start) + start
		}
	}
	return found
}

// nextStart returns the offset of the first character of a word after the one at an offset
// before which a facet may start, or the length of the word.
func nextStart(word string, at int) int {
	for at < len(word) {
		_, size := utf8.DecodeRuneInString(word[at:])
		if at += size; startsAfter(word[:at]) {
			break
		}
	}
	return at
}

// eachWord yields the start and end of each run of characters that are not white
// space.
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

// matchFacet returns the facet at an offset of the word and its length in bytes, or 0. The
// offsets of one word increase.
func (w *linkEnds) matchFacet(at int) (feature, int) {
	word, s := w.word, w.word[at:]
	if at == 0 || tagStartsAfter(word[:at]) {
		if f, n := tagFacet(s); n > 0 {
			return f, n
		}
	}
	if last, _ := utf8.DecodeLastRuneInString(word[:at]); !isCJK(last) && !isArrow(last) {
		if f, n := mentionFacet(s); n > 0 {
			return f, n
		}
	}
	if first := s[0] | 0x20; first < 'a' || first > 'z' { // neither a scheme nor a host
		return feature{}, 0
	}
	return linkFacet(w.cut(at))
}

var (
	handle    = pattern.Lazy(`^@[A-Za-z0-9.-]*[A-Za-z0-9]`)
	scheme    = pattern.Lazy(`^(?i:https?)://`)
	hostname  = pattern.Lazy(`^[A-Za-z][A-Za-z0-9-]*(\.[A-Za-z0-9-]+)+`)
	afterHost = pattern.Lazy(`^(:[0-9]+)?([/?#]|$)`)

	pathFollows = pattern.Lazy(`^(:[0-9]+)?/`)
)

// mentionFacet matches @ and a handle. Periods and hyphens at the end belong to the
// sentence.
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

// linkFacet matches a link with a scheme or one that starts with a domain name.
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

// fileEndings are top-level domains that are better known as file name extensions.
var fileEndings = []string{"cc", "java", "md", "ml", "mm", "mov", "pl", "pm", "ps", "py", "rs", "sh", "zip"}

// isFileName reports whether a domain without a scheme is probably the name of a
// file, such as README.md or main.rs. Its ending is a file name extension, no path
// follows, and it has only two parts or contains upper-case letters. A scheme, a
// path or a third part, as in docs.example.sh, makes it a link.
func isFileName(host, rest string) bool {
	ending := host[strings.LastIndexByte(host, '.')+1:]
	if !slices.Contains(fileEndings, strings.ToLower(ending)) || pathFollows().MatchString(rest) {
		return false
	}
	return strings.Count(host, ".") == 1 || strings.ToLower(host) != host
}

// linkable reports whether servers accept the URI in a link.
func linkable(uri string) bool {
	u, err := url.Parse(uri)
	return err == nil && u.Hostname() != "" && utf8.ValidString(uri)
}

// knownDomain reports whether a name ends in an existing top-level domain in lower
// case: "the end.Next" is not a link.
func knownDomain(name string) bool {
	top := name[strings.LastIndexByte(name, '.')+1:]
	_, listed := publicsuffix.PublicSuffix("example." + top)
	return listed
}

// maxTag is the maximum length of a tag in UTF-16 units, which is how the app
// counts.
const maxTag = 64

// tagFacet matches # and a tag. The tag ends before a zero-width character and before a mark
// of Chinese or Japanese, and does not include trailing punctuation. It must contain more than
// digits and punctuation.
func tagFacet(s string) (feature, int) {
	first, sign := utf8.DecodeRuneInString(s)
	if first != '#' && first != '＃' {
		return feature{}, 0
	}
	text := s[sign:]
	if end := strings.IndexFunc(text, func(r rune) bool { return isZeroWidth(r) || strings.ContainsRune(cjkMarks, r) }); end >= 0 {
		text = text[:end]
	}
	text = strings.TrimRightFunc(text, unicode.IsPunct)
	hasText := strings.ContainsFunc(text, func(r rune) bool { return !(r >= '0' && r <= '9') && !unicode.IsPunct(r) })
	if !hasText || strings.HasPrefix(text, "\uFE0F") || len(utf16.Encode([]rune(text))) > maxTag {
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
