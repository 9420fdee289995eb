// Package x publishes to an account of X (https://docs.x.com/x-api).
//
// An account has one of two kinds of credentials: the four strings of OAuth 1.0a, which
// do not expire, or those of OAuth 2.0, whose access token expires after two hours. X
// accepts each refresh token once.
//
// X does not recognize a repeated request. Find compares the newest posts of the account
// with the text of the request. X replaces links and escapes some characters, so both
// texts are brought into the same form first.
//
// The length of a text is that of X's own library, twitter-text 3.1.0.
package x

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// Platform is the name of the platform.
const Platform = "x"

// publicAPI is the address of X's API.
const publicAPI = "https://api.x.com"

// The credentials. fieldUser is the id of the user, which Connect adds.
const (
	fieldKey          = "api_key"
	fieldSecret       = "api_secret"
	fieldToken        = "access_token"
	fieldTokenSecret  = "access_token_secret"
	fieldClient       = "client_id"
	fieldClientSecret = "client_secret"
	fieldRefresh      = "refresh_token"
	fieldAPI          = "api_url"
	fieldUser         = "user_id"
)

// Publisher implements [publish.Publisher], [publish.ContentFinder], [publish.Uploader],
// [publish.Threader], [publish.Poller], [publish.Refresher] and [publish.SingleUse].
type Publisher struct {
	client    *http.Client
	policy    outbound.Policy
	userAgent string
	now       func() time.Time
}

// New returns the publisher. client must follow policy. version is the daemon's
// version, for the User-Agent.
func New(client *http.Client, policy outbound.Policy, version string) *Publisher {
	return &Publisher{client: client, policy: policy, userAgent: "schedctl/" + version, now: time.Now}
}

// Platform returns "x".
func (p *Publisher) Platform() string { return Platform }

// Fields lists the credentials of OAuth 1.0a and OAuth 2.0.
func (p *Publisher) Fields() []publish.Field {
	return []publish.Field{
		{Name: fieldKey, Secret: true, App: true, Help: "the API key of your app, for OAuth 1.0a", Check: outbound.TokenCheck(fieldKey, nil)},
		{Name: fieldSecret, Secret: true, App: true, Help: "the API key secret of your app", Check: outbound.TokenCheck(fieldSecret, nil)},
		{Name: fieldToken, Required: true, Secret: true, Help: "the access token of your account, with the permission to read and write", Check: outbound.TokenCheck(fieldToken, foreignTokens)},
		{Name: fieldTokenSecret, Secret: true, Help: "the secret of the access token, for OAuth 1.0a", Check: outbound.TokenCheck(fieldTokenSecret, nil)},
		{Name: fieldClient, App: true, Help: "the client id of your app, for OAuth 2.0 instead of OAuth 1.0a", Check: outbound.TokenCheck(fieldClient, nil)},
		{Name: fieldClientSecret, Secret: true, App: true, Help: "the client secret of a confidential app, for OAuth 2.0", Check: outbound.TokenCheck(fieldClientSecret, nil)},
		{Name: fieldRefresh, Secret: true, Help: "the refresh token, for OAuth 2.0", Check: outbound.TokenCheck(fieldRefresh, nil)},
		{Name: fieldAPI, Seldom: true, Help: "a test server or a proxy; default " + publicAPI, Check: outbound.ServerCheck(fieldAPI, publicAPI)},
	}
}

// foreignTokens are tokens of X that people paste as an access token.
var foreignTokens = map[string]string{
	"AAAAAAAAAAAAAAAAAAAA": "this is the bearer token of the app, which cannot post; generate the access token and its secret on the same page",
}

// access is an account's way into the API.
type access struct {
	api   *url.URL
	token string

	key, secret, tokenSecret string // of OAuth 1.0a; empty for OAuth 2.0
	client, clientSecret     string // of OAuth 2.0
	refresh                  string
	owner                    string // the id of the user, if it is known
}

// oauth1 reports whether requests are signed with OAuth 1.0a.
func (a access) oauth1() bool { return a.tokenSecret != "" }

