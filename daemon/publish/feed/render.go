package feed

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html/template"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
)

// atomFeed and its parts are the elements of RFC 4287, in the usual order.
type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated string      `xml:"updated"`
	Author  string      `xml:"author>name"`
	Links   []atomLink  `xml:"link"`
	Entries []atomEntry `xml:"entry"`
}

type atomLink struct {
	Rel    string `xml:"rel,attr"`
	Type   string `xml:"type,attr,omitempty"`
	Title  string `xml:"title,attr,omitempty"`
	Href   string `xml:"href,attr"`
	Length int64  `xml:"length,attr,omitempty"` // a hint, in bytes
}

type atomEntry struct {
	Language  string      `xml:"xml:lang,attr,omitempty"`
	ID        string      `xml:"id"`
	Title     string      `xml:"title"`
	Published string      `xml:"published"`
	Updated   string      `xml:"updated"`
	Links     []atomLink  `xml:"link"`
	Summary   string      `xml:"summary,omitempty"`
	Content   atomContent `xml:"content"`
}

type atomContent struct {
	Type string `xml:"type,attr,omitempty"` // "html", or empty for text
	Body string `xml:",chardata"`
}

const (
	atomType = "application/atom+xml"
	jsonType = "application/feed+json"
)

// renderAtom renders a page as Atom with the paging links of RFC 5005. The encoder
// replaces characters that XML 1.0 does not allow.
func renderAtom(v feedPage) (document, error) {
	name, self := v.account.Name, v.at.atom(v.account.Name)
	feed := atomFeed{
		ID: urn(schedctl.AccountPrefix, v.account.ID), Title: name, Author: name, Updated: timestamp(v.modified()),
		Links: []atomLink{{Rel: "self", Type: atomType, Href: pageURL(self, v.after)}, {Rel: "first", Type: atomType, Href: self}},
	}
	if v.next != "" {
		feed.Links = append(feed.Links, atomLink{Rel: "next", Type: atomType, Href: pageURL(self, v.next)})
	}
	for _, e := range v.entries {
		entry := atomEntry{
			ID: urn(schedctl.TargetPrefix, e.ID), Title: entryTitle(e), Content: atomContent{Body: e.Content},
			Published: timestamp(e.PublishedAt), Updated: timestamp(e.PublishedAt), Summary: e.ContentWarning, Language: e.Language,
			Links: append([]atomLink{{Rel: "alternate", Type: "text/html", Href: v.at.entry(name, e.ID)}}, enclosures(v.at, name, e)...),
		}
		if !e.plain() {
			body, err := renderHTML(e, v.at.mediaURL(name))
			if err != nil {
				return document{}, err
			}
			entry.Content = atomContent{Type: "html", Body: body}
		}
		feed.Entries = append(feed.Entries, entry)
	}
	body, err := xml.MarshalIndent(feed, "", "  ")
	if err != nil {
		return document{}, fmt.Errorf("write Atom feed: %w", err)
	}
	body = append([]byte(xml.Header), append(body, '\n')...)
	return document{contentType: atomType + "; charset=utf-8", body: body, modified: v.modified()}, nil
}

type jsonFeed struct {
	Version string       `json:"version"`
	Title   string       `json:"title"`
	FeedURL string       `json:"feed_url"`
	NextURL string       `json:"next_url,omitempty"`
	Authors []jsonAuthor `json:"authors"`
	Items   []jsonItem   `json:"items"`
}

type jsonAuthor struct {
	Name string `json:"name"`
}

type jsonItem struct {
	ID        string `json:"id"`
	URL       string `json:"url"`
	Content   string `json:"content_text"`
	HTML      string `json:"content_html,omitempty"` // of an entry with media or parts
	Summary   string `json:"summary,omitempty"`      // the content warning
	Published string `json:"date_published"`
	Language  string `json:"language,omitempty"`

	Attachments []jsonAttachment `json:"attachments,omitempty"`
}

type jsonAttachment struct {
	URL      string  `json:"url"`
	MIMEType string  `json:"mime_type"`
	Title    string  `json:"title,omitempty"` // the alt text
	Size     int64   `json:"size_in_bytes,omitempty"`
	Duration float64 `json:"duration_in_seconds,omitempty"`
}

