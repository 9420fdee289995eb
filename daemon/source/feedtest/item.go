package feedtest

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Start is the date of the first item of [Numbered].
var Start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Item is one item of the feed. Empty fields are left out.
type Item struct {
	GUID      string
	Link      string // absolute, or relative to the site
	Title     string
	Text      string // HTML
	Author    string
	Tags      []string
	Published time.Time
	Picture   string // an enclosure
}

// Numbered returns n items, the newest first. Each is one day newer than the next.
func Numbered(n int) []Item {
	items := make([]Item, n)
	for i := range items {
		items[n-1-i] = Nth(i + 1)
	}
	return items
}

// Nth returns the nth item, counted from 1.
func Nth(n int) Item {
	return Item{
		GUID: fmt.Sprintf("id-%d", n), Link: fmt.Sprintf("/posts/%d", n), Title: fmt.Sprintf("Title %d", n), Text: fmt.Sprintf("<p>Text of number %d.</p>", n),
		Published: Start.AddDate(0, 0, n-1),
	}
}

// Change changes the items of a feed.
type Change func([]Item) []Item

// each returns a change of each item.
func each(change func(i int, item *Item)) Change {
	return func(items []Item) []Item {
		for i := range items {
			change(i, &items[i])
		}
		return items
	}
}

// The changes that real feeds make.
var (
	// NewGUIDs, NewLinks, NewTitles and NewTexts change what their names say in each item.
	NewGUIDs  = each(func(_ int, i *Item) { i.GUID += "-new" })
	NewLinks  = each(func(_ int, i *Item) { i.Link += "-new" })
	NewTitles = each(func(_ int, i *Item) { i.Title += " (edited)" })
	NewTexts  = each(func(_ int, i *Item) { i.Text += "<p>An addition.</p>" })

	// Redated makes each item as new as an item of tomorrow.
	Redated = each(func(_ int, i *Item) { i.Published = i.Published.AddDate(1, 0, 0) })

	// Tracked adds parameters to the links that count clicks.
	Tracked = each(func(_ int, i *Item) { i.Link += "?utm_source=feed&utm_medium=rss" })

	OneGUID = each(func(_ int, i *Item) { i.GUID = "the-guid" })
	OneLink = each(func(_ int, i *Item) { i.Link = "/" })
	OneDate = each(func(_ int, i *Item) { i.Published = Start })

	NoGUIDs  = each(func(_ int, i *Item) { i.GUID = "" })
	NoLinks  = each(func(_ int, i *Item) { i.Link = "" })
	NoTitles = each(func(_ int, i *Item) { i.Title = "" })
	NoDates  = each(func(_ int, i *Item) { i.Published = time.Time{} })
)

// Reversed turns the order of the items around.
func Reversed(items []Item) []Item {
	slices.Reverse(items)
	return items
}

// Twice has each item two times.
func Twice(items []Item) []Item { return slices.Concat(items, items) }

// Emptied removes all items.
func Emptied([]Item) []Item { return nil }

// Without removes the item at an index.
func Without(i int) Change {
	return func(items []Item) []Item { return slices.Delete(items, i, i+1) }
}

// Format writes a feed of a site.
type Format func(site string, items []Item) []byte

// absolute returns the address of a link of an item.
func absolute(site, link string) string {
	if strings.HasPrefix(link, "/") {
		return site + link
	}
	return link
}

// element writes an element with a text, unless the text is empty. name may have attributes.
func element(b *bytes.Buffer, name, text string) {
	if text == "" {
		return
	}
	tag, _, _ := strings.Cut(name, " ")
	b.WriteString("<" + name + ">")
	xml.EscapeText(b, []byte(text)) // a buffer returns no error
	b.WriteString("</" + tag + ">\n")
}

// RSS writes a feed in RSS 2.0.
func RSS(site string, items []Item) []byte {
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<rss version="2.0"><channel><title>News</title><link>` + site + "/</link>\n")
	for _, item := range items {
		b.WriteString("<item>\n")
		element(&b, "title", item.Title)
		element(&b, "link", absolute(site, item.Link))
		element(&b, `guid isPermaLink="false"`, item.GUID)
		element(&b, "description", item.Text)
		element(&b, "author", item.Author)
		for _, tag := range item.Tags {
			element(&b, "category", tag)
		}
		if !item.Published.IsZero() {
			element(&b, "pubDate", item.Published.Format(time.RFC1123Z))
		}
		if item.Picture != "" {
			b.WriteString(`<enclosure type="image/png" length="1000" url="` + absolute(site, item.Picture) + `"/>` + "\n")
		}
		b.WriteString("</item>\n")
	}
	b.WriteString("</channel></rss>\n")
	return b.Bytes()
}

// Atom writes a feed in Atom 1.0.
func Atom(site string, items []Item) []byte {
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><id>urn:news</id><link href="` + site + "/\"/>\n")
	for _, item := range items {
		b.WriteString("<entry>\n")
		element(&b, "title", item.Title)
		if item.Link != "" {
			b.WriteString(`<link rel="alternate" href="` + absolute(site, item.Link) + `"/>` + "\n")
		}
		element(&b, "id", item.GUID)
		element(&b, `content type="html"`, item.Text)
		if item.Author != "" {
			b.WriteString("<author>")
			element(&b, "name", item.Author)
			b.WriteString("</author>\n")
		}
		for _, tag := range item.Tags {
			b.WriteString(`<category term="` + tag + `"/>` + "\n")
		}
		if !item.Published.IsZero() {
			element(&b, "published", item.Published.Format(time.RFC3339))
			element(&b, "updated", item.Published.Format(time.RFC3339))
		}
		b.WriteString("</entry>\n")
	}
	b.WriteString("</feed>\n")
	return b.Bytes()
}

// JSON writes a JSON Feed 1.1.
func JSON(site string, items []Item) []byte {
	list := []map[string]any{}
	for _, item := range items {
		entry := map[string]any{}
		for name, value := range map[string]string{
			"id": item.GUID, "url": absolute(site, item.Link), "title": item.Title, "content_html": item.Text, "image": absolute(site, item.Picture),
		} {
			if value != "" {
				entry[name] = value
			}
		}
		if !item.Published.IsZero() {
			entry["date_published"] = item.Published.Format(time.RFC3339)
		}
		if len(item.Tags) > 0 {
			entry["tags"] = item.Tags
		}
		if item.Author != "" {
			entry["authors"] = []map[string]string{{"name": item.Author}}
		}
		list = append(list, entry)
	}
	body, err := json.MarshalIndent(map[string]any{"version": "https://jsonfeed.org/version/1.1", "title": "News", "home_page_url": site + "/", "items": list}, "", " ")
	if err != nil {
		panic(err) // texts always have a form in JSON
	}
	return body
}
