package source_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/source"
	"github.com/schedctl/schedctl/daemon/source/feed"
	"github.com/schedctl/schedctl/daemon/source/feedtest"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob/dir"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// newPictureRig returns a rig with media, whose server has a picture of each size, and pages
// that name one. The account is one of a network with pictures, or of the given one.
func newPictureRig(t *testing.T, limits media.Limits, platform string, set func(*schedctl.Source)) *rig {
	t.Helper()
	blobs, err := dir.Open(filepath.Join(t.TempDir(), "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { blobs.Close() })
	r := newRig(t, storagetest.NewMemory(), set)
	r.files = media.New(media.Config{Blobs: blobs, Limits: limits, Outbound: outbound.AllowPrivate})
	r.runner = r.newRunner(r.store)
	r.account.Platform = platform
	r.update(func(tx storage.Tx) error { return tx.PutAccount(r.account) })
	r.feed.Respond(func(w http.ResponseWriter, q *http.Request, c feedtest.Content) {
		switch {
		case q.URL.Path == "/large.png":
			w.Write(mediatest.PNG(300, 220))
		case q.URL.Path == "/small.png":
			w.Write(mediatest.PNG(300, 199))
		case q.URL.Path == "/video.png":
			w.Write(mediatest.MP4(2000))
		case strings.HasSuffix(q.URL.Path, ".png"):
			w.WriteHeader(http.StatusNotFound)
		case strings.HasPrefix(q.URL.Path, "/posts/"):
			w.Header().Set("Content-Type", "text/html")
			w.Write([]byte(`<html><head><meta property="og:image" content="/large.png"></head><body></body></html>`))
		default:
			feedtest.Feed(w, q, c)
		}
	})
	r.feed.Set(feedtest.Numbered(2)...)
	r.after(0)
	return r
}

// pictured publishes an item with a picture and a text, and returns its post, or the zero value.
func (r *rig) pictured(picture, text string) (p schedctl.Post) {
	r.f.Helper()
	item := dated(9, r.time().Add(time.Minute))
	item.Picture = picture
	if text != "" {
		item.Text = text
	}
	r.feed.Publish(item)
	r.after(time.Hour)
	if list := r.posts(); len(list) == 1 {
		return list[0]
	}
	return p
}

// notesOf returns the notes of a post after the first one.
func notesOf(p schedctl.Post) (texts []string) {
	for _, n := range p.Notes[min(1, len(p.Notes)):] {
		texts = append(texts, n.Text)
	}
	return texts
}

// TestPictures guards which picture a post gets, its alt text, and what the notes say.
func TestPictures(t *testing.T) {
	t.Parallel()
	madeUp := "The alt text of the picture was made up from the title of the item; write a better one"
	cannot := "The picture of the item cannot be used: "
	small := media.DefaultLimits
	small.Quota = 10
	for name, tt := range map[string]struct {
		picture, text string
		image         schedctl.SourceImage
		platform      string
		limits        media.Limits
		alt           string // of the picture; empty for none
		note          string // the start of it
	}{
		"of the item":              {picture: "/large.png", alt: "Picture of the article: Title 9", note: madeUp},
		"with an alt text":         {text: `<img src="/large.png" alt="A cat">`, alt: "A cat"},
		"the second one":           {picture: "/small.png", text: `<img src="/large.png" alt="A cat">`, alt: "A cat"},
		"too small":                {picture: "/small.png", note: cannot + "the picture has 300 x 199 pixels, and the least is 200 x 200"},
		"a video":                  {picture: "/video.png", note: cannot + "the file is not a picture (video/mp4)"},
		"missing":                  {picture: "/missing.png", note: cannot + "127.0.0.1 responded with status 404"},
		"none":                     {},
		"of the page":              {image: schedctl.ImagePage, alt: "Picture of the article: Title 9", note: madeUp},
		"of the page, not needed":  {image: schedctl.ImagePage, text: `<img src="/large.png" alt="A cat">`, alt: "A cat"},
		"not wanted":               {picture: "/large.png", image: schedctl.ImageNone},
		"too much for the quota":   {picture: "/large.png", limits: small, note: cannot + "the workspace uses 0 bytes of its 10 bytes"},
		"a network without images": {picture: "/large.png", platform: "fake", note: "The post has no picture: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			platform := tt.platform
			if platform == "" {
				platform = "pictures"
			}
			r := newPictureRig(t, tt.limits, platform, func(s *schedctl.Source) {
				if s.Image = tt.image; platform == "fake" {
					s.Mode = schedctl.SourceNow // drafts may have what networks refuse
				}
			})
			p := r.pictured(tt.picture, tt.text)
			if p.ID == "" {
				t.Fatalf("no post: %v", r.reasons())
			}
			alt := ""
			if len(p.Media) > 0 {
				alt = p.Media[0].AltText
			}
			notes := strings.Join(notesOf(p), "\n")
			if alt != tt.alt || (tt.note == "") != (notes == "") || !strings.HasPrefix(notes, tt.note) {
				t.Errorf("alt text %q, notes %q", alt, notes)
			}
			if p.Notes[0].By.ID != r.key.ID {
				t.Errorf("the note is by %+v", p.Notes[0].By)
			}
		})
	}
}

// reasons returns what is said of the items.
func (r *rig) reasons() (list []string) {
	r.read(func(reader storage.Reader) error {
		items, err := reader.SourceItems(storage.SourceItemQuery{WorkspaceID: r.ws, SourceID: r.id, Limit: 100})
		for _, i := range items {
			list = append(list, string(i.State)+" "+i.Reason)
		}
		return err
	})
	return list
}

// TestRequiredPicture guards that an item without a usable picture makes no post where one is
// required.
func TestRequiredPicture(t *testing.T) {
	t.Parallel()
	for picture, want := range map[string]string{
		"":           "failed the item has no picture, and the source requires one",
		"/small.png": "failed the picture of the item cannot be used, and the source requires one: the picture has 300 x 199 pixels, and the least is 200 x 200",
		"/large.png": "posted ",
	} {
		r := newPictureRig(t, media.Limits{}, "pictures", func(s *schedctl.Source) { s.ImageRequired = true })
		r.pictured(picture, "")
		if got := r.reasons()[0]; got != want {
			t.Errorf("%q: %s, want %s", picture, got, want)
		}
	}
	r := newPictureRig(t, media.Limits{}, "fake", func(s *schedctl.Source) { s.ImageRequired, s.Mode = true, schedctl.SourceNow })
	r.pictured("/large.png", "")
	if got := r.reasons()[0]; !strings.HasPrefix(got, "failed ") {
		t.Errorf("a network without pictures: %s", got)
	}
}

// TestPictureOfAgent guards that a source of an agent fetches no picture from a private address.
func TestPictureOfAgent(t *testing.T) {
	t.Parallel()
	r := newPictureRig(t, media.Limits{}, "pictures", func(s *schedctl.Source) { s.Kind, s.URL = schedctl.SourceWebhook, "" })
	r.key.Agent, r.key.Scopes = true, []schedctl.Scope{schedctl.ScopePostsRead, schedctl.ScopePostsDraft, schedctl.ScopeSourcesWrite}
	r.update(func(tx storage.Tx) error { return tx.PutKey(r.key) })
	sent := source.Sent{ExternalID: "1", Item: feed.Item{Title: "News", Images: []feed.Image{{URL: r.feed.Site + "/large.png"}}}}
	item, _, err := r.runner.Send(t.Context(), r.ws, r.id, sent, false)
	if err != nil || item.PostID == "" {
		t.Fatalf("%+v, %v", item, err)
	}
	p := r.posts()[0]
	if notes := strings.Join(notesOf(p), " "); len(p.Media) != 0 || !strings.Contains(notes, "is not a public address") {
		t.Errorf("%d files, notes %q", len(p.Media), notes)
	}
	for _, request := range r.feed.Requests() {
		if request.URL.Path == "/large.png" {
			t.Error("the picture was fetched")
		}
	}
}
