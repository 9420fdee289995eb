// Package icalendar writes calendars of posts (RFC 5545), and reads periods, such as
// holidays, from calendars.
package icalendar

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Event is one entry of a calendar.
type Event struct {
	UID      string    // the same for the same post in every file
	At       time.Time // the start; an event has no duration
	Created  time.Time
	Modified time.Time // of this revision
	Revision int64     // grows with each change

	Summary     string // a short text
	Description string // a long one
	Status      string // TENTATIVE, CONFIRMED or CANCELLED
	Categories  []string
	URL         string // or empty
}

// Calendar writes an iCalendar file (RFC 5545), which calendar programs can subscribe
// to. The file is complete after [Calendar.Close], which does not close the
// writer below. The same events give the same bytes. It is for one goroutine.
type Calendar struct {
	out *bufio.Writer
	err error // the first one
}

// Header describes a calendar.
type Header struct {
	Product string // the name of the writing program
	Name    string // the title of the calendar

	// Description is a text about the calendar, or empty.
	Description string

	// Refresh says how often programs that subscribe to the calendar should read it again,
	// in whole minutes; 0 for no advice.
	Refresh time.Duration
}

// NewCalendar starts a calendar.
func NewCalendar(w io.Writer, h Header) *Calendar {
	c := &Calendar{out: bufio.NewWriter(w)}
	c.line("BEGIN:VCALENDAR")
	c.line("VERSION:2.0")
	c.text("PRODID", h.Product)
	c.line("CALSCALE:GREGORIAN")
	c.text("X-WR-CALNAME", h.Name) // what RFC 7986 calls NAME; most calendars know only this
	c.text("NAME", h.Name)
	if h.Description != "" {
		c.text("X-WR-CALDESC", h.Description) // what RFC 7986 calls DESCRIPTION
		c.text("DESCRIPTION", h.Description)
	}
	if h.Refresh > 0 {
		minutes := strconv.Itoa(int(h.Refresh / time.Minute))
		c.line("REFRESH-INTERVAL;VALUE=DURATION:PT" + minutes + "M")
		c.line("X-PUBLISHED-TTL:PT" + minutes + "M") // the same for Outlook
	}
	return c
}

// Add writes an event.
func (c *Calendar) Add(e Event) error {
	c.line("BEGIN:VEVENT")
	c.text("UID", e.UID)
	c.instant("DTSTAMP", e.Modified)
	c.instant("DTSTART", e.At)
	c.instant("CREATED", e.Created)
	c.instant("LAST-MODIFIED", e.Modified)
	c.line("SEQUENCE:" + strconv.FormatInt(e.Revision, 10))
	c.text("SUMMARY", e.Summary)
	c.text("DESCRIPTION", e.Description)
	c.text("STATUS", e.Status)
	c.line("TRANSP:TRANSPARENT") // a post does not block time
	if len(e.Categories) > 0 {
		c.texts("CATEGORIES", e.Categories)
	}
	if e.URL != "" && !strings.ContainsFunc(e.URL, unicode.IsControl) {
		c.line("URL:" + e.URL)
	}
	c.line("END:VEVENT")
	return c.err
}

// Close ends the calendar.
func (c *Calendar) Close() error {
	c.line("END:VCALENDAR")
	if err := c.out.Flush(); c.err == nil {
		c.err = err
	}
	return c.err
}

func (c *Calendar) instant(name string, t time.Time) {
	c.line(name + ":" + t.UTC().Format("20060102T150405Z"))
}

func (c *Calendar) text(name, value string) { c.texts(name, []string{value}) }

// texts writes a property with a list of texts.
func (c *Calendar) texts(name string, values []string) {
	escaped := make([]string, len(values))
	for i, v := range values {
		escaped[i] = escapeText(v)
	}
	c.line(name + ":" + strings.Join(escaped, ","))
}

var textEscapes = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\r\n", `\n`, "\r", `\n`, "\n", `\n`)

// escapeText writes a TEXT (section 3.3.11), which has no control characters.
func escapeText(text string) string {
	escaped := textEscapes.Replace(strings.ToValidUTF8(text, "\ufffd"))
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' {
			return -1
		}
		return r
	}, escaped)
}

// maxLine is the length in octets of a line without its end (section 3.1).
const maxLine = 75

// line writes a content line, folded where it is too long, and never inside of
// a character.
func (c *Calendar) line(text string) {
	for room := maxLine; len(text) > room; room = maxLine - 1 {
		cut := room
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		c.write(text[:cut] + "\r\n ")
		text = text[cut:]
	}
	c.write(text + "\r\n")
}

func (c *Calendar) write(text string) {
	if _, err := c.out.WriteString(text); c.err == nil {
		c.err = err
	}
}
