package threadtext

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Fit splits a text into parts for which fits is true. It prefers the ends of paragraphs,
// then those of sentences, then those of words. It never splits a grapheme cluster, a URL
// or a mention. ok is false if one of them is too long for a part.
//
// fits must be true for every text that is shorter than one for which it is true.
func Fit(text string, fits func(string) bool) (parts []string, ok bool) {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	all := breaks(text)
	for start := 0; ; {
		if fits(text[start:]) {
			return append(parts, text[start:]), true
		}
		for len(all) > 0 && all[0].end <= start {
			all = all[1:]
		}
		at, found := choose(text[start:], start, all, fits)
		if !found {
			return nil, false
		}
		parts = append(parts, text[start:at.end])
		start = at.next
	}
}

// boundary is a place where a text can be split: the part before it ends at end, and the
// part after it starts at next.
type boundary struct {
	end, next int
	kind      boundaryKind
}

type boundaryKind int

// The kinds of boundaries, the best last.
const (
	afterGrapheme boundaryKind = iota
	afterWord
	afterSentence
	afterParagraph
)

// choose returns the best boundary of a text that starts at an offset. Good kinds of
// boundaries are preferred unless the part would be short.
func choose(text string, offset int, all []boundary, fits func(string) bool) (at boundary, found bool) {
	low, high := 0, len(all) // the first boundary whose part does not fit
	for low < high {
		middle := (low + high) / 2
		if fits(text[:all[middle].end-offset]) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	all = all[:low]
	if len(all) == 0 {
		return boundary{}, false
	}
	longest := all[len(all)-1].end - offset
	shortest := map[boundaryKind]int{afterParagraph: longest / 3, afterSentence: longest / 4, afterWord: 0}
	for kind := afterParagraph; kind > afterGrapheme; kind-- {
		for i := len(all) - 1; i >= 0; i-- {
			if all[i].kind >= kind && all[i].end-offset >= shortest[kind] {
				return all[i], true
			}
		}
	}
	return all[len(all)-1], true
}

// whole matches what must not be split: URLs, mentions and hashtags.
var whole = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bhttps?://[^\s<>"。、「」]+|[@#][\p{L}\p{N}_][\p{L}\p{M}\p{N}_.@:-]*`)
})

// breaks returns the boundaries of a text, in their order.
func breaks(text string) (list []boundary) {
	kept := whole().FindAllStringIndex(text, -1)
	for start := 0; start < len(text); {
		wordEnd := start + wordLength(text[start:])
		for len(kept) > 0 && kept[0][1] <= start {
			kept = kept[1:]
		}
		list = append(list, insideWord(text[start:wordEnd], start, kept)...)
		next := len(text) - len(strings.TrimLeftFunc(text[wordEnd:], unicode.IsSpace))
		if next < len(text) && wordEnd > 0 {
			list = append(list, boundary{wordEnd, next, kindOf(text[start:wordEnd], text[wordEnd:next], text[next:])})
		}
		start = next
	}
	return list
}

// wordLength returns the length of the text before the next white space. A no-break space
// belongs to the word.
func wordLength(text string) int {
	n := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) && r != '\u00a0' && r != '\u202f' })
	if n < 0 {
		return len(text)
	}
	return n
}

// insideWord returns the boundaries inside of a word. kept are the ranges of the text that
// must not be split.
func insideWord(word string, offset int, kept [][]int) (list []boundary) {
	clusters := graphemes.FromString(word)
	for clusters.Next() {
		at := offset + clusters.End()
		for len(kept) > 0 && kept[0][1] <= at {
			if kept[0][1] == at {
				break
			}
			kept = kept[1:]
		}
		if at == offset+len(word) || len(kept) > 0 && kept[0][0] < at && at < kept[0][1] {
			continue
		}
		kind := afterGrapheme
		r, _ := utf8.DecodeRuneInString(clusters.Value())
		following, _ := utf8.DecodeRuneInString(word[clusters.End():])
		switch {
		case strings.ContainsRune(wideClosing, following): // stays with what it closes
		case strings.ContainsRune(wideEnds, r), strings.ContainsRune("」』）", r) && endsSentence(word[:clusters.End()]):
			kind = afterSentence
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || strings.ContainsRune("、，", r):
			kind = afterWord
		}
		list = append(list, boundary{at, at, kind})
	}
	return list
}

const (
	sentenceEnds = ".!?…" + wideEnds
	wideEnds     = "。！？｡"
	closing      = `"'”’»)]` + "」』）"
	wideClosing  = "」』），、" + wideEnds
)

// kindOf returns the kind of the boundary between a word and the text that follows.
func kindOf(word, space, following string) boundaryKind {
	switch lines := strings.Count(space, "\n"); {
	case lines > 1:
		return afterParagraph
	case lines == 1:
		return afterSentence
	}
	if r, _ := utf8.DecodeRuneInString(following); endsSentence(word) && !unicode.IsLower(r) {
		return afterSentence
	}
	return afterWord
}

// endsSentence reports whether a word ends a sentence. An initial or a number with a period
// does not.
func endsSentence(word string) bool {
	word = strings.TrimRight(word, closing)
	r, size := utf8.DecodeLastRuneInString(word)
	if size == 0 || !strings.ContainsRune(sentenceEnds, r) {
		return false
	}
	before := strings.TrimLeft(word[:len(word)-size], `"'“‘«([`)
	if r != '.' {
		return true
	}
	number := before != "" && strings.Trim(before, "0123456789") == ""
	return utf8.RuneCountInString(before) > 1 && !number
}
