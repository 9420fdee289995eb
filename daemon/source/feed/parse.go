package feed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/mmcdole/gofeed"
	atomfeed "github.com/mmcdole/gofeed/atom"
	jsonfeed "github.com/mmcdole/gofeed/json"
	"github.com/mmcdole/gofeed/rss"
)

// Parse reads a feed. contentType is that of the response, and may be empty. base is the
// address of the feed after redirects, to which its links are relative; it may be nil. The
// error wraps [ErrNotFeed], [ErrMalformed], [ErrCut] or [ErrTooLarge]. A feed without items is
// no error.
func Parse(body []byte, contentType string, base *url.URL) (*Feed, error) {
	if len(body) > MaxBytes {
		return nil, errorf(ErrTooLarge, "it has more than %d bytes", MaxBytes)
	}
	body = toUTF8(body, contentType)
	switch {
	case len(body) > 2*MaxBytes:
		return nil, errorf(ErrTooLarge, "it has more than %d bytes", MaxBytes)
	case len(body) == 0:
		return nil, errorf(ErrNotFeed, "it is empty")
	case body[0] == '{':
		return parseJSON(body, base)
	case body[0] != '<':
		return nil, errorf(ErrNotFeed, "it is neither XML nor JSON")
	}
	return parseXML(body, base)
}

// reader reads the items of one feed.
type reader struct {
	feed *Feed
	base *url.URL
	logo map[string]bool // pictures of the feed, which are those of no item

	authors []string // of a feed whose items need not name theirs
}

func parseXML(body []byte, base *url.URL) (*Feed, error) {
	part, more, err := checkShape(body)
	if err != nil {
		return nil, err
	}
	parser := gofeed.NewParser()
	parser.KeepOriginalFeed = true
	parser.RSSTranslator = &gofeed.DefaultRSSTranslator{DisableContentImageScan: true}
	parsed, err := parser.Parse(bytes.NewReader(part))
	if err != nil {
		return nil, errorf(ErrMalformed, "%.200v", err)
	}
	r := newReader(parsed, base)
	var items []source
	switch original := parsed.OriginalFeed().(type) {
	case *rss.Feed:
		r.addRSS(original)
		for i, item := range original.Items {
			items = append(items, source{Item: parsed.Items[i], rss: item, content: parsed.Items[i].Content})
		}
	case *atomfeed.Feed:
		r.addAtom(original)
		for i, entry := range original.Entries {
			items = append(items, source{Item: parsed.Items[i], atom: entry, content: parsed.Items[i].Content})
		}
	}
	return r.finish(items, more), nil
}

// parseJSON reads a JSON Feed. Its items are decoded one by one, so that an invalid item
// does not hide the others.
func parseJSON(body []byte, base *url.URL) (*Feed, error) {
	head := map[string]json.RawMessage{}
	if err := json.Unmarshal(body, &head); err != nil {
		if syntax := new(json.SyntaxError); errors.As(err, &syntax) && syntax.Offset >= int64(len(body)) {
			return nil, ErrCut
		}
		return nil, errorf(ErrMalformed, "%.200v", err)
	}
	var version string
	json.Unmarshal(head["version"], &version) // an empty one is refused below
	if !strings.Contains(version, "jsonfeed.org/version/") {
		return nil, errorf(ErrNotFeed, "it is JSON, and its version is not that of a JSON Feed")
	}
	var raw []json.RawMessage
	if json.Unmarshal(head["items"], &raw) != nil {
		return nil, errorf(ErrMalformed, "items is not a list")
	}
	var hubs []struct{ Type, URL string }
	json.Unmarshal(head["hubs"], &hubs) // invalid hubs are ignored
	var authors []struct{ Name string }
	json.Unmarshal(head["authors"], &authors) // invalid authors are ignored
	if len(authors) == 0 {
		authors = make([]struct{ Name string }, 1)
		json.Unmarshal(head["author"], &authors[0]) // that of version 1.0
	}
	var original jsonfeed.Feed
	for name, set := range map[string]any{
		"title": &original.Title, "home_page_url": &original.HomePageURL, "feed_url": &original.FeedURL, "icon": &original.Icon,
	} {
		json.Unmarshal(head[name], set) // of another type: as if it were missing
	}
	original.Version = version
	skipped, more := 0, len(raw) > MaxItems
	for _, item := range raw[:min(len(raw), MaxItems)] {
		var decoded jsonfeed.Item
		if json.Unmarshal(item, &decoded) != nil {
			skipped++
			continue
		}
		original.Items = append(original.Items, &decoded)
	}
	translator := gofeed.DefaultJSONTranslator{}
	parsed, err := translator.Translate(&original)
	if err != nil {
		return nil, errorf(ErrMalformed, "%v", err)
	}
	r := newReader(parsed, base)
	r.feed.Skipped = skipped
	for _, a := range authors {
		r.authors = append(r.authors, a.Name)
	}
	for _, hub := range hubs {
		if hub.Type == "WebSub" && r.feed.Hub == "" {
			r.feed.Hub = absolute(base, hub.URL)
		}
	}
	var items []source
	for i, item := range original.Items {
		items = append(items, source{Item: parsed.Items[i], json: item, content: item.ContentHTML})
	}
	return r.finish(items, more), nil
}

func newReader(parsed *gofeed.Feed, base *url.URL) *reader {
	r := &reader{base: base, logo: map[string]bool{}}
	r.feed = &Feed{
		Title: Title(parsed.Title), Link: absolute(base, parsed.Link), Self: absolute(base, parsed.FeedLink), Format: format(parsed),
	}
	if r.base == nil && r.feed.Link != "" {
		r.base, _ = url.Parse(r.feed.Link) // absolute has parsed it
	}
	if parsed.Image != nil {
		r.logo[absolute(r.base, parsed.Image.URL)] = true
	}
	return r
}

// format returns the name of a format for people.
func format(parsed *gofeed.Feed) string {
	switch parsed.FeedType {
	case "atom":
		if parsed.FeedVersion == "0.3" {
			return "Atom 0.3"
		}
		return "Atom"
	case "json":
		if strings.HasSuffix(parsed.FeedVersion, "/version/1") {
			return "JSON Feed 1.0"
		}
		return "JSON Feed 1.1"
	}
	if parsed.FeedVersion == "" {
		return "RSS"
	}
	return fmt.Sprintf("RSS %.10s", oneLine(parsed.FeedVersion))
}

// finish adds the items and the warnings, and returns the feed.
func (r *reader) finish(items []source, more bool) *Feed {
	if len(items) > MaxItems {
		items = items[:MaxItems]
	}
	seen := map[[2]string]bool{}
	twice := 0
	for _, s := range items {
		item := r.item(s)
		id := [2]string{item.GUID, item.Link}
		switch {
		case item.GUID == "" && item.Link == "" && item.Title == "" && item.Summary == "":
			r.feed.Skipped++
		case item.GUID != "" && seen[id]:
			twice++
		default:
			seen[id] = true
			r.feed.Items = append(r.feed.Items, item)
		}
	}
	dropRepeatedImages(r.feed.Items)
	r.warn(more, twice)
	return r.feed
}
