package server

import "testing"

func TestBytesAreReadable(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0 bytes", 999: "999 bytes", 1000: "1.0 kB", 24_576: "24.6 kB", 5_300_000: "5.3 MB", 2_000_000_000: "2.0 GB", 1 << 62: "4.6 EB",
	} {
		if got := byteText(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}
