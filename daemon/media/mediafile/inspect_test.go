package mediafile_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
)

func TestFacts(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(s.want, inspect(t, s.data)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// These videos are complete at the end of any of their fragments or blocks.
func TestStreamedVideos(t *testing.T) {
	t.Parallel()
	for _, data := range [][]byte{mediatest.FragmentedMP4(), mediatest.LiveWebM()} {
		facts := inspect(t, data)
		if facts.Width != 640 || facts.Height != 360 || facts.Duration != 2500*time.Millisecond {
			t.Errorf("%+v", facts)
		}
		if stripped := inspect(t, strip(t, data)); stripped.HasMetadata || stripped.Duration != facts.Duration {
			t.Errorf("stripped: %+v", stripped)
		}
		if _, err := mediafile.Inspect(t.Context(), bytes.NewReader(data), int64(len(data)-1), mediafile.DefaultLimits); err == nil {
			t.Errorf("%s: accepted without its last byte", facts.MIMEType)
		}
	}
}

// A prefix of a file is never a file, unless only padding is missing.
func TestTruncatedAnywhere(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			whole := bytes.TrimRight(s.data, "\r\n")
			for n := range whole {
				_, err := mediafile.Inspect(t.Context(), bytes.NewReader(s.data), int64(n), mediafile.DefaultLimits)
				if _, ok := errors.AsType[*mediafile.InvalidError](err); ok {
					continue
				}
				if _, ok := errors.AsType[*mediafile.TypeError](err); ok && n < 24 {
					continue // too short to show its type
				}
				t.Errorf("the first %d of %d bytes: %v", n, len(s.data), err)
			}
		})
	}
}

// An error of the reader is not a fault of the file.
func TestReadErrors(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		cause := errors.New("disk error")
		for fails := range len(s.data) {
			_, err := mediafile.Inspect(t.Context(), failing{bytes.NewReader(s.data), int64(fails), cause}, int64(len(s.data)), mediafile.DefaultLimits)
			if !errors.Is(err, cause) {
				t.Fatalf("%s, byte %d: %v", s.name, fails, err)
			}
		}
	}
}

// failing fails to read a byte.
type failing struct {
	io.ReaderAt
	at  int64
	err error
}

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off <= f.at && f.at < off+int64(len(p)) {
		return 0, f.err
	}
	return f.ReaderAt.ReadAt(p, off)
}
