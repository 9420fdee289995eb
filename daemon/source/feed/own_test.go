package feed_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/daemon/source/feed"
)

// TestOwnFeeds guards that a source reads the feeds that the daemon publishes, and that an item
// is the same one in both of their formats.
func TestOwnFeeds(t *testing.T) {
	t.Parallel()
	var links [][]string
	for _, pattern := range []string{"*.atom", "*.json"} {
		paths, err := filepath.Glob("../../publish/feed/testdata/" + pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("no feeds: %v", err)
		}
		var found []string
		for _, path := range paths {
			body, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			f, err := feed.Parse(body, "", nil)
			if err != nil || len(f.Items) == 0 || f.Skipped > 0 {
				t.Fatalf("%s: got %+v, %v", path, f, err)
			}
			keys, repeated := f.Keys(feed.Auto)
			for i, k := range keys {
				if item := f.Items[i]; repeated || k.GUID == "" || k.Link == "" || item.Published.IsZero() || item.Summary == "" && len(item.Images) == 0 {
					t.Errorf("%s: got %+v with the keys %+v", path, item, k)
				}
				for _, image := range f.Items[i].Images {
					if strings.HasSuffix(image.URL, ".jpg") && !strings.Contains(image.Alt, "beach") {
						t.Errorf("%s: %s has lost its alt text", path, image.URL)
					}
				}
				found = append(found, k.Link)
			}
		}
		slices.Sort(found)
		links = append(links, found)
	}
	if !slices.Equal(links[0], links[1]) {
		t.Errorf("the formats have different links: %q", links)
	}
}
