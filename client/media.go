package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

const mediaPath = "/media"

// MediaConfig returns the media types and limits of uploads.
func (c *Client) MediaConfig(ctx context.Context) (apiv1.MediaConfig, error) {
	return get[apiv1.MediaConfig](ctx, c, mediaPath+"/config", nil)
}

// MediaQuery selects a page of assets. The zero value is the first page.
type MediaQuery struct {
	Limit  int    // 20 if it is 0
	Cursor string // NextCursor of the previous page
}

// MediaAssets returns one page of the assets of the workspace, newest first.
func (c *Client) MediaAssets(ctx context.Context, q MediaQuery) (apiv1.MediaList, error) {
	return get[apiv1.MediaList](ctx, c, mediaPath, pageValues(q.Limit, q.Cursor))
}

// EachMediaAsset iterates over all pages from the page of q on. It ends after an error.
func (c *Client) EachMediaAsset(ctx context.Context, q MediaQuery) iter.Seq2[apiv1.MediaAsset, error] {
	return eachItem(q.Cursor, func(cursor string) ([]apiv1.MediaAsset, *string, error) {
		q.Cursor = cursor
		page, err := c.MediaAssets(ctx, q)
		return page.Results, page.NextCursor, err
	})
}

// MediaAsset returns one asset.
func (c *Client) MediaAsset(ctx context.Context, id string) (apiv1.MediaAsset, error) {
	out, err := get[apiv1.MediaEnvelope](ctx, c, itemPath(mediaPath, id), nil)
	return out.MediaAsset, err
}

// EditMediaAsset changes the alt text that an asset has when a post attaches it. Existing
// posts keep theirs; the result names those that show the old one.
func (c *Client) EditMediaAsset(ctx context.Context, id string, e apiv1.EditMedia, options ...Option) (apiv1.EditedMedia, error) {
	return write[apiv1.EditedMedia](ctx, c, http.MethodPatch, itemPath(mediaPath, id), e, options)
}

// DeleteMediaAsset deletes an asset that no unpublished post uses.
func (c *Client) DeleteMediaAsset(ctx context.Context, id string, options ...Option) error {
	return c.delete(ctx, itemPath(mediaPath, id), options)
}

// fetchTimeout is longer than the two minutes for which the daemon fetches a file. Changes of
// many posts have it too.
const fetchTimeout = 150 * time.Second

// FetchMedia lets the daemon fetch a file from a public URL. Without [Config.Timeout],
// it waits until the daemon gives up.
func (c *Client) FetchMedia(ctx context.Context, m apiv1.MediaFromURL, options ...Option) (apiv1.UploadedMedia, error) {
	options = append(options[:len(options):len(options)], func(r *apiRequest) { r.atLeast = fetchTimeout })
	return write[apiv1.UploadedMedia](ctx, c, http.MethodPost, mediaPath+"/from-url", m, options)
}

// CreateUpload announces an upload and returns its URL, to which another program can
// send the bytes. [Client.UploadMedia] does not need it.
func (c *Client) CreateUpload(ctx context.Context, u apiv1.CreateUpload, options ...Option) (apiv1.UploadEnvelope, error) {
	return write[apiv1.UploadEnvelope](ctx, c, http.MethodPost, mediaPath+"/uploads", u, options)
}

// CreateUploadLink makes an address that takes one file without an API key for 15 minutes,
// for a person or another program. The zero value of u is a file without an alt text.
func (c *Client) CreateUploadLink(ctx context.Context, u apiv1.CreateUploadLink, options ...Option) (apiv1.UploadLinkEnvelope, error) {
	return write[apiv1.UploadLinkEnvelope](ctx, c, http.MethodPost, mediaPath+"/upload-links", u, options)
}

// ConfirmUpload confirms an announced upload whose bytes were sent.
func (c *Client) ConfirmUpload(ctx context.Context, id string, options ...Option) (apiv1.MediaAsset, error) {
	return c.changeMedia(ctx, http.MethodPost, itemPath(mediaPath, id, "confirm-upload"), nil, options)
}

// FailUpload reports that the bytes of an announced upload will not arrive.
func (c *Client) FailUpload(ctx context.Context, id string, options ...Option) (apiv1.MediaAsset, error) {
	return c.changeMedia(ctx, http.MethodPost, itemPath(mediaPath, id, "upload-failure"), nil, options)
}

func (c *Client) changeMedia(ctx context.Context, method, path string, body any, options []Option) (apiv1.MediaAsset, error) {
	out, err := write[apiv1.MediaEnvelope](ctx, c, method, path, body, options)
	return out.MediaAsset, err
}

