package screen

import (
	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/textarea"
)

// LocalTime is the format of a time that the user can edit.
const LocalTime = "2006-01-02 15:04:05"

// NewText returns a focused text field of several lines. It uses no colors of its own.
func NewText(t Theme) textarea.Model {
	in := textarea.New()
	in.ShowLineNumbers, in.Prompt, in.CharLimit, in.MaxHeight = false, "", 0, 0
	in.Placeholder = "What do you want to publish?"
	style := textarea.Style{
		Base: t.Cursor.UnsetTransform(), CursorLine: t.Cursor.UnsetTransform(), Text: t.Cursor.UnsetTransform(),
		Placeholder: t.Blank.Style, Prompt: t.Faint.Style, EndOfBuffer: t.Faint.Style, LineNumber: t.Faint.Style, CursorLineNumber: t.Faint.Style,
	}
	in.FocusedStyle, in.BlurredStyle = style, style
	in.Cursor.Style, in.Cursor.TextStyle = t.Cursor.Style, t.Cursor.UnsetTransform()
	in.Cursor.SetMode(cursor.CursorStatic)
	in.Focus()
	return in
}

// TextWidth returns the width of a text field on a line of a width.
func TextWidth(width int) int { return max(3, width-1) }