// parseCredentials checks credentials. Errors do not contain secret values.
func (p *Publisher) parseCredentials(c publish.Credentials) (access, error) {
	api, err := p.policy.ParseAddress(orDefault(c[fieldAPI], publicAPI))
	if err != nil {
		return access{}, publish.Contentf(fieldAPI, "%s: %s", fieldAPI, err)
	}
	if strings.Trim(api.Path, "/") != "" || api.RawQuery != "" {
		return access{}, publish.Contentf(fieldAPI, "%s must be the address of a server without a path, such as %s", fieldAPI, publicAPI)
	}
	api.Path = "/"
	a := access{api: api, token: strings.TrimSpace(c[fieldToken]), owner: c[fieldUser]}
	for name, value := range map[string]*string{
		fieldKey: &a.key, fieldSecret: &a.secret, fieldTokenSecret: &a.tokenSecret,
		fieldClient: &a.client, fieldClientSecret: &a.clientSecret, fieldRefresh: &a.refresh,
	} {
		*value = strings.TrimSpace(c[name])
		if !outbound.ValidToken(*value) {
			return access{}, publish.Contentf(name, "%s contains characters that it cannot have; copy it again", name)
		}
	}
	if a.token == "" || !outbound.ValidToken(a.token) {
		return access{}, publish.Contentf(fieldToken, "%s is missing or contains characters that no token has; copy it again", fieldToken)
	}
	return a, a.checkKind()
}

// checkKind returns an error unless the credentials are complete and of one kind.
func (a access) checkKind() error {
	first, second := a.key+a.secret+a.tokenSecret != "", a.client+a.clientSecret+a.refresh != ""
	switch {
	case first && second:
		return publish.Contentf(fieldClient, "the credentials are those of OAuth 1.0a and of OAuth 2.0 at once; give either %s, %s, %s and %s, or %s, %s and %s",
			fieldKey, fieldSecret, fieldToken, fieldTokenSecret, fieldClient, fieldToken, fieldRefresh)
	case second && a.client == "":
		return missingField(fieldClient, "OAuth 2.0")
	case second && a.refresh == "":
		return missingField(fieldRefresh, "OAuth 2.0, whose access tokens expire after two hours")
	case second:
		return nil
	case a.key == "":
		return missingField(fieldKey, "OAuth 1.0a")
	case a.secret == "":
		return missingField(fieldSecret, "OAuth 1.0a")
	case a.tokenSecret == "":
		return missingField(fieldTokenSecret, "OAuth 1.0a")
	}
	return nil
}

func missingField(name, kind string) error {
	return publish.Contentf(name, "%s is missing; %s needs it. See: schedctl help connect-x", name, kind)
}

func orDefault(value, otherwise string) string {
	if value = strings.TrimSpace(value); value == "" {
		return otherwise
	}
	return value
}

// endpoint returns the URL of a route of the API.
func (a access) endpoint(query url.Values, path ...string) *url.URL {
	u := a.api.JoinPath(append([]string{"2"}, path...)...)
	u.RawQuery = query.Encode()
	return u
}

// hidden returns the texts that no error may contain.
func (a access) hidden(more ...string) []string {
	return append([]string{a.token, a.secret, a.tokenSecret, a.clientSecret, a.refresh, a.key, a.owner}, more...)
}

// header returns the headers of a request, which it signs.
func (p *Publisher) header(a access, method string, u *url.URL) http.Header {
	if !a.oauth1() {
		return outbound.Header(p.userAgent, a.token)
	}
	h := outbound.Header(p.userAgent, "")
	h.Set("Authorization", a.authorization(method, u, p.now()))
	return h
}

// get sends a request that reads. Each try has a signature of its own: X refuses a nonce that
// it has seen.
func (p *Publisher) get(ctx context.Context, a access, u *url.URL) (outbound.Response, error) {
	return outbound.GetSigned(ctx, p.client, u.String(), func() http.Header { return p.header(a, http.MethodGet, u) })
}

// jsonHeader returns the headers of a POST request with a JSON body.
func (p *Publisher) jsonHeader(a access, u *url.URL) http.Header {
	h := p.header(a, http.MethodPost, u)
	h.Set("Content-Type", "application/json")
	return h
}

// postURL returns the public address of a post.
func postURL(a schedctl.Account, id string) string {
	if a.Username == "" {
		return "https://x.com/i/status/" + id
	}
	return "https://x.com/" + url.PathEscape(a.Username) + "/status/" + id
}
