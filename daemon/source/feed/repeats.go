package feed

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// inARow is how many items in a row may have a picture until it counts as that of the feed.
const inARow = 3

// dropRepeatedImages removes pictures that several items in a row have: they are banners, or
// show the author.
func dropRepeatedImages(items []Item) {
	repeated, before := map[string]bool{}, map[string]int{}
	for _, item := range items {
		row := map[string]int{}
		for _, image := range item.Images {
			if row[image.URL] = before[image.URL] + 1; row[image.URL] >= inARow {
				repeated[image.URL] = true
			}
		}
		before = row
	}
	for i := range items {
		items[i].Images = slices.DeleteFunc(items[i].Images, func(image Image) bool { return repeated[image.URL] })
	}
}

// redirectors are hosts that count clicks and then lead to the page.
var redirectors = []string{
	"feedproxy.google.com", "feeds.feedburner.com", "bit.ly", "buff.ly", "dlvr.it", "ift.tt", "lnkd.in", "ow.ly", "t.co", "tinyurl.com",
}

// linkWarnings returns what is odd about the links of items, for people.
func linkWarnings(list []Item) (warnings []string) {
	plain, counted := 0, 0
	for _, item := range list {
		u, err := url.Parse(item.Link)
		if err != nil {
			continue
		}
		if u.Scheme == "http" {
			plain++
		}
		if slices.Contains(redirectors, strings.ToLower(u.Hostname())) {
			counted++
		}
	}
	if plain > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of %s with a link without encryption (http)", plain, items(len(list))))
	}
	if counted > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of %s with a link that leads to the page through a counter of clicks", counted, items(len(list))))
	}
	return warnings
}
