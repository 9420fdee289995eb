package feed_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl/daemon/source/feed"
)

// channel returns an RSS feed of items.
func channel(items ...string) string {
	return "<rss version='2.0'><channel><title>T</title><link>https://blog.example/</link>" + strings.Join(items, "") + "</channel></rss>"
}

// known reports whether an item of a later fetch has a key of the first item of a fetch.
func known(t *testing.T, before, after string) bool {
	t.Helper()
	old, _ := mustParse(t, before).Keys(feed.Auto)
	now, _ := mustParse(t, after).Keys(feed.Auto)
	for _, key := range now[0].List() {
		for _, other := range old[0].List() {
			if key == other {
				return true
			}
		}
	}
	return false
}

// TestKnownAgain has what feeds change although their article is the same one, as other
// programs learned it: bridgy-fed #2693, liferea #1195 (guids), feediverse #31 and #46,
// react-redux #1266, miniflux #3120 (titles and dates).
func TestKnownAgain(t *testing.T) {
	t.Parallel()
	const item = "<item><guid>%s</guid><link>%s</link><title>%s</title><description>%s</description><pubDate>%s</pubDate></item>"
	first := channel(fmt.Sprintf(item, "1", "https://blog.example/a", "A title", "A text", "Fri, 01 May 2026 10:00:00 GMT"))
	for name, c := range map[string]struct {
		guid, link, title, text, date string
		want                          bool
	}{
		"a new guid":           {"tag:blog,1", "https://blog.example/a", "A title", "A text", "Fri, 01 May 2026 10:00:00 GMT", true},
		"a new host":           {"1", "https://new.example/a", "A title", "A text", "Fri, 01 May 2026 10:00:00 GMT", true},
		"https, www and utm":   {"2", "http://www.blog.example/a/?utm_source=feed", "Another", "Another", "Fri, 01 May 2026 10:00:00 GMT", true},
		"a new title and date": {"1", "https://blog.example/a", "Another title", "A text", "Sat, 02 May 2026 10:00:00 GMT", true},
		"guid and link":        {"2", "https://new.example/2", "A  Title", "A text", "Sat, 02 May 2026 10:00:00 GMT", true},
		"all of it":            {"2", "https://new.example/2", "Another title", "A text", "Sat, 02 May 2026 10:00:00 GMT", false},
	} {
		if got := known(t, first, channel(fmt.Sprintf(item, c.guid, c.link, c.title, c.text, c.date))); got != c.want {
			t.Errorf("%s: known is %v, want %v", name, got, c.want)
		}
	}
}

// TestOneGUIDForAll guards that items with one guid are told apart by their links
// (miniflux #4197, FreshRSS #5909).
func TestOneGUIDForAll(t *testing.T) {
	t.Parallel()
	f := mustParse(t, channel("<item><guid>same</guid><link>/1</link><title>1</title></item>", "<item><guid>same</guid><link>/2</link><title>2</title></item>"))
	keys, repeated := f.Keys(feed.Auto)
	if !repeated || len(keys) != 2 || keys[0].GUID != "" || keys[0].Link == keys[1].Link {
		t.Errorf("got %+v, %v", keys, repeated)
	}
	if len(f.Warnings) == 0 || !strings.Contains(strings.Join(f.Warnings, "\n"), "same guid") {
		t.Errorf("got the warnings %q", f.Warnings)
	}
}

