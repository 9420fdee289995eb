package bluesky_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/bluesky"
	"github.com/schedctl/schedctl/daemon/publish/linkcard"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// website is a page with a picture. Its title changes with each request.
type website struct {
	*httptest.Server
	pages atomic.Int64
}

func startWebsite(t *testing.T) *website {
	t.Helper()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 30, 20))); err != nil {
		t.Fatal(err)
	}
	w := &website{}
	w.Server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/page":
			out.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(out, `<title>Visit %d</title><meta property="og:description" content="About it"><meta property="og:image" content="/picture.png">`, w.pages.Add(1))
		case "/picture.png":
			out.Write(picture.Bytes())
		default:
			http.NotFound(out, r)
		}
	}))
	t.Cleanup(w.Close)
	return w
}

func startWithCards(t *testing.T) (*network, *bluesky.Publisher) {
	t.Helper()
	n, _ := start(t)
	client := outbound.Client(outbound.AllowPrivate)
	return n, bluesky.New(client, linkcard.New(client, nil, "test"), "test")
}

// cardOf returns the embed of a record without its picture, and whether it has one.
func cardOf(t *testing.T, text json.RawMessage) (card map[string]any, thumb bool) {
	t.Helper()
	var stored struct{ Embed map[string]any }
	if err := json.Unmarshal(text, &stored); err != nil {
		t.Fatal(err)
	}
	card, _ = stored.Embed["external"].(map[string]any)
	_, thumb = card["thumb"].(map[string]any)
	delete(card, "thumb")
	return card, thumb
}

func TestLinkCards(t *testing.T) {
	t.Parallel()
	site := startWebsite(t)
	n, p := startWithCards(t)
	page := site.URL + "/page"
	image := publishtest.TestFile("image/png", 1)
	given := schedctl.LinkPreview{Mode: schedctl.PreviewCard, URL: "https://example.com/x", Title: "T", Description: "D"}
	for name, tt := range map[string]struct {
		content string
		preview schedctl.LinkPreview
		files   []publish.File
		card    map[string]any
		thumb   bool
	}{
		"the first link":  {content: "See " + page + " and https://example.com", card: map[string]any{"uri": page, "title": "Visit 1", "description": "About it"}, thumb: true},
		"no link":         {content: "See you"},
		"none":            {content: page, preview: schedctl.LinkPreview{Mode: schedctl.PreviewNone}},
		"a missing page":  {content: site.URL + "/missing"},
		"with a picture":  {content: page, files: []publish.File{image}},
		"given":           {content: "See " + page, preview: given, card: map[string]any{"uri": "https://example.com/x", "title": "T", "description": "D"}},
		"given, no title": {content: "See", preview: schedctl.LinkPreview{Mode: schedctl.PreviewCard, URL: page}, card: map[string]any{"uri": page, "title": "", "description": ""}},
	} {
		site.pages.Store(0)
		r := request(n, tt.content)
		r.Key, r.Preview = p.PartKey(key, len(name)), tt.preview
		for _, f := range tt.files {
			u, err := p.Upload(t.Context(), r, f)
			if err != nil {
				t.Fatal(err)
			}
			f.Upload = u
			r.Files = append(r.Files, f)
		}
		n.mu.Lock()
		clear(n.records)
		n.mu.Unlock()
		if _, err := p.Publish(t.Context(), r); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		card, thumb := cardOf(t, n.records[r.Key])
		if diff := cmp.Diff(tt.card, card); diff != "" || thumb != tt.thumb {
			t.Errorf("%s: picture %v (-want +got):\n%s", name, thumb, diff)
		}
	}
	check := p.Check(schedctl.Account{}, publish.Content{Text: "x", Media: []publish.Media{image.Media}, Extras: publish.Extras{Preview: given}})
	if len(check.Problems) != 1 || check.Problems[0].Code != "link_preview" {
		t.Errorf("a card with media: %v", check.Problems)
	}
}

// TestARepeatKeepsTheCard: the page has changed since the first request.
func TestARepeatKeepsTheCard(t *testing.T) {
	t.Parallel()
	site := startWebsite(t)
	n, p := startWithCards(t)
	r := request(n, "See "+site.URL+"/page")
	for range 2 {
		if _, err := p.Publish(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if card, _ := cardOf(t, n.records[key]); card["title"] != "Visit 1" || site.pages.Load() != 1 {
		t.Errorf("%v after %d visits", card, site.pages.Load())
	}
	// The first request arrives after the question of the repeat.
	stored := n.records[key]
	delete(n.records, key)
	n.on(uploadBlobMethod, func(w http.ResponseWriter, r *http.Request) {
		n.mu.Lock()
		n.records[key] = stored
		n.mu.Unlock()
		uploadBlob(w, r)
	})
	n.take()
	if _, err := p.Publish(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if got := n.take(); !slices.Equal(got, []string{getRecord, uploadBlobMethod, putRecord, getRecord}) || !bytes.Equal(n.records[key], stored) {
		t.Errorf("calls %v; the record is %s", got, n.records[key])
	}
}

func TestPicturesOfGivenCards(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	r := request(n, "hello")
	r.Preview = schedctl.LinkPreview{Mode: schedctl.PreviewCard, URL: "https://example.com", Title: "T", Image: schedctl.PostMedia{AssetID: "med_1"}}
	picture, unreadable := publishtest.TestFile("image/png", 1), publishtest.TestFile("image/png", 2)
	unreadable.Open = func(context.Context) (io.ReadCloser, error) { return nil, io.ErrUnexpectedEOF }
	for name, tt := range map[string]struct {
		file *publish.File
		code string
	}{
		"a picture":   {&picture, ""},
		"not given":   {nil, publish.CodeUnreadable},
		"cannot open": {&unreadable, publish.CodeUnreadable},
	} {
		r.CardImage = tt.file
		n.mu.Lock()
		clear(n.records)
		n.mu.Unlock()
		_, err := p.Publish(t.Context(), r)
		if tt.code != "" {
			if e := publish.AsError(err); e.Kind != schedctl.KindMedia || e.Code != tt.code || e.Outcome != schedctl.OutcomeNotPublished || len(n.records) > 0 {
				t.Errorf("%s: got %+v", name, e)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, thumb := cardOf(t, n.records[key]); !thumb {
			t.Errorf("%s: %s", name, n.records[key])
		}
	}
}

// A server that is down during the upload of the picture does not cost it.
func TestTheUploadOfACardsPicture(t *testing.T) {
	t.Parallel()
	site := startWebsite(t)
	for status, published := range map[int]bool{500: false, 429: false, 400: true, 413: true} {
		n, p := startWithCards(t)
		n.refuse(uploadBlobMethod, status, "SomeError")
		r := request(n, "See "+site.URL+"/page")
		_, err := p.Publish(t.Context(), r)
		if published {
			card, thumb := cardOf(t, n.records[key])
			if err != nil || thumb || !strings.HasPrefix(card["title"].(string), "Visit") {
				t.Errorf("%d: %v, %v, %v", status, err, card, thumb)
			}
			continue
		}
		if e := publish.AsError(err); e.Outcome != schedctl.OutcomeNotPublished || len(n.records) > 0 {
			t.Errorf("%d: got %+v", status, e)
		}
	}
}
