// Package linkedin publishes as a person or an organization to LinkedIn
// (https://learn.microsoft.com/linkedin/marketing/community-management/shares/posts-api).
//
// LinkedIn does not recognize a repeated request. After an unknown outcome, Find reads
// the posts of an organization and compares their text. LinkedIn lets no app read the
// posts of a person, so a person's unknown outcome stays unknown.
//
// Each version of the API ends after about a year. A request to a version that has ended
// publishes nothing, so it is repeated with the next version at once.
package linkedin

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/linkcard"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// Platform is the name of the platform.
const Platform = "linkedin"

// publicAPI is the address of LinkedIn's API, and publicLogin that of its logins.
const (
	publicAPI   = "https://api.linkedin.com"
	publicLogin = "https://www.linkedin.com"
)

// The credentials and the option. Connect adds fieldAuthor, the URN of a person, and
// fieldSince; see connectedAt. Publish adds fieldCommentAPI; see comment.
const (
	fieldToken        = "access_token"
	fieldOrganization = "organization"
	fieldClient       = "client_id"
	fieldClientSecret = "client_secret"
	fieldAPI          = "api_url"
	fieldAuthor       = "author"
	fieldSince        = "connected_at"
	fieldComments     = "comments"  // only for a login
	fieldAnalytics    = "analytics" // only for a login
	fieldCommentAPI   = "comment_api"
	optionVersion     = "api_version"
)

// Publisher implements [publish.Publisher], [publish.ContentFinder],
// [publish.PartialFinder], [publish.Uploader], [publish.Threader] and [publish.CardFetcher].
type Publisher struct {
	client    *http.Client
	policy    outbound.Policy
	userAgent string
	now       func() time.Time
	wait      func(context.Context, time.Duration)

	// version is the version that LinkedIn has accepted last since the start, or 0.
	version atomic.Int64

	cards *linkcard.Fetcher // nil for no link cards
}

// New returns the publisher. client must follow policy. cards fetches link cards; nil means
// that posts have none of their own. version is the daemon's
// version, for the User-Agent.
func New(client *http.Client, policy outbound.Policy, cards *linkcard.Fetcher, version string) *Publisher {
	return &Publisher{client: client, policy: policy, userAgent: "schedctl/" + version, now: time.Now, wait: sleep, cards: cards}
}

// Platform returns "linkedin".
func (p *Publisher) Platform() string { return Platform }

// Fields lists the credentials and the version of the API.
func (p *Publisher) Fields() []publish.Field {
	return []publish.Field{
		{Name: fieldToken, Required: true, Secret: true, Help: "from the token generator of the developer portal; it ends after 60 days", Check: outbound.TokenCheck(fieldToken, nil)},
		{Name: fieldOrganization, Tidy: tidyOrganization, Help: "the number, the URN or the address of an organization, to post as this organization instead of yourself", Check: checkOrganization},
		{Name: fieldClient, App: true, Help: "the client id of your app, for a login and to read when the token ends", Check: outbound.TokenCheck(fieldClient, nil)},
		{Name: fieldClientSecret, Secret: true, App: true, Help: "the client secret of your app", Check: outbound.TokenCheck(fieldClientSecret, nil)},
		{Name: fieldComments, Seldom: true, Once: true, Help: approved + " if LinkedIn has approved your app for comments: a login then asks for these permissions as well", Check: checkApproved(fieldComments, "comments")},
		{Name: fieldAnalytics, Seldom: true, Once: true, Help: approved + " if LinkedIn has approved your app for the numbers of posts: a login then asks for this permission as well", Check: checkApproved(fieldAnalytics, "the numbers of posts")},
		{Name: fieldAPI, Seldom: true, Help: "a test server or a proxy; default " + publicAPI, Check: outbound.ServerCheck(fieldAPI, publicAPI)},
		{Name: optionVersion, Option: true, Help: "the version of the API to try first, such as 202610", Check: checkVersion},
	}
}

// tidyOrganization returns the number in the address of the page of an organization. The
// address for visitors has a name instead, and stays.
func tidyOrganization(value string) string {
	for _, prefix := range []string{"/company/", "/showcase/", "/school/"} {
		if part := publish.TidyPath([]string{"linkedin.com"}, prefix, "")(value); organizationURN().MatchString(part) {
			return part
		}
	}
	return value
}

func checkOrganization(value string) error {
	if !organizationURN().MatchString(value) {
		return fmt.Errorf("%s must be a number such as 5515715 or a URN such as urn:li:organization:5515715, not a name; open the page of the organization as an administrator: its address is then https://www.linkedin.com/company/5515715/admin/ with the number", fieldOrganization)
	}
	return nil
}

