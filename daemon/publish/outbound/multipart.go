package outbound

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/textproto"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/daemon/publish"
)

// Part is one part of a multipart/form-data body.
type Part struct {
	Name     string // of the form field
	FileName string // empty for a plain field
	Body     Body   // a content type is optional for a plain field
}

// FieldPart returns a plain form field.
func FieldPart(name, value string) Part { return Part{Name: name, Body: BytesBody("", []byte(value))} }

// FilePart returns a part with the bytes of a file.
func FilePart(name, fileName string, f publish.File) Part {
	return Part{Name: name, FileName: fileName, Body: FileBody(f)}
}

// Multipart returns a body of the type multipart/form-data. The parts are opened one
// after the other while the body is read.
func Multipart(parts ...Part) Body {
	boundary := rand.Text()
	var pieces []Body
	literal := func(text string) { pieces = append(pieces, BytesBody("", []byte(text))) }
	for _, p := range parts {
		literal("--" + boundary + "\r\n" + p.header() + "\r\n")
		pieces = append(pieces, p.Body)
		literal("\r\n")
	}
	literal("--" + boundary + "--\r\n")
	var size int64
	for _, piece := range pieces {
		size += piece.Size
	}
	return Body{
		ContentType: "multipart/form-data; boundary=" + boundary, Size: size,
		Open: func(ctx context.Context) (io.ReadCloser, error) {
			return &piecesReader{ctx: ctx, pieces: slices.Clone(pieces)}, nil
		},
	}
}

// quoted escapes a value of the header Content-Disposition as browsers do.
var quoted = strings.NewReplacer("\\", "\\\\", `"`, "%22", "\r", "%0D", "\n", "%0A")

// header returns the headers of a part.
func (p Part) header() string {
	var b strings.Builder
	fmt.Fprintf(&b, `Content-Disposition: form-data; name="%s"`, quoted.Replace(p.Name))
	if p.FileName != "" {
		fmt.Fprintf(&b, `; filename="%s"`, quoted.Replace(p.FileName))
	}
	b.WriteString("\r\n")
	if p.Body.ContentType != "" {
		fmt.Fprintf(&b, "Content-Type: %s\r\n", textproto.TrimString(p.Body.ContentType))
	}
	return b.String()
}

// piecesReader reads bodies one after the other.
type piecesReader struct {
	ctx     context.Context // of the request, which the reader does not outlive
	pieces  []Body
	current *exactReader
}

// Read implements [io.Reader].
func (r *piecesReader) Read(b []byte) (int, error) {
	for {
		if r.current == nil {
			if len(r.pieces) == 0 {
				return 0, io.EOF
			}
			source, err := r.pieces[0].Open(r.ctx)
			if err != nil {
				return 0, err
			}
			r.current, r.pieces = &exactReader{source: source, left: r.pieces[0].Size}, r.pieces[1:]
		}
		n, err := r.current.Read(b)
		if err != io.EOF {
			return n, err
		}
		r.current.Close()
		r.current = nil
		if n > 0 {
			return n, nil
		}
	}
}

// Close implements [io.Closer].
func (r *piecesReader) Close() error {
	if r.current == nil {
		return nil
	}
	return r.current.Close()
}
