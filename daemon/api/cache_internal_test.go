package api

import (
	"fmt"
	"testing"
	"time"
)

func TestCacheForgets(t *testing.T) {
	t.Parallel()
	var now time.Time
	c := newCache[string, string](10, time.Minute)
	for name, invalidate := range map[string]func(){"clear": c.clear, "remove": func() { c.remove("k") }} {
		_, before, _ := c.get("k", now)
		invalidate()
		c.put("k", "old", 1, before, now)
		if _, _, found := c.get("k", now); found {
			t.Errorf("%s: a value that was read before is cached", name)
		}
		_, generation, _ := c.get("k", now)
		c.put("k", "new", 1, generation, now)
		if v, _, found := c.get("k", now.Add(time.Minute-1)); !found || v != "new" {
			t.Errorf("%s: got %q, %v", name, v, found)
		}
		if _, _, found := c.get("k", now.Add(time.Minute)); found {
			t.Errorf("%s: an expired entry is returned", name)
		}
		invalidate()
		if _, _, found := c.get("k", now); found || c.size != 0 {
			t.Errorf("%s: found %v, size %d", name, found, c.size)
		}
	}
}

// TestCachedResponsesAreBounded guards that no API key can fill the memory, neither
// with large responses nor with many small ones to long queries.
func TestCachedResponsesAreBounded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ query, body, most int }{
		{query: 10, body: maxCachedResponse - 4096, most: maxCachedResponses/(maxCachedResponse-4096) + 1},
		{query: 60_000, body: 20, most: maxCachedResponses / 60_000},
		{query: 10, body: 0, most: maxCachedResponses / cachedResponseOverhead},
	} {
		s := New(Config{})
		c := s.responses
		body := make([]byte, test.body)
		for i := range 2 * test.most {
			query := fmt.Sprintf("%0*d", test.query, i)
			for range 2 { // two concurrent requests
				s.cacheResponse(responseKey{query: query}, response{body: body}, 0)
			}
			if len(c.entries) == 0 || len(c.entries) > test.most || c.size > maxCachedResponses {
				t.Fatalf("with queries of %d and bodies of %d bytes, %d responses are cached, size %d", test.query, test.body, len(c.entries), c.size)
			}
		}
		if want := len(c.entries) * (test.query + test.body + cachedResponseOverhead); want != c.size {
			t.Errorf("%d bytes are cached, size is %d", want, c.size)
		}
	}
	s := New(Config{})
	s.cacheResponse(responseKey{query: "large"}, response{body: make([]byte, maxCachedResponse)}, 0)
	s.cacheResponse(responseKey{query: string(make([]byte, maxCachedResponse))}, response{}, 0)
	if len(s.responses.entries) != 0 {
		t.Error("a large response is cached")
	}
}
