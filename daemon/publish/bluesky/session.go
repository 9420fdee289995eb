package bluesky

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// The credentials that a session adds to the given ones.
const (
	fieldDID     = "did"
	fieldAccess  = "access_jwt"
	fieldRefresh = "refresh_jwt"
)

// session is the result of a login.
type session struct {
	did, handle     string // handle is empty if the account has no valid handle
	access, refresh string
	inactive        string // why the account cannot post, or empty
}

// Refresh returns the credentials with a new session. It uses the refresh token or,
// if the server refuses that, the app password. Concurrent and repeated calls with
// one session are safe: for some time, a server returns the same result for a
// repeated refresh token.
func (p *Publisher) Refresh(ctx context.Context, c publish.Credentials) (publish.Credentials, error) {
	u, err := parseServer(c["service_url"])
	if err != nil {
		return nil, err
	}
	s, err := p.openSession(ctx, u, c)
	if err != nil {
		return nil, err
	}
	return s.addTo(c), nil
}

// openSession returns a new session for the account of the credentials.
func (p *Publisher) openSession(ctx context.Context, u *url.URL, c publish.Credentials) (session, error) {
	s, renewed, err := p.renewSession(ctx, u, c)
	if err == nil && !renewed {
		if s, err = p.logIn(ctx, u, c); err != nil {
			err = p.accountRefusal(ctx, u, c, publish.AsError(err))
		}
	}
	if err != nil {
		return session{}, publish.NotPublished(err)
	}
	return s, s.check(c)
}

// renewSession renews the session in the credentials. renewed is false if there is
// none or if the server no longer accepts its token.
func (p *Publisher) renewSession(ctx context.Context, u *url.URL, c publish.Credentials) (s session, renewed bool, err error) {
	if c[fieldRefresh] == "" {
		return session{}, false, nil
	}
	a, err := p.procedure(ctx, u, "com.atproto.server.refreshSession", c[fieldRefresh], nil)
	switch {
	case err != nil:
		return session{}, false, err
	case a.Status == http.StatusOK:
		s, err = readSession(a, u)
		return s, true, err
	case a.Status >= 400 && a.Status < 500 && a.Status != http.StatusTooManyRequests:
		if e := refusedState(a, c); e != nil {
			return session{}, false, e
		}
		return session{}, false, nil
	}
	return session{}, false, refusal(a, publish.PurposeIdentity, time.Now(), secrets(c)...)
}

// logIn creates a session with the app password.
func (p *Publisher) logIn(ctx context.Context, u *url.URL, c publish.Credentials) (session, error) {
	body := map[string]string{"identifier": strings.TrimPrefix(c["identifier"], "@"), "password": c["app_password"]}
	a, err := p.procedure(ctx, u, "com.atproto.server.createSession", "", body)
	if err != nil {
		return session{}, err
	}
	if a.Status == http.StatusOK {
		return readSession(a, u)
	}
	return session{}, refusedLogIn(a, c)
}

// refusedLogIn returns the error of a refused login. Every refusal of the
// credentials is of kind auth because a retry would send the same.
func refusedLogIn(a outbound.Response, c publish.Credentials) error {
	e := refusal(a, publish.PurposeIdentity, time.Now(), secrets(c)...)
	switch {
	case a.Status >= 300 && a.Status < 400:
		e.Kind = schedctl.KindPlatform
	case e.Code == publish.CodeSessionExpired, e.Code == codeRefused:
		e.Kind, e.Code = schedctl.KindAuth, codeRefused
		e.Message = "the server refused the identifier and app password; create a new app password and reconnect the account"
	case e.Kind == schedctl.KindContent, e.Kind == schedctl.KindDuplicate:
		e.Kind = schedctl.KindAuth
	}
	return e
}

// codeRefused is the error name that servers use for a wrong password.
const codeRefused = "AuthenticationRequired"

var (
	didPattern    = pattern.Lazy(`^did:[a-z]+:[A-Za-z0-9._:%-]{1,200}$`)
	handlePattern = pattern.Lazy(`^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`)
	tokenPattern  = pattern.Lazy(`^[!-~]+$`)
)

const (
	maxHandle = 253
	maxToken  = 8192
)

// readSession reads the session in a response. An incomplete session is an error, so
// that an empty token never replaces a valid one.
func readSession(a outbound.Response, u *url.URL) (session, error) {
	var body struct {
		DID        any `json:"did"`
		Handle     any `json:"handle"`
		AccessJWT  any `json:"accessJwt"`
		RefreshJWT any `json:"refreshJwt"`
		Active     any `json:"active"`
		Status     any `json:"status"`
	}
	if a.Cut || json.Unmarshal(a.Body, &body) != nil {
		return session{}, noSessionError(a, u)
	}
	s := session{
		did: matchString(didPattern(), body.DID), handle: matchString(handlePattern(), body.Handle),
		access: matchString(tokenPattern(), body.AccessJWT), refresh: matchString(tokenPattern(), body.RefreshJWT),
	}
	if s.did == "" || s.access == "" || s.refresh == "" {
		return session{}, noSessionError(a, u)
	}
	if len(s.handle) > maxHandle || s.handle == "handle.invalid" {
		s.handle = ""
	}
	if body.Active == false {
		if s.inactive = matchString(namePattern(), body.Status); s.inactive == "" {
			s.inactive = "inactive"
		}
	}
	return s, nil
}

// matchString returns value if it is a string that matches form and is not too long,
// otherwise the empty string.
func matchString(form *regexp.Regexp, value any) string {
	text, _ := value.(string)
	if len(text) > maxToken || !form.MatchString(text) {
		return ""
	}
	return text
}

// codeNoSession is schedctl's code for a response without a session.
const codeNoSession = "no_session"

func noSessionError(a outbound.Response, u *url.URL) error {
	return &publish.Error{
		Kind: schedctl.KindPlatform, Code: codeNoSession, Message: u.Host + " responded without a session; check that it is a server of the AT protocol",
		HTTPStatus: a.Status, Outcome: schedctl.OutcomeNotPublished,
	}
}

// check returns an error of kind auth if the session cannot be used to post, or
// belongs to another account than the session in c. A handle can pass to another
// account.
func (s session) check(c publish.Credentials) error {
	e := &publish.Error{Kind: schedctl.KindAuth, Outcome: schedctl.OutcomeNotPublished}
	switch known := c[fieldDID]; {
	case s.inactive != "":
		e.Code, e.Message = s.inactive, "the account is "+s.inactive+" on its server; reactivate it in the app, then run schedctl account verify"
	case known != "" && known != s.did:
		e.Code, e.Message = "another_account", "the identifier now belongs to another account; connect it as a separate account"
	default:
		return nil
	}
	return e
}

// addTo returns the credentials with the session.
func (s session) addTo(c publish.Credentials) publish.Credentials {
	stored := withoutSession(c)
	stored[fieldDID], stored[fieldAccess], stored[fieldRefresh] = s.did, s.access, s.refresh
	return stored
}

// withoutSession returns the credentials without the session.
func withoutSession(c publish.Credentials) publish.Credentials {
	without := make(publish.Credentials, len(c))
	maps.Copy(without, c)
	for _, name := range []string{fieldDID, fieldAccess, fieldRefresh} {
		delete(without, name)
	}
	return without
}

// secrets returns the values that no message may contain.
func secrets(c publish.Credentials) []string {
	return []string{c["app_password"], c[fieldAccess], c[fieldRefresh], c[fieldDID]}
}
