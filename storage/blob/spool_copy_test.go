package blob_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl/storage/blob"
)

// TestSpoolReadFrom guards that ReadFrom appends all bytes, in order and with their hash,
// whatever their number.
func TestSpoolReadFrom(t *testing.T) {
	const piece = 256 << 10
	data := make([]byte, 20*piece)
	rand.NewChaCha8([32]byte{1}).Read(data)
	broken := errors.New("broken")
	for _, size := range []int{0, 1, piece - 1, piece, piece + 1, 2 * piece, 7*piece + 3, 20 * piece} {
		for _, test := range []struct {
			name  string
			limit int64
			fails error
		}{
			{"all", int64(size) + 3, nil},
			{"too large", int64(size) + 2, blob.ErrTooLarge},
			{"broken", 1 << 40, broken},
			{"cut", 1 << 40, io.ErrUnexpectedEOF}, // as the body of a request that ends early
		} {
			t.Run(fmt.Sprint(size, " ", test.name), func(t *testing.T) {
				s, err := blob.NewSpool(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				s.SetLimit(test.limit)
				if _, err := s.Write([]byte("abc")); err != nil && size > 0 {
					t.Fatal(err)
				}
				r := io.Reader(bytes.NewReader(data[:size]))
				if test.fails != nil && test.fails != blob.ErrTooLarge {
					r = io.MultiReader(r, iotest.ErrReader(test.fails))
				}
				n, err := s.ReadFrom(r)
				if !errors.Is(err, test.fails) || test.fails == nil && err != nil {
					t.Fatalf("error %v, want %v", err, test.fails)
				}
				if test.fails == blob.ErrTooLarge {
					return
				}
				want := append([]byte("abc"), data[:size]...)
				got, err := io.ReadAll(s.Reader())
				if err != nil || n != int64(size) || s.Size() != int64(len(want)) || !bytes.Equal(got, want) || s.Key() != sha256.Sum256(want) {
					t.Errorf("%d bytes, size %d, key %s, %v", n, s.Size(), s.Key(), err)
				}
			})
		}
	}
}

// slowReader returns 32 KB after a while, like a network. It records the smallest buffer
// that it was given.
type slowReader struct {
	data     []byte
	smallest int
}

func (r *slowReader) Read(b []byte) (int, error) {
	if len(r.data) == 0 {
		return 0, io.EOF
	}
	time.Sleep(time.Millisecond)
	r.smallest = min(r.smallest, len(b))
	n := copy(b[:min(len(b), 32<<10)], r.data)
	r.data = r.data[n:]
	return n, nil
}

// TestSpoolReadFromSlowly guards that the bytes of a slow reader are hashed in short
// pieces: hashing a long one delays other requests.
func TestSpoolReadFromSlowly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, err := blob.NewSpool(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		data := make([]byte, 3<<20+5)
		rand.NewChaCha8([32]byte{2}).Read(data)
		r := &slowReader{data: data, smallest: len(data)}
		n, err := s.ReadFrom(r)
		if err != nil || n != int64(len(data)) || s.Key() != sha256.Sum256(data) {
			t.Errorf("%d bytes, key %s, error %v", n, s.Key(), err)
		}
		if r.smallest <= (256-64)<<10 {
			t.Errorf("ReadFrom waited until a piece lacked %d bytes", r.smallest)
		}
	})
}
