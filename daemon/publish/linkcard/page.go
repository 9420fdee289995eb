package linkcard

import (
	"cmp"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

// Limits of texts in characters.
const (
	maxTitle       = 300
	maxDescription = 1000
)

// page is the head of an HTML document.
type page struct {
	heading string            // the element title
	meta    map[string]string // the first content of each name or property
}

// parsePage reads the head of a page. Tags in the body are ignored: they may come from
// the readers of the page.
func parsePage(r io.Reader, contentType string) page {
	p := page{meta: map[string]string{}}
	decoded, err := charset.NewReader(r, contentType)
	if err != nil {
		return p
	}
	for z := html.NewTokenizer(decoded); ; {
		switch z.Next() {
		case html.ErrorToken:
			return p
		case html.StartTagToken, html.SelfClosingTagToken:
			name, attributes := z.TagName()
			switch atom.Lookup(name) {
			case atom.Body:
				return p
			case atom.Title:
				if z.Next() == html.TextToken && p.heading == "" {
					p.heading = string(z.Text())
				}
			case atom.Meta:
				p.addMeta(z, attributes)
			}
		}
	}
}

func (p page) addMeta(z *html.Tokenizer, more bool) {
	var name, content string
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "property", "name":
			name = cmp.Or(name, strings.ToLower(strings.TrimSpace(string(value))))
		case "content":
			content = string(value)
		}
	}
	if name != "" && p.meta[name] == "" {
		p.meta[name] = content
	}
}

func (p page) title() string {
	return shorten(cmp.Or(clean(p.meta["og:title"]), clean(p.meta["twitter:title"]), clean(p.heading)), maxTitle)
}

func (p page) description() string {
	return shorten(cmp.Or(clean(p.meta["og:description"]), clean(p.meta["twitter:description"]), clean(p.meta["description"])), maxDescription)
}

// picture returns the URL of the picture, which may be relative.
func (p page) picture() string {
	return strings.TrimSpace(cmp.Or(p.meta["og:image:secure_url"], p.meta["og:image"], p.meta["og:image:url"], p.meta["twitter:image"], p.meta["twitter:image:src"]))
}

// clean returns a text as one line without characters that cannot be shown.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// shorten cuts a text after a number of characters.
func shorten(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:most-1])) + "…"
}
