// Package bulk reads and writes files with many posts: CSV and JSON Lines. Rows can be
// read back unchanged.
//
// # Columns
//
// A row has the columns id, content, to, at, tz, media, alt, thread, first_comment, poll,
// poll_for, poll_multiple, poll_hide_totals, content_warning, visibility, language,
// link_preview, title, post_style, labels, queue and not_before. In CSV the first line names
// those that a file has, in any order, and values in "to", "media", "alt", "poll" and
// "labels" are separated by semicolons; in JSON Lines each line is an object with these
// keys, and these five are lists. In "media", "alt", "poll" and "labels" of CSV, \; stands for
// a semicolon and \\ for a backslash. JSON Lines also have "overrides", a list of objects.
//
// "thread" has the parts after the first one: in CSV a text in which lines with --- separate
// them (see package threadtext), in JSON Lines a list. A part and the first comment are
// texts; in JSON Lines they are objects with the keys content, media and alt if they have
// media. A card in "link_preview" needs JSON Lines, too. Readers also take text, body and message for content, account and accounts
// for to, time, date and publish_at for at, and timezone for tz. Other columns are
// an error, so that a misspelled one is not lost.
//
//	id,content,to,at,tz                 {"content":"Hello","to":["blog","mastodon:me"],
//	,"Hello, world",blog,2027-01-01 9:00,Europe/Berlin      "at":"2027-01-01 9:00"}
//
// The caller defines the meaning of the columns; here they are texts.
//
// # Sizes
//
// Rows are read and written one by one, so that a file may have any number of
// them. One row has at most 1 MiB.
package bulk

import (
	"fmt"
	"slices"
)

// Row is one post of a file, as it is written there. Empty texts are columns
// that the file does not have or leaves empty.
type Row struct {
	ID      string
	Content string
	To      []string // accounts, as a person names them
	At      string   // a time, as a person writes it
	TZ      string   // the zone of At
	Media   []string // paths of files, or ids
	Alt     []string // the alt texts of Media; those at the end may be missing

	Thread                               []Part // the parts after the first one
	FirstComment                         *Part  // or nil
	Poll                                 []string
	PollFor                              string // a duration, as a person writes it
	PollMultiple, PollHideTotals         bool
	ContentWarning, Visibility, Language string
	LinkPreview                          Preview

	Title, PostStyle string
	Labels           []string
	Queue            string     // a queue, as a person names it: the post takes a slot of it
	NotBefore        string     // a time, as a person writes it
	Overrides        []Override // only in JSON Lines

	// Line is the number of the row's first line, starting at 1. It is not written.
	Line int
}

// columns are the names of the columns in the order they are written in.
var columns = []string{
	"id", "content", "to", "at", "tz", "media", "alt", "thread", "first_comment", "poll", "poll_for", "poll_multiple", "poll_hide_totals",
	"content_warning", "visibility", "language", "link_preview", "title", "post_style", "labels", "queue", "not_before",
}

// overridesKey is a key of JSON Lines that CSV does not have.
const overridesKey = "overrides"

// aliases are other names of columns that files from elsewhere have.
var aliases = map[string]string{
	"text": "content", "body": "content", "message": "content", "account": "to", "accounts": "to",
	"time": "at", "date": "at", "publish_at": "at", "timezone": "tz",
}

// columnOf returns the column that a name stands for, "" for an unknown name.
func columnOf(name string) string {
	if slices.Contains(columns, name) {
		return name
	}
	return aliases[name]
}

// maxRow is the length in bytes of the longest row.
const maxRow = 1 << 20

// Error says what is wrong with a file, and where.
type Error struct {
	Line    int    // from 1
	Message string // what is wrong, and what to do where that helps
	Final   bool   // the rows after it cannot be read either
}

// Error returns the line and the message.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// lineError is an error of one row.
func lineError(line int, format string, args ...any) *Error {
	return &Error{Line: line, Message: fmt.Sprintf(format, args...)}
}

// fatalError is an error that ends a file.
func fatalError(line int, format string, args ...any) *Error {
	e := lineError(line, format, args...)
	e.Final = true
	return e
}

// Format is a form of files.
type Format string

// The formats.
const (
	CSV   Format = "csv"
	JSONL Format = "jsonl"
)
