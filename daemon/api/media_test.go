package api_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
)

func (f *fixture) asset(id string) apiv1.MediaAsset {
	f.t.Helper()
	return decodeAs[apiv1.MediaEnvelope](f.t, f.do(nil, "GET", "/media/"+id, nil).want(200)).MediaAsset
}

func TestRepeatedBytesAreTheSameAsset(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		file := mediatest.JPEG(20, 10)
		first := f.upload(file)
		if first.Status != schedctl.MediaReady || *first.Width != 20 || *first.Height != 10 || first.MIMEType != "image/jpeg" || first.SizeBytes != int64(len(file)) {
			t.Errorf("the asset is %+v", first)
		}
		again := decodeAs[apiv1.UploadedMedia](t, f.do(nil, "POST", "/media", file).want(200))
		if again.MediaAsset.ID != first.ID || !again.Existing {
			t.Errorf("the same bytes are %s and %+v", first.ID, again)
		}
		theirs := decodeAs[apiv1.UploadedMedia](t, f.do(as(f.other.key), "POST", "/media", file).want(201)).MediaAsset
		f.do(nil, "GET", "/media/"+theirs.ID, nil).refused(schedctl.NotFound)
	})
}

// Nobody's upload changes what somebody else attaches: known bytes with another alt text are
// another asset, and without one no key gets the words of another.
func TestKnownBytesWithAnotherAltText(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		file := mediatest.JPEG(20, 10)
		key := func(accounts ...string) option {
			return as(f.newKey(f.mine.workspace, func(k *schedctl.APIKey) {
				k.Scopes, k.AccountIDs = []schedctl.Scope{schedctl.ScopePostsRead, schedctl.ScopePostsDraft}, accounts
			}))
		}
		upload := func(o option, alt string, existing bool) string {
			t.Helper()
			path, status := "/media?file_name=a.jpg", map[bool]int{false: 201, true: 200}[existing]
			if alt != "" {
				path += "&alt_text=" + url.QueryEscape(alt)
			}
			got := decodeAs[apiv1.UploadedMedia](t, f.do(o, "POST", path, file).want(status))
			if got.Existing != existing || alt != "" && (got.MediaAsset.AltText == nil || *got.MediaAsset.AltText != alt) {
				t.Errorf("an upload with %q gives %+v", alt, got)
			}
			return got.MediaAsset.ID
		}
		ann, bob, limited := key(), key(), key(f.mine.account)
		cat := upload(ann, "a cat", false)
		dog := upload(bob, "a dog", false)
		plain := upload(limited, "", false)
		for name, c := range map[string]struct {
			by   option
			alt  string
			want string
		}{
			"the same text": {ann, "a cat", cat}, "the same text by another key": {bob, "a cat", cat}, "her own": {ann, "", cat}, "his own": {bob, "", dog},
			"one of neither has no words": {key(), "", plain}, "of a limited key": {limited, "", plain},
		} {
			if got := upload(c.by, c.alt, true); got != c.want {
				t.Errorf("%s: %s, want %s", name, got, c.want)
			}
		}
		if own := upload(limited, "a cat", false); own == cat {
			t.Error("a limited key got the asset of another one")
		}
		if cat == dog || plain == cat || plain == dog {
			t.Errorf("the assets are %s, %s and %s", cat, dog, plain)
		}
		f.do(ann, "POST", "/media?alt_text="+strings.Repeat("a", schedctl.MaxAltText+1), file).refused(schedctl.ValidationFailed)
		f.do(all(ann, header("Content-Type", "multipart/form-data; boundary=b")), "POST", "/media?alt_text=one",
			"--b\r\nContent-Disposition: form-data; name=\"alt_text\"\r\n\r\ntwo\r\n--b--\r\n").refused(schedctl.ValidationFailed)
	})
}

// The boundary of a form differs at each try; its file and fields count.
func TestFormsAreIdempotent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	form := func(boundary, alt string) *response {
		text := "--" + boundary + "\r\nContent-Disposition: form-data; name=\"alt_text\"\r\n\r\n" + alt + "\r\n" +
			"--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"C:\\\\dir\\\\a.png\"\r\n\r\n" + string(mediatest.PNG(3, 4)) +
			"\r\n--" + boundary + "--\r\n"
		return f.do(all(key("k"), header("Content-Type", "multipart/form-data; boundary="+boundary)), "POST", "/media", text)
	}
	first := form("one", "a cat").want(201)
	if a := decodeAs[apiv1.UploadedMedia](t, first).MediaAsset; a.FileName != "a.png" || *a.AltText != "a cat" {
		t.Errorf("the asset is %+v", a)
	}
	replays(t, first, form("two", "a cat"))
	form("three", "a dog").refused(schedctl.IdempotencyKeyReused)
}

