package schedctl_test

import (
	"encoding/hex"
	"testing"

	"github.com/schedctl/schedctl"
)

// TestFingerprintsNeverChange compares fingerprints with those that databases hold.
func TestFingerprintsNeverChange(t *testing.T) {
	t.Parallel()
	one, two := schedctl.PostMedia{SHA256: [32]byte{1}}, schedctl.PostMedia{SHA256: [32]byte{2}, AltText: "alt", HasAltText: true}
	for want, got := range map[string]schedctl.Fingerprint{
		"2d711642b726b04401627ca9fbac32f5": schedctl.FingerprintOf("x"), // the text alone, as before there were media
		"437db31a51e24d105446e5aa8d4bbab6": schedctl.FingerprintOf("x", one, two),
		"1b7c643b049c11a4fb6b65822e4a5e2a": schedctl.FingerprintOf("", one),
	} {
		if hex.EncodeToString(got[:]) != want {
			t.Errorf("fingerprint %x, want %s", got, want)
		}
	}
}
