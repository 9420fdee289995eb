package server

import "testing"

func TestSizeFlag(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"20MB": "20MB", "1.5GB": "1500MB", "300 mb": "300MB", "512B": "512B", "10gb": "10GB", "1000kB": "1MB", "1TB": "1TB",
	} {
		var s sizeFlag
		if err := s.Set(text); err != nil || s.String() != want {
			t.Errorf("%q is %s, %v; want %s", text, s.String(), err, want)
		}
	}
	for _, text := range []string{"", "MB", "20", "-1MB", "0MB", "nanMB", "infGB", "20MiB", "1e9TB", "x"} {
		var s sizeFlag
		if err := s.Set(text); err == nil {
			t.Errorf("%q is accepted as %s", text, s.String())
		}
	}
}
