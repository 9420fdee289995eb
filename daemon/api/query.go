package api

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
)

// query reads the parameters of a list. err is the first fault. After it, every
// read returns a zero value.
type query struct {
	values url.Values
	err    error
}

// parseQuery parses a raw query with the known parameters. Only repeatable
// parameters may appear more than once.
func parseQuery(raw string, known, repeatable []string) *query {
	values, err := url.ParseQuery(raw)
	q := &query{values: values}
	if err != nil {
		q.refuse("", "the query is not encoded as a URL query; escape %% as %%25 and spaces as %%20")
		return q
	}
	for name, given := range values {
		if q.err != nil {
			break
		}
		switch {
		case !slices.Contains(known, name):
			name = clip(name, 64)
			q.refuse(name, "unknown query parameter %q; %s", name, suggestedName{name, known})
		case len(given) > 1 && !slices.Contains(repeatable, name):
			q.refuse(name, "%s is given %d times; give it once", name, len(given))
		}
	}
	return q
}

func (q *query) refuse(field, format string, args ...any) {
	q.fail(schedctl.Errorf(schedctl.ValidationFailed, field, format, args...))
}

func (q *query) fail(err error) {
	if q.err == nil {
		q.err = err
	}
}

// has reports whether the parameter is given.
func (q *query) has(name string) bool { return len(q.values[name]) > 0 }

// text returns a parameter, empty when it is not given.
func (q *query) text(name string) string {
	text := q.values.Get(name)
	if !utf8.ValidString(text) {
		q.refuse(name, "%s is not valid UTF-8", name)
		return ""
	}
	return text
}

// shortText is text for a parameter with a maximum number of characters.
func (q *query) shortText(name string, limit int) string {
	text := q.text(name)
	if n := utf8.RuneCountInString(text); n > limit {
		q.refuse(name, "%s has %d characters; the limit is %d", name, n, limit)
		return ""
	}
	return text
}

// checked returns a parameter that must pass a check, empty when it is not given.
func (q *query) checked(name string, check func(field, value string) error) string {
	if !q.has(name) {
		return ""
	}
	value := q.text(name)
	if err := check(name, value); err != nil {
		q.fail(err)
		return ""
	}
	return value
}

// labels returns the label parameter, which may be repeated.
func (q *query) labels(name string) (labels []string) {
	given := q.values[name]
	if len(given) > schedctl.MaxLabels {
		q.refuse(name, "%s is given %d times; a post has at most %d labels", name, len(given), schedctl.MaxLabels)
		return nil
	}
	for _, label := range given {
		if err := schedctl.CheckLabel(name, label); err != nil {
			q.fail(err)
			return nil
		}
		labels = append(labels, label)
	}
	return labels
}

// accountID returns a parameter that is an account id. The account may belong to
// any workspace.
func (q *query) accountID(name string) string {
	if !q.has(name) {
		return ""
	}
	id := q.values.Get(name)
	if _, ok := schedctl.ParseID(schedctl.AccountPrefix, id); !ok {
		q.refuse(name, "%s is not the id of an account; list them with GET %s/social-accounts", name, prefix)
	}
	return id
}

// objectID returns a parameter that is an id of a kind. The object may be missing.
func (q *query) objectID(name string, kind schedctl.Prefix) string {
	if !q.has(name) {
		return ""
	}
	id := q.values.Get(name)
	if _, ok := schedctl.ParseID(kind, id); !ok {
		q.refuse(name, "%s must be an id that starts with %s_", name, kind)
	}
	return id
}

// number returns a parameter from low to high, or otherwise when it is not given.
func (q *query) number(name string, low, high, otherwise int) int {
	if !q.has(name) {
		return otherwise
	}
	n, err := strconv.Atoi(q.values.Get(name))
	if err != nil || n < low || n > high {
		q.refuse(name, "%s must be a number from %d to %d", name, low, high)
		return otherwise
	}
	return n
}

// time returns a parameter, zero when it is not given.
func (q *query) time(name string) time.Time {
	if !q.has(name) {
		return time.Time{}
	}
	at, advice := parseTime(q.values.Get(name))
	if advice != "" {
		q.refuse(name, "%s %s", name, advice)
	}
	return at
}

// oneOf returns a parameter that must be among the given values.
func oneOf[T ~string](q *query, name, text string, among []T) T {
	if slices.Contains(among, T(text)) {
		return T(text)
	}
	q.refuse(name, "unknown %s %q; use one of %s", name, clip(text, 64), joinAll(among, ", "))
	return ""
}

// joinAll returns the values as one text.
func joinAll[T ~string](values []T, separator string) string {
	return strings.Join(textsOf(values), separator)
}

// textsOf returns the values as plain texts.
func textsOf[T ~string](values []T) []string {
	return convert(values, func(v T) string { return string(v) })
}
