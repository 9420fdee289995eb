package page

import (
	"html/template"
	"strconv"
	"strings"
	"time"

	"github.com/go-playground/locales"
	"github.com/go-playground/locales/de"
	"github.com/go-playground/locales/es"
	"github.com/go-playground/locales/fr"
	"github.com/go-playground/locales/it"
	"github.com/go-playground/locales/nl"
	"github.com/go-playground/locales/pt"
	"github.com/go-playground/locales/sv"
)

// languages are the locales of workspaces except English, whose dates are written in the form
// that the pages have had from the start.
var languages = map[string]func() locales.Translator{
	"de": de.New, "es": es.New, "fr": fr.New, "it": it.New, "nl": nl.New, "pt": pt.New, "sv": sv.New,
}

// calendarWords writes dates in the language of a workspace. The zero value writes English.
type calendarWords struct {
	locale string
	words  locales.Translator // nil for English
}

func newCalendarWords(locale string) calendarWords {
	if made := languages[locale]; made != nil {
		return calendarWords{locale, made()}
	}
	return calendarWords{}
}

// full writes a time such as "Tuesday 8 December 2026, 09:00 CET".
func (c calendarWords) full(t time.Time) string {
	return c.date(t) + ", " + c.clock(t) + " " + t.Format("MST")
}

// date writes a day such as "Tuesday 8 December 2026".
func (c calendarWords) date(t time.Time) string {
	if c.words == nil {
		return t.Format("Monday 2 January 2006")
	}
	return c.words.FmtDateFull(t)
}

// clock writes a time of day such as "09:00".
func (c calendarWords) clock(t time.Time) string {
	if c.words == nil {
		return t.Format("15:04")
	}
	return c.words.FmtTimeShort(t)
}

// day writes a day such as "Mon 7", also with its month, for days of other months.
func (c calendarWords) day(t time.Time, month bool) string {
	switch {
	case c.words == nil && month:
		return t.Format("Mon 2 January")
	case c.words == nil:
		return t.Format("Mon 2")
	case month:
		return c.words.WeekdayAbbreviated(t.Weekday()) + " " + c.words.FmtDateMedium(t)
	}
	return c.words.WeekdayAbbreviated(t.Weekday()) + " " + t.Format("2")
}

// month writes a month such as "December 2026".
func (c calendarWords) month(t time.Time) string {
	if c.words == nil {
		return t.Format("January 2006")
	}
	return c.words.MonthWide(t.Month()) + t.Format(" 2006")
}

// days writes the first and the last of several days.
func (c calendarWords) days(first, last time.Time) string {
	if c.words == nil {
		return first.Format("2 January") + " – " + last.Format("2 January 2006")
	}
	return c.words.FmtDateLong(first) + " – " + c.words.FmtDateLong(last)
}

// number writes a number such as "1,204".
func (c calendarWords) number(n int) string {
	if c.words != nil {
		return c.words.FmtNumber(float64(n), 0)
	}
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// count writes a number with its noun, which has an s unless the number is 1.
func (c calendarWords) count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return c.number(n) + " " + noun + "s"
}

// dated is an English text with one time in it, which may be in another language.
type dated struct {
	Before        string
	Time, Machine string // for people, and RFC 3339; empty if there is no time
	Lang          string // of Time; empty for English
	After         string
}

// Given reports whether there is a text.
func (d dated) Given() bool { return d != dated{} }

// HTML returns the text, with the time as an element.
func (d dated) HTML() template.HTML {
	var out strings.Builder
	out.WriteString(string(marked(d.Before)))
	if d.Time != "" {
		out.WriteString(`<time datetime="` + template.HTMLEscapeString(d.Machine) + `"`)
		if d.Lang != "" {
			out.WriteString(` lang="` + template.HTMLEscapeString(d.Lang) + `"`)
		}
		out.WriteString(">" + template.HTMLEscapeString(d.Time) + "</time>")
	}
	out.WriteString(string(marked(d.After)))
	return template.HTML(out.String())
}

// date returns a text around a time.
func (f *Frame) date(before string, t time.Time, after string) dated {
	c := f.clock()
	return dated{before, c.at(t), t.In(c.zone).Format(time.RFC3339), c.words.locale, after}
}
