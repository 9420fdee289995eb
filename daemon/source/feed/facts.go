package feed

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	atomfeed "github.com/mmcdole/gofeed/atom"
	ext "github.com/mmcdole/gofeed/extensions"
	"github.com/mmcdole/gofeed/rss"
)

// maxLengthen is the longest time between two fetches that a feed can ask for.
const maxLengthen = 24 * time.Hour

// addRSS adds what only RSS says about a feed.
func (r *reader) addRSS(f *rss.Feed) {
	r.feed.Lengthen = lengthen(f)
	if f.Image != nil {
		r.logo[absolute(r.base, f.Image.URL)] = true
	}
	if f.ITunesExt != nil {
		r.logo[absolute(r.base, f.ITunesExt.Image)] = true
	}
	for _, prefix := range []string{"atom", "atom10", "atom03"} {
		for _, link := range f.Extensions[prefix]["link"] {
			if link.Attrs["rel"] == "hub" && r.feed.Hub == "" {
				r.feed.Hub = absolute(r.base, link.Attrs["href"])
			}
		}
	}
}

// addAtom adds what only Atom says about a feed.
func (r *reader) addAtom(f *atomfeed.Feed) {
	for _, picture := range []string{f.Icon, f.Logo} {
		r.logo[absolute(r.base, picture)] = true
	}
	for _, link := range f.Links {
		if link.Rel == "hub" && r.feed.Hub == "" {
			r.feed.Hub = absolute(r.base, link.Href)
		}
	}
	for _, a := range f.Authors {
		r.authors = append(r.authors, a.Name)
	}
	r.feed.Lengthen = updatePeriod(f.Extensions)
}

// lengthen returns the longer one of ttl, in minutes, and sy:updatePeriod.
func lengthen(f *rss.Feed) time.Duration {
	minutes, err := strconv.Atoi(strings.TrimSpace(f.TTL))
	if err != nil || minutes < 0 {
		minutes = 0
	}
	ttl := time.Duration(min(minutes, 24*60)) * time.Minute
	return max(ttl, updatePeriod(f.Extensions))
}

// updatePeriod returns the time between two changes of a feed, of which sy:updateFrequency
// come in one sy:updatePeriod.
func updatePeriod(e ext.Extensions) time.Duration {
	period, known := map[string]time.Duration{
		"hourly": time.Hour, "daily": 24 * time.Hour, "weekly": 7 * 24 * time.Hour, "monthly": 30 * 24 * time.Hour, "yearly": 365 * 24 * time.Hour,
	}[strings.ToLower(child(e, "sy", "updatePeriod"))]
	if !known {
		return 0
	}
	if times, err := strconv.Atoi(child(e, "sy", "updateFrequency")); err == nil && times > 0 {
		period /= time.Duration(min(times, 100_000))
	}
	return min(period, maxLengthen)
}

// warn adds the warnings that people get before they add a feed.
func (r *reader) warn(more bool, twice int) {
	f := r.feed
	add := func(format string, args ...any) { f.Warnings = append(f.Warnings, fmt.Sprintf(format, args...)) }
	if more {
		add("the feed has more than %d items; the others are not read", MaxItems)
	}
	if f.Skipped > 0 {
		add("%s could not be read", items(f.Skipped))
	}
	if twice > 0 {
		add("%s repeated in the feed, read once", items(twice))
	}
	if len(f.Items) == 0 {
		add("the feed has no items")
		return
	}
	guids, links := 0, 0
	dates := map[time.Time]int{}
	for _, item := range f.Items {
		guids += min(1, len(item.GUID))
		links += min(1, len(item.Link))
		dates[item.Published]++
	}
	if missing := len(f.Items) - guids; missing > 0 {
		add("%d of %s without a guid", missing, items(len(f.Items)))
	}
	if missing := len(f.Items) - links; missing > 0 {
		add("%d of %s without a link", missing, items(len(f.Items)))
	}
	if _, repeated := f.Keys(Auto); repeated {
		add("different items have the same guid, so items are known by their links")
	}
	switch {
	case dates[time.Time{}] > 0:
		add("%d of %s without a date", dates[time.Time{}], items(len(f.Items)))
	case len(dates) == 1 && len(f.Items) > 2:
		add("all items have the same date")
	}
	f.Warnings = append(f.Warnings, linkWarnings(f.Items)...)
}

// items returns a number of items in words.
func items(n int) string {
	if n == 1 {
		return "1 item"
	}
	return fmt.Sprintf("%d items", n)
}
