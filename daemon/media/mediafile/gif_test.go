package mediafile_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
)

// TestGIFWithoutDelays guards that an animation whose frames have no delays is one.
func TestGIFWithoutDelays(t *testing.T) {
	t.Parallel()
	data := mediatest.GIF(12, 8, 4)
	for at := 0; ; {
		next := bytes.Index(data[at:], []byte{0x21, 0xf9, 4})
		if next < 0 {
			break
		}
		at += next + 3
		data[at+1], data[at+2] = 0, 0 // the delay
	}
	facts, err := mediafile.Inspect(t.Context(), bytes.NewReader(data), int64(len(data)), mediafile.DefaultLimits)
	if err != nil || !facts.Animated || facts.Duration != 400*time.Millisecond {
		t.Errorf("facts %+v, %v", facts, err)
	}
}
