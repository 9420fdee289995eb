package icalendar_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	ics "github.com/arran4/golang-ical"
	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/icalendar"
	"github.com/schedctl/schedctl/scripts/cost"
)

var event = icalendar.Event{
	UID: "post_1@schedctl", At: time.Date(2027, 1, 1, 10, 0, 0, 0, time.FixedZone("", 3600)),
	Created: time.Date(2026, 11, 21, 12, 0, 0, 5e8, time.UTC), Modified: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), Revision: 3,
	Summary: "Hello, you; \\ all", Description: "one\r\ntwo\nthree\x07", Status: "CONFIRMED", Categories: []string{"feed:blog", "a,b"}, URL: "https://example.org/a,b",
}

func calendar(t *testing.T, events ...icalendar.Event) string {
	t.Helper()
	var b bytes.Buffer
	c := icalendar.NewCalendar(&b, icalendar.Header{Product: "-//schedctl//EN", Name: "Posts"})
	for _, e := range events {
		if err := c.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCalendar(t *testing.T) {
	t.Parallel()
	want := strings.Join([]string{
		"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//schedctl//EN", "CALSCALE:GREGORIAN", "X-WR-CALNAME:Posts", "NAME:Posts",
		"BEGIN:VEVENT", "UID:post_1@schedctl", "DTSTAMP:20261122T120000Z", "DTSTART:20270101T090000Z",
		"CREATED:20261121T120000Z", "LAST-MODIFIED:20261122T120000Z", "SEQUENCE:3",
		`SUMMARY:Hello\, you\; \\ all`, `DESCRIPTION:one\ntwo\nthree`, "STATUS:CONFIRMED", "TRANSP:TRANSPARENT",
		`CATEGORIES:feed:blog,a\,b`, "URL:https://example.org/a,b", "END:VEVENT", "END:VCALENDAR", "",
	}, "\r\n")
	if diff := cmp.Diff(want, calendar(t, event)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	bare := event
	bare.URL, bare.Categories = "https://example.org/\r\nBEGIN:VALARM", nil
	if got := calendar(t, bare); strings.Contains(got, "URL") || strings.Contains(got, "VALARM") || strings.Contains(got, "CATEGORIES") {
		t.Errorf("got %s", got)
	}
}

// checkLines holds a calendar to the form of content lines.
func checkLines(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) || !strings.HasSuffix(text, "\r\n") {
		t.Errorf("no lines of text: %q", text)
	}
	for _, line := range strings.Split(strings.TrimSuffix(text, "\r\n"), "\r\n") {
		if len(line) > 75 || !utf8.ValidString(line) || strings.ContainsAny(line, "\r\n") {
			t.Errorf("a line of %d octets: %q", len(line), line)
		}
	}
}

// An independent reader finds every text as it was.
func checkCalendar(t *testing.T, summary, description string) {
	e := event
	e.Summary, e.Description = summary, description
	text := calendar(t, e)
	checkLines(t, text)
	parsed, err := ics.ParseCalendar(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(parsed.Events()); n != 1 {
		t.Fatalf("%d events in %q", n, text)
	}
	for name, want := range map[ics.ComponentProperty]string{ics.ComponentPropertySummary: summary, ics.ComponentPropertyDescription: description} {
		got := parsed.Events()[0].GetProperty(name).Value
		if want = plain(want); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// plain is what is left of a text in a calendar.
func plain(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(text, "\ufffd"))
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r >= 0x7f && r <= 0x9f {
			return -1
		}
		return r
	}, text)
}

type full struct{}

var errFull = errors.New("the disk is full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrorsAreReported(t *testing.T) {
	t.Parallel()
	c := icalendar.NewCalendar(full{}, icalendar.Header{Product: "-//test//EN", Name: "posts"})
	if err := errors.Join(c.Add(event), c.Close()); !errors.Is(err, errFull) {
		t.Errorf("calendar: %v", err)
	}
}

func TestRefreshInterval(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	c := icalendar.NewCalendar(&b, icalendar.Header{Product: "-//test//EN", Name: "posts", Refresh: 15 * time.Minute})
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\r\nREFRESH-INTERVAL;VALUE=DURATION:PT15M\r\n", "\r\nX-PUBLISHED-TTL:PT15M\r\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in %q", want, b.String())
		}
	}
}

// FuzzCalendar writes events with any texts.
func FuzzCalendar(f *testing.F) {
	f.Add("Hello", "one\ntwo")
	f.Add(strings.Repeat("é", 80), strings.Repeat("日本語 ", 60))
	f.Add(strings.Repeat("x", 67), `\n;,\\`)
	f.Add(strings.Repeat("x", 66)+"😀", strings.Repeat("x ", 200))
	f.Add("BEGIN:VEVENT\r\nEND:VCALENDAR", "\x00\x7f\u0085\t")
	f.Fuzz(func(t *testing.T, title, text string) {
		defer cost.Check(t, len(title)+len(text))()
		checkCalendar(t, title, text)
	})
}
