package mcp

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
)

// pageCursor is the cursor of a list with bounds of time. It keeps the bounds, because a
// word such as "today" means another time when the next page is read, and a missing bound
// can mean the time of the call.
type pageCursor struct {
	after, before time.Time // zero for none
	words         string    // identifies the arguments that the bounds are from
	next          string    // the cursor of the daemon
}

// pageCursorMark starts the text of a pageCursor. Those of the daemon have no dots.
const pageCursorMark = "p1."

// String returns the text of the cursor.
func (p pageCursor) String() string {
	return pageCursorMark + strings.Join([]string{boundText(p.after), boundText(p.before), p.words, p.next}, ".")
}

func boundText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return strconv.FormatInt(t.UnixMilli(), 36)
}

var (
	boundPattern = regexp.MustCompile(`^-?[0-9a-z]{1,11}$`)
	nextPattern  = regexp.MustCompile(`^[A-Za-z0-9_-]{1,1000}$`)
)

// parsePageCursor reads the text of a pageCursor.
func parsePageCursor(text string) (p pageCursor, ok bool) {
	rest, marked := strings.CutPrefix(text, pageCursorMark)
	parts := strings.Split(rest, ".")
	if !marked || len(parts) != 4 || len(parts[2]) != wordsLength || !nextPattern.MatchString(parts[2]) || !nextPattern.MatchString(parts[3]) {
		return p, false
	}
	for i, at := range []*time.Time{&p.after, &p.before} {
		if parts[i] == "" {
			continue
		}
		ms, err := strconv.ParseInt(parts[i], 36, 64)
		if err != nil || !boundPattern.MatchString(parts[i]) {
			return p, false
		}
		if *at = time.UnixMilli(ms).UTC(); at.Year() < 1 || at.Year() > 9999 {
			return p, false
		}
	}
	p.words, p.next = parts[2], parts[3]
	return p, true
}

// wordsLength is the length of what identifies the arguments of a cursor.
const wordsLength = 8

// window is the bounds of a list in time: after is inclusive.
type window struct {
	after, before         string // the names of the arguments
	afterTime, beforeTime time.Time
	cursor                string // as the client sent it
}

// check refuses bounds between which nothing can be.
func (w window) check(d *directory) error {
	if w.afterTime.IsZero() || w.beforeTime.IsZero() || w.afterTime.Before(w.beforeTime) {
		return nil
	}
	return invalidArgument(w.before, "%s is %s, and not after %s, which is %s: give a later %s", w.before, d.local(w.beforeTime), w.after, d.local(w.afterTime), w.before)
}

// page returns the bounds and the daemon's cursor of the page that a call asks for. On later
// pages the bounds are those of the first one. The client can leave them out; if it gives
// them, they are the same words, or the same times.
func (c *call) page(w window) (window, string, error) {
	w.afterTime, w.beforeTime = schedctl.Millis(w.afterTime), schedctl.Millis(w.beforeTime) // as the daemon reads them
	if !strings.HasPrefix(w.cursor, pageCursorMark) {
		return w, w.cursor, nil // the daemon checks it
	}
	p, ok := parsePageCursor(w.cursor)
	if ok && p.words != c.wordsOf(w) {
		ok = (c.given[w.after] == nil || p.after.UnixMilli() == w.afterTime.UnixMilli()) &&
			(c.given[w.before] == nil || p.before.UnixMilli() == w.beforeTime.UnixMilli())
	}
	if !ok {
		return w, "", schedctl.Errorf(schedctl.InvalidCursor, "cursor", "this cursor is of a list with other times")
	}
	w.afterTime, w.beforeTime = p.after, p.before
	return w, p.next, nil
}

// nextPage returns the cursor of the next page for clients, empty for none. next is that of
// the daemon.
func (c *call) nextPage(w window, next string) string {
	if w.afterTime.IsZero() && w.beforeTime.IsZero() || next == "" {
		return next
	}
	p := pageCursor{after: w.afterTime, before: w.beforeTime, words: c.wordsOf(w), next: next}
	if of, ok := parsePageCursor(w.cursor); ok {
		p.words = of.words // the client may have left the bounds out on this page
	}
	return p.String()
}

// wordsOf identifies the arguments that bounds are read from, as the client wrote them.
func (c *call) wordsOf(w window) string {
	var texts []string
	for _, name := range []string{w.after, w.before, "timezone"} {
		text, _ := c.given[name].(string)
		texts = append(texts, text)
	}
	sum := hashed(texts...)
	return sum[len(sum)-wordsLength:]
}
