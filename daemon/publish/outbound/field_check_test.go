package outbound_test

import (
	"strings"
	"testing"

	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

func TestTokenCheck(t *testing.T) {
	t.Parallel()
	check := outbound.TokenCheck("access_token", map[string]string{"EAA": "this is a token of another network"})
	for value, want := range map[string]string{
		"THAAabc": "", "a-token_with.signs~": "",
		"EAAabc":        "access_token: this is a token of another network",
		"Bearer abc":    "leave out the word Bearer",
		"bearer abc":    "leave out the word Bearer",
		`"abc"`:         "leave out the quotation marks",
		"two words":     "copy it again",
		"line\nbreak":   "copy it again",
		"élan":          "copy it again",
		"a\u200btoken.": "copy it again",
	} {
		err := check(value)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "access_token")) {
			t.Errorf("%q: got %v, want %q", value, err, want)
		}
	}
}

func TestServerCheck(t *testing.T) {
	t.Parallel()
	check := outbound.ServerCheck("api_url", "https://api.example.org")
	for value, valid := range map[string]bool{
		"https://proxy.test": true, "http://127.0.0.1:8080/": true,
		"proxy.test": false, "ftp://proxy.test": false, "https://proxy.test/v2": false, "https://proxy.test?a=b": false, "https://user@proxy.test": false,
	} {
		err := check(value)
		if (err == nil) != valid || err != nil && (!strings.HasPrefix(err.Error(), "api_url") || strings.Contains(err.Error(), "proxy.test")) {
			t.Errorf("%q: got %v", value, err)
		}
	}
}
