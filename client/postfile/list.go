package postfile

import "strings"

// joinList joins values with semicolons. In a value, a semicolon is written as \; and a
// backslash as \\.
func joinList(values []string) string {
	escaped := make([]string, len(values))
	for i, v := range values {
		escaped[i] = strings.NewReplacer(`\`, `\\`, `;`, `\;`).Replace(v)
	}
	return strings.Join(escaped, ";")
}

// splitList is the inverse of joinList. A backslash before another character stands for
// itself, as in a path of Windows.
func splitList(text string) []string {
	var list []string
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && (text[i+1] == ';' || text[i+1] == '\\'):
			i++
			b.WriteByte(text[i])
		case c == ';':
			list = append(list, b.String())
			b.Reset()
		default:
			b.WriteByte(c)
		}
	}
	return append(list, b.String())
}
