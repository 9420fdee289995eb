package postfile

import (
	"slices"
	"strings"
)

// aliases are other names of keys that rows from elsewhere have, in lower case with
// spaces.
var aliases = map[string]string{
	"text": "content", "post text": "content", "post": "content", "post content": "content", "body": "content", "message": "content", "caption": "content",
	"account": "to", "accounts": "to", "social accounts": "to", "profile": "to", "profiles": "to",
	"date": "at", "posting date": "at", "publish date": "at", "scheduled date": "at",
	"time": "at", "posting time": "at", "publish time": "at", "scheduled time": "at",
	"publish at": "at", "scheduled at": "at", "date time": "at",
	"timezone": "tz", "time zone": "tz",
	"image": "media", "images": "media", "image url": "media", "image urls": "media", "media url": "media", "media urls": "media",
	"alt text": "alt", "image alt text": "alt",
	"label": "labels", "tag": "labels", "tags": "labels", "url": "link", "note": "notes",
}

// timeOfDay is the name of a column with the times of day for those with dates.
const timeOfDay = "time of day"

// unnamed stands for a column without a name, which spreadsheets leave behind. Its cells
// have to be empty.
const unnamed = " "

// columnLetters returns the name of a column, from 0, as spreadsheets show it.
func columnLetters(i int) string {
	letters := ""
	for i++; i > 0; i = (i - 1) / 26 {
		letters = string(rune('A'+(i-1)%26)) + letters
	}
	return letters
}

// overridePrefix starts the name of a column with the texts for one account.
const overridePrefix = "text:"

// wordsOf returns a name in lower case with spaces.
func wordsOf(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(" \t\r\n\u00a0_-", r) }), " ")
}

// canonicalName returns the name of the key that a name stands for.
func canonicalName(name string) string {
	words := wordsOf(name)
	if key := aliases[words]; key != "" {
		return key
	}
	return strings.ReplaceAll(words, " ", "_")
}

// IsField reports whether rows can have a field with a name, in any of its forms.
func IsField(name string) bool {
	return keyOf(name, inRows|inImport) != nil || overrideOf(name) != ""
}

// overrideOf returns the account of a column with texts for one account, or "".
func overrideOf(name string) string {
	name = strings.TrimSpace(name)
	if n := len(overridePrefix); len(name) > n && strings.EqualFold(name[:n], overridePrefix) {
		return strings.TrimSpace(name[n:])
	}
	return ""
}

// timeColumn returns which of some names is a time of day, if another one is its date, and
// no third one is a time; else -1.
func timeColumn(given []string) int {
	date, clock, n := -1, -1, 0
	for i, name := range given {
		words := wordsOf(name)
		if canonicalName(name) != "at" {
			continue
		}
		switch n++; {
		case strings.HasSuffix(words, "date"):
			date = i
		case strings.HasSuffix(words, "time") && words != "date time":
			clock = i
		}
	}
	if n != 2 || date < 0 {
		return -1
	}
	return clock
}

// joinTimes joins the date and the time of day of a row, if it has both.
func joinTimes(entries []entry, clock int, line int) ([]entry, error) {
	of := entries[clock]
	entries = slices.Delete(entries, clock, clock+1)
	if of.kind == isNull || of.text == "" {
		return entries, nil
	}
	for i := range entries {
		if date := &entries[i]; canonicalName(date.name) == "at" && date.kind == isText && date.text != "" && of.kind == isText {
			date.text += " " + of.text
			return entries, nil
		}
	}
	return nil, lineError(line, "the line has a time of day, and no date")
}

// mapping says which field the columns with other names are; by wordsOf.
type mapping map[string]string

// rename returns the name that a column stands for, empty for none.
func (m mapping) rename(name string) string {
	if field, found := m[wordsOf(name)]; found {
		return field
	}
	return name
}
