package publish

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// invisible reports whether a character does not show and comes with text that was copied: a
// byte order mark, a character of no width, or a direction of writing.
func invisible(r rune) bool {
	return r == '\uFEFF' || r >= '\u200B' && r <= '\u200F' || r >= '\u202A' && r <= '\u202E'
}

// Clean returns a value of the field without what came along when it was copied: white space
// and invisible characters around it, or anywhere in a credential, and the rest of an address
// of which the field wants a part. note says what was changed, or is empty; it does not
// contain the value of a secret.
func (f Field) Clean(value string) (cleaned, note string) {
	cleaned = strings.TrimFunc(value, func(r rune) bool { return unicode.IsSpace(r) || invisible(r) })
	if !f.Option {
		cleaned = strings.Map(func(r rune) rune {
			if invisible(r) {
				return -1
			}
			return r
		}, cleaned)
	}
	if cleaned != value {
		note = f.Name + ": white space or invisible characters were removed"
	}
	if f.Tidy == nil || cleaned == "" {
		return cleaned, note
	}
	if part := f.Tidy(cleaned); part != cleaned {
		cleaned, note = part, fmt.Sprintf("%s: %s was used, a part of what was given", f.Name, Clip(part, 200))
	}
	return cleaned, note
}

// CleanConnection cleans the values of a person, and returns what was changed.
func CleanConnection(fields []Field, c Connection) (cleaned Connection, notes []string) {
	cleaned = c
	cleaned.Credentials, cleaned.Options = maps.Clone(c.Credentials), maps.Clone(c.Options)
	for _, f := range fields {
		var note string
		if value, isText := c.Options[f.Name].(string); f.Option && isText {
			cleaned.Options[f.Name], note = f.Clean(value)
		} else if value, given := c.Credentials[f.Name]; !f.Option && given {
			cleaned.Credentials[f.Name], note = f.Clean(value)
		}
		if note != "" {
			notes = append(notes, note)
		}
	}
	return cleaned, notes
}

// profilePaths start the paths of the pages of people.
var profilePaths = []string{"/@", "/users/", "/profile/"}

// TidyServer is the Tidy of a field that wants the address of a server: of the page of a
// person there, or of a handle with the server, such as @me@example.org, it keeps the server.
func TidyServer(value string) string {
	if handle, is := strings.CutPrefix(value, "@"); is && strings.Count(handle, "@") == 1 {
		return handle[strings.Index(handle, "@")+1:]
	}
	u, ok := parsePage(value)
	if !ok || !slices.ContainsFunc(profilePaths, func(p string) bool { return strings.HasPrefix(u.Path, p) }) {
		return value
	}
	return strings.TrimPrefix((&url.URL{Scheme: u.Scheme, Host: u.Host}).String(), "//")
}

// TidyPath returns the Tidy of a field that wants a handle or an id: of the address of a page
// whose path starts with prefix, it keeps the next part of the path, after before.
func TidyPath(hosts []string, prefix, before string) func(string) string {
	return func(value string) string {
		u, ok := parsePage(value)
		if !ok || len(hosts) > 0 && !slices.ContainsFunc(hosts, func(h string) bool { return u.Hostname() == h || strings.HasSuffix(u.Hostname(), "."+h) }) {
			return value
		}
		rest, ok := strings.CutPrefix(u.Path, prefix)
		name, _, _ := strings.Cut(rest, "/")
		if !ok || name == "" {
			return value
		}
		return before + name
	}
}

// parsePage parses the address of a page, with or without a scheme.
func parsePage(value string) (*url.URL, bool) {
	if strings.ContainsFunc(value, unicode.IsSpace) || !strings.Contains(value, "/") {
		return nil, false
	}
	text := value
	if !strings.Contains(text, "://") {
		text = "//" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" && u.Scheme != "https" && u.Scheme != "http" || !strings.Contains(u.Hostname(), ".") && u.Scheme == "" || u.User != nil {
		return nil, false
	}
	return u, true
}
