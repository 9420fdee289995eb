package feed

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	xhtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxFound is how many feeds of a page are returned.
const maxFound = 20

// Found is a feed that a web page names.
type Found struct {
	URL   string
	Title string // or empty
}

// feedTypes are the media types of feeds in links.
var feedTypes = []string{"application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml", "text/xml", "application/xml"}

// PagePicture returns the picture that a web page names for itself (og:image, or else
// twitter:image), or an empty string. base is the address of the page.
func PagePicture(page []byte, contentType string, base *url.URL) string {
	z := xhtml.NewTokenizer(strings.NewReader(clip(string(decode(page, contentType)), maxHTML)))
	pictures := map[string]string{}
	for {
		switch z.Next() {
		case xhtml.ErrorToken:
			return firstPicture(pictures, base)
		case xhtml.StartTagToken, xhtml.SelfClosingTagToken:
			name, more := z.TagName()
			switch tag := atom.Lookup(name); {
			case tag == atom.Body:
				return firstPicture(pictures, base) // what follows may come from readers of the page
			case tag == atom.Meta:
				attributes := attributesOf(z, more)
				name := strings.ToLower(cmp.Or(attributes["property"], attributes["name"]))
				if pictures[name] == "" {
					pictures[name] = attributes["content"]
				}
			}
		}
	}
}

// firstPicture returns the best of the pictures in the meta elements of a page.
func firstPicture(meta map[string]string, base *url.URL) string {
	for _, name := range []string{"og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src"} {
		if link := absolute(base, meta[name]); link != "" {
			return link
		}
	}
	return ""
}

// attributesOf returns the attributes of the current tag.
func attributesOf(z *xhtml.Tokenizer, more bool) map[string]string {
	attributes := map[string]string{}
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		if _, seen := attributes[string(key)]; !seen {
			attributes[string(key)] = string(value)
		}
	}
	return attributes
}

// Feeds returns the feeds that a web page names in its link elements, in the order of the
// page. base is the address of the page; a base element of the page changes it.
func Feeds(page []byte, contentType string, base *url.URL) []Found {
	z := xhtml.NewTokenizer(strings.NewReader(clip(string(decode(page, contentType)), maxHTML)))
	var found []Found
	for len(found) < maxFound {
		switch z.Next() {
		case xhtml.ErrorToken:
			return found
		case xhtml.StartTagToken, xhtml.SelfClosingTagToken:
			name, more := z.TagName()
			tag := atom.Lookup(name)
			if !more || tag != atom.Link && tag != atom.Base {
				continue
			}
			attributes := attributesOf(z, more)
			if tag == atom.Base {
				if u, err := url.Parse(absolute(base, attributes["href"])); err == nil && u.Host != "" {
					base = u
				}
				continue
			}
			if link := feedLink(attributes, base); link != "" && !slices.ContainsFunc(found, func(f Found) bool { return f.URL == link }) {
				found = append(found, Found{URL: link, Title: shorten(oneLine(attributes["title"]), maxName)})
			}
		}
	}
	return found
}

// feedLink returns the address in a link element of a feed, or an empty string.
func feedLink(attributes map[string]string, base *url.URL) string {
	kind, _, _ := strings.Cut(strings.ToLower(attributes["type"]), ";")
	rel := strings.Fields(strings.ToLower(attributes["rel"]))
	if !slices.Contains(feedTypes, strings.TrimSpace(kind)) || !slices.Contains(rel, "alternate") && !slices.Contains(rel, "feed") {
		return ""
	}
	return absolute(base, attributes["href"])
}
