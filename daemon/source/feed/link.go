package feed

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

// absolute returns an http or https URL that a document names, relative to base, or an empty
// string for any other text. base may be nil.
func absolute(base *url.URL, link string) string {
	link = strings.TrimSpace(link)
	if link == "" || len(link) > maxURL {
		return ""
	}
	u, err := url.Parse(link)
	if err != nil {
		return ""
	}
	if base != nil {
		u = base.ResolveReference(u)
	}
	if scheme := strings.ToLower(u.Scheme); scheme != "http" && scheme != "https" || u.Hostname() == "" || u.User != nil {
		return ""
	}
	if link = u.String(); len(link) > maxURL {
		return ""
	}
	return link
}

// trackers match the parameters of addresses that only track readers.
// Medium adds source=rss with an id.
var trackers = regexp.MustCompile(`(?i)^(?:(?:utm_[^=]*|fbclid|gclid|dclid|msclkid|igshid|mc_[ce]id|yclid|wt_mc|ref)(?:=|$)|source=rss)`)

// StripTracking returns a URL without the parameters that track readers, or the text itself if
// it is no URL.
func StripTracking(link string) string {
	u, err := url.Parse(link)
	if err != nil || u.RawQuery == "" {
		return link
	}
	kept := keptParameters(u.RawQuery)
	if kept == u.RawQuery {
		return link
	}
	u.RawQuery, u.ForceQuery = kept, false
	return u.String()
}

// keptParameters returns a query without the parameters that track readers. The others stay as
// they are written.
func keptParameters(query string) string {
	parts := strings.Split(query, "&")
	parts = slices.DeleteFunc(parts, func(part string) bool {
		return trackers.MatchString(part)
	})
	return strings.Join(parts, "&")
}

// canonical returns the form of a URL by which items are compared: without the scheme, "www.",
// a usual port, a fragment, parameters that track readers, and "/" at its end. It is empty if
// the text is no URL.
func canonical(link string) string {
	u, err := url.Parse(link)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	host := strings.TrimPrefix(strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), "www.")
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	if port := u.Port(); port != "" && port != "80" && port != "443" {
		host += ":" + port
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	if query := keptParameters(u.RawQuery); query != "" {
		path += "?" + query
	}
	return host + path
}
