package when

import (
	"fmt"
	"strings"

	"github.com/schedctl/schedctl"
)

// isWord reports whether the lower-case word is part of the grammar.
func isWord(word string) bool {
	switch word {
	case "today", "tonight", "tomorrow", "yesterday", "this", "next", "noon", "midnight", "at", "in", "ago", "am", "pm",
		"the", "after", "a", "an", "half", "from", "now":
		return true
	}
	word = strings.TrimRight(word, ".,")
	_, day := weekdays[word]
	_, month := months[word]
	return day || month || unitIndex(calendarUnits, word) >= 0
}

// vocabulary returns the words to suggest for mistyped words.
func vocabulary() []string {
	words := []string{"today", "tonight", "tomorrow", "yesterday", "noon", "midnight", "this", "next"}
	for w := range weekdays {
		words = append(words, w)
	}
	for w := range months {
		words = append(words, w)
	}
	return words
}

// explain returns the error for a text that matches no form.
func (in input) explain() error {
	first := in.words[0]
	if first == "now" {
		return in.unreadable("is not a time in the future", "to publish a new post at once use --now; for an existing post: schedctl post publish")
	}
	if _, err := readSpan(in.text, spellAmounts(strings.Join(in.words, " ")), calendarUnits); err == nil {
		return in.unreadable("is a duration", fmt.Sprintf("write %q", "in "+in.text))
	}
	if fixed, ok := in.corrected(); ok {
		return in.unreadable("is not a valid time", fmt.Sprintf("did you mean %q?", fixed))
	}
	return in.unreadable("is not a valid time", "")
}

// corrected replaces mistyped words in the text. It returns false when the result
// is not a valid time.
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

// nearest returns the candidate with the smallest edit distance, which must be at
// most 2 and less than half the length of the word. It returns an empty string if
// there is none. Ties go to the alphabetically first candidate.
func nearest(word string, candidates []string) string {
	best, at := "", min(3, (len(word)+1)/2)
	for _, c := range candidates {
		if d := schedctl.EditDistance(word, c); d < at || d == at && best != "" && c < best {
			best, at = c, d
		}
	}
	return best
}
