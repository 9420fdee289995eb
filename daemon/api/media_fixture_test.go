package api_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/schedctl/schedctl/client/apiv1"
)

// upload uploads a file with my key and returns its asset.
func (f *fixture) upload(file []byte) apiv1.MediaAsset {
	f.t.Helper()
	r := f.do(nil, "POST", "/media", file)
	if r.status != http.StatusOK {
		r.want(http.StatusCreated)
	}
	return decodeAs[apiv1.UploadedMedia](f.t, r).MediaAsset
}

// announced is an announced upload.
type announced struct {
	apiv1.UploadEnvelope
	t *testing.T
}

// announce announces an upload with my key.
func (f *fixture) announce(file []byte) announced {
	f.t.Helper()
	r := f.do(nil, "POST", "/media/uploads", body{"file_name": "a.png", "mime_type": "image/png", "size_bytes": len(file)})
	return announced{decodeAs[apiv1.UploadEnvelope](f.t, r.want(http.StatusCreated)), f.t}
}

// announceSize announces a picture with my key.
func (f *fixture) announceSize(size int) *response {
	f.t.Helper()
	return f.do(nil, "POST", "/media/uploads", body{"file_name": "a.png", "mime_type": "image/png", "size_bytes": size})
}

// path returns the path of the upload URL below /api/v1.
func (a announced) path() string {
	a.t.Helper()
	u, err := url.Parse(a.Upload.URL)
	if err != nil {
		a.t.Fatal(err)
	}
	return u.RequestURI()[len("/api/v1"):]
}

// fileServer serves a file at every path.
func (f *fixture) fileServer(file []byte) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(file) }))
	f.t.Cleanup(s.Close)
	return s.URL
}
