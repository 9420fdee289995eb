package feed_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// files returns a file of each class.
func files() []publish.Media {
	return []publish.Media{
		{AssetID: id(schedctl.MediaPrefix, 1), FileName: "beach.jpg", MIMEType: "image/jpeg", Size: 12345, Width: 640, Height: 480, AltText: `A "beach" <at> noon & more`},
		{AssetID: id(schedctl.MediaPrefix, 2), FileName: "wave.gif", MIMEType: "image/gif", Size: 23456, Width: 32, Height: 32},
		{AssetID: id(schedctl.MediaPrefix, 3), FileName: "clip.mp4", MIMEType: "video/mp4", Size: 34567, Width: 1280, Height: 720, Duration: 12600 * time.Millisecond, AltText: "Waves"},
		{AssetID: id(schedctl.MediaPrefix, 4), FileName: "route.pdf", MIMEType: "application/pdf", Size: 45678},
	}
}

// Each file that a feed links to is served, and no other.
func TestMediaAreServed(t *testing.T) {
	t.Parallel()
	m := posts("With media", "Without")
	m.entries[0].Media = files()
	target, other := m.entries[0].ID, m.entries[1].ID
	links := 0
	for _, part := range strings.Split(ask(m, http.MethodGet, "/feeds/news.atom").Body.String(), `"`) {
		if !strings.HasPrefix(part, publicURL+"/feeds/news/media/") {
			continue
		}
		if w := ask(m, http.MethodGet, strings.TrimPrefix(part, publicURL)); w.Code != 200 || w.Body.String() != files()[links].AssetID {
			t.Errorf("%s: got %d, %s", part, w.Code, w.Body)
		}
		if links++; links == len(files()) {
			break
		}
	}
	if links != len(files()) {
		t.Errorf("the feed has %d enclosures, want %d", links, len(files()))
	}
	asset := files()[0].AssetID
	for _, path := range []string{
		"/feeds/news/media/" + target + "-" + asset + ".png",
		"/feeds/news/media/" + target + "-" + asset,
		"/feeds/news/media/" + other + "-" + asset + ".jpg",
		"/feeds/news/media/" + target + "-" + id(schedctl.MediaPrefix, 9) + ".jpg",
		"/feeds/news/media/" + id(schedctl.TargetPrefix, 99) + "-" + asset + ".jpg",
		"/feeds/other/media/" + target + "-" + asset + ".jpg",
		"/feeds/news/media/",
		"/feeds/news/media/x",
	} {
		if w := ask(m, http.MethodGet, path); w.Code != 404 {
			t.Errorf("%s: got %d, want 404", path, w.Code)
		}
	}
	m.fault = errors.New("disk")
	if w := ask(m, http.MethodGet, "/feeds/news/media/"+target+"-"+asset+".jpg"); w.Code != 500 || strings.Contains(w.Body.String(), "disk") {
		t.Errorf("a fault: got %d, %s", w.Code, w.Body)
	}
}
