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
