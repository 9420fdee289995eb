package main

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// colors are the SGR parameters of statuses, of posts, targets and accounts.
var colors = map[string]string{
	"draft": "2", "scheduled": "34", "publishing": "33", "published": "32", "failed": "31", "canceled": "2",
	"ok": "32", "warning": "33", "refused": "31", "not published": "31", "unknown": "33", "running": "33",
	"created": "32", "exists": "2", "unconfirmed": "33",
	"enabled": "32", "failing": "33", "disabled": "2", "pending": "33", "delivered": "32",
	"active": "32", "expired": "2", "revoked": "2",
	"warn": "33", "fail": "31",
	"this one": "32", "alive": "32", "gone": "31",
	"connected": "32", "error": "31", "disconnected": "2",
}

// colored reports whether results may have color. NO_COLOR always disables it
// (https://no-color.org); CLICOLOR_FORCE enables it in a pipe as well
// (https://bixense.com/clicolors).
func (a *app) colored() bool {
	switch {
	case a.noColor || a.getenv("NO_COLOR") != "":
		return false
	case switchedOn(a.getenv("CLICOLOR_FORCE")) || switchedOn(a.getenv("FORCE_COLOR")):
		return true
	case a.getenv("CLICOLOR") == "0":
		return false
	}
	return a.outTerminal && a.getenv("TERM") != "dumb"
}

// switchedOn reads an environment variable that is a switch.
func switchedOn(value string) bool { return value != "" && value != "0" && value != "false" }

func (a *app) paint(sgr, text string) string {
	if sgr == "" || !a.colored() {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[0m"
}

// status paints the name of a status.
func (a *app) status(name string) string { return a.paint(colors[name], name) }

func (a *app) dim(text string) string { return a.paint("2", text) }

func (a *app) bold(text string) string { return a.paint("1", text) }

// printable replaces what could move the cursor, colour the screen or turn the
// direction of text: contents, names and messages come from elsewhere. Line
// breaks and tabs stay.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unprintable(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

func unprintable(r rune) bool {
	if r == '\n' || r == '\t' {
		return false
	}
	return unicode.IsControl(r) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// oneLine returns the text printable and with every run of white space as one
// space.
func oneLine(text string) string { return strings.Join(strings.Fields(printable(text)), " ") }

// width returns how many columns a text takes.
func width(text string) int { return uniseg.StringWidth(text) }

// clip shortens a text to so many columns.
func clip(text string, columns int) string {
	if width(text) <= columns {
		return text
	}
	var b strings.Builder
	used := 0
	for g := uniseg.NewGraphemes(text); g.Next() && used+g.Width() < columns; used += g.Width() {
		b.WriteString(g.Str())
	}
	return b.String() + "…"
}
