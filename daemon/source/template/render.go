package template

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/schedctl/schedctl/client/threadtext"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// Length is the length of a text as a network counts it: the Length, Limit and Unit of a check
// of package publish.
type Length struct {
	Count int
	Limit int // 0 for none
	Unit  string
}

// Fits reports whether the text is not too long.
func (l Length) Fits() bool { return l.Limit <= 0 || l.Count <= l.Limit }

// Measure counts a text. It may be called from one goroutine at a time.
type Measure func(text string) Length

// Result is the text of a post.
type Result struct {
	Text      string
	Length    Length
	Shortened bool // something that fit marks was cut
}

// ErrEmpty means that a template shows nothing for an item.
var ErrEmpty = errors.New("the template gives an empty text for this item")

// TooLongError means that a text does not fit although everything that fit marks was cut.
type TooLongError struct {
	Length Length // of the text with the least of what fit marks
	Marked bool   // the template marks something with fit
}

// Error implements error.
func (e *TooLongError) Error() string {
	why := "nothing in the template may be shortened; mark a field with fit, such as {{fit .Title}}"
	if e.Marked {
		why = "what fit marks is shortened already, and nothing else is ever cut; shorten the template"
	}
	return fmt.Sprintf("the text has %d %s and the network allows %d: %s", e.Length.Count, e.Length.Unit, e.Length.Limit, why)
}

// Render returns the text of an item as it fits the network. The last text that fit marks is
// shortened first, and may be left out; the first one keeps at least a part.
//
// The error is [ErrEmpty], a [*TooLongError], or says what the template does wrong with this
// item. All are fit for users.
func (t *Template) Render(d Data, measure Measure) (Result, error) {
	output, err := t.execute(d)
	if err != nil {
		return Result{}, err
	}
	p := split(output)
	text := p.join()
	if text == "" {
		return Result{}, ErrEmpty
	}
	length := measure(text)
	if length.Fits() {
		return Result{Text: text, Length: length}, nil
	}
	for i := len(p) - 1; i >= 0; i-- {
		if !p[i].fit || strings.TrimSpace(p[i].text) == "" {
			continue
		}
		fits := func(s string) bool { return measure(p.with(i, s).join()).Fits() }
		if cut, ok := threadtext.Cut(p[i].text, fits); ok && cut != "" {
			text = p.with(i, cut).join()
			return Result{Text: text, Length: measure(text), Shortened: true}, nil
		}
		if !p.fitBefore(i) {
			break
		}
		p = p.with(i, "")
		if text = p.join(); measure(text).Fits() {
			return Result{Text: text, Length: measure(text), Shortened: true}, nil
		}
	}
	return Result{}, &TooLongError{Length: measure(p.join()), Marked: p.fitBefore(len(p))}
}

// execute returns the output of a template, with marks around what may be shortened.
func (t *Template) execute(d Data) (string, error) {
	parsed, err := t.parsed.Clone()
	if err != nil {
		return "", explain(err)
	}
	var out limited
	err = parsed.Funcs(functions(new(work))).Execute(&out, d.values())
	switch {
	case errors.Is(err, errOutput), errors.Is(err, errWork):
		return "", limitOf(err)
	case err != nil:
		return "", explain(err)
	}
	return out.String(), nil
}

// limitOf returns which of the two limits an error is about.
func limitOf(err error) error {
	if errors.Is(err, errWork) {
		return errWork
	}
	return errOutput
}

// limited is a buffer of at most [MaxOutput] bytes.
type limited struct{ strings.Builder }

// Write implements [io.Writer].
func (l *limited) Write(b []byte) (int, error) {
	if l.Len()+len(b) > MaxOutput {
		return 0, errOutput
	}
	return l.Builder.Write(b)
}

// part is a part of an output.
type part struct {
	text string
	fit  bool
}

type parts []part

// split returns the parts of an output. A mark inside of a marked text is ignored.
func split(output string) (list parts) {
	for output != "" {
		before, rest, found := strings.Cut(output, fitStart)
		list = append(list, part{text: withoutMarks(before)})
		if !found {
			break
		}
		inside, after, _ := strings.Cut(rest, fitEnd)
		list = append(list, part{text: withoutMarks(inside), fit: true})
		output = after
	}
	return list
}

// with returns the parts with another text for one of them.
func (p parts) with(i int, text string) parts {
	changed := append(parts(nil), p...)
	changed[i].text = text
	return changed
}

// fitBefore reports whether a part before i is marked and not empty.
func (p parts) fitBefore(i int) bool {
	for _, earlier := range p[:i] {
		if earlier.fit && strings.TrimSpace(earlier.text) != "" {
			return true
		}
	}
	return false
}

var (
	lineEnds   = pattern.Lazy(`[ \t]+\n`)
	emptyLines = pattern.Lazy(`\n{3,}`)
)

// join returns the text of all parts. A field that is empty leaves no empty lines behind.
func (p parts) join() string {
	var b strings.Builder
	for _, each := range p {
		b.WriteString(each.text)
	}
	text := strings.ReplaceAll(b.String(), "\r\n", "\n")
	text = emptyLines().ReplaceAllString(lineEnds().ReplaceAllString(text, "\n"), "\n\n")
	return strings.TrimSpace(text)
}

// sample is an item with every field, with which templates are checked.
var sample = Data{
	Title: "Version 1.2.0", Summary: "What is new in this version.\nTwo lines.", Link: "https://example.org/news/1", Author: "A. Writer",
	Tags: []string{"release", "open source"}, Published: time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC), Updated: time.Date(2026, 1, 3, 15, 4, 5, 0, time.UTC),
	Version: "v1.2.0", Source: "news", Image: "https://example.org/1.png", Audio: "https://example.org/1.mp3", Platform: "mastodon",
}
