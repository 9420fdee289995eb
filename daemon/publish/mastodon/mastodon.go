// Package mastodon publishes to servers of the Mastodon client API: Mastodon
// itself and the many others that speak it (https://docs.joinmastodon.org/client/).
//
// Each status is sent with an Idempotency-Key. Mastodon keeps keys for an hour
// and other servers ignore them, so a call with an unknown outcome must not be
// repeated because of it: the publisher is not a [publish.Idempotent].
package mastodon

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// Platform is the name of the platform.
const Platform = "mastodon"

// Publisher implements [publish.Publisher].
type Publisher struct {
	client    *http.Client
	userAgent string
}

// New returns the publisher. The version is the daemon's own, for the
// User-Agent.
func New(client *http.Client, version string) *Publisher {
	return &Publisher{client: client, userAgent: "schedctl/" + version}
}

// Platform returns "mastodon".
func (p *Publisher) Platform() string { return Platform }

// Fields lists instance_url, access_token and the options of a status.
func (p *Publisher) Fields() []publish.Field {
	return []publish.Field{
		{Name: "instance_url", Required: true, Help: "the server, such as mastodon.social"},
		{Name: "access_token", Required: true, Secret: true, Help: "from Preferences, Development, with the scopes read:accounts and write:statuses"},
		{Name: "visibility", Option: true, Help: "public, unlisted, private or direct"},
		{Name: "language", Option: true, Help: "language code of the posts, such as en"},
		{Name: "sensitive", Option: true, Help: "true to mark posts as sensitive"},
		{Name: "spoiler_text", Option: true, Help: "content warning shown instead of the text"},
	}
}

// server returns the address of a server from what people write for it: a host
// or an URL. It is https unless the URL says http.
func server(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	switch {
	case err != nil, len(text) > 2048, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "", u.User != nil,
		strings.Trim(u.Path, "/") != "", u.RawQuery != "", u.Fragment != "":
		return nil, publish.Contentf("instance_url", "instance_url is a server and nothing more, such as mastodon.social or https://mastodon.social")
	}
	return &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host)}, nil
}

// header returns the headers of every call. No connection is kept: some servers
// close theirs after an answer without saying so, and a status that is written
// just then would have an unknown outcome.
func (p *Publisher) header(c publish.Credentials) http.Header {
	h := http.Header{}
	h.Set("Connection", "close")
	h.Set("Authorization", "Bearer "+c["access_token"])
	h.Set("Accept", "application/json")
	h.Set("User-Agent", p.userAgent)
	return h
}

// checkToken refuses what no header can carry. The error does not hold the token.
func checkToken(token string) error {
	if len(token) > 2048 || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return publish.Contentf("access_token", "the access token holds white space or characters that no token has; copy it again")
	}
	return nil
}

// languageCode is a BCP 47 tag of a language, a script and a region at most.
var languageCode = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$`)

const maxSpoiler = 500 // bytes

func checkOptions(o schedctl.Options) error {
	for name, value := range o {
		text, isText := value.(string)
		_, isBool := value.(bool)
		switch {
		case name == "visibility" && text != "public" && text != "unlisted" && text != "private" && text != "direct":
			return publish.Contentf(name, "visibility is public, unlisted, private or direct")
		case name == "language" && !languageCode.MatchString(text):
			return publish.Contentf(name, "language is a code such as en, de or pt-BR")
		case name == "sensitive" && !isBool:
			return publish.Contentf(name, "sensitive must be true or false")
		case name == "spoiler_text" && (!isText || len(text) > maxSpoiler || strings.ContainsAny(text, "\x00\r\n")):
			return publish.Contentf(name, "spoiler_text is one line of at most %d bytes", maxSpoiler)
		}
	}
	return nil
}
