package bluesky

import (
	"net/url"
	"strings"

	"github.com/schedctl/schedctl/daemon/publish"
)

const defaultServer = "https://bsky.social"

// parseServer returns the address of a server from user input: a host, a URL, or
// nothing for the default. The scheme is https unless the input says http.
func parseServer(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		text = defaultServer
	}
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	switch {
	case err != nil, len(text) > 2048, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "", u.User != nil,
		strings.Trim(u.Path, "/") != "", u.RawQuery != "", u.Fragment != "":
		return nil, publish.Contentf("service_url", "service_url must be the address of a server without a path, such as bsky.social or https://bsky.social")
	}
	return &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host)}, nil
}
