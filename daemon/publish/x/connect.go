package x

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// The limits of X.
const (
	maxText        = 280
	maxTextPremium = 25_000
	windowPosts    = 100 // in each postWindow, for each user
	postWindow     = 15 * time.Minute
)

var (
	numericID = pattern.Lazy(`^[0-9]{1,20}$`)
	userName  = pattern.Lazy(`^[A-Za-z0-9_]{1,50}$`)
)

// Connect reads the user of the access token, and checks whether it may write.
func (p *Publisher) Connect(ctx context.Context, c publish.Connection) (publish.Profile, error) {
	if err := publish.CheckFields(p.Fields(), without(c, fieldUser)); err != nil {
		return publish.Profile{}, err
	}
	a, err := p.parseCredentials(c.Credentials)
	if err != nil {
		return publish.Profile{}, err
	}
	u, level, err := p.readUser(ctx, a)
	if err != nil {
		return publish.Profile{}, outbound.AddressError(err, fieldAPI)
	}
	if level == "read" {
		return publish.Profile{}, missingScope(0)
	}
	credentials := maps.Clone(c.Credentials)
	credentials[fieldUser] = u.id
	return publish.Profile{
		Username: u.name, DisplayName: cmp.Or(u.display, u.name), URL: "https://x.com/" + u.name, Identity: u.id, Credentials: credentials,
		Limits: schedctl.Limits{
			MaxCharacters: u.maxText(), Unit: "characters", URLCharacters: urlWeight, Posts: windowPosts, Window: postWindow,
		},
	}, nil
}

// PaidCheck returns true: X charges for reading a user.
func (p *Publisher) PaidCheck() bool { return true }

// without returns a connection without a credential.
func without(c publish.Connection, name string) publish.Connection {
	c.Credentials = maps.Clone(c.Credentials)
	delete(c.Credentials, name)
	return c
}

// user is the owner of an access token.
type user struct {
	id, name, display string
	subscription      string
}

// maxText returns how long a post of the user may be.
func (u user) maxText() int {
	if strings.HasPrefix(u.subscription, "Premium") || u.subscription == "Basic" {
		return maxTextPremium
	}
	return maxText
}

// readUser returns the user of the access token, and the header that says what the token
// may do, which X sends for OAuth 1.0a. Errors have the outcome not_published.
func (p *Publisher) readUser(ctx context.Context, a access) (u user, level string, err error) {
	address := a.endpoint(url.Values{"user.fields": {"id,name,username,subscription_type"}}, "users", "me")
	r, err := p.get(ctx, a, address)
	if err != nil {
		return user{}, "", publish.NotPublished(err)
	}
	if r.Status != http.StatusOK {
		return user{}, "", publish.NotPublished(refusal(r, publish.PurposeIdentity, p.now(), a))
	}
	u, ok := parseUser(r)
	if !ok {
		return user{}, "", publish.NotPublished(outbound.Unconfirmed(r, "the response does not name the user of the access token; check api_url, or retry later"))
	}
	return u, r.Header.Get("X-Access-Level"), nil
}

func parseUser(r outbound.Response) (user, bool) {
	var body struct {
		Data struct {
			ID           any `json:"id"`
			Name         any `json:"name"`
			Username     any `json:"username"`
			Subscription any `json:"subscription_type"`
		} `json:"data"`
	}
	// Unmarshal continues after a member of an unexpected type.
	_ = json.Unmarshal(r.Body, &body)
	id, _ := body.Data.ID.(string)
	name, _ := body.Data.Username.(string)
	subscription, _ := body.Data.Subscription.(string)
	u := user{id: id, name: name, display: outbound.Label(body.Data.Name), subscription: subscription}
	return u, !r.Cut && numericID().MatchString(id) && userName().MatchString(name)
}

// SingleUse reports whether the credentials have a refresh token.
func (p *Publisher) SingleUse(c publish.Credentials) bool { return c[fieldRefresh] != "" }

// Refresh exchanges the refresh token for a new session
// (https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token). X accepts
// a refresh token once: if it is sent again, all tokens of the app for the account end. The
// outcome of an error is unknown if X may have accepted the token.
func (p *Publisher) Refresh(ctx context.Context, c publish.Credentials) (publish.Credentials, error) {
	a, err := p.parseCredentials(c)
	if err != nil {
		return nil, err
	}
	if a.oauth1() {
		return nil, tokenRevoked(http.StatusUnauthorized)
	}
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {a.refresh}}
	header := outbound.Header(p.userAgent, "")
	header.Set("Content-Type", "application/x-www-form-urlencoded")
	if a.clientSecret == "" {
		form.Set("client_id", a.client)
	} else {
		header.Set("Authorization", "Basic "+basicLogin(a.client, a.clientSecret))
	}
	r, err := outbound.Post(ctx, p.client, a.endpoint(nil, "oauth2", "token").String(), header, []byte(form.Encode()))
	if err != nil {
		return nil, err
	}
	if r.Status != http.StatusOK {
		return nil, refreshRefusal(r, p.now(), a)
	}
	access, refresh, ok := parseTokens(r)
	if !ok {
		return nil, outbound.Unconfirmed(r, "X accepted the refresh token but sent no new tokens; create new ones, and reconnect the account")
	}
	fresh := maps.Clone(c)
	fresh[fieldToken], fresh[fieldRefresh] = access, cmp.Or(refresh, a.refresh)
	return fresh, nil
}

// parseTokens reads the tokens in a response. The refresh token may be missing.
func parseTokens(r outbound.Response) (access, refresh string, ok bool) {
	var body struct {
		Access  any `json:"access_token"`
		Refresh any `json:"refresh_token"`
	}
	_ = json.Unmarshal(r.Body, &body)
	access, _ = body.Access.(string)
	refresh, _ = body.Refresh.(string)
	return access, refresh, !r.Cut && access != "" && outbound.ValidToken(access) && outbound.ValidToken(refresh)
}

// refreshRefusal returns the error of a refused refresh. X responds to a refresh token
// that it does not accept with 400.
func refreshRefusal(r outbound.Response, now time.Time, a access) error {
	var body struct {
		Error any `json:"error"`
	}
	_ = json.Unmarshal(r.Body, &body)
	code, _ := body.Error.(string)
	if r.Status == http.StatusUnauthorized || r.Status == http.StatusBadRequest && (code == "invalid_request" || code == "invalid_grant" || code == "invalid_client") {
		return tokenRevoked(r.Status)
	}
	return refusal(r, publish.PurposeIdentity, now, a)
}
