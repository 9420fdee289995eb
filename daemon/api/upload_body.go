package api

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
)

// An upload is cut off when the client sends nothing for [uploadStall], or less than
// [uploadRate] bytes a second on average.
const (
	uploadStall = 30 * time.Second
	uploadRate  = 16 << 10

	// uploadResponse is how long the response to an upload may take.
	uploadResponse = 3 * time.Minute

	// maxUploadFields is how many bytes of a multipart body are not of the file, on each
	// side of it: more than an alt text and the headers of the parts.
	maxUploadFields = 64 << 10

	maxBoundary = 70 // RFC 2046, section 5.1.1
)

// uploadBody reads the body of an upload, whose deadlines follow its size. It belongs to
// one goroutine.
type uploadBody struct {
	from    io.Reader
	control *http.ResponseController
	start   time.Time
	read    int64
	limit   int64 // of read
	failed  error // of the connection
}

var errUploadLimit = errors.New("the upload has too many bytes")

// newUploadBody returns the body of a request. At most limit bytes of it are read.
func newUploadBody(w http.ResponseWriter, r *http.Request, limit int64) *uploadBody {
	return &uploadBody{from: r.Body, control: http.NewResponseController(w), start: time.Now(), limit: limit}
}

// Read implements [io.Reader].
func (b *uploadBody) Read(p []byte) (int, error) {
	if b.read >= b.limit {
		return 0, errUploadLimit
	}
	if err := b.extend(time.Now()); err != nil {
		b.failed = err
		return 0, err
	}
	n, err := b.from.Read(p[:min(int64(len(p)), b.limit-b.read)])
	b.read += int64(n)
	if err != nil && err != io.EOF {
		b.failed = err
	}
	return n, err
}

// extend sets the deadlines for the next bytes and for the response.
func (b *uploadBody) extend(now time.Time) error {
	steadily := b.start.Add(time.Duration(b.read) * time.Second / uploadRate)
	if steadily.After(now) {
		steadily = now
	}
	until := steadily.Add(uploadStall)
	for _, err := range []error{b.control.SetReadDeadline(until), b.control.SetWriteDeadline(now.Add(uploadResponse))} {
		if err != nil && !errors.Is(err, http.ErrNotSupported) {
			return fmt.Errorf("set deadline: %w", err)
		}
	}
	return nil
}

// done gives the response its time.
func (b *uploadBody) done() { b.control.SetWriteDeadline(time.Now().Add(uploadResponse)) }

// refusal returns the error for the client of a body that could not be received: err, or
// why the body did not arrive. The caller replaces errUploadLimit.
func (b *uploadBody) refusal(err error) error {
	var timeout net.Error
	switch {
	case errors.As(err, new(*schedctl.Error)):
		return err
	case errors.Is(b.failed, os.ErrDeadlineExceeded), errors.As(b.failed, &timeout) && timeout.Timeout():
		return schedctl.Errorf(schedctl.MediaInvalid, "", "the upload stalled after %s; send the file again", media.Size(b.read))
	case b.failed != nil:
		return schedctl.Errorf(schedctl.MediaInvalid, "", "the upload ended early, after %s; send the file again", media.Size(b.read))
	}
	if errors.Is(err, errUploadLimit) {
		return err
	}
	return storeError(err, "the daemon could not store the file; see its log")
}

var errNoMedia = lasting("this daemon has no place for media; start it with --blobs")

// receiveRaw reads a body that is a file, with at most so many bytes.
func (s *Server) receiveRaw(w http.ResponseWriter, r *http.Request, c *request, limit int64) error {
	body := newUploadBody(w, r, limit)
	defer body.done()
	file, err := s.media.Receive(r.Context(), body, c.incoming)
	if err != nil {
		return body.refusal(err)
	}
	c.file = file
	return nil
}

// receiveForm reads a multipart body with the fields file and alt_text, in any order.
func (s *Server) receiveForm(w http.ResponseWriter, r *http.Request, c *request, boundary string) error {
	limits := s.media.Limits()
	body := newUploadBody(w, r, maxUploadFields)
	defer body.done()
	parts := multipart.NewReader(body, boundary)
	hasText := c.altText != "" // in the query
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return formError(body, err)
		}
		switch name := part.FormName(); {
		case name == "file" && c.file == nil:
			body.limit += limits.Largest() + 1
			if c.file, err = s.media.Receive(r.Context(), part, c.incoming); err != nil {
				return formError(body, err)
			}
			c.file.Name = partName(part)
			body.limit = body.read + maxUploadFields
		case name == "alt_text" && !hasText:
			hasText = true
			if c.altText, err = readAltText(part); err != nil {
				return formError(body, err)
			}
		default:
			name = clip(name, maxName)
			return schedctl.Errorf(schedctl.ValidationFailed, name, "unknown or repeated form field %q; send file once, and alt_text at most once", name)
		}
	}
	if c.file == nil {
		return schedctl.Errorf(schedctl.ValidationFailed, "file", "the form has no field named file; send the file in it")
	}
	return nil
}

// formError returns the error for the client of a form that could not be read.
func formError(body *uploadBody, err error) error {
	switch {
	case errors.Is(err, errUploadLimit):
		return schedctl.Errorf(schedctl.BodyTooLarge, "", "the form has too many bytes besides the file; send file and alt_text only")
	case body.failed == nil && !errors.As(err, new(*schedctl.Error)) && isFormError(err):
		return schedctl.Errorf(schedctl.ValidationFailed, "", "the body is not a complete multipart form; send it again")
	}
	return body.refusal(err)
}

// isFormError reports whether the structure of a form is wrong.
func isFormError(err error) bool {
	var path *os.PathError
	return !errors.As(err, &path) && (errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, multipart.ErrMessageTooLarge) || isMultipart(err))
}

// isMultipart reports whether package multipart made the error, which has no type.
func isMultipart(err error) bool {
	text := err.Error()
	return strings.HasPrefix(text, "multipart:") || strings.HasPrefix(text, "malformed") || strings.HasPrefix(text, "mime:")
}

// partName returns the file name of a part. [multipart.Part.FileName] knows only the
// separators of this operating system.
func partName(part *multipart.Part) string {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil || params["filename"] == "" {
		return ""
	}
	return schedctl.CleanFileName(params["filename"])
}

// readAltText reads an alt text.
func readAltText(r io.Reader) (string, error) {
	raw, err := io.ReadAll(io.LimitReader(r, 4*schedctl.MaxAltText+1))
	if err != nil {
		return "", err
	}
	return string(raw), schedctl.CheckAltText("alt_text", string(raw))
}

// defaultName is the name of a file that was sent without one.
func defaultName(f *media.File) string { return cmp.Or(f.Name, "file"+extension(f)) }
