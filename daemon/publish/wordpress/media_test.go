package wordpress_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// upload uploads files of each class and returns them.
func upload(t *testing.T, p publish.Uploader, r publish.Request) []publish.File {
	t.Helper()
	files := []publish.File{
		publishtest.TestFile("image/png", 1), publishtest.TestFile("video/mp4", 2), publishtest.TestFile("application/pdf", 3),
	}
	files[0].AltText = `A "quoted" <alt>`
	for i := range files {
		u, err := p.Upload(t.Context(), r, files[i])
		if err != nil {
			t.Fatal(err)
		}
		files[i].Upload = u
	}
	return files
}

func TestFiles(t *testing.T) {
	t.Parallel()
	s := newServer()
	p, r := start(t, s)
	r.Files = upload(t, p, r)
	receipt, err := p.Publish(t.Context(), r)
	if err != nil || receipt.Degraded != (schedctl.Degradation{}) {
		t.Fatal(receipt, err)
	}
	if diff := cmp.Diff([]string{`A "quoted" <alt>`, "Alt text of file 2", "Alt text of file 3"}, s.uploads); diff != "" {
		t.Errorf("alt texts (-want +got):\n%s", diff)
	}
	raw := s.posts[0].Content.Raw
	for _, want := range []string{
		`<img src="https://blog.example.org/wp-content/uploads/1-`, `alt="A &#34;quoted&#34; &lt;alt&gt;" class="wp-image-101"/>`,
		`<video controls src="https://blog.example.org/wp-content/uploads/2-`, "Alt text of file 2</figcaption>",
		`<a href="https://blog.example.org/wp-content/uploads/3-`, ">holiday 3.pdf</a>",
	} {
		if !strings.Contains(raw, want) {
			t.Errorf("no %s in %s", want, raw)
		}
	}
	s.strip, r.Key = true, "pt_01JX0000000000000000000009"
	if receipt, err = p.Publish(t.Context(), r); err != nil || receipt.Degraded.Code != "media" {
		t.Errorf("a post without its files: %+v, %v", receipt, err)
	}
	r.Files[0].Upload = publish.Upload{}
	_, err = p.Publish(t.Context(), r)
	if e := publish.AsError(err); e.Code != publish.CodeUploadLost || e.Outcome != schedctl.OutcomeNotPublished {
		t.Errorf("a file that is not uploaded: %+v", e)
	}
}

func TestRefusedUploads(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status     int
		code       string
		kind       schedctl.ErrorKind
		want, says string
	}{
		{400, "rest_upload_file_too_big", schedctl.KindMedia, publish.CodeFileTooLarge, "smaller file"},
		{400, "rest_upload_no_data", schedctl.KindMedia, publish.CodeFileTooLarge, "smaller file"},
		{500, "rest_upload_sideload_error", schedctl.KindMedia, "rest_upload_sideload_error", "types and sizes"},
		{500, "rest_upload_unknown_error", schedctl.KindMedia, "rest_upload_unknown_error", "types and sizes"},
		{403, "rest_cannot_create", schedctl.KindMedia, "missing_scope", "role"},
		{401, "incorrect_password", schedctl.KindAuth, "incorrect_password", "application password"},
	} {
		p, r := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { refuse(w, tt.status, tt.code) }))
		_, err := p.Upload(t.Context(), r, publishtest.TestFile("image/png", 1))
		if e := publish.AsError(err); e.Kind != tt.kind || e.Code != tt.want || e.Outcome != schedctl.OutcomeNotPublished || !strings.Contains(e.Message, tt.says) {
			t.Errorf("%s: got %+v", tt.code, e)
		}
	}
}
