// Package postfile reads and writes posts that are kept as files, in a
// repository for example: one Markdown file per post, with YAML front matter.
//
//	---
//	id: launch
//	at: 2026-12-08 09:00
//	tz: Europe/Berlin
//	to: [blog, "mastodon:me"]
//	labels: [release]
//	thread: true
//	media: [{file: images/door.png, alt: "A red door"}]
//	part_media: {2: [{file: images/garden.png, alt: "A garden"}]}
//	first_comment: Questions? Ask here.
//	poll: {options: [Tea, Coffee], for: 1d, multiple: true}
//	content_warning: Hot drinks
//	visibility: unlisted
//	language: en
//	link_preview: {url: https://example.org, title: Release notes, image: images/card.png}
//	override:
//	  mastodon:me: Version 1.0 is out!
//	  blog: {thread: [All about it, {content: A garden, media: []}], poll: none, visibility: public}
//	options:
//	  mastodon:me: {visibility: unlisted}
//	---
//	Version 1.0 is out. Read all about it.
//	---
//	This is the second part of the thread.
//
// In place of at, queue names the queue whose next free slot the post takes, and not_before
// the earliest time of that slot. With repeat, the file is a series: a recurring post. start is
// the earliest local time of its first occurrence, and name is its name.
//
// id is the author's own name for the post. It stays the same when the file is
// moved or its text changes. One empty line after the front matter and one line
// break at the end of the file are not part of the text. Line ends of Windows
// are read as "\n".
//
// media lists the pictures, videos and documents of the post with their alt texts. Paths
// are relative to the post file, use slashes, and stay inside the directory. part_media
// lists those of further parts by their numbers; part 2 is the first of them.
//
// With thread: true, the text is split at its lines ---. A line \--- is such a line of the
// post itself. first_comment is a text, or the keys content and media. link_preview is
// auto, none, or a card.
//
// An override is the text for one account, or some of the keys content, media, thread,
// poll, content_warning, visibility and language. thread is the list of the parts after the
// first one. Empty lists, and poll: none, mean that the account gets none.
//
// The file [ConfigName] in the directory names the collection of its posts. It can also
// list queues and blackouts:
//
//	collection: website
//	queues:
//	  - name: main
//	    tz: Europe/Berlin
//	    slots: [mon-fri 09:00, "sat, sun 10:00"]
//	    accounts: [blog]
//	    gap: 30m
//	    default: true
//	blackouts:
//	  - reason: Christmas
//	    from: 2026-12-24 00:00
//	    to: 2026-12-27 00:00
//	    tz: Europe/Berlin
//	    accounts: [blog]
//	    mode: hold
//
// # Limits
//
// Unknown and duplicate keys, anchors, aliases and tags are problems. So are a
// file of more than 1 MiB and front matter of more than 64 KiB. A [Problem]
// names the file and the line.
package postfile

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Size limits in bytes.
const (
	maxFile  = 1 << 20
	maxFront = 64 << 10
)

// MaxID is the maximum length of an id. With the longest collection name (80
// characters) and a slash it makes up the longest external id of a post (200
// characters).
const MaxID = 119

// Value is a text and its line.
type Value struct {
	Text string
	Line int // from 1; 0 when the value is not in the file
}

// File is the content of a post file. The caller interprets the texts.
type File struct {
	Path      string // relative to the directory, with slashes
	ID        Value
	At        Value
	TZ        Value
	Queue     Value // in place of At
	NotBefore Value // with Queue
	Repeat    Value // of a series, in place of At
	Start     Value // with Repeat
	Name      Value // with Repeat
	To        []Value
	Labels    []Value
	Media     []Media
	Overrides []Override
	Content   Value // of the first part

	Thread         []Part // the parts after the first one
	FirstComment   *Part  // nil for none; otherwise it has a text, media, or both
	Poll           *Poll  // nil for none
	LinkPreview    LinkPreview
	ContentWarning Value
	Visibility     Value
	Language       Value
}

// Problem is an error in a file.
type Problem struct {
	Path    string
	Line    int
	Message string
}

// String returns the problem in the format of compiler messages, for editors and
// CI.
func (p Problem) String() string { return fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Message) }

// Problemf returns a problem in the file.
func (f *File) Problemf(line int, format string, args ...any) Problem {
	return Problem{Path: f.Path, Line: max(line, 1), Message: fmt.Sprintf(format, args...)}
}

// Parse parses a file. If there are problems, the returned file holds the valid
// parts.
func Parse(path string, data []byte) (File, []Problem) {
	f := File{Path: path}
	if len(data) > maxFile {
		return f, []Problem{f.Problemf(1, "the file is larger than 1 MiB")}
	}
	if bad := firstInvalid(data); bad >= 0 {
		line := 1 + bytes.Count(data[:bad], []byte("\n"))
		return f, []Problem{f.Problemf(line, "this is not UTF-8 text: convert the file first, for example with iconv")}
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n")
	front, body, bodyLine, found := split(text)
	switch {
	case !found:
		return f, []Problem{f.Problemf(1, "the file has no front matter: start it with a line ---, the keys, and another line ---")}
	case len(front) > maxFront:
		return f, []Problem{f.Problemf(1, "the front matter is larger than 64 KiB")}
	}
	f.Content = Value{body, bodyLine}
	problems := f.readFront(front)
	switch {
	case problems != nil:
	case f.ID.Text == "":
		problems = append(problems, f.Problemf(f.ID.Line, "the file has no id; give the post a name of its own, such as id: %s", asID(nameOf(path))))
	case !IsID(f.ID.Text):
		problems = append(problems, f.Problemf(f.ID.Line, "%q is not a valid id: use at most %d visible ASCII characters without spaces, such as id: %s",
			clip(f.ID.Text), MaxID, asID(f.ID.Text)))
	}
	return f, problems
}

// IsID reports whether a text can be the id of a file: 1 to [MaxID] visible
// ASCII characters.
func IsID(text string) bool {
	return text != "" && len(text) <= MaxID && !strings.ContainsFunc(text, func(r rune) bool { return r < '!' || r > '~' })
}

// firstInvalid returns the offset of the first byte that is not UTF-8, or -1.
func firstInvalid(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// fence is the line before and after the front matter.
const fence = "---"

// split returns the front matter, the text after it and the line of that text.
func split(text string) (front, body string, line int, found bool) {
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t") != fence {
		return "", "", 0, false
	}
	line = 2
	for remaining := rest; remaining != ""; line++ {
		var l string
		before := len(rest) - len(remaining)
		if l, remaining, _ = strings.Cut(remaining, "\n"); strings.TrimRight(l, " \t") != fence {
			continue
		}
		line++
		if after, empty := strings.CutPrefix(remaining, "\n"); empty {
			remaining = after
			line++
		}
		return rest[:before], strings.TrimSuffix(remaining, "\n"), line, true
	}
	return "", "", 0, false
}

// nameOf returns the name of a file without its extension.
func nameOf(path string) string {
	name := path[strings.LastIndex(path, "/")+1:]
	if dot := strings.LastIndex(name, "."); dot > 0 {
		name = name[:dot]
	}
	return name
}

// asID returns a valid id derived from a text.
func asID(text string) string {
	id := strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' || strings.ContainsRune(`:#'"[]{},&*!|>%@`+"`", r) {
			return '-'
		}
		return r
	}, text)
	return id[:min(len(id), MaxID)]
}