// approved is the value of fieldComments and fieldAnalytics.
const approved = "approved"

func checkApproved(name, what string) func(string) error {
	return func(value string) error {
		if value != approved {
			return fmt.Errorf("%s must be %s, or missing if LinkedIn has not approved your app for %s", name, approved, what)
		}
		return nil
	}
}

func checkVersion(value string) error {
	if !versionForm().MatchString(value) {
		return fmt.Errorf("%s must be a year and a month, such as %d", optionVersion, newestVersion)
	}
	return nil
}

// access is an account's way into the API.
type access struct {
	api, login           *url.URL
	token                string
	client, clientSecret string
	author               string // a URN; empty for a person that Connect has not read yet
	since                string // fieldSince
	comments             string // fieldCommentAPI
	version              string // the option
}

var (
	organizationURN = pattern.Lazy(`^(?:urn:li:organization:)?([0-9]{1,20})$`)
	personURN       = pattern.Lazy(`^urn:li:person:[A-Za-z0-9_-]{1,100}$`)
	versionForm     = pattern.Lazy(`^20[2-9][0-9](?:0[1-9]|1[0-2])$`)
)

// parseCredentials checks credentials. Errors do not contain secret values.
func (p *Publisher) parseCredentials(c publish.Credentials, o schedctl.Options) (access, error) {
	a := access{
		token: strings.TrimSpace(c[fieldToken]), client: strings.TrimSpace(c[fieldClient]), clientSecret: strings.TrimSpace(c[fieldClientSecret]),
		version: o.String(optionVersion), since: c[fieldSince], comments: c[fieldCommentAPI],
	}
	if err := p.parseAddresses(&a, c[fieldAPI]); err != nil {
		return access{}, err
	}
	for name, value := range map[string]string{fieldToken: a.token, fieldClient: a.client, fieldClientSecret: a.clientSecret} {
		if !outbound.ValidToken(value) || name == fieldToken && value == "" {
			return access{}, publish.Contentf(name, "%s is missing or contains characters that it cannot have; copy it again", name)
		}
	}
	if (a.client == "") != (a.clientSecret == "") {
		return access{}, publish.Contentf(fieldClientSecret, "give both %s and %s, or neither", fieldClient, fieldClientSecret)
	}
	switch organization := strings.TrimSpace(c[fieldOrganization]); {
	case organization != "":
		m := organizationURN().FindStringSubmatch(organization)
		if m == nil {
			return access{}, publish.Contentf(fieldOrganization, "%s", checkOrganization(organization))
		}
		a.author = organizationPrefix + m[1]
	case personURN().MatchString(c[fieldAuthor]):
		a.author = c[fieldAuthor]
	}
	if err := checkOptions(o); err != nil {
		return access{}, err
	}
	return a, nil
}

func (p *Publisher) parseAddresses(a *access, given string) error {
	api, login := publicAPI, publicLogin
	if given = strings.TrimSpace(given); given != "" {
		api, login = given, given
	}
	var err error
	if a.api, err = p.policy.ParseAddress(api); err == nil {
		a.login, err = p.policy.ParseAddress(login)
	}
	switch {
	case err != nil:
		return publish.Contentf(fieldAPI, "%s: %s", fieldAPI, err)
	case strings.Trim(a.api.Path, "/") != "" || a.api.RawQuery != "":
		return publish.Contentf(fieldAPI, "%s must be the address of a server without a path, such as %s", fieldAPI, publicAPI)
	}
	a.api.Path, a.login.Path = "/", "/"
	return nil
}

func checkOptions(o schedctl.Options) *publish.Error {
	if value, given := o[optionVersion]; given {
		text, _ := value.(string)
		if err := checkVersion(text); err != nil {
			return publish.Contentf(optionVersion, "%s", err)
		}
	}
	return nil
}

const organizationPrefix = "urn:li:organization:"

// organization reports whether the account is that of an organization.
func (a access) organization() bool { return strings.HasPrefix(a.author, organizationPrefix) }

// hidden returns the texts that no error may contain.
func (a access) hidden(more ...string) []string {
	_, id, _ := strings.Cut(a.author, "person:")
	return append([]string{a.token, a.clientSecret, a.client, a.author, id, a.since}, more...)
}

// endpoint returns the URL of a route of the versioned API. URNs in the path are escaped.
func (a access) endpoint(query string, path ...string) string {
	u := a.api.String() + "rest"
	for _, part := range path {
		u += "/" + url.QueryEscape(part)
	}
	if query != "" {
		u += "?" + query
	}
	return u
}

// postURL returns the public address of a post.
func postURL(urn string) string { return "https://www.linkedin.com/feed/update/" + urn }
