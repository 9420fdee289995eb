package mediafile_test

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
)

// countingReader counts what is read of a file.
type countingReader struct {
	io.ReaderAt
	bytes, reads int64
}

func (r *countingReader) ReadAt(b []byte, offset int64) (int, error) {
	r.bytes += int64(len(b))
	r.reads++
	return r.ReaderAt.ReadAt(b, offset)
}

// A view of a stored file reads little more than the headers of its parts, and a range of
// a view little more than the range.
func TestReadsOfViews(t *testing.T) {
	t.Parallel()
	const size = 300_000_000
	block := "\xa3\x10\x00\x4e\x20" + strings.Repeat("v", 20_000) // a length of four bytes
	chunk := string(pngChunk("IDAT", make([]byte, 8<<10)))
	webm := append(mediatest.LiveWebM(), strings.Repeat(block, 1000)...)
	png := insert(mediatest.PNG(3, 3), "\x00\x00\x00\x00IEND", chunk, 1000)
	for name, test := range map[string]struct {
		file     io.ReaderAt
		size     int64
		mimeType string
		most     int64 // percent of the bytes
	}{
		"webm": {bytes.NewReader(webm), int64(len(webm)), mediafile.WebM, 10},
		"png":  {bytes.NewReader(png), int64(len(png)), mediafile.PNG, 20},
		"mp4":  {mediatest.LargeMP4(size), size, mediafile.MP4, 1},
	} {
		file := &countingReader{ReaderAt: test.file}
		v, err := mediafile.NewView(t.Context(), file, test.size, test.mimeType)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if file.bytes > test.size*test.most/100 {
			t.Errorf("%s: the view read %d of %d bytes", name, file.bytes, test.size)
		}
		for _, n := range []int64{1, 100_000} {
			file.bytes = 0
			if _, err := v.Reader(t.Context(), file).ReadAt(make([]byte, n), test.size/2); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if file.bytes > n+4<<10 {
				t.Errorf("%s: a range of %d bytes read %d", name, n, file.bytes)
			}
		}
	}
}

// A copy reads and allocates about as much for a file with thousands of pieces of metadata
// as for one without: nothing for each piece.
func TestCostOfManyPieces(t *testing.T) {
	for mimeType, file := range repeated {
		data := repeat(mimeType, file.metadata, 19_000)
		facts := inspect(t, data)
		src := &countingReader{ReaderAt: bytes.NewReader(data)}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := mediafile.Strip(t.Context(), io.Discard, src, int64(len(data)), facts); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
			t.Errorf("%s: Strip allocated %d bytes", mimeType, n)
		}
		if most := int64(40 + len(data)/4096); src.reads > most {
			t.Errorf("%s: Strip read %d times, more than %d", mimeType, src.reads, most)
		}
		if src.bytes > 4*int64(len(data)) {
			t.Errorf("%s: Strip read %d bytes of a file of %d", mimeType, src.bytes, len(data))
		}
	}
}
