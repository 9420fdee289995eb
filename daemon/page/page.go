// Package page renders the pages of shares: what people without a terminal see in a browser.
// The pages are HTML without scripts, with one style sheet. Their links are relative, so that
// a proxy may serve the daemon below a path of its own.
//
// The package reads no store and decides nothing. What an account publishes comes from
// package usecase; this package only shows it.
package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
)

//go:embed style.css
var style []byte

// Style returns the style sheet. Callers must not change it.
func Style() []byte { return style }

//go:embed *.html
var files embed.FS

// templates parses the templates when the first page is rendered.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{"segments": segments, "marked": marked, "coded": coded}).ParseFS(files, "*.html"))
})

func render(name string, data any) ([]byte, error) {
	var out bytes.Buffer
	if err := templates().ExecuteTemplate(&out, name, data); err != nil {
		return nil, fmt.Errorf("render the page %s: %w", name, err)
	}
	return out.Bytes(), nil
}

// Frame is what all pages of a share show.
type Frame struct {
	Share     schedctl.Share
	Workspace schedctl.Workspace
	Token     string // in the address of the share
	Now       time.Time

	// Thumbnail returns the address of a small picture of a post in a calendar, or an empty
	// text. Nil shows no pictures.
	Thumbnail func(*schedctl.Post) string

	zone  *time.Location // of the workspace; nil until a time is shown
	words calendarWords
}

// clock returns the clock of the workspace. To read a time zone takes longer than to show a
// time.
func (f *Frame) clock() clock {
	if f.zone == nil {
		f.zone, f.words = newClock(f.Now, f.Workspace.Timezone).zone, newCalendarWords(f.Workspace.Locale)
	}
	return clock{f.Now, f.zone, f.words}
}

// top is the start of a page.
type top struct {
	Title, Workspace, Reader, Zone string
	Style                          string // the address of the style sheet
	Wide                           bool
}

func (f *Frame) top(title, style string) top {
	return top{Title: title, Workspace: f.Workspace.Name, Reader: f.Share.Name, Zone: f.clock().zone.String(), Style: style}
}

// Refusal returns a page that says why there is nothing to see. style is the address of the
// style sheet.
func Refusal(style, title, text string) ([]byte, error) {
	return render("refusal.html", struct {
		top
		Text string
	}{top{Title: title, Style: style}, text})
}
