package mastodon_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/variant"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/mastodon"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// smallServer is the configuration of a server with lower limits than Mastodon's.
const smallServer = `{"configuration":{"statuses":{"max_characters":500,"max_media_attachments":2,"characters_reserved_per_url":23},
	"media_attachments":{"supported_mime_types":["image/jpeg","image/png"],"description_limit":420,"image_size_limit":2000000,"image_matrix_limit":1000000,
	"video_size_limit":10000000,"video_frame_rate_limit":60,"video_matrix_limit":2304000}}}`

// TestServerLimitsOfFiles guards that the limits of the server decide which files are taken, and
// how pictures are scaled, and that a server which reports none has those of Mastodon.
func TestServerLimitsOfFiles(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		document string
		want     schedctl.FileLimits
	}{
		"small server":           {smallServer, schedctl.FileLimits{MaxFiles: 2, MaxAlt: 420, ImageBytes: 2_000_000, ImagePixels: 1_000_000, VideoBytes: 10_000_000, VideoPixels: 2_304_000, Types: "image/jpeg image/png"}},
		"all types":              {`{"configuration":{"media_attachments":{"supported_mime_types":["image/jpeg","image/png","image/webp","image/gif","image/heic","video/webm","video/mp4","video/quicktime","audio/ogg"]}}}`, schedctl.FileLimits{}},
		"no type of a picture":   {`{"configuration":{"media_attachments":{"supported_mime_types":["video/mp4",7,null]}}}`, schedctl.FileLimits{}},
		"no limit of characters": {`{"configuration":{"media_attachments":{"image_size_limit":5000}}}`, schedctl.FileLimits{ImageBytes: 5000}},
		"nonsense":               {`{"configuration":{"statuses":{"max_media_attachments":"4"},"media_attachments":{"image_size_limit":-1,"image_matrix_limit":1e300,"video_size_limit":null}}}`, schedctl.FileLimits{}},
		"none":                   {`{}`, schedctl.FileLimits{}},
	} {
		network := working()
		network["GET /api/v2/instance"] = struct {
			status int
			body   string
		}{200, tt.document}
		server := httptest.NewServer(network)
		p := mastodon.New(outbound.Client(outbound.AllowPrivate), "test")
		got, err := p.Connect(t.Context(), connection(server.URL))
		server.Close()
		if diff := cmp.Diff(tt.want, got.Limits.Files); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	p := mastodon.New(nil, "test")
	small := p.MediaRules(schedctl.Account{Limits: schedctl.Limits{Files: schedctl.FileLimits{MaxFiles: 2, MaxAlt: 420, ImageBytes: 2_000_000, ImagePixels: 1_000_000, VideoBytes: 10_000_000, VideoPixels: 2_304_000}}})
	usual := p.MediaRules(schedctl.Account{})
	picture := publish.Media{MIMEType: "image/jpeg", Size: 1_500_000, Width: 2000, Height: 1500}
	video := publish.Media{MIMEType: "video/mp4", Size: 5_000_000, Width: 3840, Height: 2160}
	if fix, err := media.Plan(picture, small.Classes[schedctl.MediaImage]); err != nil || fix != variant.Resize {
		t.Errorf("a picture on the small server: %q, %v", fix, err)
	}
	if fix, err := media.Plan(picture, usual.Classes[schedctl.MediaImage]); err != nil || fix != variant.None {
		t.Errorf("a picture on a server with the usual limits: %q, %v", fix, err)
	}
	if _, err := media.Plan(video, small.Classes[schedctl.MediaVideo]); err == nil {
		t.Error("a video with too many pixels is accepted")
	}
	if _, err := media.Plan(video, usual.Classes[schedctl.MediaVideo]); err != nil {
		t.Errorf("a video on a server with the usual limits: %v", err)
	}
	if small.MaxFiles != 2 || small.MaxAlt != 420 || usual.MaxFiles != 4 || usual.MaxAlt != 1500 {
		t.Errorf("small %+v, usual %+v", small, usual)
	}
}

// TestLowerLimitThanKnown guards that a picture with more pixels than the server takes by now
// is scaled and not refused for good.
func TestLowerLimitThanKnown(t *testing.T) {
	t.Parallel()
	s := newUploads()
	p, r := startUploads(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/v2/media":
			http.Error(w, `{"error":"Validation failed: File 640x480 images are not supported"}`, http.StatusUnprocessableEntity)
		case "/api/v2/instance":
			io.WriteString(w, `{"configuration":{"media_attachments":{"image_size_limit":16777216,"image_matrix_limit":76800}}}`)
		default:
			s.ServeHTTP(w, r)
		}
	}))
	f := publishtest.TestFile("image/png", 1) // 640 × 480
	_, err := p.Upload(t.Context(), r, f)
	if e := publish.AsError(err); e.Code != publish.CodeFileTooLarge || e.MaxBytes != f.Size/4 || e.Outcome != schedctl.OutcomeNotPublished {
		t.Errorf("got %+v, the file has %d bytes", e, f.Size)
	}
}

// TestServerTypesOfFiles checks that a file of a type that the server does not take is
// converted, or refused before it is uploaded.
func TestServerTypesOfFiles(t *testing.T) {
	t.Parallel()
	p := mastodon.New(nil, "test")
	few := p.MediaRules(schedctl.Account{Limits: schedctl.Limits{Files: schedctl.FileLimits{Types: "image/jpeg image/png video/mp4"}}})
	if fix, err := media.Plan(publish.Media{MIMEType: "image/webp", Size: 1000, Width: 20, Height: 15}, few.Classes[schedctl.MediaImage]); err != nil || fix == variant.None {
		t.Errorf("a picture of another type: %q, %v", fix, err)
	}
	if _, takes := few.Classes[schedctl.MediaGIF]; takes {
		t.Error("animations are taken")
	}
	if _, err := media.Plan(publish.Media{MIMEType: "video/webm", Size: 1000, Width: 20, Height: 15}, few.Classes[schedctl.MediaVideo]); err == nil {
		t.Error("a video of another type is taken")
	}
	if still := p.MediaRules(schedctl.Account{Limits: schedctl.Limits{Files: schedctl.FileLimits{Types: "image/png"}}}); len(still.Classes) != 1 {
		t.Errorf("a server for pictures takes %v", still.Classes)
	}
}
