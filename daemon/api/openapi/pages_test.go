package openapi_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// pictureFolder has the pictures of docs/review.md.
const pictureFolder = "../../../docs/pictures"

// maxPicture is the number of bytes that a picture of the docs may have.
const maxPicture = 120 << 10

// TestPagesInABrowser opens the pages of shares of a real daemon in Chromium, which can reach
// only the daemon. Each check of pages.js is a subtest. With -update it writes the pictures of
// docs/review.md.
func TestPagesInABrowser(t *testing.T) {
	t.Parallel()
	dir, chromium := tools(t), browser(t)
	d, pictures := startDaemon(t), t.ArtifactDir()
	printed := run(t, dir, t.TempDir(), "node", absolute(t, "pages.js"), chromium, d.url, d.key, pictures)
	var results map[string]struct {
		Error        string
		Milliseconds int
	}
	if err := json.Unmarshal([]byte(printed), &results); err != nil {
		t.Fatalf("%v in %s", err, printed)
	}
	if len(results) == 0 {
		t.Fatal("nothing was checked")
	}
	for _, name := range slices.Sorted(maps.Keys(results)) {
		result := results[name]
		t.Run(name, func(t *testing.T) {
			t.Log(time.Duration(result.Milliseconds) * time.Millisecond)
			if result.Error != "" {
				t.Error(result.Error)
			}
		})
	}
	for _, name := range []string{"review.png", "calendar.png"} {
		checkPicture(t, filepath.Join(pictures, name))
		picture, err := os.ReadFile(filepath.Join(pictures, name))
		if err != nil {
			t.Fatal(err)
		}
		if len(picture) > maxPicture {
			t.Errorf("%s has %d bytes, want %d at most", name, len(picture), maxPicture)
		}
		if *update && !t.Failed() {
			writeFile(t, filepath.Join(pictureFolder, name), picture)
		}
	}
}
