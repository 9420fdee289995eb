package feed

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mmcdole/gofeed"
	atomfeed "github.com/mmcdole/gofeed/atom"
	ext "github.com/mmcdole/gofeed/extensions"
	jsonfeed "github.com/mmcdole/gofeed/json"
	"github.com/mmcdole/gofeed/rss"
)

// source is an item as the library returns it, and as its format has it: one of rss, atom and
// json.
type source struct {
	*gofeed.Item
	rss     *rss.Item
	atom    *atomfeed.Entry
	json    *jsonfeed.Item
	content string // HTML, or empty
}

// item returns an item with texts, links and lists within their limits.
func (r *reader) item(s source) Item {
	item := Item{
		GUID: strings.TrimSpace(s.GUID), Link: r.link(s), Title: Title(s.Title), Summary: r.summary(s), Author: r.author(s), Tags: tags(s.Categories),
		Published: date(s.PublishedParsed), Updated: date(s.UpdatedParsed), Audio: r.audio(s),
	}
	if len(item.GUID) > maxGUID {
		item.GUID = ""
	}
	if item.Published.IsZero() {
		item.Published = item.Updated
	}
	item.Images = r.images(s)
	item.Version, item.Prerelease = version(item.Link, item.Title)
	return item
}

// link returns the page of an item. An RSS item without a link has its guid, unless the
// guid is marked as an identifier only.
func (r *reader) link(s source) string {
	for _, original := range []string{child(s.Extensions, "feedburner", "origLink"), s.Link} {
		if link := absolute(r.base, original); link != "" {
			return link
		}
	}
	switch {
	case s.rss != nil && s.rss.GUID != nil && !strings.EqualFold(s.rss.GUID.IsPermalink, "false"):
		return absolute(nil, s.rss.GUID.Value)
	case s.json != nil:
		return absolute(r.base, s.json.ExternalURL)
	}
	return ""
}

// summary returns the text of an item: its short text, or else the whole one.
func (r *reader) summary(s source) string {
	if s.json != nil {
		return cmp.Or(PlainText(s.json.Summary), PlainText(s.json.ContentText), Text(s.json.ContentHTML))
	}
	if text := cmp.Or(Text(s.Description), Text(s.content)); text != "" {
		return text
	}
	for _, e := range media(s.Extensions, "description") {
		if e.Value != "" {
			return PlainText(e.Value)
		}
	}
	return ""
}

// author returns the names of the authors: of the item, or else of an Atom or JSON feed. An
// address of e-mail stands for a missing name.
func (r *reader) author(s source) string {
	var names []string
	add := func(name string) {
		if name = shorten(oneLine(name), maxName); name != "" && !slices.Contains(names, name) && len(names) < 10 {
			names = append(names, name)
		}
	}
	for _, a := range s.Authors {
		add(cmp.Or(a.Name, a.Email))
	}
	switch {
	case len(names) > 0:
	case s.rss != nil:
		add(cmp.Or(s.rss.Author, child(s.Extensions, "dc", "creator")))
	default:
		for _, name := range r.authors {
			add(name)
		}
	}
	return strings.Join(names, ", ")
}

// tags returns the categories of an item without repeats.
func tags(categories []string) []string {
	var kept []string
	for _, c := range categories {
		c = shorten(Title(c), maxName)
		same := func(other string) bool { return strings.EqualFold(other, c) }
		if c != "" && len(kept) < MaxTags && !slices.ContainsFunc(kept, same) {
			kept = append(kept, c)
		}
	}
	return kept
}

// date returns a date in UTC. A date before 1970 is ignored.
func date(t *time.Time) time.Time {
	if t == nil || t.Year() < 1970 || t.Year() > 9999 {
		return time.Time{}
	}
	return t.UTC()
}

// audio returns the first file of sound.
func (r *reader) audio(s source) string {
	for _, e := range s.Enclosures {
		if strings.HasPrefix(strings.ToLower(e.Type), "audio/") {
			if link := absolute(r.base, e.URL); link != "" {
				return link
			}
		}
	}
	return ""
}

// child returns the text of the first element of an extension, or an empty string.
func child(e ext.Extensions, prefix, name string) string {
	for _, found := range e[prefix][name] {
		if value := strings.TrimSpace(found.Value); value != "" {
			return value
		}
	}
	return ""
}

// media returns the elements of Media RSS with a name, up to maxDepth elements deep.
func media(e ext.Extensions, name string) []ext.Extension {
	var found []ext.Extension
	var look func(elements map[string][]ext.Extension, depth int)
	look = func(elements map[string][]ext.Extension, depth int) {
		found = append(found, elements[name]...)
		if depth == maxDepth {
			return
		}
		for _, group := range []string{"group", "content"} {
			for _, e := range elements[group] {
				look(e.Children, depth+1)
			}
		}
	}
	look(e["media"], 1)
	return found
}

var (
	// releasePage matches the pages of releases of GitHub, GitLab, Forgejo and Gitea. The
	// group is the tag.
	releasePage = regexp.MustCompile(`/(?:-/)?(?:releases/tag|releases|tags)/([^/?#]+)$`)

	// versionWord matches a version in a title. The group is what stands after the numbers.
	versionWord = regexp.MustCompile(`(?i)(?:^|[\s(@/])(v?\d+(?:\.\d+)+((?:[-+.]?[a-z][0-9a-z.+-]*)|-[0-9a-z.+-]+)?)(?:$|[\s),:;!])`)

	// versionTag matches a tag that has a version, perhaps after the name of a program.
	versionTag = regexp.MustCompile(`(?i)^(?:.*?[-_/@])??(v?\d+(?:\.\d+)*((?:[-+.]?[a-z][0-9a-z.+-]*)|-[0-9a-z.+-]+)?)$`)

	// prerelease matches what stands after the numbers of a version before a release.
	prerelease = regexp.MustCompile(`(?i)^[-.]?(?:a|b|c|rc|alpha|beta|pre|preview|dev|snapshot|nightly|canary|next|test|m|milestone)(?:$|[^a-z])`)
)

// version returns the version of a release: from the tag in the address of its page, or else
// from the title. before reports that it is one before a release.
func version(link, title string) (version string, before bool) {
	tag := ""
	if page := releasePage.FindStringSubmatch(link); page != nil {
		tag = unescapePath(page[1])
	}
	suffix := ""
	if v := versionTag.FindStringSubmatch(tag); v != nil {
		version, suffix = v[1], v[2]
	} else if v := versionWord.FindStringSubmatch(title); v != nil {
		version, suffix = v[1], v[2]
	}
	before = prerelease.MatchString(suffix) || endsInTest(tag) || endsInTest(title)
	return clip(version, 100), before
}

func endsInTest(name string) bool { return strings.HasSuffix(strings.ToLower(name), "-test") }
