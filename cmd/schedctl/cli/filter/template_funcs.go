package filter

import (
	"fmt"
	"regexp"
	"strings"
	"text/template"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl/client/when"
)

// templateFuncs are the functions of templates. They have the names and arguments of
// those in templates of the GitHub CLI.
type templateFuncs struct {
	*Options
	rows [][]string // the rows of the table that is not rendered yet
}

func (f *templateFuncs) all() template.FuncMap {
	return template.FuncMap{
		"autocolor": f.autocolor, "color": paint, "hyperlink": f.hyperlink,
		"join": joinValues, "pluck": pluck, "truncate": truncateText,
		"tablerow": f.tablerow, "tablerender": f.tablerender,
		"timeago": f.timeago, "timefmt": f.timefmt,
		"contains": contains, "hasPrefix": hasPrefix, "hasSuffix": hasSuffix, "regexMatch": regexMatch,
	}
}

// autocolor is color if the output may have colors.
func (f *templateFuncs) autocolor(style string, v any) (string, error) {
	text, err := paint(style, v)
	if err != nil || f.Colored {
		return text, err
	}
	return fmt.Sprint(v), nil
}

// hyperlink returns a text that is a link to an address if the output may have links.
func (f *templateFuncs) hyperlink(address, text any) string {
	url, shown := fmt.Sprint(address), fmt.Sprint(text)
	if shown == "" {
		shown = url
	}
	if url == "" || !f.Colored {
		return shown
	}
	return ansi.SetHyperlink(url) + shown + ansi.ResetHyperlink()
}

// joinValues puts a separator between the elements of a list.
func joinValues(separator string, list any) (string, error) {
	items, err := listElements("join", list)
	if err != nil {
		return "", err
	}
	texts := make([]string, len(items))
	for i := range items {
		texts[i] = fmt.Sprint(items[i])
	}
	return strings.Join(texts, separator), nil
}

// pluck returns one field of each object of a list.
func pluck(field string, list any) ([]any, error) {
	items, err := listElements("pluck", list)
	if err != nil {
		return nil, err
	}
	values := make([]any, len(items))
	for i := range items {
		object, isObject := items[i].(map[string]any)
		if !isObject {
			return nil, fmt.Errorf("pluck takes a list of objects")
		}
		values[i] = object[field]
		if values[i] == nil {
			values[i] = ""
		}
	}
	return values, nil
}

// listElements returns the elements of a list; null is an empty list.
func listElements(function string, list any) ([]any, error) {
	switch list := list.(type) {
	case []any:
		return list, nil
	case string:
		if list == "" {
			return nil, nil
		}
	}
	return nil, fmt.Errorf("%s takes a list", function)
}

// truncateText shortens a text to a number of terminal columns.
func truncateText(columns int, v any) string {
	text := fmt.Sprint(v)
	if columns < 1 {
		return ""
	}
	return ansi.Truncate(text, columns, "…")
}

// timeago returns the distance of a time from now.
func (f *templateFuncs) timeago(v any) (string, error) {
	t, err := apiTime("timeago", v)
	if err != nil || t.IsZero() {
		return "", err
	}
	return when.Relative(t, f.Now()), nil
}

// timefmt formats a time in the local zone, with a layout of package time.
func (f *templateFuncs) timefmt(layout string, v any) (string, error) {
	t, err := apiTime("timefmt", v)
	if err != nil || t.IsZero() {
		return "", err
	}
	return t.In(f.Local).Format(layout), nil
}

// contains reports whether the text of a value contains a part. As in the next three
// functions, null is an empty text.
func contains(part string, v any) bool { return strings.Contains(fmt.Sprint(v), part) }

func hasPrefix(part string, v any) bool { return strings.HasPrefix(fmt.Sprint(v), part) }

func hasSuffix(part string, v any) bool { return strings.HasSuffix(fmt.Sprint(v), part) }

func regexMatch(expression string, v any) (bool, error) {
	re, err := regexp.Compile(expression)
	if err != nil {
		return false, err
	}
	return re.MatchString(fmt.Sprint(v)), nil
}

// apiTime reads a time of the API; null is the zero time.
func apiTime(function string, v any) (time.Time, error) {
	text := fmt.Sprint(v)
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, fmt.Errorf("%s takes a time as the API returns it, not %q", function, ansi.Truncate(text, 40, "…"))
	}
	return t, nil
}