func TestAnnouncedUpload(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		file, other := mediatest.PNG(30, 20), mediatest.PNG(20, 30)
		up := f.announce(file)
		path := "/media/" + up.MediaAsset.ID
		f.do(nil, "POST", path+"/confirm-upload", body{}).refused(schedctl.MediaNotReady)
		f.do(nil, "GET", path+"/content", nil).refused(schedctl.MediaNotReady)
		noKey := header("Authorization", "")
		f.do(noKey, "PUT", up.path()+"x", file).refused(schedctl.UploadURLInvalid)
		f.do(noKey, "PUT", up.path(), file[:len(file)-1]).refused(schedctl.MediaInvalid)
		f.do(noKey, "PUT", up.path(), file).want(204)
		f.do(noKey, "PUT", up.path(), file).want(204)
		f.do(nil, "POST", path+"/confirm-upload", body{}).want(200)
		f.do(noKey, "PUT", up.path(), file).want(204)
		if len(other) == len(file) {
			f.do(noKey, "PUT", up.path(), other).refused(schedctl.MediaUploaded)
		}
		if a := decodeAs[apiv1.MediaEnvelope](t, f.do(nil, "POST", path+"/upload-failure", body{}).want(200)).MediaAsset; a.Status != schedctl.MediaReady {
			t.Errorf("a confirmed asset became %s", a.Status)
		}
		got := f.do(header("Range", "bytes=1-3"), "GET", path+"/content", nil).want(206)
		if !bytes.Equal(got.body, file[1:4]) || got.header.Get("X-Content-Type-Options") != "nosniff" ||
			got.header.Get("Content-Security-Policy") != "sandbox; default-src 'none'" || !strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment") {
			t.Errorf("the content is %q with %v", got.body, got.header)
		}
		f.do(header("If-None-Match", got.header.Get("ETag")), "GET", path+"/content", nil).want(304)
	})
}

func TestMediaRefusals(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, c := range map[string]struct {
		file []byte
		code schedctl.Code
	}{
		"nothing": {[]byte{}, schedctl.MediaInvalid}, "a drawing": {mediatest.SVG(), schedctl.MediaTypeNotAllowed},
		"a page": {mediatest.HTML(), schedctl.MediaTypeNotAllowed}, "a cut picture": {mediatest.JPEG(9, 9)[:100], schedctl.MediaInvalid},
	} {
		t.Run(name, func(t *testing.T) { f.do(nil, "POST", "/media", c.file).refused(c.code) })
	}
	announce := func(mime string, size int) *response {
		return f.do(nil, "POST", "/media/uploads", body{"file_name": "a", "mime_type": mime, "size_bytes": size})
	}
	announce("image/svg+xml", 10).refused(schedctl.MediaTypeNotAllowed)
	if e := announce("image/png", 20e6+1).refused(schedctl.MediaTooLarge); !strings.Contains(e.Message, "has 20000001 bytes; the limit of this daemon is 20 MB (20000000 bytes)") {
		t.Errorf("one byte too many: %s", e.Message)
	}
	announce("image/png", 0).refused(schedctl.ValidationFailed)
	for range 33 {
		announce("video/mp4", 300e6).want(201)
	}
	announce("video/mp4", 300e6).refused(schedctl.MediaQuotaExceeded)
}

func TestPostsWithMedia(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		pic := f.upload(mediatest.PNG(3, 3)).ID
		pending := f.announce(mediatest.PNG(4, 4)).MediaAsset.ID
		theirs := decodeAs[apiv1.UploadedMedia](t, f.do(as(f.other.key), "POST", "/media", mediatest.PNG(5, 5)).want(201)).MediaAsset.ID
		f.do(nil, "PATCH", "/media/"+pic, body{"alt_text": "a square"}).want(200)
		p := f.create(body{"media": []body{{"id": pic}}})
		if p.Content != "" || len(p.Media) != 1 || *p.Media[0].AltText != "a square" || p.MediaAssetIDs[0] != pic || len(p.MediaAssets) != 1 {
			t.Errorf("the post is %+v", p)
		}
		f.do(nil, "DELETE", "/media/"+pic, nil).refused(schedctl.MediaInUse)
		if e := f.do(nil, "POST", "/posts", body{"content": "x", "media_asset_ids": []string{pic, theirs}}).refused(schedctl.ValidationFailed); len(e.Details) == 0 || e.Details[0].Field != "media_asset_ids[1]" {
			t.Errorf("a foreign asset is refused with %+v", e)
		}
		f.do(nil, "POST", "/posts", body{"content": "x", "media_asset_ids": []string{pic, pic}}).refused(schedctl.ValidationFailed)
		f.do(nil, "POST", "/posts", body{"content": "x", "media_asset_ids": []string{pic}, "media": []body{{"id": pic}}}).refused(schedctl.ValidationFailed)
		draft := f.create(body{"content": "x", "media_asset_ids": []string{pending}, "social_account_ids": []string{f.mine.account}})
		f.do(nil, "POST", "/posts/"+draft.ID+"/publish-now", nil).refused(schedctl.MediaNotReady)
		f.do(nil, "PATCH", "/posts/"+draft.ID, body{"media": []body{}}).want(200)
		f.do(nil, "DELETE", "/posts/"+p.ID, nil).want(204)
		f.do(nil, "DELETE", "/media/"+pic, nil).want(204)
		f.do(nil, "GET", "/media/"+pic, nil).refused(schedctl.NotFound)
	})
}

func TestMediaPages(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 5 {
		f.upload(mediatest.PNG(i+1, 2))
	}
	seen, cursor := 0, ""
	for {
		page := decodeAs[apiv1.MediaList](t, f.do(nil, "GET", fmt.Sprintf("/media?limit=2%s", cursor), nil).want(http.StatusOK))
		if seen += page.Count; page.NextCursor == nil {
			break
		}
		cursor = "&cursor=" + *page.NextCursor
	}
	if seen != 5 {
		t.Errorf("%d assets on all pages", seen)
	}
}
