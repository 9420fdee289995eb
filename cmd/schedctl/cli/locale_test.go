package cli

import "testing"

func TestASCIILocale(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		all, ctype, lang string
		want             bool
	}{
		{"C", "de_DE.UTF-8", "de_DE.UTF-8", true},
		{"POSIX", "", "", true},
		{"", "", "C", true},
		{"", "C.UTF-8", "C", false},
		{"en_US.UTF-8", "C", "C", false},
		{"", "", "", false},
	} {
		if got := asciiLocale(test.all, test.ctype, test.lang); got != test.want {
			t.Errorf("%+v: %t", test, got)
		}
	}
}
