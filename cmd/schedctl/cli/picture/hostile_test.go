package picture

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"testing"

	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/media/variant"
)

// The files that daemons refuse are refused before they are decoded.
func TestEncodeRefusesWhatDaemonsRefuse(t *testing.T) {
	t.Parallel()
	refused := 0
	for _, w := range mediatest.WorstFiles() {
		if mediafile.KindOf(w.MIMEType) != mediafile.Image {
			continue
		}
		file := w.Make(120_000)
		_, err := mediafile.Inspect(t.Context(), bytes.NewReader(file), int64(len(file)), mediafile.DefaultLimits)
		if err == nil {
			continue
		}
		refused++
		if _, got := Encode(t.Context(), Kitty, file, Size{640, 480}); got == nil || got.Error() != err.Error() {
			t.Errorf("%s with many %s: %v, want %v", w.MIMEType, w.Name, got, err)
		}
	}
	if refused < 4 {
		t.Errorf("only %d files are refused", refused)
	}
}

// A picture can have few pixels for a daemon, and need too much memory for a preview.
func TestEncodeRefusesTooMuchMemory(t *testing.T) {
	t.Parallel()
	var tooLarge *variant.FitError
	if _, err := Encode(t.Context(), Kitty, widePNG(6000, 6000), Size{640, 480}); !errors.As(err, &tooLarge) {
		t.Errorf("%v", err)
	}
}

// widePNG returns the start of an interlaced PNG picture with 16 bits for each color. It
// ends after a few bytes of the picture.
func widePNG(width, height uint32) []byte {
	chunk := func(kind string, data []byte) []byte {
		b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
		b = append(append(b, kind...), data...)
		return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
	}
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	file := append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(header, 16, 6, 0, 0, 1))...)
	return append(append(file, chunk("IDAT", []byte{0x78, 0x9c, 3, 0, 0, 0, 0, 1})...), chunk("IEND", nil)...)
}

// The end of the context ends the work, for example when the user closes the picture.
func TestEncodeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Encode(ctx, Kitty, mediatest.JPEG(40, 30), Size{640, 480}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestEncodeShowsWhatDaemonsAccept(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{
		"jpeg": mediatest.JPEG(40, 30), "turned": mediatest.JPEGWithMetadata(40, 30, 6), "png": mediatest.TransparentPNG(40, 30),
		"webp": mediatest.WebP(40, 30), "gif": mediatest.GIF(40, 30, 1), "animation": mediatest.GIF(40, 30, 5),
	} {
		if shown, err := Encode(t.Context(), Kitty, file, Size{640, 480}); err != nil || shown == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