// renderJSON renders a page as JSON Feed.
func renderJSON(v feedPage) (document, error) {
	name, self := v.account.Name, v.at.json(v.account.Name)
	feed := jsonFeed{
		Version: "https://jsonfeed.org/version/1.1", Title: name, FeedURL: self,
		Authors: []jsonAuthor{{Name: name}}, Items: []jsonItem{},
	}
	if v.next != "" {
		feed.NextURL = pageURL(self, v.next)
	}
	for _, e := range v.entries {
		item := jsonItem{
			ID: urn(schedctl.TargetPrefix, e.ID), URL: v.at.entry(name, e.ID), Content: e.text(), Published: timestamp(e.PublishedAt),
			Attachments: attachments(v.at, name, e), Summary: e.ContentWarning, Language: e.Language,
		}
		if !e.plain() {
			html, err := renderHTML(e, v.at.mediaURL(name))
			if err != nil {
				return document{}, err
			}
			item.HTML = html
		}
		feed.Items = append(feed.Items, item)
	}
	body, err := json.MarshalIndent(feed, "", "  ")
	if err != nil {
		return document{}, fmt.Errorf("write JSON Feed: %w", err)
	}
	return document{contentType: jsonType + "; charset=utf-8", body: append(body, '\n'), modified: v.modified()}, nil
}

var entryPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("entry").Parse(`<!doctype html>
<html lang="{{.Language}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{{.Title}}</title>
<link rel="alternate" type="application/atom+xml" title="{{.Name}}" href="{{.Atom}}">
<link rel="alternate" type="application/feed+json" title="{{.Name}}" href="{{.JSON}}">
</head>
<body>
<article>
{{with .Warning}}<details>
<summary>{{.}}</summary>
{{end}}{{.Body}}{{with .Warning}}
</details>{{end}}
<footer>{{.Name}}, <time datetime="{{.Time}}">{{.Time}}</time></footer>
</article>
</body>
</html>
`))
})

// renderPage renders the page of one entry.
func renderPage(at feedURLs, account schedctl.Account, e Entry) (document, error) {
	// The addresses of files are relative, because the policy of the page allows only
	// files of its own origin.
	content, err := renderHTML(e, func(file string) string { return "media/" + file })
	if err != nil {
		return document{}, err
	}
	var body bytes.Buffer
	err = entryPage().Execute(&body, map[string]any{
		"Title": entryTitle(e), "Name": account.Name, "Atom": at.atom(account.Name), "JSON": at.json(account.Name),
		"Body": template.HTML(content), "Time": timestamp(e.PublishedAt),
		"Warning": printable(e.ContentWarning), "Language": cmp.Or(e.Language, "und"),
	})
	if err != nil {
		return document{}, fmt.Errorf("write page of an entry: %w", err)
	}
	return document{contentType: "text/html; charset=utf-8", body: body.Bytes(), modified: e.PublishedAt}, nil
}

const maxTitle = 80 // characters

// title returns the first non-empty line of the content.
func title(content string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(printable(content)), "\n")
	line = strings.TrimSpace(line)
	if utf8.RuneCountInString(line) <= maxTitle {
		return line
	}
	return strings.TrimSpace(string([]rune(line)[:maxTitle-1])) + "…"
}

// printable replaces control characters, which XML and HTML do not allow, with the
// replacement character. It normalizes line ends.
func printable(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return utf8.RuneError
		}
		return r
	}, s)
}

// urn returns the id as a URN that does not depend on the address of the feed: the
// 128 bits of its ULID as a UUID.
func urn(prefix schedctl.Prefix, id string) string {
	ulid, _ := schedctl.ParseID(prefix, id)
	h := hex.EncodeToString(ulid[:])
	return "urn:uuid:" + strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999Z07:00") }

// entryTitle returns the content warning of an entry, its first line, or what its first
// file shows.
func entryTitle(e Entry) string {
	if text := title(e.ContentWarning); text != "" {
		return text
	}
	if text := title(e.Content); text != "" || len(e.Media) == 0 {
		return text
	}
	return title(cmp.Or(e.Media[0].AltText, e.Media[0].FileName))
}
