package media

import (
	"bytes"
	"testing"

	"github.com/schedctl/schedctl/client/apiv1"
)

// A daemon that sends more than it has announced does not fill the memory.
func TestUpTo(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := UpTo(&out, apiv1.MediaAsset{ID: "med_1", SizeBytes: 5})
	for _, part := range []string{"abc", "de"} {
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("%q: %d, %v", part, n, err)
		}
	}
	if _, err := w.Write([]byte("f")); err == nil || out.String() != "abcde" {
		t.Errorf("%q, %v", out.String(), err)
	}
}
