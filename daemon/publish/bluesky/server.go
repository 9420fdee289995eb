package bluesky

import (
	"net/url"
	"strings"

	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

const defaultServer = "https://bsky.social"

// parseServer returns the address of a server from user input: a host, a URL, or
// nothing for the default. The scheme is https unless the input says http.
func parseServer(text string) (*url.URL, error) {
	if strings.TrimSpace(text) == "" {
		text = defaultServer
	}
	return outbound.ParseServer(text, "service_url", "bsky.social")
}
