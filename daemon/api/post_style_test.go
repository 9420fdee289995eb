package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

func TestTitleAndStyleOfEdit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	pic := f.upload(mediatest.PNG(3, 3)).ID
	p := f.create(body{"content": "Hello", "title": " For the files ", "post_style": "text"})
	version := p.Version
	want := func(r *response, title, style any, changes int64) {
		t.Helper()
		got := decodeAs[apiv1.PostEnvelope](t, r.want(200)).Post
		version += changes
		if diff := cmp.Diff([]any{title, style, version}, []any{orNil(got.Title), orNil(got.PostStyle), got.Version}); diff != "" {
			t.Error(diff)
		}
	}
	edit := func(b body) *response { return f.do(nil, "PATCH", "/posts/"+p.ID, b) }
	want(f.do(nil, "GET", "/posts/"+p.ID, nil), "For the files", "text", 0)
	want(edit(body{"post_style": "text", "title": "For the files"}), "For the files", "text", 0)
	want(edit(body{"title": "Another"}), "Another", "text", 1)
	want(edit(body{"content": "Bye"}), "Another", "text", 1)
	want(edit(body{"title": nil, "media_asset_ids": []string{pic}}), nil, nil, 1) // it is no text any more
	edit(body{"post_style": "media_only"}).refused(schedctl.ValidationFailed)
	want(edit(body{"content": "", "post_style": "media_only"}), nil, "media_only", 1)
	want(edit(body{"media_asset_ids": []string{pic}, "post_style": nil}), nil, nil, 1)
	for _, title := range []any{strings.Repeat("a", 141), "a\nb", 7} {
		if e := edit(body{"title": title}).refused(schedctl.ValidationFailed); len(e.Details) != 1 || e.Details[0].Field != "title" {
			t.Errorf("title %v: refused with %+v", title, e)
		}
	}
}

func orNil(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}

// No network gets the title, so it can be changed in every status.
func TestTitleOfCanceledPost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.create(body{"content": "Hello", "social_account_ids": []string{f.mine.account}, "publish_at": in(time.Hour)})
	f.do(nil, "POST", "/posts/"+p.ID+"/cancel", nil).want(200)
	got := decodeAs[apiv1.PostEnvelope](t, f.do(nil, "PATCH", "/posts/"+p.ID, body{"title": "Old", "post_style": "text"}).want(200)).Post
	if orNil(got.Title) != "Old" || orNil(got.PostStyle) != "text" {
		t.Errorf("title %v, style %v", orNil(got.Title), orNil(got.PostStyle))
	}
}
