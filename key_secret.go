package schedctl

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"math/big"
	"strings"
)

// A key secret is "sctl_", 32 random bytes in base62 (43 characters) and the
// CRC-32 (IEEE) of all before it in base62 (6 characters). The fixed prefix and
// the checksum let secret scanners find leaked keys without asking anyone.
const (
	keySecretPrefix = "sctl_"
	keyRandomLen    = 43
	keyChecksumLen  = 6
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// NewKeySecret returns the secret of a new API key, to be shown once, and the
// hash to be stored.
func NewKeySecret() (secret string, hash [32]byte) {
	secret = newSecret(keySecretPrefix)
	return secret, sha256.Sum256([]byte(secret))
}

// newSecret returns a new secret with a prefix.
func newSecret(prefix string) string {
	var random [32]byte
	rand.Read(random[:])
	body := prefix + encodeBase62(new(big.Int).SetBytes(random[:]), keyRandomLen)
	return body + keyChecksum(body)
}

// HashKeySecret returns the hash by which the store finds a secret. It reports false
// for a text that is not a valid secret, such as a mistyped one.
func HashKeySecret(secret string) (hash [32]byte, ok bool) {
	return hashSecret(keySecretPrefix, secret)
}

// hashSecret returns the hash of a secret with a prefix, and whether it is valid.
func hashSecret(prefix, secret string) (hash [32]byte, ok bool) {
	if len(secret) != len(prefix)+keyRandomLen+keyChecksumLen || !strings.HasPrefix(secret, prefix) {
		return hash, false
	}
	body, sum := secret[:len(secret)-keyChecksumLen], secret[len(secret)-keyChecksumLen:]
	if keyChecksum(body) != sum {
		return hash, false
	}
	return sha256.Sum256([]byte(secret)), true
}

func keyChecksum(body string) string {
	return encodeBase62(big.NewInt(int64(crc32.ChecksumIEEE([]byte(body)))), keyChecksumLen)
}

// encodeBase62 returns n in exactly width digits.
func encodeBase62(n *big.Int, width int) string {
	out := make([]byte, width)
	digit, radix := new(big.Int), big.NewInt(int64(len(base62)))
	for i := width - 1; i >= 0; i-- {
		n.DivMod(n, radix, digit)
		out[i] = base62[digit.Int64()]
	}
	if n.Sign() != 0 {
		panic(fmt.Sprintf("a number does not fit in %d base62 digits", width))
	}
	return string(out)
}
