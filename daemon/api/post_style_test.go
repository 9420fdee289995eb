package api_test

import (
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
)

// The published client of the original service sends title and post_style.
func TestPostStyle(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	pic, video := f.upload(mediatest.PNG(3, 3)).ID, f.upload(mediatest.MP4(10_000)).ID
	pending := decodeAs[apiv1.UploadEnvelope](t, f.do(nil, "POST", "/media/uploads", body{"file_name": "a", "mime_type": "application/octet-stream", "size_bytes": 9}).want(201)).MediaAsset.ID
	for _, c := range []struct {
		style, content string
		media          []string
		want           string // a part of the message, or empty
	}{
		{"text", "Hello", nil, ""},
		{"text", "Hello", []string{pic}, "has media; use text_media"},
		{"text_media", "Hello", []string{pic}, ""},
		{"text_media", "Hello", nil, "has no media; use text"},
		{"text_media", "", []string{pic}, "has no text; use media_only"},
		{"media_only", "", []string{pic, video}, ""},
		{"media_only", "Hello", []string{pic}, "has a text; use text_media"},
		{"media_only", "Hello", nil, "has no media; use text"},
		{"video_only", "", []string{video, pending}, ""},
		{"video_only", "", []string{video, pic}, "has files that are not videos; use media_only"},
		{"video_only", "Hello", []string{video}, "has a text; use text_media"},
		{"stories", "Hello", nil, "must be one of text, text_media, media_only, video_only"},
	} {
		given := body{"content": c.content, "post_style": c.style, "title": " For the files "}
		if c.media != nil {
			given["media_asset_ids"] = c.media
		}
		r := f.do(nil, "POST", "/posts", given)
		if c.want == "" {
			r.want(201)
			continue
		}
		if e := r.refused(schedctl.ValidationFailed); !strings.HasSuffix(e.Message, c.want) || len(e.Details) != 1 || e.Details[0].Field != "post_style" {
			t.Errorf("%s %q %v: refused with %+v", c.style, c.content, c.media, e)
		}
		if c.style == "stories" {
			continue
		}
		delete(given, "title")
		v := decodeAs[apiv1.Validation](t, f.do(nil, "POST", "/posts/validate", given).want(200))
		if v.Allowed || len(v.Problems) != 1 || v.Problems[0].Field != "post_style" {
			t.Errorf("%s %q %v: validated as %+v", c.style, c.content, c.media, v)
		}
	}
}

func TestPostStyleOfEdit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	pic := f.upload(mediatest.PNG(3, 3)).ID
	p := f.create(body{"content": "Hello"})
	edit := func(b body) *response { return f.do(nil, "PATCH", "/posts/"+p.ID, b) }
	edit(body{"post_style": "media_only"}).refused(schedctl.ValidationFailed)
	for _, unchanged := range []body{{"post_style": "text"}, {"title": "For the files"}, {"title": nil}} {
		if got := decodeAs[apiv1.PostEnvelope](t, edit(unchanged).want(200)).Post; got.Version != p.Version {
			t.Errorf("%v made version %d", unchanged, got.Version)
		}
	}
	edit(body{"content": "", "media_asset_ids": []string{pic}, "post_style": "media_only", "title": "Picture"}).want(200)
	for _, title := range []any{strings.Repeat("a", 141), "a\nb", 7} {
		if e := edit(body{"title": title}).refused(schedctl.ValidationFailed); len(e.Details) != 1 || e.Details[0].Field != "title" {
			t.Errorf("title %v: refused with %+v", title, e)
		}
	}
}
