// Package linkcard makes link cards for networks that show only the cards that a client
// sends: the title, the description and the picture of a page, from its Open Graph tags
// (https://ogp.me).
//
// Pages and pictures are untrusted. They are fetched with the guarded client of package
// outbound, which refuses private addresses also after a redirect, within limits of time
// and size.
package linkcard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/media/variant"
)

const (
	// fetchTime is how long a page and its picture may take together.
	fetchTime = 10 * time.Second

	maxRedirects = 5
	maxPage      = 1 << 20 // bytes of HTML that are read; tags after them are ignored
	maxPicture   = 5 << 20 // bytes

	// MaxThumb is the largest size of a picture of a card in bytes.
	MaxThumb = 1_000_000

	maxThumbSide = 1600 // pixels

	// maxPixels is the largest picture that is decoded.
	maxPixels = 16_000_000
)

// Card is what a page says about itself.
type Card struct {
	Title       string
	Description string
	Thumb       *Thumb // nil if the page has no usable picture
}

// Thumb is the picture of a card: a JPEG, PNG or WebP of at most [MaxThumb] bytes,
// without metadata.
type Thumb struct {
	Data     []byte
	MIMEType string
}

// Fetcher fetches cards. Its methods may be called from any goroutine.
type Fetcher struct {
	client    *http.Client
	fitter    *variant.Fitter
	userAgent string
	timeLimit time.Duration // fetchTime, except in tests
}

// New returns a fetcher. client must be one of package outbound. fitter converts the
// pictures; if it is nil, the fetcher has its own. version is the daemon's version, for the
// User-Agent.
func New(client *http.Client, fitter *variant.Fitter, version string) *Fetcher {
	if fitter == nil {
		fitter = variant.NewFitter(variant.DefaultMemory)
	}
	follows := *client
	follows.CheckRedirect = checkRedirect
	return &Fetcher{client: &follows, fitter: fitter, userAgent: "schedctl/" + version + " (link preview)", timeLimit: fetchTime}
}

func checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects || !fetchable(r.URL) {
		return http.ErrUseLastResponse
	}
	return nil
}

// fetchable reports whether a URL may be fetched: http or https, without user
// information.
func fetchable(u *url.URL) bool {
	return (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil
}

// Fetch returns the card of a page for a post of a workspace. It returns an error if the
// page cannot be fetched or has no title. A picture that cannot be fetched and converted
// within the time that is left is left out.
func (f *Fetcher) Fetch(ctx context.Context, workspaceID, link string) (Card, error) {
	ctx, cancel := context.WithTimeout(ctx, f.timeLimit)
	defer cancel()
	u, err := url.Parse(link)
	if err != nil || !fetchable(u) {
		return Card{}, errors.New("fetch a page: the URL cannot be fetched")
	}
	u.Fragment, u.RawFragment = "", ""
	resp, err := f.get(ctx, u.String(), "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1")
	if err != nil {
		return Card{}, fmt.Errorf("fetch a page: %w", err)
	}
	defer resp.Body.Close()
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind != "text/html" && kind != "application/xhtml+xml" {
		return Card{}, fmt.Errorf("fetch a page: its type is %.100q", kind)
	}
	page := parsePage(io.LimitReader(resp.Body, maxPage), resp.Header.Get("Content-Type"))
	card := Card{Title: page.title(), Description: page.description()}
	if card.Title == "" {
		return Card{}, errors.New("fetch a page: it has no title")
	}
	if picture, err := resp.Request.URL.Parse(page.picture()); err == nil && page.picture() != "" && fetchable(picture) {
		card.Thumb = f.fetchThumb(ctx, workspaceID, picture.String())
	}
	return card, nil
}

// fetchThumb returns the picture at a URL, or nil if it cannot be used.
func (f *Fetcher) fetchThumb(ctx context.Context, workspaceID, link string) *Thumb {
	resp, err := f.get(ctx, link, "image/jpeg,image/png,image/webp,image/*;q=0.5")
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	thumb, err := f.fit(ctx, workspaceID, resp.Body)
	if err != nil {
		return nil
	}
	return thumb
}

// fit returns a picture as the picture of a card, scaled if necessary.
func (f *Fetcher) fit(ctx context.Context, workspaceID string, r io.Reader) (*Thumb, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxPicture+1))
	if err != nil {
		return nil, fmt.Errorf("read a picture: %w", err)
	}
	if len(data) > maxPicture {
		return nil, fmt.Errorf("the picture has more than %d bytes", maxPicture)
	}
	source := bytes.NewReader(data)
	facts, err := mediafile.Inspect(ctx, source, source.Size(), mediafile.DefaultLimits)
	if err != nil {
		return nil, err
	}
	if facts.Animated || mediafile.KindOf(facts.MIMEType) != mediafile.Image {
		return nil, fmt.Errorf("a file of type %s is no picture", facts.MIMEType)
	}
	if facts.Pixels() > maxPixels {
		return nil, fmt.Errorf("the picture has more than %d pixels", maxPixels)
	}
	target := variant.Target{
		Types: []string{mediafile.JPEG, mediafile.PNG, mediafile.WebP}, MaxBytes: MaxThumb, MaxWidth: maxThumbSide, MaxHeight: maxThumbSide,
	}
	var fitted bytes.Buffer
	result, err := f.fitter.Fit(ctx, variant.Turn{Lane: variant.LinkCards, Workspace: workspaceID}, &fitted, source, source.Size(), facts, target)
	if err != nil {
		return nil, err
	}
	return &Thumb{Data: fitted.Bytes(), MIMEType: result.Facts.MIMEType}, nil
}

// get requests a URL and returns an error unless the status is 200.
func (f *Fetcher) get(ctx context.Context, link, accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	if err != nil {
		return nil, err
	}
	req.Header = http.Header{"Accept": {accept}, "User-Agent": {f.userAgent}, "Accept-Language": {"*"}}
	resp, err := f.client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("status %d", resp.StatusCode)
	}
	return resp, nil
}
