package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/go-resty/resty/v2"
)

// Backup writes a copy of the daemon's whole database, and of the bytes of all media, to
// w as it arrives, and returns its size in bytes. Without media it is a database file,
// otherwise a tar file. Secrets in it are sealed; the key that opens them is not part of
// it.
//
// A backup may take any time, but data must arrive at least once in the client's
// timeout. Once the response has started, the request is not retried: after an error, w
// has no complete backup. A backup that ends early is an [*UnreachableError].
func (c *Client) Backup(ctx context.Context, w io.Writer) (size int64, err error) {
	return c.backup(ctx, "/backup", w)
}

// BackupDatabase is Backup without the bytes of media. The copy is always a database file.
func (c *Client) BackupDatabase(ctx context.Context, w io.Writer) (size int64, err error) {
	return c.backup(ctx, "/backup?media=false", w)
}

func (c *Client) backup(ctx context.Context, path string, w io.Writer) (size int64, err error) {
	return c.download(ctx, downloadRequest{path: path, accept: "application/octet-stream, application/json;q=0.5", name: "the backup"}, w)
}

// downloadRequest is a request for a stream.
type downloadRequest struct {
	path   string // below /api/v1, escaped
	accept string // the header Accept
	name   string // of what is downloaded, for messages
}

// download writes a response to w as it arrives. It repeats the request only before the
// response has started.
func (c *Client) download(ctx context.Context, r downloadRequest, w io.Writer) (size int64, err error) {
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	for try := 1; ; try++ {
		size, err = c.copyStream(ctx, r, w)
		var refused *Error
		if !errors.As(err, &refused) {
			return size, err
		}
		pause, again := c.repeatAfter(err, try)
		again = again && c.wait(limited, err, pause)
		switch {
		case ctx.Err() != nil:
			return size, context.Cause(ctx)
		case !again:
			return size, err
		}
	}
}

// copyStream makes one request for a stream.
func (c *Client) copyStream(ctx context.Context, r downloadRequest, w io.Writer) (size int64, err error) {
	waiting, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	idle := time.AfterFunc(c.timeout, func() { stop(context.DeadlineExceeded) })
	defer idle.Stop()
	resp, err := c.resty.R().SetContext(waiting).SetHeader("Accept", r.accept).
		SetDoNotParseResponse(true).Execute(http.MethodGet, r.path)
	if err != nil {
		return 0, c.transferError(ctx, waiting, r.name, err)
	}
	body := resp.RawBody()
	defer body.Close()
	if resp.StatusCode() != http.StatusOK {
		return 0, c.errorResponse(resp, body)
	}
	from := &idleReader{from: body, idle: idle, timeout: c.timeout}
	size, err = io.Copy(w, from)
	switch {
	case from.failed != nil:
		return size, c.transferError(ctx, waiting, r.name, from.failed)
	case err != nil:
		return size, fmt.Errorf("write %s: %w", r.name, err)
	}
	return size, nil
}

// transferError returns the error for a response that did not arrive or was cut off;
// name is what was transferred.
func (c *Client) transferError(ctx, waiting context.Context, name string, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case waiting.Err() != nil:
		err = context.Cause(waiting)
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New(name + " ended early; see the log of the daemon for the cause")
	}
	return &UnreachableError{URL: c.url, Err: err}
}

// errorResponse reads the error response of a request for a stream.
func (c *Client) errorResponse(resp *resty.Response, body io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(body, 1<<20))
	if err != nil {
		return &UnreachableError{URL: c.url, Err: err}
	}
	return c.readError(resp.SetBody(text))
}

// idleReader reads from the network and resets the idle timer whenever data arrives.
type idleReader struct {
	from    io.Reader
	idle    *time.Timer
	timeout time.Duration
	failed  error // of the network; errors of the writer are not recorded
}

// Read implements [io.Reader].
func (a *idleReader) Read(p []byte) (n int, err error) {
	n, err = a.from.Read(p)
	if n > 0 {
		a.idle.Reset(a.timeout)
	}
	if err != nil && err != io.EOF {
		a.failed = err
	}
	return n, err
}
