// Package worddiff compares two texts word by word, for people who read what has changed.
package worddiff

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Piece is a stretch of two texts: what both have, and behind it what only one of them has.
type Piece struct {
	Same, Deleted, Inserted string
}

// MaxCells bounds the memory of a comparison. It is enough for two texts of 1,000 different
// words.
const MaxCells = 1 << 20

// Diff returns how before becomes after. The texts Same and Deleted of all pieces together
// are before, and Same and Inserted are after. The changes are the fewest words possible,
// unless the texts differ in too many words: then all words between the first and the last
// change are deleted and inserted.
func Diff(before, after string) []Piece {
	cells := MaxCells
	return DiffWithin(&cells, before, after)
}

// DiffWithin is [Diff] for one of several comparisons that share a number of cells, one for
// each pair of words. It takes the cells that it uses. A comparison that needs more than are
// left is made as if the texts differed in too many words.
func DiffWithin(cells *int, before, after string) []Piece {
	a, b := words(before), words(after)
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	w := writer{cells: cells}
	w.keep(a[:start]...)
	w.middle(a[start:len(a)-end], b[start:len(b)-end])
	w.keep(a[len(a)-end:]...)
	return w.end()
}

// words splits a text into words and the spaces between them. Each character of a script
// without spaces is a word.
func words(text string) (list []string) {
	start, spaces := 0, false
	cut := func(i int) {
		if start < i {
			list = append(list, text[start:i])
		}
		start = i
	}
	before := rune(-1)
	for i, r := range text {
		space := unicode.IsSpace(r)
		attached := unicode.In(r, unicode.M, unicode.Cf) || before == '\u200d'
		if space != spaces || !attached && (unspaced(r) || unspaced(before)) {
			cut(i)
		}
		spaces, before = space, r
	}
	cut(len(text))
	return list
}

// unspaced reports whether a character is of a script that puts no spaces between words.
func unspaced(r rune) bool {
	return r >= utf8.RuneSelf && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// writer collects pieces.
type writer struct {
	cells                   *int // that are left
	pieces                  []Piece
	same, deleted, inserted []string // the words of the next piece
	gap                     []string // spaces of both texts that follow a change
}

func (w *writer) changed() bool { return len(w.deleted)+len(w.inserted) > 0 }

// keep adds words of both texts. Spaces between two changes become part of the changes, so
// that people read phrases and not single words.
func (w *writer) keep(words ...string) {
	switch {
	case len(words) == 0:
		return
	case w.changed() && len(w.gap) == 0 && len(words) == 1 && strings.TrimSpace(words[0]) == "":
		w.gap = words
		return
	case w.changed():
		w.cut()
	}
	w.same, w.gap = append(append(w.same, w.gap...), words...), nil
}

// change adds words that only one of the texts has.
func (w *writer) change(deleted, inserted []string) {
	if len(deleted)+len(inserted) == 0 {
		return
	}
	w.deleted = append(append(w.deleted, w.gap...), deleted...)
	w.inserted = append(append(w.inserted, w.gap...), inserted...)
	w.gap = nil
}

// cut ends a piece.
func (w *writer) cut() {
	if w.changed() || len(w.same) > 0 {
		w.pieces = append(w.pieces, Piece{strings.Join(w.same, ""), strings.Join(w.deleted, ""), strings.Join(w.inserted, "")})
	}
	w.same, w.deleted, w.inserted = nil, nil, nil
}

func (w *writer) end() []Piece {
	w.cut()
	w.same = w.gap
	w.cut()
	return w.pieces
}

// middle adds two lists of words that start and end with different ones.
func (w *writer) middle(a, b []string) {
	if len(a)*len(b) > *w.cells || len(a) == 0 || len(b) == 0 {
		w.change(a, b)
		return
	}
	*w.cells -= len(a) * len(b)
	// common[i*columns+j] is how many words a[i:] and b[j:] have in common, in their order.
	columns := len(b) + 1
	common := make([]int32, (len(a)+1)*columns)
	for i, word := range slices.Backward(a) {
		for j := len(b) - 1; j >= 0; j-- {
			at := i*columns + j
			if word == b[j] {
				common[at] = common[at+columns+1] + 1
			} else {
				common[at] = max(common[at+columns], common[at+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch at := i*columns + j; {
		case a[i] == b[j]:
			w.keep(a[i])
			i++
			j++
		case common[at+columns] >= common[at+1]:
			w.change(a[i:i+1], nil)
			i++
		default:
			w.change(nil, b[j:j+1])
			j++
		}
	}
	w.change(a[i:], b[j:])
}
