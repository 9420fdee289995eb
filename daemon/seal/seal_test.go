package seal_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/daemon/seal"
)

func sealer(t *testing.T, key byte) *seal.Sealer {
	t.Helper()
	s, err := seal.New(bytes.Repeat([]byte{key}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOpensForTheSameOwnerOnly(t *testing.T) {
	t.Parallel()
	s, plain := sealer(t, 1), []byte(`{"access_token":"very secret"}`)
	sealed := s.Seal(plain, "acct_1")
	if bytes.Contains(sealed, []byte("secret")) {
		t.Error("the plain text shows")
	}
	if got, err := s.Open(sealed, "acct_1"); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("Open = %q, %v", got, err)
	}
	if _, err := s.Open(sealed, "acct_2"); !errors.Is(err, seal.ErrOpen) {
		t.Errorf("another owner: %v", err)
	}
	if _, err := sealer(t, 2).Open(sealed, "acct_1"); !errors.Is(err, seal.ErrOpen) {
		t.Errorf("another key: %v", err)
	}
	if bytes.Equal(sealed, s.Seal(plain, "acct_1")) {
		t.Error("the same text is sealed to the same bytes twice")
	}
}

func TestEveryChangedByteIsNoticed(t *testing.T) {
	t.Parallel()
	s := sealer(t, 1)
	sealed := s.Seal([]byte("text"), "acct_1")
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		if _, err := s.Open(changed, "acct_1"); !errors.Is(err, seal.ErrOpen) {
			t.Errorf("byte %d changed: %v", i, err)
		}
		if _, err := s.Open(sealed[:i], "acct_1"); !errors.Is(err, seal.ErrOpen) {
			t.Errorf("cut to %d bytes: %v", i, err)
		}
	}
}

func TestKeyFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secret.key")
	if _, err := seal.LoadKey(path, seal.MustExist); err == nil {
		t.Error("a missing key was accepted")
	}
	made, err := seal.LoadKey(path, seal.Create)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if again, err := seal.LoadKey(path, seal.MustExist); err != nil || !bytes.Equal(made, again) {
		t.Errorf("read back %d bytes, %v", len(again), err)
	}
	if err := os.WriteFile(path, made[:31], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := seal.LoadKey(path, seal.Create); err == nil {
		t.Error("a short key was accepted or replaced")
	}
	if _, err := seal.New(made[:31]); err == nil {
		t.Error("New took a short key")
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	s := sealer(t, 1)
	sealed := s.SealText("https://hooks.example/k3y", "wh_1")
	if strings.Contains(sealed, "hooks.example") || !seal.IsSealed(sealed) {
		t.Errorf("sealed: %q", sealed)
	}
	if got, err := s.OpenText(sealed, "wh_1"); got != "https://hooks.example/k3y" || err != nil {
		t.Errorf("OpenText = %q, %v", got, err)
	}
	if got, err := s.OpenText("https://hooks.example/", "wh_1"); got != "https://hooks.example/" || err != nil {
		t.Errorf("a plain text: %q, %v", got, err)
	}
	for _, bad := range []string{sealed[:len(sealed)-2], "sealed:", "sealed:*", s.SealText("x", "wh_2")} {
		if got, err := s.OpenText(bad, "wh_1"); got != "" || !errors.Is(err, seal.ErrOpen) {
			t.Errorf("%q: %q, %v", bad, got, err)
		}
	}
}
