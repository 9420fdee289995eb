package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

const media = "/media"

// MediaQuery selects one page of media assets.
type MediaQuery struct {
	Limit  int    // results on a page, 1–100
	Cursor string // from MediaList.NextCursor
}

// MediaConfig returns what can be uploaded to the daemon.
func (c *Client) MediaConfig(ctx context.Context) (apiv1.MediaConfig, error) {
	var out apiv1.MediaConfig
	err := c.get(ctx, media+"/config", nil, &out)
	return out, err
}

// Media returns one page of the media assets of the workspace, newest first.
func (c *Client) Media(ctx context.Context, q MediaQuery) (apiv1.MediaList, error) {
	v := url.Values{}
	if q.Limit > 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	if q.Cursor != "" {
		v.Set("cursor", q.Cursor)
	}
	var out apiv1.MediaList
	err := c.get(ctx, media, v, &out)
	return out, err
}

// EachMedia returns all media assets, newest first, from page to page; q.Limit is the
// size of a page. An error is the last thing it yields.
func (c *Client) EachMedia(ctx context.Context, q MediaQuery) iter.Seq2[apiv1.MediaAsset, error] {
	return func(yield func(apiv1.MediaAsset, error) bool) {
		for {
			page, err := c.Media(ctx, q)
			if err != nil {
				yield(apiv1.MediaAsset{}, err)
				return
			}
			for _, a := range page.Results {
				if !yield(a, nil) {
					return
				}
			}
			if page.NextCursor == nil || *page.NextCursor == q.Cursor {
				return
			}
			q.Cursor = *page.NextCursor
		}
	}
}

// MediaAsset returns one media asset.
func (c *Client) MediaAsset(ctx context.Context, id string) (apiv1.MediaAsset, error) {
	path, err := itemPath(media, id, "")
	if err != nil {
		return apiv1.MediaAsset{}, err
	}
	var out apiv1.MediaEnvelope
	err = c.get(ctx, path, nil, &out)
	return out.MediaAsset, err
}

// fetchTimeout is longer than the daemon may take to fetch a file.
const fetchTimeout = 150 * time.Second

// FetchMedia has the daemon fetch a file from a public URL. The daemon may take two
// minutes; without another [Config.Timeout] than the default one, the client waits as
// long.
func (c *Client) FetchMedia(ctx context.Context, f apiv1.MediaFromURL, options ...Option) (apiv1.MediaAsset, error) {
	patient := *c
	if c.timeout == DefaultTimeout {
		patient.timeout = fetchTimeout
	}
	var out apiv1.MediaEnvelope
	err := patient.write(ctx, http.MethodPost, media+"/from-url", f, &out, options)
	return out.MediaAsset, err
}

// EditMedia changes the alt text of a media asset.
func (c *Client) EditMedia(ctx context.Context, id string, e apiv1.EditMedia, options ...Option) (apiv1.MediaAsset, error) {
	return c.changeMedia(ctx, http.MethodPatch, id, "", e, options)
}

// DeleteMedia deletes a media asset. It is refused while an unpublished post uses it.
func (c *Client) DeleteMedia(ctx context.Context, id string, options ...Option) error {
	path, err := itemPath(media, id, "")
	if err != nil {
		return err
	}
	return c.write(ctx, http.MethodDelete, path, nil, nil, options)
}

// CreateUpload announces an upload: the caller sends the bytes to the URL in the
// response, and then calls [Client.ConfirmUpload]. [Client.UploadMedia] needs one call.
func (c *Client) CreateUpload(ctx context.Context, u apiv1.CreateUpload, options ...Option) (apiv1.UploadEnvelope, error) {
	var out apiv1.UploadEnvelope
	err := c.write(ctx, http.MethodPost, media+"/uploads", u, &out, options)
	return out, err
}

// ConfirmUpload makes an announced asset ready after its bytes were sent.
func (c *Client) ConfirmUpload(ctx context.Context, id string, options ...Option) (apiv1.MediaAsset, error) {
	return c.changeMedia(ctx, http.MethodPost, id, "confirm-upload", nil, options)
}

// FailUpload reports that the bytes of an announced asset will not be sent.
func (c *Client) FailUpload(ctx context.Context, id string, options ...Option) (apiv1.MediaAsset, error) {
	return c.changeMedia(ctx, http.MethodPost, id, "upload-failure", nil, options)
}

func (c *Client) changeMedia(ctx context.Context, method, id, action string, body any, options []Option) (apiv1.MediaAsset, error) {
	path, err := itemPath(media, id, action)
	if err != nil {
		return apiv1.MediaAsset{}, err
	}
	var out apiv1.MediaEnvelope
	err = c.write(ctx, method, path, body, &out, options)
	return out.MediaAsset, err
}

