package outbound_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

func TestParseAddress(t *testing.T) {
	t.Parallel()
	const public, all = outbound.PublicOnly, outbound.AllowPrivate
	for _, tt := range []struct {
		policy     outbound.Policy
		text, want string // want is empty if the URL is refused
	}{
		{public, "https://Chat.Example/Path?x=1", "https://chat.example/Path?x=1"},
		{public, " https://chat.example:8443#top\n", "https://chat.example:8443"},
		{public, "http://chat.example", ""},
		{all, "http://chat.example", "http://chat.example"},
		{all, "http://127.0.0.1:8080/k3y", "http://127.0.0.1:8080/k3y"},
		{public, "https://127.0.0.1/k3y", ""},
		{public, "https://localhost/k3y", ""},
		{public, "https://[::1]/k3y", ""},
		{public, "https://169.254.169.254/k3y", ""},
		{all, "ftp://chat.example/k3y", ""},
		{all, "chat.example/k3y", ""},
		{all, "https:///k3y", ""},
		{all, "https://user:k3y@chat.example", ""},
		{all, "https://chat.example/\x00k3y", ""},
		{all, "https://chat.example/k3y" + strings.Repeat("x", 2048), ""},
		{all, "", ""},
	} {
		u, err := tt.policy.ParseAddress(tt.text)
		if tt.want == "" {
			if err == nil || strings.Contains(err.Error(), "k3y") {
				t.Errorf("%.60q: got %v, want an error without the URL", tt.text, err)
			}
			continue
		}
		if err != nil || u.String() != tt.want {
			t.Errorf("%q: got %v, %v; want %s", tt.text, u, err, tt.want)
		}
	}
	if _, err := public.ParseAddress("https://10.0.0.1"); !errors.Is(err, outbound.ErrPrivateAddress) {
		t.Errorf("a private address: got %v", err)
	}
}

func TestLabel(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		value any
		want  string
	}{
		{"Alice 🙂", "Alice 🙂"},
		{" \u202ealice\x00\n ", "alice"},
		{"\xffalice", "alice"},
		{strings.Repeat("é", 101), strings.Repeat("é", 100)},
		{17.0, ""},
		{nil, ""},
	} {
		if got := outbound.Label(tt.value); got != tt.want || !utf8.ValidString(got) {
			t.Errorf("%q: got %q, want %q", tt.value, got, tt.want)
		}
	}
}
