package bluesky_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/bluesky"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// connected returns a request of a connected account.
func connected(t *testing.T, n *network, p *bluesky.Publisher) publish.Request {
	t.Helper()
	profile, err := p.Connect(t.Context(), connection(n.URL))
	if err != nil {
		t.Fatal(err)
	}
	return publish.Request{TargetID: "pt_1", Key: key, Attempt: 1, Content: "hello", Credentials: profile.Credentials}
}

func TestEmbeds(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	r := connected(t, n, p)
	picture, video := publishtest.TestFile("image/png", 1), publishtest.TestFile("video/mp4", 2)
	picture.AltText = ""
	for name, files := range map[string][]publish.File{"app.bsky.embed.images": {picture}, "app.bsky.embed.video": {video}} {
		u, err := p.Upload(t.Context(), r, files[0])
		if err != nil || !u.Ready {
			t.Fatalf("%s: %+v, %v", name, u, err)
		}
		files[0].Upload = u
		r.Files, r.Content = files, ""
		if _, err := p.Publish(t.Context(), r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var stored struct{ Embed map[string]any }
		if err := json.Unmarshal(n.records[key], &stored); err != nil {
			t.Fatal(err)
		}
		ratio := map[string]any{"width": 640., "height": 480.}
		cid, _, _ := strings.Cut(u.ID, " ")
		blob := map[string]any{"$type": "blob", "ref": map[string]any{"$link": cid}, "mimeType": files[0].MIMEType, "size": float64(files[0].Size)}
		want := map[string]any{"$type": name, "images": []any{map[string]any{"alt": "", "image": blob, "aspectRatio": ratio}}}
		if name == "app.bsky.embed.video" {
			want = map[string]any{"$type": name, "video": blob, "alt": files[0].AltText, "aspectRatio": ratio}
		}
		if diff := cmp.Diff(want, stored.Embed); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestGallery guards that up to four pictures are images and more of them a gallery, whose
// schema requires alt text and the ratio of the sides.
func TestGallery(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	r := connected(t, n, p)
	for count, want := range map[int]string{4: "app.bsky.embed.images", 5: "app.bsky.embed.gallery", 10: "app.bsky.embed.gallery"} {
		r.Files = nil
		for i := range count {
			f := publishtest.TestFile("image/png", i+1)
			if i == 0 {
				f.AltText, f.Width, f.Height = "", 0, 0
			}
			var err error
			if f.Upload, err = p.Upload(t.Context(), r, f); err != nil {
				t.Fatal(err)
			}
			r.Files = append(r.Files, f)
		}
		r.Key = p.NewKey(time.Now())
		if _, err := p.Publish(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		var stored struct {
			Embed struct {
				Type   string `json:"$type"`
				Images []any
				Items  []struct {
					Type  string         `json:"$type"`
					Image map[string]any `json:"image"`
					Alt   *string        `json:"alt"`
					Ratio map[string]any `json:"aspectRatio"`
				}
			}
		}
		if err := json.Unmarshal(n.records[r.Key], &stored); err != nil {
			t.Fatal(err)
		}
		if e := stored.Embed; e.Type != want || len(e.Images)+len(e.Items) != count {
			t.Errorf("%d pictures: %s", count, n.records[r.Key])
		}
		for i, item := range stored.Embed.Items {
			if item.Type != "app.bsky.embed.gallery#image" || item.Alt == nil || item.Ratio["width"] == nil || item.Image["$type"] != "blob" {
				t.Errorf("item %d: %+v", i, item)
			}
		}
	}
	var c publish.Check
	publish.CheckMedia(&c, p, schedctl.Account{}, slices.Repeat([]publish.Media{{MIMEType: "image/png", Size: 1}}, 11), nil)
	if c.Err() == nil {
		t.Error("eleven pictures are accepted")
	}
}

// A server that reports other bytes than those that were sent must not be trusted.
func TestUploadOfOtherBytes(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	r := connected(t, n, p)
	n.on("com.atproto.repo.uploadBlob", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"blob":{"$type":"blob","ref":{"$link":"bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"},"mimeType":"image/png","size":16018}}`)
	})
	_, err := p.Upload(t.Context(), r, publishtest.TestFile("image/png", 1))
	if e := publish.AsError(err); e.Code != "other_bytes" || e.Outcome != schedctl.OutcomeNotPublished {
		t.Errorf("got %+v", e)
	}
}

func TestRefusedBlobs(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	r := connected(t, n, p)
	f := publishtest.TestFile("image/png", 1)
	u, err := p.Upload(t.Context(), r, f)
	if err != nil {
		t.Fatal(err)
	}
	f.Upload = u
	f.Size = 1_500_000
	r.Files = []publish.File{f}
	for name, want := range map[string]struct {
		kind schedctl.ErrorKind
		code string
		max  int64
	}{
		"BlobTooLarge":    {schedctl.KindMedia, publish.CodeFileTooLarge, 1_000_000},
		"BlobNotFound":    {schedctl.KindPlatform, publish.CodeUploadLost, 0},
		"InvalidMimeType": {schedctl.KindMedia, "InvalidMimeType", 0},
	} {
		n.refuse("com.atproto.repo.putRecord", 400, name)
		_, err := p.Publish(t.Context(), r)
		if e := publish.AsError(err); e.Kind != want.kind || e.Code != want.code || e.MaxBytes != want.max || e.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%s: got %+v", name, e)
		}
	}
	for name, files := range map[string][]publish.File{
		"not uploaded": {publishtest.TestFile("image/png", 2)}, "other bytes": {{Media: publishtest.TestFile("image/png", 2).Media, Upload: u}},
	} {
		r.Files = files
		_, err := p.Publish(t.Context(), r)
		if e := publish.AsError(err); e.Code != publish.CodeUploadLost {
			t.Errorf("%s: got %+v", name, e)
		}
	}
}

func TestExpiredSessionDuringAnUpload(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	r := connected(t, n, p)
	n.refuse("com.atproto.repo.uploadBlob", 400, "ExpiredToken")
	_, err := p.Upload(t.Context(), r, publishtest.TestFile("image/png", 1))
	wantExpired(t, "upload", err)
}
