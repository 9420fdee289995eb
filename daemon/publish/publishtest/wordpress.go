package publishtest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
)

// WordPress is a running site with WordPress.
type WordPress struct {
	URL string `json:"url"`

	// Passwords are application passwords: of alice, an author, of bob, a contributor, who
	// may not publish, and of carol, a subscriber.
	Passwords map[string]string `json:"passwords"`
}

// WordPressPost is one post of the site.
type WordPressPost struct {
	ID      int                  `json:"id"`
	Slug    string               `json:"slug"`
	Status  string               `json:"status"`
	Link    string               `json:"link"`
	Title   struct{ Raw string } `json:"title"`
	Content struct {
		Raw      string `json:"raw"`
		Rendered string `json:"rendered"`
	} `json:"content"`
	Categories []int `json:"categories"`
}

// StartWordPress starts a site on loopback. It runs until the test ends. If WordPress is
// not installed, the test is skipped; with SCHEDCTL_REQUIRE_ALL=1 in the environment it
// fails.
func StartWordPress(t *testing.T) WordPress {
	t.Helper()
	requireServer(t, "wordpress")
	var w WordPress
	startServer(t, "wordpress", 1, nil, &w)
	if w.Passwords["alice"] == "" {
		t.Fatal("up.sh wordpress printed no password")
	}
	return w
}

// Posts returns the posts of alice in every status, up to a hundred, newest first.
func (w WordPress) Posts(t *testing.T) (posts []WordPressPost) {
	t.Helper()
	query := url.Values{"context": {"edit"}, "status": {"any"}, "per_page": {"100"}, "author": {"2"}, "orderby": {"id"}}
	w.Get(t, "/wp-json/wp/v2/posts?"+query.Encode(), &posts)
	return posts
}

// Get reads a document of the REST API as alice.
func (w WordPress) Get(t *testing.T, path string, into any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth("alice", w.Passwords["alice"])
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(into); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d, %v", path, response.StatusCode, err)
	}
}