// MediaContent writes the bytes of a media asset to w as they arrive, and returns
// their number. The download may take any time, but data must arrive at least once in
// the client's timeout. After an error, w may hold a part of the bytes.
func (c *Client) MediaContent(ctx context.Context, id string, w io.Writer) (size int64, err error) {
	path, err := itemPath(media, id, "content")
	if err != nil {
		return 0, err
	}
	return c.download(ctx, downloadRequest{path: path, accept: "*/*", name: "the file"}, w)
}

// MediaFile is a file to upload.
type MediaFile struct {
	Name    string      // without directories
	Content io.ReaderAt // read from the start at each try, and from another goroutine
	Size    int64       // the number of bytes of Content
	AltText string      // empty for none

	// Sent, if not nil, is called with the number of bytes that were read in this try.
	// It is called from another goroutine, one call at a time, and possibly after
	// UploadMedia returned.
	Sent func(bytes int64)
}

// UploadMedia uploads a file. If the workspace has an asset with the same bytes, it
// returns that asset with its own alt text, and existing is true. The upload may take
// any time, but the daemon must accept data at least once in the client's timeout.
func (c *Client) UploadMedia(ctx context.Context, f MediaFile, options ...Option) (asset apiv1.MediaAsset, existing bool, err error) {
	r := apiRequest{method: http.MethodPost, path: media, header: http.Header{}}
	r.header.Set("Idempotency-Key", newIdempotencyKey())
	for _, o := range options {
		o(&r)
	}
	for try := 1; ; try++ {
		asset, existing, err = c.tryUpload(ctx, r, f)
		if err == nil {
			return asset, existing, nil
		}
		pause, again := c.repeatAfter(err, try)
		again = again && !errors.Is(err, context.DeadlineExceeded) && c.wait(ctx, err, pause)
		switch {
		case ctx.Err() != nil:
			return asset, false, context.Cause(ctx)
		case !again:
			return asset, false, err
		}
	}
}

// tryUpload makes one request.
func (c *Client) tryUpload(ctx context.Context, r apiRequest, f MediaFile) (asset apiv1.MediaAsset, existing bool, err error) {
	waiting, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	idle := time.AfterFunc(c.timeout, func() { stop(context.DeadlineExceeded) })
	defer idle.Stop()
	sent := int64(0)
	content := io.NewSectionReader(f.Content, 0, f.Size)
	head, tail, contentType, err := uploadForm(f)
	if err != nil {
		return asset, false, err
	}
	body := io.MultiReader(bytes.NewReader(head), &observedReader{from: content, observe: func(n int) {
		idle.Reset(c.timeout)
		if sent += int64(n); f.Sent != nil {
			f.Sent(sent)
		}
	}}, bytes.NewReader(tail))
	req, err := http.NewRequestWithContext(waiting, r.method, c.resty.BaseURL+r.path, io.NopCloser(body))
	if err != nil {
		return asset, false, fmt.Errorf("make the request: %w", err)
	}
	req.ContentLength = int64(len(head)) + f.Size + int64(len(tail))
	for _, header := range []http.Header{c.resty.Header, r.header} {
		for name, values := range header {
			req.Header[name] = values
		}
	}
	if c.resty.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.resty.Token)
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Expect", "100-continue") // a refusal arrives before the file is sent
	start := time.Now()
	resp, err := c.resty.GetClient().Do(req)
	if err != nil {
		return asset, false, c.transferError(ctx, waiting, "the upload", err)
	}
	defer resp.Body.Close()
	c.log.Debug("request answered", "method", r.method, "path", r.path, "status", resp.StatusCode,
		"duration", time.Since(start), "request_id", resp.Header.Get("X-Request-Id"))
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return asset, false, c.transferError(ctx, waiting, "the upload", err)
	}
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusCreated {
		return asset, false, c.refusal(resp.StatusCode, resp.Header, text)
	}
	var out apiv1.MediaEnvelope
	if json.Unmarshal(text, &out) != nil || out.MediaAsset.ID == "" {
		return asset, false, unexpectedResponse(c.url, resp.StatusCode)
	}
	return out.MediaAsset, resp.StatusCode == http.StatusOK, nil
}

// uploadForm returns what comes before and after the file in a multipart body.
func uploadForm(f MediaFile) (head, tail []byte, contentType string, err error) {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	if f.AltText != "" {
		err = form.WriteField("alt_text", f.AltText)
	}
	if err == nil {
		_, err = form.CreateFormFile("file", f.Name)
	}
	n := b.Len()
	if err = errors.Join(err, form.Close()); err != nil {
		return nil, nil, "", fmt.Errorf("make the form: %w", err)
	}
	return b.Bytes()[:n], b.Bytes()[n:], form.FormDataContentType(), nil
}

// observedReader reports how many bytes are read.
type observedReader struct {
	from    io.Reader
	observe func(n int)
}

// Read implements [io.Reader].
func (o *observedReader) Read(p []byte) (n int, err error) {
	n, err = o.from.Read(p)
	if n > 0 {
		o.observe(n)
	}
	return n, err
}
