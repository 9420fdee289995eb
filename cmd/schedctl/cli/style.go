package cli

import (
	"strings"

	"github.com/rivo/uniseg"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/printable"
)

// StatusColors has the SGR parameters of each status of posts, targets, accounts and
// others.
var StatusColors = map[string]string{
	"draft": "2", "proposed": "33", "scheduled": "34", "publishing": "33", "published": "32", "failed": "31", "canceled": "2",
	"ok": "32", "warning": "33", "refused": "31", "not published": "31", "unknown": "33", "running": "33",
	"created": "32", "exists": "2", "unconfirmed": "33", "held": "33",
	"enabled": "32", "failing": "33", "disabled": "2", "pending": "33", "delivered": "32",
	"ready":  "32",
	"active": "32", "expired": "2", "revoked": "2",
	"warn": "33", "fail": "31",
	"this one": "32", "alive": "32", "gone": "31",
	"connected": "32", "error": "31", "disconnected": "2",
}

// Colored reports whether results may have color. NO_COLOR always disables it
// (https://no-color.org); CLICOLOR_FORCE enables it in a pipe as well
// (https://bixense.com/clicolors).
func (a *App) Colored() bool {
	switch {
	case a.noColor || a.Getenv("NO_COLOR") != "":
		return false
	case switchedOn(a.Getenv("CLICOLOR_FORCE")) || switchedOn(a.Getenv("FORCE_COLOR")):
		return true
	case a.Getenv("CLICOLOR") == "0":
		return false
	}
	return a.OutTerminal && a.Getenv("TERM") != "dumb"
}

// switchedOn reads an environment variable that is a switch.
func switchedOn(value string) bool { return value != "" && value != "0" && value != "false" }

// Paint returns a text in one printable line and with a style, for the streams of the
// App. See [printable.Paint].
func (a *App) Paint(sgr, text string) string {
	text = inLine(text)
	if sgr == "" || !a.Colored() {
		return text
	}
	return printable.Paint(sgr, text)
}

// PaintStatus paints the name of a status.
func (a *App) PaintStatus(name string) string { return a.Paint(StatusColors[name], name) }

func (a *App) Dim(text string) string { return a.Paint("2", text) }

func (a *App) Bold(text string) string { return a.Paint("1", text) }

// OneLine returns the printable text with each run of white space as one space, for people:
// see [printable.Reveal]. It keeps styles of [App.Paint].
func OneLine(text string) string {
	return strings.Join(strings.Fields(printable.Scrub(printable.Reveal(text))), " ")
}

// ErrorLine returns an error as [MessageLine] returns its message.
func ErrorLine(err error) string { return MessageLine(err.Error()) }

// MessageLine returns a message of the daemon in one line, in the words of the command line.
func MessageLine(message string) string { return OneLine(apiv1.InCommands(message)) }

// inLine returns the printable text without line breaks and tabs. Unlike [OneLine] it
// keeps spaces, so that aligned text stays aligned.
func inLine(text string) string {
	return strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ").Replace(printable.Scrub(printable.Reveal(text)))
}

// TextWidth returns how many columns a text takes.
func TextWidth(text string) int { return uniseg.StringWidth(text) }

// Clip shortens a text to a number of columns.
func Clip(text string, columns int) string {
	if TextWidth(text) <= columns {
		return text
	}
	var b strings.Builder
	used := 0
	for g := uniseg.NewGraphemes(text); g.Next() && used+g.Width() < columns; used += g.Width() {
		b.WriteString(g.Str())
	}
	return b.String() + "…"
}
