package publish_test

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

func TestPublicName(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, mimeType, want string }{
		{"holiday.PNG", "image/png", "holiday.png"},
		{"holiday.webp", "image/jpeg", "holiday.jpg"},
		{"C:\\me\\minutes of v1.2.pdf", "application/pdf", "minutes of v1.2.pdf"},
		{"no extension", "video/mp4", "no extension.mp4"},
		{"../../etc/passwd", "image/gif", "passwd.gif"},
		{"a sentence. It has no extension", "image/gif", "a sentence. It has no extension.gif"},
		{"", "image/png", "file.png"},
		{"clip.mov", "video/quicktime", "clip.mov"},
	} {
		f := publish.File{Media: publish.Media{FileName: tt.name, MIMEType: tt.mimeType}}
		if got := publish.PublicName(f); got != tt.want {
			t.Errorf("%q as %s: got %q, want %q", tt.name, tt.mimeType, got, tt.want)
		}
	}
}

func TestContentEmpty(t *testing.T) {
	t.Parallel()
	r := publish.Request{Content: " \n"}
	if !r.Shown().Empty() {
		t.Error("white space is not empty")
	}
	r.Files = []publish.File{{Media: publish.Media{AssetID: "med_1"}}}
	if c := r.Shown(); c.Empty() || c.Text != " \n" || c.Media[0].AssetID != "med_1" {
		t.Errorf("got %+v", c)
	}
}

// TestStillGIFs guards that a GIF with one frame is a picture, and that a check warns about
// animated pictures that are not GIFs.
func TestStillGIFs(t *testing.T) {
	t.Parallel()
	still, moving := publish.Media{MIMEType: "image/gif", Size: 1}, publish.Media{MIMEType: "image/gif", Size: 1, Duration: 400 * time.Millisecond}
	if still.Class() != schedctl.MediaImage || moving.Class() != schedctl.MediaGIF {
		t.Errorf("classes %s and %s", still.Class(), moving.Class())
	}
	p := picturesOnly{}
	always := func(publish.Media, publish.ClassRules) bool { return true }
	for name, tt := range map[string]struct {
		media              publish.Media
		problems, warnings int
	}{
		"still GIF":     {still, 0, 0},
		"moving GIF":    {moving, 1, 0},
		"still WebP":    {publish.Media{MIMEType: "image/webp"}, 0, 0},
		"animated WebP": {publish.Media{MIMEType: "image/webp", Duration: time.Second, Animated: true}, 0, 1},
		"APNG":          {publish.Media{MIMEType: "image/png", Duration: time.Second, Animated: true}, 0, 1},
	} {
		var c publish.Check
		publish.CheckMedia(&c, p, schedctl.Account{}, []publish.Media{tt.media}, always)
		if len(c.Problems) != tt.problems || len(c.Warnings) != tt.warnings {
			t.Errorf("%s: %v, %q", name, c.Problems, c.Warnings)
		}
	}
}

// picturesOnly is a network that takes pictures of some types.
type picturesOnly struct{ publish.Publisher }

func (picturesOnly) Platform() string { return "pictures" }

func (picturesOnly) MediaRules(schedctl.Account) publish.MediaRules {
	return publish.MediaRules{Classes: map[schedctl.MediaClass]publish.ClassRules{
		schedctl.MediaImage: {Types: []string{"image/jpeg", "image/png", "image/webp"}},
	}}
}
