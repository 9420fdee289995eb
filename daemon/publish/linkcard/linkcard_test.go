package linkcard_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/daemon/publish/linkcard"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// picture returns a PNG. A noisy one has about four bytes a pixel.
func picture(t *testing.T, side int, noisy bool) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, side, side))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		if noisy {
			m.Pix[i] = byte(random.Uint32())
		}
	}
	for y := range side {
		for x := range side {
			c := m.NRGBAAt(x, y)
			m.SetNRGBA(x, y, color.NRGBA{R: c.R, G: c.G, B: c.B, A: 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// site serves bodies by path.
type site map[string]struct{ contentType, body string }

func (s site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if to, ok := strings.CutPrefix(r.URL.Path, "/to"); ok {
		http.Redirect(w, r, to, http.StatusFound)
		return
	}
	if r.URL.Path == "/forever" {
		http.Redirect(w, r, "/forever", http.StatusFound)
		return
	}
	f, ok := s[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", f.contentType)
	io.WriteString(w, f.body)
}

func TestFetch(t *testing.T) {
	t.Parallel()
	const htmlType = "text/html; charset=utf-8"
	head := func(tags string) struct{ contentType, body string } {
		return struct{ contentType, body string }{htmlType, "<!doctype html><html><head>" + tags + "</head><body><p>Hi"}
	}
	small, large := picture(t, 20, false), picture(t, 700, true)
	server := httptest.NewServer(site{
		"/full":        head(`<title>Not this</title><meta property="og:title" content="A &amp; B &lt;c&gt;"><meta property="og:description" content=" two` + "\n" + `lines "><meta property="og:image" content="/small.png">`),
		"/plain":       head(`<title>Fish &amp; chips</title><meta name="description" content="Tasty">`),
		"/twitter":     head(`<meta name="twitter:title" content="Bird"><meta name="twitter:image" content="../large.png">`),
		"/first":       head(`<meta property="og:title" content="One"><meta property="og:title" content="Two">`),
		"/body":        {htmlType, `<title>Head</title><body><meta property="og:title" content="from a reader"><meta property="og:image" content="/small.png">`},
		"/latin":       {"text/html; charset=iso-8859-1", "<title>caf\xe9</title>"},
		"/control":     head("<title>a\x00b\x1b[31m\u0085c\xff</title>"),
		"/long":        head("<title>" + strings.Repeat("x", 5000) + "</title>"),
		"/empty":       head("<title> </title>"),
		"/text":        {"text/plain", "<title>No page</title>"},
		"/gone":        head(`<title>T</title><meta property="og:image" content="/nothing.png">`),
		"/script":      head(`<title>T</title><meta property="og:image" content="javascript:alert(1)">`),
		"/file":        head(`<title>T</title><meta property="og:image" content="file:///etc/passwd">`),
		"/broken":      head(`<title>T</title><meta property="og:image" content="/broken.png">`),
		"/huge":        head(`<title>T</title><meta property="og:image" content="/huge.png">`),
		"/late":        {htmlType, strings.Repeat(" ", 2<<20) + "<title>Late</title>"},
		"/small.png":   {"image/png", string(small)},
		"/large.png":   {"text/plain", string(large)},
		"/broken.png":  {"image/png", string(small[:50])},
		"/huge.png":    {"image/png", string(small) + strings.Repeat("x", 5<<20)},
		"/relative/og": head(`<title>T</title><meta property="og:image" content="../small.png">`),
	})
	defer server.Close()
	f := linkcard.NewPatient(outbound.Client(outbound.AllowPrivate), nil)
	for path, want := range map[string]struct {
		title, description string
		thumb              bool
		fails              bool
	}{
		"/full":           {title: "A & B <c>", description: "two lines", thumb: true},
		"/plain#part":     {title: "Fish & chips", description: "Tasty"},
		"/twitter":        {title: "Bird", thumb: true},
		"/first":          {title: "One"},
		"/body":           {title: "Head"},
		"/latin":          {title: "café"},
		"/control":        {title: "ab[31m c"},
		"/long":           {title: strings.Repeat("x", 299) + "…"},
		"/to/full":        {title: "A & B <c>", description: "two lines", thumb: true},
		"/to/relative/og": {title: "T", thumb: true},
		"/gone":           {title: "T"},
		"/script":         {title: "T"},
		"/file":           {title: "T"},
		"/broken":         {title: "T"},
		"/huge":           {title: "T"},
		"/empty":          {fails: true},
		"/text":           {fails: true},
		"/late":           {fails: true},
		"/forever":        {fails: true},
		"/to//[::bad":     {fails: true},
		"/missing":        {fails: true},
	} {
		card, err := f.Fetch(t.Context(), "ws_1", server.URL+path)
		if (err != nil) != want.fails || card.Title != want.title || card.Description != want.description || (card.Thumb != nil) != want.thumb {
			t.Errorf("%s: got %+v, %v; want %+v", path, card, err, want)
		}
		if card.Thumb != nil && (len(card.Thumb.Data) > linkcard.MaxThumb || !strings.HasPrefix(card.Thumb.MIMEType, "image/")) {
			t.Errorf("%s: a picture of %d bytes, %s", path, len(card.Thumb.Data), card.Thumb.MIMEType)
		}
	}
	for _, link := range []string{"ftp://example.com", "https://user:pw@example.com/", "", "://", "https://"} {
		if _, err := f.Fetch(t.Context(), "ws_1", link); err == nil {
			t.Errorf("%q was fetched", link)
		}
	}
}

// A page, its redirects and its picture must not reach private addresses.
func TestPrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<title>secret</title>")
	}))
	defer server.Close()
	f := linkcard.NewPatient(outbound.Client(outbound.PublicOnly), nil)
	if card, err := f.Fetch(t.Context(), "ws_1", server.URL); err == nil || asked > 0 {
		t.Errorf("got %+v, %v after %d requests", card, err, asked)
	}
}

func TestFit(t *testing.T) {
	t.Parallel()
	f := linkcard.NewPatient(outbound.Client(outbound.PublicOnly), nil)
	small := picture(t, 20, false)
	thumb, err := f.Fit(t.Context(), bytes.NewReader(small))
	if err != nil || !bytes.Equal(thumb.Data, small) || thumb.MIMEType != "image/png" {
		t.Errorf("a small picture was changed: %v", err)
	}
	if thumb, err := f.Fit(t.Context(), bytes.NewReader(picture(t, 4200, false))); err == nil {
		t.Errorf("a picture of 17 megapixels was decoded: %d bytes", len(thumb.Data))
	}
	if _, err := f.Fit(t.Context(), strings.NewReader("GIF89a")); err == nil {
		t.Error("a broken file was accepted")
	}
}
