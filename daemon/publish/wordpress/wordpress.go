// Package wordpress publishes to a site with WordPress, through its REST API
// (https://developer.wordpress.org/rest-api/) and an application password.
//
// The slug of a post contains the key of the attempt. WordPress does not recognize a
// repeated request, but it lists posts by their slug: after a request with an unknown
// outcome, Find asks for it.
//
// The first line of a text is the title, unless the option title is set. The rest is
// escaped and put into paragraphs. Files are uploaded to the media library before the
// post.
package wordpress

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// Platform is the name of the platform.
const Platform = "wordpress"

// The credentials.
const (
	fieldSite     = "site_url"
	fieldUser     = "username"
	fieldPassword = "application_password"
)

// Publisher implements [publish.Publisher], [publish.Finder] and [publish.Uploader].
type Publisher struct {
	client    *http.Client
	policy    outbound.Policy
	userAgent string
}

// New returns the publisher. client must follow policy. version is the daemon's
// version, for the User-Agent.
func New(client *http.Client, policy outbound.Policy, version string) *Publisher {
	return &Publisher{client: client, policy: policy, userAgent: "schedctl/" + version}
}

// Platform returns "wordpress".
func (p *Publisher) Platform() string { return Platform }

// Fields lists the credentials and the options of a post.
func (p *Publisher) Fields() []publish.Field {
	return []publish.Field{
		{Name: fieldSite, Required: true, Help: "the address of the site, such as https://blog.example.org", Check: checkSite},
		{Name: fieldUser, Required: true, Help: "the user who writes the posts: an author, an editor or an administrator"},
		{Name: fieldPassword, Required: true, Secret: true, Help: "from the user's profile in WordPress, Application Passwords; not the password of the login"},
		{Name: optionStatus, Option: true, Post: true, Help: "publish, draft, pending or private; default publish", Check: checkStatus},
		{Name: optionCategories, Option: true, Post: true, Help: "slugs or numbers of categories, such as news,releases; default that of the site"},
		{Name: optionTitle, Option: true, Post: true, Help: "the title; default the first line of the text"},
	}
}

func checkSite(value string) error {
	if _, err := outbound.ParseURL(value); err != nil {
		return fmt.Errorf("%s: %w", fieldSite, err)
	}
	return nil
}

// site is an API with the login of a user.
type site struct {
	base     *url.URL // that of the site
	user     string
	password string // without white space
}

// parseCredentials parses the credentials. Errors do not contain secret values.
func (p *Publisher) parseCredentials(c publish.Credentials) (site, error) {
	u, err := p.policy.ParseAddress(c[fieldSite])
	if err != nil {
		return site{}, publish.Contentf(fieldSite, "%s: %s", fieldSite, err)
	}
	u.RawQuery, u.ForceQuery = "", false
	user := strings.TrimSpace(c[fieldUser])
	if len(user) > 256 || strings.ContainsFunc(user, func(r rune) bool { return r == ':' || unicode.IsControl(r) }) {
		return site{}, publish.Contentf(fieldUser, "%s contains a colon or a control character, or is too long; copy it again", fieldUser)
	}
	password := strings.Join(strings.Fields(c[fieldPassword]), "")
	if !outbound.ValidToken(password) || password == "" {
		return site{}, publish.Contentf(fieldPassword, "%s contains characters that no application password has; copy it again", fieldPassword)
	}
	return site{base: u, user: user, password: password}, nil
}

// endpoint returns the URL of a route of the API.
func (s site) endpoint(query url.Values, path ...string) string {
	u := s.base.JoinPath(append([]string{"wp-json", "wp", "v2"}, path...)...)
	u.RawQuery = query.Encode()
	return u.String()
}

// login returns the value of the header Authorization without its scheme.
func (s site) login() string {
	return base64.StdEncoding.EncodeToString([]byte(s.user + ":" + s.password))
}

// hidden returns the texts that no error may contain. The password is given with or
// without spaces.
func (s site) hidden(given publish.Credentials, more ...string) []string {
	return append([]string{s.password, strings.TrimSpace(given[fieldPassword]), s.login()}, more...)
}

// header returns the headers of a request.
func (p *Publisher) header(s site) http.Header {
	h := outbound.Header(p.userAgent, "")
	h.Set("Authorization", "Basic "+s.login())
	return h
}

// notPublished sets the outcome of an error to not_published, for requests that do not
// publish.
func notPublished(err error) error {
	e := *publish.AsError(err)
	e.Outcome = schedctl.OutcomeNotPublished
	return &e
}
