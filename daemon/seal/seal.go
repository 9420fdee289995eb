// Package seal encrypts account secrets at rest with XChaCha20-Poly1305
// (RFC 8439 with extended nonces). The key is in a separate file, so that
// a copy of the database alone reveals no secrets.
package seal

import (
	"bytes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/schedctl/schedctl/daemon/privatefile"
)

// ErrOpen means that a sealed value was sealed with a different key or for a different
// owner, or was modified.
var ErrOpen = errors.New("cannot open a sealed value: wrong secret.key, or the database was modified by hand")

// version is the first byte of every sealed value.
const version = 1

// Sealer seals and opens values. It may be used from any goroutine.
type Sealer struct {
	aead        cipher.AEAD
	key         []byte
	fingerprint string
}

// New returns a sealer. The key must have 32 bytes.
func New(key []byte) (*Sealer, error) {
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		return nil, fmt.Errorf("sealing key: %w", err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("schedctl sealing key 1"))
	return &Sealer{aead: aead, key: bytes.Clone(key), fingerprint: hex.EncodeToString(mac.Sum(nil)[:16])}, nil
}

// Fingerprint returns 32 characters that identify the key and do not reveal it.
func (s *Sealer) Fingerprint() string { return s.fingerprint }

// DeriveKey returns a key for another purpose, such as signing URLs. The same sealing key
// and purpose always give the same key, which reveals nothing of the sealing key.
func (s *Sealer) DeriveKey(purpose string) [32]byte {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte("schedctl derived key 1 " + purpose))
	return [32]byte(mac.Sum(nil))
}

// Seal encrypts plain for an owner, such as an account id. [Sealer.Open] needs the same
// owner.
func (s *Sealer) Seal(plain []byte, owner string) []byte {
	out := make([]byte, 1+chacha20poly1305.NonceSizeX, 1+chacha20poly1305.NonceSizeX+len(plain)+s.aead.Overhead())
	out[0] = version
	rand.Read(out[1:])
	return s.aead.Seal(out, out[1:], plain, []byte(owner))
}

// Open decrypts a value of [Sealer.Seal]. It returns [ErrOpen] if that fails.
func (s *Sealer) Open(sealed []byte, owner string) ([]byte, error) {
	if len(sealed) < 1+chacha20poly1305.NonceSizeX || sealed[0] != version {
		return nil, ErrOpen
	}
	body := sealed[1:]
	plain, err := s.aead.Open(nil, body[:chacha20poly1305.NonceSizeX], body[chacha20poly1305.NonceSizeX:], []byte(owner))
	if err != nil {
		return nil, ErrOpen
	}
	return plain, nil
}

// sealedText is the prefix of sealed texts. No plain text in the database has it.
const sealedText = "sealed:"

// SealText is [Sealer.Seal] for values that are stored as text.
func (s *Sealer) SealText(plain, owner string) string {
	return sealedText + base64.RawStdEncoding.EncodeToString(s.Seal([]byte(plain), owner))
}

// OpenText decrypts a value of [Sealer.SealText], or returns [ErrOpen]. It returns a
// text that is not sealed unchanged: earlier versions stored plain text.
func (s *Sealer) OpenText(text, owner string) (string, error) {
	encoded, sealed := strings.CutPrefix(text, sealedText)
	if !sealed {
		return text, nil
	}
	raw, err := base64.RawStdEncoding.DecodeString(encoded)
	if err != nil {
		return "", ErrOpen
	}
	plain, err := s.Open(raw, owner)
	return string(plain), err
}

// IsSealed reports whether a text was sealed by [Sealer.SealText].
func IsSealed(text string) bool { return strings.HasPrefix(text, sealedText) }

// LoadKey reads the key file. If the file is missing and mode is [Create], LoadKey
// creates it with permissions 0600. A key of the wrong size is an error and is never
// replaced.
func LoadKey(path string, mode Mode) ([]byte, error) {
	key, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && mode == Create:
		return createKey(path)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is missing: it opens the secrets in the database; restore it from your backup", path)
	case err != nil:
		return nil, fmt.Errorf("read sealing key: %w", err)
	case len(key) != chacha20poly1305.KeySize:
		return nil, fmt.Errorf("%s has %d bytes instead of %d: restore it from your backup", path, len(key), chacha20poly1305.KeySize)
	}
	return key, nil
}

// Mode is what [LoadKey] does when the key file is missing.
type Mode int

// The modes of [LoadKey].
const (
	MustExist Mode = iota
	Create
)

func createKey(path string) ([]byte, error) {
	key := make([]byte, chacha20poly1305.KeySize)
	rand.Read(key)
	if err := privatefile.Write(path, key); err != nil {
		return nil, fmt.Errorf("create sealing key: %w", err)
	}
	return key, nil
}
