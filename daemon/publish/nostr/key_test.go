package nostr_test

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/schedctl/schedctl/daemon/publish/nostr"
	"github.com/schedctl/schedctl/scripts/cost"
)

// The examples of NIP-19.
func TestBech32(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		nsec: "67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa",
		"npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg": "7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e",
		"npub1sg6plzptd64u62a878hep2kev88swjh3tw00gjsfl8f237lmu63q0uf63m": "82341f882b6eabcd2ba7f1ef90aad961cf074af15b9ef44a09f9d2a8fbfbe6a2",
	} {
		prefix, data, err := nostr.Decode(text)
		if err != nil || prefix != text[:4] || hex.EncodeToString(data) != want {
			t.Errorf("%s: got %s, %x, %v", text, prefix, data, err)
		}
		if again := nostr.Encode(prefix, data); again != text {
			t.Errorf("encoded: %s, want %s", again, text)
		}
		if _, _, err := nostr.Decode(strings.ToUpper(text)); err != nil {
			t.Errorf("%s in upper case: %v", text, err)
		}
		for i := 5; i < len(text); i++ {
			changed := text[:i] + string("qp"[strings.IndexByte("pq", text[i])&1]) + text[i+1:]
			if _, _, err := nostr.Decode(changed); err == nil && changed != text {
				t.Errorf("%s is accepted", changed)
			}
		}
	}
	for _, text := range []string{"", "1", "nsec", "nsec1", "1qqqqqq", "nsec1bqqqqqq", "Nsec1" + nsec[5:], "\x00" + nsec[1:], strings.Repeat("q", 6000)} {
		if _, _, err := nostr.Decode(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	roundTrip := func(data []byte) bool {
		_, decoded, err := nostr.Decode(nostr.Encode("x", data))
		return err == nil && bytes.Equal(data, decoded)
	}
	if err := quick.Check(roundTrip, nil); err != nil {
		t.Error(err)
	}
}

func TestNevent(t *testing.T) {
	t.Parallel()
	prefix, data, err := nostr.Decode(nostr.Nevent(noteID, public, "wss://relay.example.org", 1))
	relay := hex.EncodeToString([]byte("wss://relay.example.org"))
	if want := "0020" + noteID + "0117" + relay + "0220" + public + "030400000001"; err != nil || prefix != "nevent" || hex.EncodeToString(data) != want {
		t.Errorf("got %s, %x, %v; want %s", prefix, data, err, want)
	}
}

func TestSerialization(t *testing.T) {
	t.Parallel()
	at := time.Unix(1780412345, 0)
	id, serialized, signature := nostr.SignNote(nsec, at, [][]string{{"t", `a"b`}, {}}, "line\n\"q\" \\ \r\t\b\f <é>\u2028\x01")
	want := `[0,"` + public + `",1780412345,1,[["t","a\"b"],[]],"line\n\"q\" \\ \r\t\b\f <é>` + "\u2028" + `\u0001"]`
	if serialized != want {
		t.Errorf("got  %s\nwant %s", serialized, want)
	}
	if again, _, sig := nostr.SignNote(nsec, at, [][]string{{"t", `a"b`}, {}}, "line\n\"q\" \\ \r\t\b\f <é>\u2028\x01"); again != id || sig != signature || !nostr.Verify(public, id, signature) {
		t.Error("the signature is not valid, or changes")
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	created, number, ok := nostr.ParseKey(key + "-3")
	if !ok || created.UnixMicro() != 1780412345123456+3_000_000 || number != "1780412345123459" {
		t.Errorf("got %v, %s, %v", created, number, ok)
	}
	for _, bad := range []string{"", "pt_01JX0000000000000000000001", key + "-", key + "-x", key + "--1", key + "-99", key[1:], "0" + key, "00000000000000000", "-1780412345123456"} {
		if _, _, ok := nostr.ParseKey(bad); ok {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// FuzzBech32 decodes any text as a secret key and as an identifier.
func FuzzBech32(f *testing.F) {
	for _, text := range []string{nsec, nostr.Npub(public), nostr.Nevent(noteID, public, "wss://relay.example.org", 1), "nsec1", "1", "", "nsec1qqqqqqqqqqqq"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer cost.Check(t, len(text))()
		prefix, data, err := nostr.Decode(text)
		if err == nil && nostr.Encode(prefix, data) != strings.ToLower(text) {
			t.Errorf("%q has another encoding: %q", text, nostr.Encode(prefix, data))
		}
		if public, err := nostr.Public(text); err == nil && len(public) != 64 {
			t.Errorf("%q has the public key %q", text, public)
		} else if err != nil && len(text) > 12 && strings.Contains(err.Error(), text) {
			t.Errorf("the error contains the key: %v", err)
		}
	})
}
