package fields

import "regexp"

// snippetReference is a reference to a snippet, {{snippet "tags"}}, or with a backslash
// before it the text of one.
var snippetReference = regexp.MustCompile(`\\?\{\{[ \t]*snippet[ \t]+"([^"\n]*)"[ \t]*\}\}`)

// SnippetReferences returns where the references to snippets are in a text: for each one
// the offsets in bytes of its start and end, and of the start and end of the name. A
// reference that starts with a backslash is text.
func SnippetReferences(text string) [][]int {
	return snippetReference.FindAllStringSubmatchIndex(text, -1)
}

// EscapeSnippets puts a backslash before each reference to a snippet in a text.
func EscapeSnippets(text string) string { return snippetReference.ReplaceAllString(text, `\$0`) }
