package feedtest_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/source/feed"
	"github.com/schedctl/schedctl/daemon/source/feedtest"
	"github.com/schedctl/schedctl/daemon/source/fetch"
)

// isKnown reports which items have a key of an earlier fetch.
func isKnown(before, after []feed.Keys) (known []bool) {
	var stored []string
	for _, k := range before {
		stored = append(stored, k.List()...)
	}
	for _, k := range after {
		known = append(known, slices.ContainsFunc(k.List(), func(key string) bool { return slices.Contains(stored, key) }))
	}
	return known
}

// TestIssuesOfOtherTools guards that items which tools of this kind have posted again are known,
// and that items which such tools have lost are new. Each case names the issue.
func TestIssuesOfOtherTools(t *testing.T) {
	t.Parallel()
	publish := func(item feedtest.Item) feedtest.Change {
		return func(items []feedtest.Item) []feedtest.Item { return append([]feedtest.Item{item}, items...) }
	}
	fourth := feedtest.Nth(4)
	sameGUID := fourth
	sameGUID.GUID = "the-guid"
	reused := fourth
	reused.GUID = "id-3"
	pageLink := fourth
	pageLink.Link = "/"
	for name, c := range map[string]struct {
		start    feedtest.Change // of the first fetch; may be nil
		change   []feedtest.Change
		identity feed.Identity // of the second fetch
		fresh    int           // items that are not known
	}{
		"bridgy-fed #2693, liferea #1195, haven PR 72: a changed guid":      {nil, []feedtest.Change{feedtest.NewGUIDs}, feed.Auto, 0},
		"a changed guid and link, the same text":                            {nil, []feedtest.Change{feedtest.NewGUIDs, feedtest.NewLinks}, feed.Auto, 0},
		"feediverse #31, react-redux #1266: an edited title":                {nil, []feedtest.Change{feedtest.NewTitles, feedtest.NewTexts}, feed.Auto, 0},
		"feediverse #46, miniflux #3120: another date":                      {nil, []feedtest.Change{feedtest.Redated, feedtest.Reversed}, feed.Auto, 0},
		"a new article among known ones":                                    {nil, []feedtest.Change{publish(fourth), feedtest.Reversed}, feed.Auto, 1},
		"links that count clicks":                                           {feedtest.NoGUIDs, []feedtest.Change{feedtest.Tracked, feedtest.NewTitles}, feed.Auto, 0},
		"miniflux #4197: one guid for all hides a new item":                 {feedtest.OneGUID, []feedtest.Change{publish(sameGUID)}, feed.Auto, 1},
		"FreshRSS #5909: one guid for all flips back and forth":             {feedtest.OneGUID, []feedtest.Change{feedtest.Reversed, feedtest.NewTitles}, feed.ByLink, 0},
		"the rest of a feed with one guid for all":                          {feedtest.OneGUID, []feedtest.Change{feedtest.Without(0), feedtest.Without(0)}, feed.ByLink, 0},
		"miniflux #3186: a reused guid, recognized by guid or link":         {nil, []feedtest.Change{publish(reused), feedtest.Without(1)}, feed.Auto, 0},
		"miniflux #3186: a reused guid, recognized by link as people chose": {nil, []feedtest.Change{publish(reused), feedtest.Without(1)}, feed.ByLink, 1},
		"podcasts whose items all have the address of their page":           {feedtest.OneLink, []feedtest.Change{publish(pageLink)}, feed.Auto, 1},
		"neither guid nor link":                                             {func(i []feedtest.Item) []feedtest.Item { return feedtest.NoLinks(feedtest.NoGUIDs(i)) }, []feedtest.Change{feedtest.Redated, feedtest.Reversed}, feed.Auto, 0},
	} {
		server := feedtest.New(t)
		server.Set(feedtest.Numbered(3)...)
		if c.start != nil {
			server.Change(c.start)
		}
		before, _ := read(t, server).Keys(feed.Auto)
		server.Change(c.change...)
		after, _ := read(t, server).Keys(c.identity)
		fresh := 0
		for _, known := range isKnown(before, after) {
			if !known {
				fresh++
			}
		}
		if fresh != c.fresh {
			t.Errorf("%s: %d items are new, want %d\nbefore %v\nafter  %v", name, fresh, c.fresh, before, after)
		}
	}
}

// TestItemsWithoutDates guards that an item without a date has none, so that its age is judged by
// its place (python/planet #151, nitter #293).
func TestItemsWithoutDates(t *testing.T) {
	t.Parallel()
	server := feedtest.New(t)
	server.Set(feedtest.Numbered(2)...)
	server.Change(feedtest.NoDates)
	f := read(t, server)
	if !f.Items[0].Published.IsZero() || len(f.Warnings) == 0 {
		t.Errorf("got %+v", f)
	}
}

// TestEntitiesOfTitles guards that no entity reaches a post (blueskyfeedbot #113).
func TestEntitiesOfTitles(t *testing.T) {
	t.Parallel()
	server := feedtest.New(t)
	for title, want := range map[string]string{"Q&amp;A": "Q&A", "Q&A": "Q&A", "It&#8217;s": "It’s", "a &lt; b": "a < b", "R&D; tips": "R&D; tips"} {
		server.Set(feedtest.Item{GUID: "1", Title: title})
		if got := read(t, server).Items[0].Title; got != want {
			t.Errorf("%q: got %q, want %q", title, got, want)
		}
	}
}

// TestFeedThatIsMissingForDays guards that a feed which responds 404 for days is one that can be
// fetched again (ocaml.org #3512, rss-bridge #2113), and not one that is gone.
func TestFeedThatIsMissingForDays(t *testing.T) {
	t.Parallel()
	server := feedtest.New(t)
	server.Set(feedtest.Numbered(2)...)
	server.Next(feedtest.Status(404), feedtest.Status(404), feedtest.Status(410))
	for i, want := range []fetch.Kind{fetch.NotFound, fetch.NotFound, fetch.Gone} {
		_, err := fetchFrom(t, server, outbound.AllowPrivate, "")
		if failure, ok := errors.AsType[*fetch.Failure](err); !ok || failure.Kind != want {
			t.Errorf("fetch %d: got %v, want %s", i+1, err, want)
		}
	}
	if len(read(t, server).Items) != 2 {
		t.Error("the feed is not back")
	}
}
