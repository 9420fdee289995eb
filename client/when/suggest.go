package when

import (
	"fmt"
	"strings"
)

// isWord reports whether the grammar has the word, in lower case.
func isWord(word string) bool {
	switch word {
	case "today", "tomorrow", "yesterday", "next", "noon", "midnight", "at", "in", "ago", "am", "pm":
		return true
	}
	word = strings.TrimRight(word, ".,")
	_, day := weekdays[word]
	_, month := months[word]
	return day || month || unitIndex(word) >= 0
}

// vocabulary is what a mistyped word is compared with.
func vocabulary() []string {
	words := []string{"today", "tomorrow", "yesterday", "noon", "midnight", "next"}
	for w := range weekdays {
		words = append(words, w)
	}
	for w := range months {
		words = append(words, w)
	}
	return words
}

// explain returns the error for a text that no form has matched.
func (in input) explain() error {
	first := in.words[0]
	if m := slashed().FindStringSubmatch(first); m != nil {
		return in.explainDate(m)
	}
	if first == "now" {
		return in.unreadable("is no time to come", "to publish a new post at once use --now, and one that there is: schedctl post publish")
	}
	if _, err := readSpan(in.text, strings.Join(in.words, " ")); err == nil {
		return in.unreadable("is a duration", fmt.Sprintf("write %q", "in "+in.text))
	}
	if fixed, ok := in.corrected(); ok {
		return in.unreadable("is no time", fmt.Sprintf("did you mean %q?", fixed))
	}
	return in.unreadable("is no time", "")
}

// explainDate tells how to write a date such as 03/04/2026.
func (in input) explainDate(m []string) error {
	a, b, c := number(m[1]), number(m[2]), number(m[3])
	iso := func(y, mo, d int) string { return fmt.Sprintf("%04d-%02d-%02d", y, mo, d) }
	switch {
	case len(m[1]) == 4:
		return in.unreadable("has a date in another form", "write "+iso(a, b, c)+" and a time of day")
	case len(m[3]) != 4:
		return in.ambiguous("has a date of two digits", "write year-month-day, such as 2026-12-08")
	case a <= 12 && b <= 12 && a != b:
		return in.ambiguous("has a date that could be two days", "write "+iso(c, a, b)+" or "+iso(c, b, a))
	case a > 12:
		return in.unreadable("has a date in another form", "write "+iso(c, b, a)+" and a time of day")
	}
	return in.unreadable("has a date in another form", "write "+iso(c, a, b)+" and a time of day")
}

// corrected returns the text with its mistyped words replaced, when that can be
// read.
func (in input) corrected() (string, bool) {
	words := make([]string, len(in.words))
	for i, w := range in.words {
		words[i] = w
		if !isWord(w) {
			if near := nearest(w, vocabulary()); near != "" {
				words[i] = near
			}
		}
	}
	fixed := strings.Join(words, " ")
	if fixed == strings.Join(in.words, " ") {
		return "", false
	}
	if in.zone != "" {
		fixed += " " + in.zone
	}
	again, err := scan(fixed, in.now, in.loc)
	if err != nil {
		return "", false
	}
	_, ok, err := parseDay(again)
	return fixed, ok && err == nil
}

// nearest returns the candidate at the smallest edit distance, at most 2 and
// less than half of the word, or the empty string. Ties go to the first in the
// alphabet.
func nearest(word string, candidates []string) string {
	best, at := "", min(3, (len(word)+1)/2)
	for _, c := range candidates {
		if d := distance(word, c); d < at || d == at && best != "" && c < best {
			best, at = c, d
		}
	}
	return best
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