// TestOddItems guards what becomes of items that lack something.
func TestOddItems(t *testing.T) {
	t.Parallel()
	f := mustParse(t, channel(
		"<item><title>Feb</title><guid>1</guid><pubDate>Sat, 31 Feb 2026 10:00:00 GMT</pubDate></item>",
		"<item/>",
		"<item><guid>https://blog.example/permalink</guid><title>By guid</title></item>",
		"<item><guid isPermaLink='false'>https://blog.example/?p=2</guid><title>No link</title></item>",
		"<item><guid>5</guid><link>javascript:alert(1)</link><title>Script</title></item>",
		"<item><guid>6</guid><link>  /relative\n</link><title>Relative</title></item>",
		"<item><guid>6</guid><link>/relative</link><title>Relative, again</title></item>",
		"<item><guid>"+strings.Repeat("x", 3000)+"</guid><title>Long</title></item>",
		"<item><description>Only a text</description></item>",
	))
	want := []struct{ guid, link, title string }{
		{"1", "", "Feb"}, {"https://blog.example/permalink", "https://blog.example/permalink", "By guid"}, {"https://blog.example/?p=2", "", "No link"},
		{"5", "", "Script"}, {"6", "https://blog.example/relative", "Relative"}, {"", "", "Long"}, {"", "", ""},
	}
	if len(f.Items) != len(want) || f.Skipped != 1 {
		t.Fatalf("got %d items, %d skipped", len(f.Items), f.Skipped)
	}
	for i, w := range want {
		if got := f.Items[i]; got.GUID != w.guid || got.Link != w.link || got.Title != w.title || !got.Published.IsZero() {
			t.Errorf("got %+v, want %+v", got, w)
		}
	}
	for _, text := range []string{"1 item could not be read", "1 item repeated", "5 of 7 items without a link", "7 of 7 items without a date", "2 of 7 items without a guid"} {
		if !strings.Contains(strings.Join(f.Warnings, "\n"), text) {
			t.Errorf("no warning says %q: %q", text, f.Warnings)
		}
	}
}

// TestManyItems guards that the first 500 items of a feed are read.
func TestManyItems(t *testing.T) {
	t.Parallel()
	for _, one := range []string{"<item><guid>%d</guid></item>", "<item><guid>%d</guid><x:group xmlns:x='x'><item/></x:group></item>"} {
		var list []string
		for i := range 700 {
			list = append(list, fmt.Sprintf(one, i))
		}
		f := mustParse(t, channel(list...))
		if len(f.Items) != feed.MaxItems || f.Items[499].GUID != "499" || len(f.Warnings) == 0 {
			t.Errorf("got %d items, %q", len(f.Items), f.Warnings)
		}
	}
	json := `{"version":"https://jsonfeed.org/version/1.1","items":[` + strings.Repeat(`{"id":"1","title":"x"},`, 600) + `{"id":"2"}]}`
	if f := mustParse(t, json); len(f.Items) != 1 || len(f.Warnings) < 2 {
		t.Errorf("got %d items, %q", len(f.Items), f.Warnings)
	}
}

// TestLengthen guards how long feeds ask to wait.
func TestLengthen(t *testing.T) {
	t.Parallel()
	period := func(period, frequency string) string {
		return "<sy:updatePeriod xmlns:sy='http://purl.org/rss/1.0/modules/syndication/'>" + period + "</sy:updatePeriod>" +
			"<sy:updateFrequency xmlns:sy='http://purl.org/rss/1.0/modules/syndication/'>" + frequency + "</sy:updateFrequency>"
	}
	for text, want := range map[string]time.Duration{
		"":                                       0,
		"<ttl>90</ttl>":                          90 * time.Minute,
		"<ttl>999999999999</ttl>":                24 * time.Hour,
		"<ttl>99999</ttl>":                       24 * time.Hour,
		"<ttl>-5</ttl>":                          0,
		period("daily", "4"):                     6 * time.Hour,
		period("Hourly", ""):                     time.Hour,
		period("yearly", "1"):                    24 * time.Hour,
		period("daily", "-1"):                    24 * time.Hour,
		period("sometimes", "1"):                 0,
		"<ttl>30</ttl>" + period("hourly", "1"):  time.Hour,
		"<ttl>120</ttl>" + period("hourly", "1"): 2 * time.Hour,
	} {
		if got := mustParse(t, channel(text)).Lengthen; got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}
