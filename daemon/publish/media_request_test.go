package publish_test

import (
	"testing"

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
