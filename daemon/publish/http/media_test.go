package httppost_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	httppost "github.com/schedctl/schedctl/daemon/publish/http"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

func TestMedia(t *testing.T) {
	t.Parallel()
	var got struct{ Media any }
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &got)
	}))
	defer server.Close()
	picture, document := publishtest.TestFile("image/png", 1), publishtest.TestFile("application/pdf", 2)
	document.Width, document.Height, document.AltText = 0, 0, ""
	r := request(publish.Credentials{"url": server.URL})
	r.Files = []publish.File{picture, document}
	p := httppost.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "test")
	if _, err := p.Publish(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	var want any
	err := json.Unmarshal(fmt.Appendf(nil, `[
		{"id": %q, "url": "https://daemon.example/media/1", "mime_type": "image/png", "size_bytes": %d, "sha256": "%x", "width": 640, "height": 480, "alt_text": "Alt text of file 1"},
		{"id": %q, "url": "https://daemon.example/media/2", "mime_type": "application/pdf", "size_bytes": %d, "sha256": "%x", "width": null, "height": null, "alt_text": null}]`,
		picture.AssetID, picture.Size, picture.SHA256, document.AssetID, document.Size, document.SHA256), &want)
	if diff := cmp.Diff(want, got.Media); err != nil || diff != "" {
		t.Errorf("media, %v (-want +got):\n%s", err, diff)
	}
}

// A receiver never gets a file that it cannot fetch.
func TestMediaWithoutURL(t *testing.T) {
	t.Parallel()
	r := request(publish.Credentials{"url": "https://bot.example"})
	r.Files = []publish.File{publishtest.TestFile("image/png", 1)}
	r.Files[0].URL = ""
	_, err := httppost.New(nil, outbound.AllowPrivate, "test").Publish(t.Context(), r)
	if e := publish.AsError(err); e.Kind != schedctl.KindMedia || e.Outcome != schedctl.OutcomeNotPublished {
		t.Errorf("got %+v", e)
	}
}
