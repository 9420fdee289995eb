package feed_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/schedctl/schedctl/daemon/source/feed"
)

// items returns a feed of items.
func items(items ...feed.Item) *feed.Feed {
	return &feed.Feed{Link: "https://pod.example/", Self: "https://pod.example/feed.xml", Items: items}
}

// TestLinksAreTheSame guards that an article is known again by its link although its feed
// writes the link in another way.
func TestLinksAreTheSame(t *testing.T) {
	t.Parallel()
	of := func(link string) string {
		keys, _ := items(feed.Item{Link: link}).Keys(feed.Auto)
		return keys[0].Link
	}
	want := of("https://blog.example/a")
	for _, same := range []string{
		"http://blog.example/a", "https://www.blog.example/a/", "https://BLOG.example:443/a#more", "https://blog.example/a?utm_source=rss&utm_medium=feed",
		"https://blog.example/a?fbclid=x", "https://blog.example/a?ref=home", "https://blog.example/a?source=rss-1---2", "https://blog.example./a",
	} {
		if got := of(same); got != want || got == "" {
			t.Errorf("%s has another key", same)
		}
	}
	for _, other := range []string{"https://blog.example/A", "https://blog.example/a?p=1", "https://blog.example/a?source=x", "https://blog.example:8080/a", "https://other.example/a"} {
		if of(other) == want {
			t.Errorf("%s has the same key", other)
		}
	}
}

// TestKeys guards which keys of an item count.
func TestKeys(t *testing.T) {
	t.Parallel()
	one := feed.Item{GUID: "1", Link: "https://pod.example/1", Title: "One"}
	two := feed.Item{GUID: "2", Link: "https://pod.example/2", Title: "Two"}
	change := func(i feed.Item, f func(*feed.Item)) feed.Item { f(&i); return i }
	sameGUID := func(i *feed.Item) { i.GUID = "1" }
	for name, c := range map[string]struct {
		by               feed.Identity
		items            []feed.Item
		guid, link, hash bool // of the first item
		repeated         bool
	}{
		"all":                          {feed.Auto, []feed.Item{one, two}, true, true, true, false},
		"guid alone":                   {feed.ByGUID, []feed.Item{one, two}, true, false, true, false},
		"link alone":                   {feed.ByLink, []feed.Item{one, two}, false, true, true, false},
		"one guid for all":             {feed.Auto, []feed.Item{one, change(two, sameGUID)}, false, true, true, true},
		"one guid for all, as wanted":  {feed.ByGUID, []feed.Item{one, change(two, sameGUID)}, true, false, true, true},
		"the same item twice":          {feed.Auto, []feed.Item{one, one}, true, false, false, false},
		"a link of several items":      {feed.Auto, []feed.Item{one, change(two, func(i *feed.Item) { i.Link = one.Link })}, true, false, true, false},
		"the page of the feed":         {feed.Auto, []feed.Item{change(one, func(i *feed.Item) { i.Link = "https://www.pod.example" }), two}, true, false, true, false},
		"by link, without a link":      {feed.ByLink, []feed.Item{change(one, func(i *feed.Item) { i.Link = "" }), two}, true, false, true, false},
		"by guid, without a guid":      {feed.ByGUID, []feed.Item{change(one, func(i *feed.Item) { i.GUID = "" }), two}, false, true, true, false},
		"a title of several":           {feed.Auto, []feed.Item{one, change(two, func(i *feed.Item) { i.Title = "one" })}, true, true, false, false},
		"a title of several, no other": {feed.Auto, []feed.Item{{Title: "One"}, {Title: "One"}}, false, false, true, false},
		"no title":                     {feed.Auto, []feed.Item{change(one, func(i *feed.Item) { i.Title = "" })}, true, true, false, false},
	} {
		keys, repeated := items(c.items...).Keys(c.by)
		k := keys[0]
		if (k.GUID != "") != c.guid || (k.Link != "") != c.link || (k.Hash != "") != c.hash || repeated != c.repeated {
			t.Errorf("%s: got %+v, %v", name, k, repeated)
		}
		for _, key := range k.List() {
			if len(key) != 33 {
				t.Errorf("%s: the key %q has not 33 characters", name, key)
			}
		}
	}
}

// TestKeysProperties guards that an item keeps its keys when other items come and go or change
// their order, and that two items of a feed never share a guid or a link.
func TestKeysProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.Custom(func(t *rapid.T) feed.Item {
			return feed.Item{
				GUID: rapid.SampledFrom([]string{"", "1", "2", "3", "4", "5"}).Draw(t, "guid"), Title: rapid.SampledFrom([]string{"", "A", "B", "C"}).Draw(t, "title"),
				Link: rapid.SampledFrom([]string{"", "https://pod.example/", "https://pod.example/a", "https://pod.example/a/?utm_source=x", "https://pod.example/b"}).Draw(t, "link"),
			}
		})
		list := rapid.SliceOfN(draw, 1, 8).Draw(t, "items")
		by := rapid.SampledFrom([]feed.Identity{feed.Auto, feed.ByGUID, feed.ByLink}).Draw(t, "identity")
		keys, repeated := items(list...).Keys(by)
		seen := map[string]feed.Item{}
		for i, k := range keys {
			for _, key := range k.List() {
				other, known := seen[key]
				if known && key[0] == 'l' || known && key[0] == 'g' && by == feed.Auto && other.Link != list[i].Link && !sameLink(other, list[i]) {
					t.Fatalf("%+v and %+v have the key %s", other, list[i], key)
				}
				seen[key] = list[i]
			}
		}
		if by == feed.Auto && repeated {
			for _, k := range keys {
				if k.GUID != "" {
					t.Fatalf("guids repeat and are keys: %+v", keys)
				}
			}
		}
		order := rapid.Permutation(list).Draw(t, "order")
		again, repeatedAgain := items(order...).Keys(by)
		if repeated != repeatedAgain {
			t.Fatalf("the order decides whether guids repeat")
		}
		count := map[feed.Keys]int{}
		for i := range keys {
			count[keys[i]]++
			count[again[i]]--
		}
		for k, n := range count {
			if n != 0 {
				t.Fatalf("the order changes the key %+v", k)
			}
		}
	})
}

// sameLink reports whether two items have the same link key.
func sameLink(a, b feed.Item) bool {
	one, _ := items(a).Keys(feed.ByLink)
	two, _ := items(b).Keys(feed.ByLink)
	return one[0].Link == two[0].Link
}
