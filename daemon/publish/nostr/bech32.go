package nostr

import (
	"errors"
	"strings"
)

// Keys and events are shown to people in bech32
// (https://github.com/bitcoin/bips/blob/master/bip-0173.mediawiki, NIP-19).

const (
	bech32Alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
	checksumLength = 6
	maxBech32      = 5000 // characters; NIP-19 has no limit but recommends one
)

var errBech32 = errors.New("not valid bech32")

// encodeBech32 returns data in bech32 with a human-readable prefix.
func encodeBech32(prefix string, data []byte) string {
	values := regroup(data)
	var b strings.Builder
	b.WriteString(prefix + "1")
	for _, v := range append(values, checksum(prefix, values)...) {
		b.WriteByte(bech32Alphabet[v])
	}
	return b.String()
}

// decodeBech32 returns the prefix in lower case and the data. The error does not contain
// the text, which may be a secret.
func decodeBech32(text string) (prefix string, data []byte, err error) {
	lower := strings.ToLower(text)
	if len(text) > maxBech32 || lower != text && strings.ToUpper(text) != text {
		return "", nil, errBech32
	}
	at := strings.LastIndexByte(lower, '1')
	if at < 1 || len(lower)-at-1 < checksumLength {
		return "", nil, errBech32
	}
	prefix = lower[:at]
	values := make([]byte, 0, len(lower))
	for _, c := range []byte(prefix) {
		if c < 33 || c > 126 {
			return "", nil, errBech32
		}
	}
	for _, c := range []byte(lower[at+1:]) {
		v := strings.IndexByte(bech32Alphabet, c)
		if v < 0 {
			return "", nil, errBech32
		}
		values = append(values, byte(v))
	}
	if polymod(append(expandPrefix(prefix), values...)) != 1 {
		return "", nil, errBech32
	}
	data, ok := ungroup(values[:len(values)-checksumLength])
	if !ok {
		return "", nil, errBech32
	}
	return prefix, data, nil
}

// checksum returns the values of the checksum of data.
func checksum(prefix string, values []byte) []byte {
	padded := append(expandPrefix(prefix), values...)
	mod := polymod(append(padded, make([]byte, checksumLength)...)) ^ 1
	sum := make([]byte, checksumLength)
	for i := range sum {
		sum[i] = byte(mod>>(5*(checksumLength-1-i))) & 31
	}
	return sum
}

// expandPrefix returns the values of a prefix for the checksum.
func expandPrefix(prefix string) []byte {
	values := make([]byte, 0, 2*len(prefix)+1)
	for _, c := range []byte(prefix) {
		values = append(values, c>>5)
	}
	values = append(values, 0)
	for _, c := range []byte(prefix) {
		values = append(values, c&31)
	}
	return values
}

// polymod is the checksum function of bech32.
func polymod(values []byte) uint32 {
	generator := [5]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3}
	sum := uint32(1)
	for _, v := range values {
		top := sum >> 25
		sum = (sum&0x1ffffff)<<5 ^ uint32(v)
		for i, g := range generator {
			if top>>i&1 == 1 {
				sum ^= g
			}
		}
	}
	return sum
}

// regroup splits bytes into groups of five bits, padded with zeros.
func regroup(data []byte) []byte {
	var values []byte
	var buffer, bits uint
	for _, b := range data {
		buffer, bits = buffer<<8|uint(b), bits+8
		for bits >= 5 {
			bits -= 5
			values = append(values, byte(buffer>>bits)&31)
		}
	}
	if bits > 0 {
		values = append(values, byte(buffer<<(5-bits))&31)
	}
	return values
}

// ungroup is the inverse of regroup. ok is false if the padding is not valid.
func ungroup(values []byte) (data []byte, ok bool) {
	var buffer, bits uint
	for _, v := range values {
		buffer, bits = (buffer<<5|uint(v))&0xfff, bits+5
		if bits >= 8 {
			bits -= 8
			data = append(data, byte(buffer>>bits))
		}
	}
	return data, bits < 5 && buffer&(1<<bits-1) == 0
}
