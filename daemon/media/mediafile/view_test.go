package mediafile_test

import (
	"bytes"
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
			if err := iotest.TestReader(io.NewSectionReader(v, 0, v.Size()), want); err != nil {
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
	if n, err := v.ReadAt(make([]byte, 1), v.Size()); n != 0 || err != io.EOF {
		t.Errorf("after the end: got %d, %v", n, err)
	}
	if _, err := v.ReadAt(make([]byte, 1), -1); err == nil || err == io.EOF {
		t.Errorf("before the start: got %v", err)
	}
}
