package postfile

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/threadtext"
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

// Parse parses a post file. If there are problems, the returned document holds the valid
// parts.
func Parse(path string, data []byte) (Document, []Problem) {
	d := &decoder{Document: &Document{Path: path}}
	if len(data) > maxFile {
		return *d.Document, []Problem{d.Problemf(1, "the file is larger than 1 MiB")}
	}
	if bad := firstInvalid(data); bad >= 0 {
		line := 1 + bytes.Count(data[:bad], []byte("\n"))
		return *d.Document, []Problem{d.Problemf(line, "this is not UTF-8 text: convert the file first, for example with iconv")}
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n")
	front, body, bodyLine, found := split(text)
	switch {
	case !found:
		return *d.Document, []Problem{d.Problemf(1, "the file has no front matter: start it with a line ---, the keys, and another line ---")}
	case len(front) > maxFront:
		return *d.Document, []Problem{d.Problemf(1, "the front matter is larger than 64 KiB")}
	}
	d.Post.Content, d.First = body, bodyLine
	yaml := yamlReader{path: path, what: "the front matter", before: 1}
	d.read(yaml.document(front), inFile)
	d.problems = append(yaml.problems, d.problems...)
	d.splitThread()
	line := d.Where("id").Line
	switch {
	case d.problems != nil:
	case d.ID == "":
		d.problems = append(d.problems, d.Problemf(line, "the file has no id; give the post a name of its own, such as id: %s", asID(nameOf(path))))
	case !IsID(d.ID):
		d.problems = append(d.problems, d.Problemf(line, "%q is not a valid id: use at most %d visible ASCII characters without spaces, such as id: %s",
			clip(d.ID), MaxID, asID(d.ID)))
	}
	return *d.Document, d.problems
}

// splitThread splits the text at its separators, and gives the parts their media.
func (d *decoder) splitThread() {
	if d.split {
		texts, starts := threadtext.SplitLines(d.Post.Content)
		d.Post.Content = texts[0]
		for i, text := range texts[1:] {
			d.mark("thread["+strconv.Itoa(i)+"]", Position{d.First + starts[i+1], 1})
			d.Post.Thread = append(d.Post.Thread, apiv1.Part{Content: text, Media: []apiv1.PostMedia{}})
		}
	}
	for _, m := range d.partMedia {
		fault := ""
		n, err := strconv.Atoi(m.name)
		media := d.media("thread["+strconv.Itoa(n-2)+"].media", entry{"part_media: " + clip(m.name), m.at, m.value})
		switch {
		case err != nil || n < 1 || strconv.Itoa(n) != m.name:
			fault = "is not the number of a part; write 2 for the second part"
		case n == 1:
			fault = `is the post; list its files in "media"`
		case !d.split:
			fault = "does not exist; add thread: true, and a line --- between the parts of the text"
		case n > len(d.Post.Thread)+1:
			fault = "does not exist; a line --- in the text starts the next part"
		default:
			d.Post.Thread[n-2].Media = append([]apiv1.PostMedia{}, media...)
			continue
		}
		d.problem(m.at, "part_media: part %s %s", clip(m.name), fault)
	}
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
