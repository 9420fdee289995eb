package httppost_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	httppost "github.com/schedctl/schedctl/daemon/publish/http"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// receiver keeps the last request and responds with a body.
func receiver(t *testing.T, response string) (*httppost.Publisher, publish.Request, func() map[string]any) {
	t.Helper()
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		io.WriteString(w, response)
	}))
	t.Cleanup(server.Close)
	p := httppost.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "test")
	return p, request(publish.Credentials{"url": server.URL}), func() map[string]any {
		got := map[string]any{}
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
}

func TestThread(t *testing.T) {
	t.Parallel()
	p, r, sent := receiver(t, `{"id":"m1","parts":[{"id":"m2","url":"https://bot.example/m2"},{"id":7},"x"]}`)
	picture := publishtest.TestFile("image/png", 1)
	r.Rest = []publish.RequestPart{
		{Kind: schedctl.PartReply, Content: "two", Files: []publish.File{picture}}, {Kind: schedctl.PartReply, Content: "three"},
		{Kind: schedctl.PartComment, Content: "comment"}, {Kind: schedctl.PartReply, Content: "more parts than the receiver named"},
	}
	r.Poll = &schedctl.Poll{Options: []string{"a", "b"}, ExpiresIn: time.Hour, HideTotals: true}
	r.Presentation = schedctl.Presentation{ContentWarning: "careful", Visibility: "followers", Language: "de"}
	image := publishtest.TestFile("image/png", 2)
	r.CardImage = &image
	r.Preview = schedctl.LinkPreview{Mode: schedctl.PreviewCard, URL: "https://example.com", Title: "T", Image: schedctl.PostMedia{AssetID: image.AssetID}}
	receipt, err := p.Publish(t.Context(), r)
	want := schedctl.Receipt{ID: "m1", Rest: []schedctl.Receipt{{ID: "m2", URL: "https://bot.example/m2"}, {ID: "7"}, {}, {}}}
	if diff := cmp.Diff(want, receipt); err != nil || diff != "" {
		t.Errorf("receipt, %v (-want +got):\n%s", err, diff)
	}
	got := sent()
	file := func(f publish.File, n int) string {
		return fmt.Sprintf(`{"id":%q,"url":"https://daemon.example/media/%d","mime_type":"image/png","size_bytes":%d,"sha256":"%x","width":640,"height":480,"alt_text":"Alt text of file %d"}`,
			f.AssetID, n, f.Size, f.SHA256, n)
	}
	var members map[string]any
	if err := json.Unmarshal([]byte(`{
		"thread":[{"content":"two","media":[`+file(picture, 1)+`]},{"content":"three"},{"content":"more parts than the receiver named"}],
		"first_comment":{"content":"comment"},
		"poll":{"options":["a","b"],"expires_in_seconds":3600,"multiple":false,"hide_totals":true},
		"link_preview":{"url":"https://example.com","title":"T","description":"","image":`+file(image, 2)+`},
		"content_warning":"careful","visibility":"followers","language":"de"}`), &members); err != nil {
		t.Fatal(err)
	}
	for name, want := range members {
		if diff := cmp.Diff(want, got[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestPreviews(t *testing.T) {
	t.Parallel()
	p, r, sent := receiver(t, `{}`)
	for name, tt := range map[string]struct {
		preview schedctl.LinkPreview
		want    any
	}{
		"default": {schedctl.LinkPreview{}, nil},
		"none":    {schedctl.LinkPreview{Mode: schedctl.PreviewNone}, "none"},
		"card":    {schedctl.LinkPreview{Mode: schedctl.PreviewCard, URL: "https://x.example"}, map[string]any{"url": "https://x.example", "title": "", "description": "", "image": nil}},
	} {
		r.Preview = tt.preview
		if _, err := p.Publish(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, sent()["link_preview"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	r.Preview.Image.AssetID = "med_1"
	r.Preview.Mode = schedctl.PreviewCard
	if _, err := p.Publish(t.Context(), r); publish.AsError(err).Kind != schedctl.KindMedia {
		t.Errorf("a picture that is not given: %v", err)
	}
}

// A part of a thread is never sent on its own, as if it were a post.
func TestAPartAloneIsRefused(t *testing.T) {
	t.Parallel()
	p, r, _ := receiver(t, `{}`)
	r.Part, r.Kind = 1, schedctl.PartReply
	if _, err := p.Publish(t.Context(), r); publish.AsError(err).Code != "thread" || publish.AsError(err).Outcome != schedctl.OutcomeNotPublished {
		t.Errorf("got %v", err)
	}
}
