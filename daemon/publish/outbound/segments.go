package outbound

import (
	"context"
	"io"

	"github.com/schedctl/schedctl/daemon/publish"
)

// Segments are the bytes of a file that is uploaded in several requests.
type Segments struct{ reader exactReader }

// OpenSegments opens a file. The caller must close it.
func OpenSegments(ctx context.Context, f publish.File) (*Segments, error) {
	if f.Open == nil {
		return nil, publish.UnreadableFile(nil)
	}
	source, err := f.Open(ctx)
	if err != nil {
		return nil, publish.UnreadableFile(err)
	}
	return &Segments{exactReader{source: source, left: f.Size}}, nil
}

// Left returns how many bytes follow.
func (s *Segments) Left() int64 { return s.reader.left }

// Next returns the next bytes, at most the given number, which it holds in memory. It returns
// the last ones only if the file then ends without an error.
func (s *Segments) Next(most int64) (Body, error) {
	segment := make([]byte, min(most, s.reader.left))
	if _, err := io.ReadFull(&s.reader, segment); err != nil {
		return Body{}, publish.UnreadableFile(err)
	}
	return BytesBody("application/octet-stream", segment), nil
}

// Close implements [io.Closer].
func (s *Segments) Close() error { return s.reader.Close() }
