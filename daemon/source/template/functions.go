package template

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"
	"time"
	"unicode"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"github.com/schedctl/schedctl/client/threadtext"
)

// builtins are the functions of the library that templates may use. The others can make long
// texts of short ones.
var builtins = []string{"and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge", "len"}

const (
	maxHashtags = 30
	maxHashtag  = 100 // characters
	maxLayout   = 100 // bytes
)

// work counts the bytes that the functions of one rendering have read and returned.
type work struct{ bytes int }

var (
	errWork   = errors.New("the template takes too long: it calls functions too often")
	errOutput = fmt.Errorf("the text is longer than %d bytes", MaxOutput)
)

// text is a function from text to text, counted and bounded.
func (w *work) text(in string, f func(string) string) (string, error) {
	if w.bytes += len(in); w.bytes > maxWork {
		return "", errWork
	}
	out := f(in)
	if w.bytes += len(out); w.bytes > maxWork {
		return "", errWork
	}
	if len(out) > MaxOutput {
		return "", errOutput
	}
	return out, nil
}

// functions returns the functions of one rendering.
func functions(w *work) template.FuncMap {
	return template.FuncMap{
		"fit":      func(s string) (fitted, error) { s, err := w.text(s, strings.TrimSpace); return fitted(s), err },
		"lower":    func(s string) (string, error) { return w.text(s, strings.ToLower) },
		"upper":    func(s string) (string, error) { return w.text(s, strings.ToUpper) },
		"oneline":  func(s string) (string, error) { return w.text(s, oneLine) },
		"replace":  w.replace,
		"truncate": w.truncate,
		"date":     formatDate,
		"default":  defaultTo,
		"hashtags": hashtags,
	}
}

func isFunction(name string) bool {
	return slices.Contains(builtins, name) || functions(new(work))[name] != nil
}

func unknownFunction(name string) error {
	known := slices.Sorted(maps.Keys(functions(new(work))))
	return fmt.Errorf("the function %s does not exist; functions are %s", name, strings.Join(known, ", "))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func (w *work) replace(old, new, s string) (string, error) {
	if old == "" {
		return "", errors.New("replace needs a text to replace")
	}
	if n := strings.Count(s, old); n*(len(new)-len(old)) > MaxOutput {
		return "", errOutput
	}
	return w.text(s, func(s string) string { return strings.ReplaceAll(s, old, new) })
}

// truncate returns at most so many graphemes of a text. It cuts after a word.
func (w *work) truncate(most int, s string) (string, error) {
	if most < 1 || most > MaxOutput {
		return "", fmt.Errorf("truncate needs a number from 1 to %d", MaxOutput)
	}
	if w.bytes += 20 * len(s); w.bytes > maxWork { // it reads the text for each step of a search
		return "", errWork
	}
	return w.text(s, func(s string) string {
		cut, _ := threadtext.Cut(s, func(text string) bool { return countsUpTo(text, most) })
		return cut
	})
}

// countsUpTo reports whether a text has at most so many graphemes.
func countsUpTo(text string, most int) bool {
	clusters := graphemes.FromString(text)
	for range most {
		if !clusters.Next() {
			return true
		}
	}
	return !clusters.Next()
}

// formatDate returns a date in a layout of Go, such as "2 January 2006", or the empty string for
// no date.
func formatDate(layout string, value moment) (string, error) {
	if layout == "" || len(layout) > maxLayout {
		return "", errors.New(`date needs a layout such as "2006-01-02"`)
	}
	if value == "" {
		return "", nil
	}
	at, err := time.Parse(time.RFC3339, string(value))
	if err != nil {
		return "", errors.New("the date cannot be shown")
	}
	return at.Format(layout), nil
}

// defaultTo returns a text for a value that is empty, and the value otherwise.
func defaultTo(text string, value any) (any, error) {
	switch value := value.(type) {
	case string:
		if strings.TrimSpace(value) == "" {
			return text, nil
		}
	case moment:
		if value == "" {
			return text, nil
		}
	case tags:
		if len(value) == 0 {
			return text, nil
		}
	}
	return value, nil
}

// hashtags returns the first tags as hashtags. The number and the tags may come in any order,
// so that both {{hashtags .Tags 3}} and {{.Tags | hashtags 3}} work.
func hashtags(a, b any) (string, error) {
	list, ok := a.(tags)
	most, isNumber := b.(int)
	if !ok {
		list, ok = b.(tags)
		most, isNumber = a.(int)
	}
	if !ok || !isNumber {
		return "", errors.New("hashtags needs the tags and a number, such as {{hashtags .Tags 3}}")
	}
	if most < 1 || most > maxHashtags {
		return "", fmt.Errorf("hashtags needs a number from 1 to %d", maxHashtags)
	}
	var kept []string
	seen := map[string]bool{}
	for _, tag := range list {
		name := Hashtag(tag)
		if key := strings.ToLower(name); name != "" && !seen[key] && len(kept) < most {
			seen[key] = true
			kept = append(kept, name)
		}
	}
	return strings.Join(kept, " "), nil
}

// symbols are the words that people use for signs which hashtags cannot have.
var symbols = strings.NewReplacer("++", " plus plus ", "#", " sharp ", "&", " and ")

// Hashtag returns a tag as a hashtag of letters and digits, each word with a capital letter:
// "machine learning" is #MachineLearning. It is empty for a tag without letters, because
// networks do not link those.
func Hashtag(tag string) string {
	tag = strings.TrimPrefix(strings.TrimSpace(tag), "#")
	words := strings.FieldsFunc(symbols.Replace(strings.ReplaceAll(tag, "'", "")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_'
	})
	var b strings.Builder
	for _, word := range words {
		if strings.IndexFunc(word, unicode.IsUpper) < 0 {
			runes := []rune(word)
			runes[0] = unicode.ToTitle(runes[0])
			word = string(runes)
		}
		b.WriteString(word)
	}
	name := b.String()
	if strings.IndexFunc(name, unicode.IsLetter) < 0 || len([]rune(name)) > maxHashtag {
		return ""
	}
	return "#" + name
}
