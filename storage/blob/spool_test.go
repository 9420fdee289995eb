package blob_test

import (
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/schedctl/schedctl/storage/blob"
)

func TestSpool(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := blob.NewSpool(dir)
	if err != nil {
		t.Fatal(err)
	}
	if s.Key() != sha256.Sum256(nil) || s.Size() != 0 {
		t.Errorf("an empty spool has %d bytes and the key %s", s.Size(), s.Key())
	}
	for _, part := range []string{"pic", "", "ture"} {
		if n, err := s.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("Write returned %d, error %v", n, err)
		}
	}
	if s.Key() != sha256.Sum256([]byte("picture")) || s.Size() != 7 {
		t.Errorf("the spool has %d bytes and the key %s", s.Size(), s.Key())
	}
	got := make([]byte, 4)
	if _, err := s.ReadAt(got, 3); err != nil || string(got) != "ture" {
		t.Errorf("ReadAt read %q, error %v", got, err)
	}
	if all, err := io.ReadAll(s.Reader()); err != nil || string(all) != "picture" {
		t.Errorf("Reader read %q, error %v", all, err)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("files %v, error %v", left, err)
	}
}

// TestSpoolLimit guards that the limit can follow the type, which the first bytes show,
// and that an error ends all writing.
func TestSpoolLimit(t *testing.T) {
	t.Parallel()
	s, err := blob.NewSpool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Write([]byte("GIF89a")); err != nil {
		t.Fatal(err)
	}
	s.SetLimit(10)
	if _, err := s.Write([]byte("1234")); err != nil {
		t.Errorf("Write up to the limit: %v", err)
	}
	for _, more := range []string{"5", ""} {
		if n, err := s.Write([]byte(more)); n != 0 || !errors.Is(err, blob.ErrTooLarge) {
			t.Errorf("Write of %q returned %d, error %v", more, n, err)
		}
	}
	if !errors.Is(s.Err(), blob.ErrTooLarge) || s.Size() != 10 {
		t.Errorf("the spool has %d bytes, error %v", s.Size(), s.Err())
	}
}

func TestParseKey(t *testing.T) {
	t.Parallel()
	key := blob.Key(sha256.Sum256([]byte("abc")))
	if got, err := blob.ParseKey(key.String()); err != nil || got != key {
		t.Errorf("ParseKey returned %v, error %v", got, err)
	}
	text := key.String()
	for _, bad := range []string{"", text[:63], text[:62], text + "00", "BA" + text[2:], "zz" + text[2:], "../" + text[3:]} {
		if _, err := blob.ParseKey(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}
