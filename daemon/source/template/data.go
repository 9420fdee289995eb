package template

import (
	"strings"
	"time"

	"github.com/schedctl/schedctl/daemon/source/feed"
)

// Data is what a template can show of one item for one account.
type Data struct {
	Title, Summary, Link, Author string
	Tags                         []string
	Published, Updated           time.Time // shown in their location; zero for none
	Version                      string
	Source                       string // the name of the source
	Image, Audio                 string // URLs
	Platform                     string // the network, such as mastodon
}

// FromItem returns the data of an item of a feed. Its picture is the first candidate.
func FromItem(item feed.Item, source, platform string) Data {
	d := Data{
		Title: item.Title, Summary: item.Summary, Link: item.Link, Author: item.Author, Tags: item.Tags, Published: item.Published, Updated: item.Updated,
		Version: item.Version, Source: source, Audio: item.Audio, Platform: platform,
	}
	if len(item.Images) > 0 {
		d.Image = item.Images[0].URL
	}
	return d
}

// fields are the names that a template can use, as [Data] has them.
var fields = []string{"Title", "Summary", "Link", "Author", "Tags", "Published", "Updated", "Version", "Source", "Image", "Audio", "Platform"}

// values returns the data as the library reads it. Texts hold none of the marks of fit.
func (d Data) values() map[string]any {
	list := make(tags, len(d.Tags))
	for i, tag := range d.Tags {
		list[i] = withoutMarks(tag)
	}
	return map[string]any{
		"Title": withoutMarks(d.Title), "Summary": withoutMarks(d.Summary), "Link": withoutMarks(d.Link), "Author": withoutMarks(d.Author),
		"Tags": list, "Published": dateOf(d.Published), "Updated": dateOf(d.Updated), "Version": withoutMarks(d.Version), "Source": withoutMarks(d.Source),
		"Image": withoutMarks(d.Image), "Audio": withoutMarks(d.Audio), "Platform": withoutMarks(d.Platform),
	}
}

// tags is a list of tags that shows itself with commas.
type tags []string

// String implements [fmt.Stringer].
func (t tags) String() string { return strings.Join(t, ", ") }

// moment is a date in RFC 3339, or empty, so that "if" treats a missing date as false.
type moment string

func dateOf(t time.Time) moment {
	if t.IsZero() {
		return ""
	}
	return moment(t.Format(time.RFC3339))
}

// String returns the day, such as 2026-11-28.
func (m moment) String() string {
	day, _, _ := strings.Cut(string(m), "T")
	return day
}

// fitted is a text that may be shortened. It shows itself between two marks.
type fitted string

// The marks are no characters of Unicode, so no network would publish them.
const (
	fitStart = "\uFDD0"
	fitEnd   = "\uFDD1"
)

// String implements [fmt.Stringer].
func (f fitted) String() string { return fitStart + string(f) + fitEnd }

var marks = strings.NewReplacer(fitStart, "", fitEnd, "")

func withoutMarks(text string) string { return marks.Replace(strings.ToValidUTF8(text, "\uFFFD")) }
