package screen

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/x/ansi"
)

// KeyGap separates two keys in a line.
const KeyGap = "   "

// ShortHelp renders the most important keys, as many as fit.
func ShortHelp(t Theme, keys []key.Binding, width int) string {
	texts := make([]string, KeysThatFit(keys, width))
	for i := range texts {
		texts[i] = t.Title.Render(keys[i].Help().Key) + " " + t.Hint.Render(keys[i].Help().Desc)
	}
	return strings.Join(texts, KeyGap)
}

// KeysThatFit returns how many of the first keys fit in a line.
func KeysThatFit(keys []key.Binding, width int) int {
	used := -len(KeyGap)
	for i, b := range keys {
		if used += len(KeyGap) + ansi.StringWidth(KeyText(b)); used > width {
			return i
		}
	}
	return len(keys)
}

// KeyText returns how a line of keys shows a key, without styles.
func KeyText(b key.Binding) string { return b.Help().Key + " " + b.Help().Desc }
