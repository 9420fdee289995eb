package feed

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	ext "github.com/mmcdole/gofeed/extensions"
	xhtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// minSide is the smallest side of a picture in pixels, where the feed says how large it is.
const minSide = 200

// noPicture matches the addresses of counters, emoji and avatars.
var noPicture = regexp.MustCompile(`(?i)(?:^https?://(?:[^/]*\.)?(?:gravatar\.com|pixel\.wp\.com|stats\.wordpress\.com|feeds\.feedburner\.com|` +
	`feedads\.g\.doubleclick\.net|s\.w\.org/images/core/emoji|blogger\.googleusercontent\.com/tracker|medium\.com/_/stat)|/wp-includes/images/smilies/|[/_-](?:spacer|pixel|blank)\.(?:gif|png)(?:$|\?))`)

// images returns the candidates for the picture of an item, the best first.
func (r *reader) images(s source) []Image {
	var images []Image
	add := func(link, alt, width, height string) {
		link = absolute(r.base, link)
		alt = shorten(Title(alt), MaxTitle)
		if i := slices.IndexFunc(images, func(i Image) bool { return i.URL == link }); i >= 0 {
			images[i].Alt = cmp.Or(images[i].Alt, alt) // enclosures have none
			return
		}
		if link == "" || len(images) == maxImage || r.logo[link] || noPicture.MatchString(link) || small(width) || small(height) {
			return
		}
		images = append(images, Image{URL: link, Alt: alt})
	}
	for _, c := range media(s.Extensions, "content") {
		if strings.HasPrefix(c.Attrs["type"], "image/") || c.Attrs["medium"] == "image" {
			add(c.Attrs["url"], altText(c.Children), c.Attrs["width"], c.Attrs["height"])
		}
	}
	for _, e := range s.Enclosures {
		if strings.HasPrefix(strings.ToLower(e.Type), "image/") {
			add(e.URL, "", "", "")
		}
	}
	if s.json != nil {
		add(s.json.Image, "", "", "")
		add(s.json.BannerImage, "", "", "")
	}
	for _, t := range media(s.Extensions, "thumbnail") {
		add(t.Attrs["url"], "", t.Attrs["width"], t.Attrs["height"])
	}
	if s.ITunesExt != nil {
		add(s.ITunesExt.Image, "", "", "")
	}
	for _, text := range []string{s.content, s.Description} {
		eachPicture(text, add)
	}
	return images
}

// altText returns the description that a picture of Media RSS has itself, or else its title.
func altText(children map[string][]ext.Extension) string {
	for _, name := range []string{"description", "title"} {
		for _, e := range children[name] {
			if e.Value != "" {
				return e.Value
			}
		}
	}
	return ""
}

// small reports whether a length in pixels is below that of a picture. A length
// such as 100% is not small.
func small(length string) bool {
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(length), "px"))
	return err == nil && n < minSide
}

// eachPicture calls add for each img element of HTML.
func eachPicture(source string, add func(link, alt, width, height string)) {
	z := xhtml.NewTokenizer(strings.NewReader(clip(source, maxHTML)))
	for {
		switch z.Next() {
		case xhtml.ErrorToken:
			return
		case xhtml.StartTagToken, xhtml.SelfClosingTagToken:
			name, more := z.TagName()
			if atom.Lookup(name) != atom.Img {
				continue
			}
			attributes := attributesOf(z, more)
			if class := attributes["class"]; !strings.Contains(class, "avatar") && !strings.Contains(class, "emoji") && !strings.Contains(class, "wp-smiley") {
				add(attributes["src"], attributes["alt"], attributes["width"], attributes["height"])
			}
		}
	}
}

// unescapePath returns a part of a path as people write it.
func unescapePath(part string) string {
	if plain, err := url.PathUnescape(part); err == nil {
		return plain
	}
	return part
}
