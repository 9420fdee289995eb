package cli

import "testing"

func TestZoneOfSystem(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ link, text, want string }{
		{"/usr/share/zoneinfo/Europe/Berlin", "", "Europe/Berlin"},
		{"../usr/share/zoneinfo/America/New_York", "Etc/UTC\n", "America/New_York"},
		{"/var/db/timezone/zoneinfo/Asia/Tokyo", "", "Asia/Tokyo"},
		{"", "Europe/Paris\n", "Europe/Paris"},
		{"/usr/share/zoneinfo/Nowhere/Land", "Etc/UTC\n", "Etc/UTC"},
		{"", "Local\n", ""},
		{"", "", ""},
	} {
		if got := zoneOfSystem(tc.link, tc.text); got != tc.want {
			t.Errorf("%q, %q: got %q, want %q", tc.link, tc.text, got, tc.want)
		}
	}
}
