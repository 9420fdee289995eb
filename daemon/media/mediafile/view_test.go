package mediafile_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/schedctl/schedctl/daemon/media/mediafile"
)

// A view shows the bytes that Strip writes, whatever range is read.
func TestView(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			want := strip(t, s.data)
			v, err := mediafile.NewView(t.Context(), bytes.NewReader(s.data), int64(len(s.data)), s.want.MIMEType)
			if err != nil {
				t.Fatal(err)
			}
			if v.Size() != int64(len(want)) {
				t.Fatalf("the view has %d bytes, want %d", v.Size(), len(want))
			}
			if err := iotest.TestReader(v.Reader(t.Context(), bytes.NewReader(s.data)), want); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestViewErrors(t *testing.T) {
	t.Parallel()
	data := samples()[0].data
	if _, err := mediafile.NewView(t.Context(), bytes.NewReader(data[:len(data)-1]), int64(len(data)-1), samples()[0].want.MIMEType); err == nil {
		t.Error("a truncated file has a view")
	}
	v, err := mediafile.NewView(t.Context(), bytes.NewReader(data), int64(len(data)), samples()[0].want.MIMEType)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := v.Reader(t.Context(), bytes.NewReader(data[:9])).ReadAt(make([]byte, 9), 8); n != 0 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("of a shorter file: got %d, %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := v.Reader(ctx, bytes.NewReader(data)).ReadAt(make([]byte, 9), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: got %v", err)
	}
}
