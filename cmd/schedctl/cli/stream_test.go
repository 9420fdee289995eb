package cli

import (
	"strings"
	"testing"
)

// What is exported to a terminal cannot control it, however it is cut into
// writes.
func TestPrintableWriter(t *testing.T) {
	t.Parallel()
	const text = "a,\"é \x1b]0;x\a \u009b31m \u202ertl\"\r\n日本\rx\xff\n"
	const want = "a,\"é \ufffd]0;x\ufffd \ufffd31m ␣U+202Ertl\"\n日本\ufffdx\ufffd\n"
	for cut := range len(text) {
		var out strings.Builder
		w := &printableWriter{w: &out}
		for _, part := range []string{text[:cut], text[cut:]} {
			if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatalf("%d, %v", n, err)
			}
		}
		if out.String() != want {
			t.Errorf("cut at %d: %q, want %q", cut, out.String(), want)
		}
	}
}
