package when

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
)

// otherWords are the words of the grammar that are in no table.
var otherWords = []string{
	"today", "tomorrow", "yesterday", "this", "next", "at", "on", "in", "ago", "am", "pm", "the", "of", "after", "before", "half", "from", "now", "and",
}

// isName reports whether the lower-case word is a weekday or a month.
func isName(word string) bool {
	_, day := weekdays[word]
	_, month := months[word]
	return day || month
}

// isWord reports whether the lower-case word is part of the grammar.
func isWord(word string) bool {
	_, part := dayParts[word]
	_, clock := wordClocks[word]
	_, nth := ordinals[word]
	return isName(word) || part || clock || nth || amounts[word] != "" || unitIndex(calendarUnits, word) >= 0 || slices.Contains(otherWords, word)
}

// vocabulary returns the words to suggest for mistyped words.
func vocabulary() []string {
	words := []string{"today", "tonight", "tomorrow", "yesterday", "noon", "midnight", "this", "next", "morning", "afternoon", "evening"}
	for w := range weekdays {
		words = append(words, w)
	}
	for w := range months {
		words = append(words, w)
	}
	return words
}

// repeatWords are the first words of repetitions.
var repeatWords = []string{"every", "each", "daily", "weekly", "monthly", "quarterly", "yearly", "annually", "weekdays", "weekends", "freq="}

// explain returns the error for a text that is not a time. rest are the words from the
// first one on that is not understood.
func (in input) explain(rest []string) error {
	first := in.words[0]
	switch {
	case first == "now":
		return in.unreadable("is not a time in the future", "to publish a new post at once use --now; for an existing post: schedctl post publish")
	case first == "next-slot":
		return in.unreadable("is the next slot of a queue and no time", "use --next-slot")
	case slices.ContainsFunc(repeatWords, func(w string) bool { return strings.HasPrefix(first, w) }):
		return in.unreadable("is a repetition", fmt.Sprintf("write --repeat %q", in.text))
	}
	if slices.ContainsFunc(in.words, func(w string) bool { return isPlural(w) || slices.Contains(repeatWords, w) }) {
		if isPlural(first) {
			return in.unreadable("is a repetition", fmt.Sprintf("write --repeat %q", in.text))
		}
		return in.unreadable("is a repetition", "write it with --repeat, such as --repeat \"mondays at 9am\"")
	}
	if _, err := readSpan(in.text, strings.Join(in.words, " "), calendarUnits); err == nil {
		return in.unreadable("is a duration", fmt.Sprintf("write %q", "in "+in.text))
	}
	if fixed, ok := in.corrected(); ok {
		return in.unreadable("is not a valid time", fmt.Sprintf("did you mean %q?", fixed))
	}
	return in.explainWord(rest)
}

// isPlural reports whether a word means each such weekday: "mondays", "mon-fri" or "tue/thu".
func isPlural(word string) bool {
	if parts := strings.FieldsFunc(word, func(r rune) bool { return r == '-' || r == '/' }); len(parts) > 1 {
		return !slices.ContainsFunc(parts, func(w string) bool { _, day := weekdays[w]; return !day })
	}
	_, one := weekdays[strings.TrimSuffix(word, "s")]
	_, same := weekdays[word]
	return one && !same
}

// explainWord returns the error about the first word that is not understood.
func (in input) explainWord(rest []string) error {
	word, last := rest[0], strings.Join(rest, " ")
	if err := in.misplacedZone(rest); err != nil {
		return err
	}
	near := ""
	if !isWord(word) {
		near = similarZone(last)
	}
	switch {
	case len(in.words) == 1:
		return in.unreadable("is not a valid time", "")
	case near != "" && len(rest) < len(in.words):
		return in.unreadable(fmt.Sprintf("has the unknown time zone %q", last), fmt.Sprintf("did you mean %s?", near))
	case len(rest) < len(in.words) && !isWord(word):
		return in.unreadable(fmt.Sprintf("has the word %q, which is not part of a time", word), "for a time zone, try its IANA name or a city of it, such as Europe/Berlin or Berlin; leave out what is no time zone")
	case word == "next" || word == "last" || word == "this":
		return in.unreadable(fmt.Sprintf("has %q where no day follows", word), "try \"next monday 9am\", \"monday next week 9am\" or \"last friday of the month 9am\"")
	case isWord(word):
		return in.unreadable(fmt.Sprintf("is not understood from %q on", word), "")
	}
	return in.unreadable(fmt.Sprintf("has the word %q, which is not part of a time", word), "")
}

// misplacedZone returns the error about a zone at the start of the words, which is not at the
// end of the text or not the only one, or nil.
func (in input) misplacedZone(rest []string) error {
	for n := min(maxZoneWords, len(rest), len(in.words)-1); n > 0 && !isWord(rest[0]); n-- {
		name := strings.Join(rest[:n], " ")
		z, found, err := findZone(canonicalZone(name), in.local())
		switch {
		case err != nil:
			return err
		case !found:
			continue
		case in.zone != "":
			return in.ambiguous(fmt.Sprintf("names two time zones, %s and %s", name, in.zone), "leave one of them out")
		}
		switch {
		case isOffset(name):
			name = strings.ToUpper(name)
		case z.abbreviation != "":
			name = z.abbreviation
		default:
			name = z.loc.String()
		}
		others := slices.Concat(in.words[:len(in.words)-len(rest)], slices.DeleteFunc(slices.Clone(rest[n:]), func(w string) bool { return w == "time" }))
		fixed := strings.Join(append(others, name), " ")
		if again, err := scan(fixed, in.now, in.loc); err == nil && again.zone != "" {
			if _, err = parsePhrase(again); err == nil {
				return in.unreadable("has its time zone in the middle", fmt.Sprintf("write %q", fixed))
			}
		}
		return in.unreadable("has its time zone in the middle", "write the zone at the end")
	}
	return nil
}

// corrected replaces mistyped words in the text. It returns false when the result
// is not a valid time.
func (in input) corrected() (string, bool) {
	words := make([]string, len(in.words))
	for i, w := range in.words {
		words[i] = w
		if w == "night" {
			words[i] = "evening"
		} else if !isWord(w) {
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
	_, err = parsePhrase(again)
	return fixed, err == nil
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
