// Package postfile reads posts that are kept as files, in a repository for
// example: one Markdown file a post, with YAML front matter.
//
//	---
//	id: launch
//	at: 2026-12-08 09:00
//	tz: Europe/Berlin
//	to: [blog, "mastodon:me"]
//	override:
//	  mastodon:me: Version 1.0 is out!
//	---
//	Version 1.0 is out. Read all about it.
//
// id is the author's own name of the post, which it keeps when its file is moved
// or its text is changed. One empty line after the front matter and one line
// break at the end of the file are no part of the text, and neither is the
// difference between the line ends of systems.
//
// Which post a file has become is kept in a [Lock] beside the files.
//
// # What is refused
//
// Unknown and doubled keys, anchors, aliases and tags, a file of more than 1 MiB
// and front matter of more than 64 KiB. A [Problem] names file and line.
package postfile

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The largest file, and the largest front matter, in bytes.
const (
	maxFile  = 1 << 20
	maxFront = 64 << 10
)

// Value is a text and where it is.
type Value struct {
	Text string
	Line int // from 1; 0 when the file does not have it
}

// File is what a file says. What its texts mean is for the caller to say.
type File struct {
	Path      string // below the directory, with slashes
	ID        Value
	At        Value
	TZ        Value
	To        []Value
	Overrides []Override
	Content   Value
}

// Override is the text for one account.
type Override struct{ Account, Text Value }

// Problem is what is wrong at one place.
type Problem struct {
	Path    string
	Line    int
	Message string
}

// String returns the problem as compilers write theirs, for editors and CI.
func (p Problem) String() string { return fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Message) }

// Problemf returns a problem of the file.
func (f *File) Problemf(line int, format string, args ...any) Problem {
	return Problem{Path: f.Path, Line: max(line, 1), Message: fmt.Sprintf(format, args...)}
}

// Parse reads a file. When there are problems, the file holds what could be read.
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
		return f, []Problem{f.Problemf(1, "there is no front matter: begin the file with a line ---, its keys, and another line ---")}
	case len(front) > maxFront:
		return f, []Problem{f.Problemf(1, "the front matter is larger than 64 KiB")}
	}
	f.Content = Value{body, bodyLine}
	problems := f.readFront(front)
	if f.ID.Text == "" && problems == nil {
		problems = append(problems, f.Problemf(f.ID.Line, "there is no id; give the post a name of its own, such as id: %s", suggestedID(path)))
	}
	return f, problems
}

// firstInvalid returns where a text stops being UTF-8, or -1.
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

// fence is the line around front matter.
const fence = "---"

// split returns the front matter, the text after it and the line that begins in.
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

// suggestedID makes a name of a path.
func suggestedID(path string) string {
	name := path[strings.LastIndex(path, "/")+1:]
	if dot := strings.LastIndex(name, "."); dot > 0 {
		name = name[:dot]
	}
	return strings.Map(func(r rune) rune {
		if r <= ' ' || strings.ContainsRune(`:#'"[]{},&*!|>%@`+"`", r) {
			return '-'
		}
		return r
	}, name)
}
