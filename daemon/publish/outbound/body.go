package outbound

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// Body is a request body of known length that is read while it is sent. Sending it
// takes a constant amount of memory.
type Body struct {
	ContentType string
	Size        int64 // in bytes; Open must return exactly that many

	// Open returns the bytes. It is called once for each request, before the request is
	// sent.
	Open func(context.Context) (io.ReadCloser, error)
}

// BytesBody returns a body in memory.
func BytesBody(contentType string, b []byte) Body {
	return Body{ContentType: contentType, Size: int64(len(b)), Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b)), nil
	}}
}

// FileBody returns the bytes of a file as a body.
func FileBody(f publish.File) Body {
	return Body{ContentType: f.MIMEType, Size: f.Size, Open: f.Open}
}

// stallTimeout is how long a connection may take no byte of a body. It is a variable
// for tests.
var stallTimeout = 30 * time.Second

// PostBody is [Post] with a body that is streamed. The request has
// [publish.RequestTime] to end instead of 30 seconds, and is canceled when the network
// takes no bytes for 30 seconds.
//
// If the body cannot be read, the error is of kind media. The last byte of a body is
// sent only after the body was read to its end without an error. The outcome is
// not_published if no header was written, otherwise unknown.
func PostBody(ctx context.Context, client *http.Client, url string, header http.Header, body Body) (Response, error) {
	return sendBody(ctx, client, http.MethodPost, url, header, body)
}

// PutBody is [PostBody] with the method PUT.
func PutBody(ctx context.Context, client *http.Client, url string, header http.Header, body Body) (Response, error) {
	return sendBody(ctx, client, http.MethodPut, url, header, body)
}

func sendBody(ctx context.Context, client *http.Client, method, url string, header http.Header, body Body) (Response, error) {
	ctx, cancel := context.WithTimeout(ctx, publish.RequestTime(body.Size))
	defer cancel()
	ctx, stalled := context.WithCancelCause(ctx)
	defer stalled(nil)
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		return Response{}, unusableURL()
	}
	source, err := body.Open(ctx)
	if err != nil {
		return Response{}, unreadableBody(err, schedctl.OutcomeNotPublished)
	}
	reader := newBodyReader(source, body.Size, func() { stalled(context.DeadlineExceeded) })
	defer reader.stop()
	// net/http sends the headers before it first reads the body. Reading first makes
	// sure that a missing or empty file sends nothing.
	if err := reader.prefetch(); err != nil {
		reader.Close()
		return Response{}, unreadableBody(err, schedctl.OutcomeNotPublished)
	}
	// Without GetBody, net/http cannot replay the request.
	req.Body, req.ContentLength = reader, body.Size
	header = header.Clone()
	if header == nil {
		header = http.Header{}
	}
	header.Set("Content-Type", body.ContentType)
	return do(untimed(client), req, header)
}

// untimed returns the client without its own limit on the duration of a request.
func untimed(client *http.Client) *http.Client {
	patient := *client
	patient.Timeout = 0
	return &patient
}

// unreadableBody is the error of a request whose body cannot be read. The cause may be
// a [publish.Error] of its own, for example that the bytes are not those of the post.
func unreadableBody(err error, outcome schedctl.Outcome) error {
	if known, ok := errors.AsType[*publish.Error](err); ok {
		e := *known
		e.Outcome = outcome
		return &e
	}
	return &publish.Error{
		Kind: schedctl.KindMedia, Code: publish.CodeUnreadable, Outcome: outcome, Err: err,
		Message: "the daemon cannot read a file of the post; upload the file again, attach it and retry",
	}
}

// BytesFile returns a file with these bytes.
func BytesFile(mimeType string, data []byte) publish.File {
	return publish.File{
		Media: publish.Media{MIMEType: mimeType, Size: int64(len(data)), SHA256: sha256.Sum256(data)},
		Open:  BytesBody(mimeType, data).Open,
	}
}