// UploadFile is a file to upload.
type UploadFile struct {
	Name    string // sent without what a header cannot have: see schedctl.CleanFileName
	Size    int64  // in bytes, exactly
	AltText string // or empty

	// SHA256 is the checksum of the file in hexadecimal digits, or empty. With it, a file
	// that the workspace has is received even if the quota is used up.
	SHA256 string

	// Open opens the file at its start. It is called once for each try, and the client
	// closes the result.
	Open func() (io.ReadCloser, error)

	// Progress, if not nil, is called with the number of bytes sent so far. A retry
	// starts at 0 again. It must not block.
	Progress func(sent int64)
}

// UploadMedia uploads a file and uses a constant amount of memory. Known bytes with another
// alt text are another asset. With the same one, or with none, the result is an existing
// asset: with none it is one that the key has uploaded, or else one without an alt text.
// Attach the asset with its alt text, as in the example. An upload may take any time, but the daemon must take bytes at least once in the client's timeout. A client
// sends four files at once; others wait.
func (c *Client) UploadMedia(ctx context.Context, f UploadFile, options ...Option) (apiv1.UploadedMedia, error) {
	select { // the daemon takes so many of one key at once
	case c.uploads <- struct{}{}:
		defer func() { <-c.uploads }()
	case <-ctx.Done():
		return apiv1.UploadedMedia{}, context.Cause(ctx)
	}
	r := newWrite(http.MethodPost, mediaPath, options)
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	var out apiv1.UploadedMedia
	err := c.repeat(ctx, limited, r, func(int) error { return c.tryUpload(ctx, r, f, &out) })
	return out, err
}

// tryUpload sends the file once.
func (c *Client) tryUpload(ctx context.Context, r apiRequest, f UploadFile, out *apiv1.UploadedMedia) error {
	waiting, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	idle := time.AfterFunc(c.timeout, func() { stop(context.DeadlineExceeded) })
	defer idle.Stop()
	file, err := f.Open()
	if err != nil {
		return fmt.Errorf("open the file: %w", err)
	}
	defer file.Close()
	sent := &sentReader{from: file, idle: idle, timeout: c.timeout, progress: f.Progress}
	body, length, contentType, err := uploadForm(f, sent)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(waiting, r.method, c.resty.BaseURL+r.path, io.NopCloser(body))
	if err != nil {
		return &UnreachableError{URL: c.url, Err: err}
	}
	req.ContentLength = length
	req.Header = c.resty.Header.Clone()
	maps.Copy(req.Header, r.header)
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Expect", "100-continue")
	if f.SHA256 != "" {
		req.Header.Set("X-File-Sha256", f.SHA256)
	}
	if c.resty.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.resty.Token)
	}
	return c.sendUpload(ctx, req, r, sent, out)
}

// sendUpload sends the request and reads the response.
func (c *Client) sendUpload(ctx context.Context, req *http.Request, r apiRequest, sent *sentReader, out *apiv1.UploadedMedia) error {
	resp, err := c.resty.GetClient().Do(req)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case sent.failed != nil:
		return fmt.Errorf("read the file: %w", sent.failed)
	case err != nil:
		return &UnreachableError{URL: c.url, Err: err}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return &UnreachableError{URL: c.url, Err: err}
	}
	if r.replayed != nil {
		*r.replayed = resp.Header.Get("Idempotent-Replayed") == "true"
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return c.refusal(resp.StatusCode, resp.Header, text)
	}
	if err := json.Unmarshal(text, out); err != nil {
		return unexpectedResponse(c.url, resp.StatusCode, resp.Header)
	}
	return nil
}

// uploadForm returns a multipart form with the file, its length, and its type.
func uploadForm(f UploadFile, file io.Reader) (body io.Reader, length int64, contentType string, err error) {
	var head strings.Builder
	form := multipart.NewWriter(&head)
	if f.AltText != "" {
		err = form.WriteField("alt_text", f.AltText)
	}
	_, partErr := form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {multipart.FileContentDisposition("file", schedctl.CleanFileName(f.Name))}, "Content-Type": {"application/octet-stream"},
	})
	start := head.Len()
	closeErr := form.Close()
	if err := errors.Join(err, partErr, closeErr); err != nil {
		return nil, 0, "", fmt.Errorf("make the form: %w", err)
	}
	text := head.String()
	body = io.MultiReader(strings.NewReader(text[:start]), file, strings.NewReader(text[start:]))
	return body, int64(len(text)) + f.Size, form.FormDataContentType(), nil
}

// sentReader reads the file, reports progress, and resets the idle timer.
type sentReader struct {
	from     io.Reader
	idle     *time.Timer
	timeout  time.Duration
	progress func(int64)
	sent     int64
	failed   error // of the file
}

// Read implements [io.Reader].
func (s *sentReader) Read(p []byte) (n int, err error) {
	n, err = s.from.Read(p)
	s.sent += int64(n)
	if n > 0 {
		s.idle.Reset(s.timeout)
		if s.progress != nil {
			s.progress(s.sent)
		}
	}
	if err != nil && err != io.EOF {
		s.failed = err
	}
	return n, err
}
