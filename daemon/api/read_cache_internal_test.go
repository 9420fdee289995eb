package api

import (
	"fmt"
	"testing"
)

func TestReadCacheForgets(t *testing.T) {
	t.Parallel()
	var c readCache
	k := readKey{"key", "listPosts", "", "limit=1"}
	_, before, _ := c.get(k)
	c.committed()
	c.put(k, answer{body: []byte("old")}, before)
	if _, _, found := c.get(k); found {
		t.Error("what was read before a commit is kept after it")
	}
	_, now, _ := c.get(k)
	c.put(k, answer{body: []byte("new")}, now)
	if a, _, found := c.get(k); !found || string(a.body) != "new" {
		t.Errorf("got %q, %v", a.body, found)
	}
	c.committed()
	if _, _, found := c.get(k); found {
		t.Error("kept after a commit")
	}
}

// TestReadCacheIsBounded guards that no key can fill the memory: neither with
// large answers, nor with many small ones to long queries.
func TestReadCacheIsBounded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ query, body, most int }{
		{query: 10, body: maxKeptAnswer - 4096, most: maxKeptAnswers/(maxKeptAnswer-4096) + 1},
		{query: 60_000, body: 20, most: maxKeptAnswers / 60_000},
		{query: 10, body: 0, most: maxKeptAnswers / keptOverhead},
	} {
		var c readCache
		body := make([]byte, test.body)
		for i := range 2 * test.most {
			query := fmt.Sprintf("%0*d", test.query, i)
			for range 2 { // by two requests at once
				c.put(readKey{query: query}, answer{body: body}, 0)
			}
			if len(c.kept) == 0 || len(c.kept) > test.most || c.size > maxKeptAnswers {
				t.Fatalf("with queries of %d and answers of %d bytes, %d are kept, %d bytes are counted", test.query, test.body, len(c.kept), c.size)
			}
		}
		if held := len(c.kept) * (test.query + test.body + keptOverhead); held != c.size {
			t.Errorf("%d bytes are kept, %d counted", held, c.size)
		}
	}
	var c readCache
	c.put(readKey{query: "large"}, answer{body: make([]byte, maxKeptAnswer)}, 0)
	c.put(readKey{query: string(make([]byte, maxKeptAnswer))}, answer{}, 0)
	if len(c.kept) != 0 {
		t.Error("a large answer is kept")
	}
}
