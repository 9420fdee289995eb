package mediafile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"testing"

	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/scripts/cost"
)

func FuzzPNG(f *testing.F)       { fuzz(f, mediafile.PNG, repairPNG) }
func FuzzJPEG(f *testing.F)      { fuzz(f, mediafile.JPEG, nil) }
func FuzzWebP(f *testing.F)      { fuzz(f, mediafile.WebP, repairWebP) }
func FuzzGIF(f *testing.F)       { fuzz(f, mediafile.GIF, nil) }
func FuzzMP4(f *testing.F)       { fuzz(f, mediafile.MP4, nil, mediatest.FragmentedMP4()) }
func FuzzQuickTime(f *testing.F) { fuzz(f, mediafile.QuickTime, nil) }
func FuzzWebM(f *testing.F)      { fuzz(f, mediafile.WebM, nil, mediatest.LiveWebM()) }
func FuzzPDF(f *testing.F)       { fuzz(f, mediafile.PDF, nil) }

// fuzz starts from the samples of a type and from more seeds. repair makes checksums and lengths right, so
// that the fuzzer gets past them.
func fuzz(f *testing.F, mimeType string, repair func([]byte) []byte, seeds ...[]byte) {
	for _, data := range seeds {
		f.Add(data)
	}
	for _, s := range samples() {
		if s.want.MIMEType == mimeType {
			f.Add(s.data)
		}
	}
	for _, w := range mediatest.WorstFiles() {
		if w.MIMEType == mimeType {
			f.Add(w.Make(4096))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		defer fileCost.Check(t, len(data))()
		if repair != nil {
			data = repair(bytes.Clone(data))
		}
		check(t, data)
	})
}

// fileCost bounds all walks over a file. A color profile may need 8 MB.
var fileCost = cost.Limit{Base: 16 << 20, PerByte: 512, Processor: cost.Default.Processor, ProcessorPerByte: cost.Default.ProcessorPerByte}

// check inspects any bytes, and strips them if they are accepted.
func check(t *testing.T, data []byte) {
	t.Helper()
	facts, err := mediafile.Inspect(t.Context(), bytes.NewReader(data), int64(len(data)), mediafile.DefaultLimits)
	if err != nil {
		_, wrongType := errors.AsType[*mediafile.TypeError](err)
		_, invalid := errors.AsType[*mediafile.InvalidError](err)
		_, tooLarge := errors.AsType[*mediafile.TooLargeError](err)
		if !wrongType && !invalid && !tooLarge {
			t.Errorf("%T: %v", err, err)
		}
		return
	}
	if _, err := mediafile.ColorProfile(t.Context(), bytes.NewReader(data), int64(len(data)), facts); err != nil {
		t.Errorf("read the color profile: %v", err)
	}
	var once bytes.Buffer
	if err := mediafile.Strip(t.Context(), &once, bytes.NewReader(data), int64(len(data)), facts); err != nil {
		t.Fatalf("strip: %v", err)
	}
	again, err := mediafile.Inspect(t.Context(), bytes.NewReader(once.Bytes()), int64(once.Len()), mediafile.DefaultLimits)
	if err != nil {
		t.Fatalf("inspect a stripped file: %v", err)
	}
	facts.HasMetadata = false
	if again != facts {
		t.Errorf("stripping made %+v of %+v", again, facts)
	}
}

// repairPNG corrects the checksums of chunks.
func repairPNG(data []byte) []byte {
	for off := 8; off+12 <= len(data); {
		n := int(binary.BigEndian.Uint32(data[off:]))
		if n > len(data)-off-12 {
			break
		}
		binary.BigEndian.PutUint32(data[off+8+n:], crc32.ChecksumIEEE(data[off+4:off+8+n]))
		off += 12 + n
	}
	return data
}

// repairWebP corrects the length of the file.
func repairWebP(data []byte) []byte {
	if len(data) >= 8 {
		binary.LittleEndian.PutUint32(data[4:], uint32(len(data)-8))
	}
	return data
}
