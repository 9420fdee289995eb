package fields

import "regexp"

var (
	// opening is the start of a reference to a snippet, {{snippet "tags"}}, or with a
	// backslash before it the text of one.
	opening = regexp.MustCompile(`(?i)\\?\{\{[ \t]*snippet\b`)

	// reference is a whole reference.
	reference = regexp.MustCompile(`^\{\{[ \t]*snippet[ \t]+"([^"\n]*)"[ \t]*\}\}`)
)

// SnippetReference is a place in a text that refers to a snippet, or looks as if it did.
type SnippetReference struct {
	Start, End int    // offsets in bytes; of text without the backslash, End is that of its opening
	Text       bool   // it starts with a backslash, and is text
	Valid      bool   // it is a reference; other ones are mistakes
	Name       string // of the snippet
}

// SnippetReferences returns the references to snippets in a text, and what looks like some,
// in their order.
func SnippetReferences(text string) (list []SnippetReference) {
	end := 0
	for _, at := range opening.FindAllStringIndex(text, -1) {
		if at[0] < end { // in the name of a snippet
			continue
		}
		r := SnippetReference{Start: at[0], End: at[1], Text: text[at[0]] == '\\'}
		if found := reference.FindStringSubmatch(text[at[0]:]); found != nil {
			r.Valid, r.Name, r.End = true, found[1], at[0]+len(found[0])
		}
		end = r.End
		list = append(list, r)
	}
	return list
}

// EscapeSnippets puts a backslash before each reference to a snippet in a text, and before
// what looks like one.
func EscapeSnippets(text string) string { return opening.ReplaceAllString(text, `\$0`) }
