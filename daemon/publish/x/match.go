package x

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// MayConfuse reports whether X shows the two contents alike.
func (p *Publisher) MayConfuse(a, b string) bool { return plain(a) == plain(b) }

// shownText returns the text of a post on X in the form of plain: without escapes, with
// the links that its author wrote, and without those to its own files.
func shownText(text string, entities []entity) string {
	text = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">").Replace(text)
	for _, e := range entities {
		if e.URL == "" {
			continue
		}
		expanded := e.Expanded
		if e.MediaKey != "" {
			expanded = ""
		}
		text = strings.ReplaceAll(text, e.URL, expanded)
	}
	return plain(text)
}

// plain returns a text without what X changes in it: the amount of white space, and the
// scheme, the case of the host and a final slash of links.
func plain(text string) string {
	text = strings.Join(strings.Fields(norm.NFC.String(text)), " ")
	var b strings.Builder
	end := 0
	for _, l := range findURLs(text) {
		stop, _ := skipUnits(text, l.start, l.units)
		if l.start < end {
			continue
		}
		b.WriteString(text[end:l.start])
		b.WriteString(plainURL(text[l.start:stop]))
		end = stop
	}
	b.WriteString(text[end:])
	return b.String()
}

// plainURL returns a link without its scheme and without a slash after the host.
func plainURL(url string) string {
	for _, scheme := range []string{"https://", "http://"} {
		if len(url) > len(scheme) && strings.EqualFold(url[:len(scheme)], scheme) {
			url = url[len(scheme):]
			break
		}
	}
	host, rest := url, ""
	if at := strings.IndexAny(url, "/?#:"); at >= 0 {
		host, rest = url[:at], url[at:]
	}
	return strings.ToLower(host) + strings.TrimSuffix(rest, "/")
}
