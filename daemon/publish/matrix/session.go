package matrix

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// renewBefore is how long before its end a session is renewed.
const renewBefore = time.Minute

// renews reports whether the session can be renewed without a person.
func (s session) renews() bool { return s.refresh != "" }

// usable returns an error if the session ends so soon that it must be renewed first. No
// request was sent.
func (s session) usable(now time.Time) error {
	if s.renews() && !s.ends.IsZero() && !now.Before(s.ends.Add(-renewBefore)) {
		return sessionExpired(0)
	}
	return nil
}

func sessionExpired(status int) *publish.Error {
	return &publish.Error{
		Kind: schedctl.KindAuth, Code: publish.CodeSessionExpired, HTTPStatus: status, Outcome: schedctl.OutcomeNotPublished,
		Message: "the access token has expired",
	}
}

// tokens are a session that a homeserver or its authorization server has issued.
type tokens struct {
	Access    string  `json:"access_token"`
	Refresh   string  `json:"refresh_token"`
	Device    string  `json:"device_id"`
	ExpiresMS float64 `json:"expires_in_ms"` // of a homeserver
	ExpiresIn float64 `json:"expires_in"`    // of an authorization server, in seconds
}

// parseTokens reads a session from a response.
func parseTokens(a outbound.Response) (t tokens, ok bool) {
	err := json.Unmarshal(a.Body, &t)
	return t, !a.Cut && err == nil && t.Access != "" && outbound.ValidToken(t.Access) && outbound.ValidToken(t.Refresh) && outbound.ValidToken(t.Device)
}

// credentials returns c with the session. An empty refresh token means that the old one
// stays valid.
func (t tokens) credentials(c publish.Credentials, now time.Time) publish.Credentials {
	fresh := maps.Clone(c)
	fresh[fieldToken] = t.Access
	if t.Refresh != "" {
		fresh[fieldRefresh] = t.Refresh
	}
	if t.Device != "" {
		fresh[fieldDevice] = t.Device
	}
	delete(fresh, fieldEnds)
	if life := time.Duration(t.ExpiresMS)*time.Millisecond + time.Duration(t.ExpiresIn)*time.Second; life > 0 {
		fresh[fieldEnds] = strconv.FormatInt(now.Add(life).Unix(), 10)
	} else if fresh[fieldRefresh] != "" {
		fresh[fieldEnds] = "0" // the server names no end; a stored one must not stay
	}
	return fresh
}

// Rotates reports whether the credentials have a refresh token. Servers accept one until
// the session that it was exchanged for is used
// (https://spec.matrix.org/latest/client-server-api/#post_matrixclientv3refresh), so an
// interrupted renewal is repeated, unless a server is stricter, which holds the account.
func (p *Publisher) Rotates(c publish.Credentials) bool { return c[fieldRefresh] != "" }

// Refresh exchanges the refresh token for a new session of the same device: at the
// authorization server for a session of a login, and at the homeserver for others.
func (p *Publisher) Refresh(ctx context.Context, c publish.Credentials) (publish.Credentials, error) {
	s, err := p.parseCredentials(c)
	if err != nil {
		return nil, err
	}
	if !s.renews() {
		return nil, publish.Hold(publish.HoldRevoked, "Matrix", http.StatusUnauthorized, "")
	}
	a, err := p.sendRefresh(ctx, s)
	if err != nil {
		return nil, err
	}
	if a.Status != http.StatusOK {
		return nil, refreshRefusal(a, s)
	}
	t, ok := parseTokens(a)
	if !ok {
		return nil, publish.NotPublished(outbound.Unconfirmed(a, "the homeserver accepted the refresh token but sent no new session; schedctl will retry"))
	}
	t.Device = "" // it does not change
	return t.credentials(c, time.Now()), nil
}

func (p *Publisher) sendRefresh(ctx context.Context, s session) (outbound.Response, error) {
	header := outbound.Header(p.userAgent, "")
	if s.client == "" {
		header.Set("Content-Type", "application/json")
		return outbound.Post(ctx, p.client, s.endpoint("refresh").String(), header, outbound.EncodeJSON(map[string]string{"refresh_token": s.refresh}))
	}
	m, err := readMetadata(ctx, p.client, p.userAgent, s.server)
	if err != nil {
		return outbound.Response{}, publish.NotPublished(err)
	}
	address, err := p.policy.ParseAddress(m.Token)
	if err != nil {
		return outbound.Response{}, &publish.Error{
			Kind: schedctl.KindPlatform, Outcome: schedctl.OutcomeNotPublished, Message: "the token endpoint of the homeserver cannot be used: " + err.Error(),
		}
	}
	header.Set("Content-Type", "application/x-www-form-urlencoded")
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {s.refresh}, "client_id": {s.client}}
	return outbound.Post(ctx, p.client, address.String(), header, []byte(form.Encode()))
}

// refreshRefusal returns the error of a refused refresh: a hold if the server no longer
// knows the token or the client (RFC 6749, section 5.2).
func refreshRefusal(a outbound.Response, s session) error {
	var body struct {
		Error   any `json:"error"`
		Errcode any `json:"errcode"`
	}
	_ = json.Unmarshal(a.Body, &body)
	for _, code := range []any{"invalid_grant", "invalid_client", "unauthorized_client"} {
		if s.client != "" && a.Status >= 400 && a.Status < 500 && body.Error == code {
			return publish.Hold(publish.HoldRevoked, "Matrix", a.Status, "")
		}
	}
	// Synapse refuses a used or expired refresh token with 403 and M_FORBIDDEN, in refresh_token
	// of https://github.com/element-hq/synapse/blob/develop/synapse/handlers/auth.py.
	if s.client == "" && (a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden && body.Errcode == codeForbidden) {
		return publish.Hold(publish.HoldRevoked, "Matrix", a.Status, "")
	}
	e := refusal(a, publish.PurposeIdentity, time.Now(), s.hidden...)
	e.Outcome = schedctl.OutcomeNotPublished
	return e
}

// logIn exchanges a user and a password for a session of a new device, without the password.
func (p *Publisher) logIn(ctx context.Context, s session, c publish.Credentials) (publish.Credentials, error) {
	header := outbound.Header(p.userAgent, "")
	header.Set("Content-Type", "application/json")
	body := outbound.EncodeJSON(map[string]any{
		"type": "m.login.password", "identifier": map[string]string{"type": "m.id.user", "user": c[fieldUser]},
		"password": c[fieldPassword], "refresh_token": true, "initial_device_display_name": "schedctl",
	})
	a, err := outbound.Post(ctx, p.client, s.endpoint("login").String(), header, body)
	if err != nil {
		return nil, outbound.AddressError(publish.NotPublished(err), fieldServer)
	}
	if a.Status != http.StatusOK {
		return nil, loginRefusal(a, s, c)
	}
	t, ok := parseTokens(a)
	if !ok {
		return nil, notAServer(s)
	}
	fresh := t.credentials(c, time.Now())
	delete(fresh, fieldPassword)
	return fresh, nil
}

func loginRefusal(a outbound.Response, s session, c publish.Credentials) error {
	e := refusal(a, publish.PurposeIdentity, time.Now(), append(s.hidden, c[fieldPassword])...)
	e.Outcome = schedctl.OutcomeNotPublished
	switch {
	case a.Status == http.StatusForbidden && e.Code == "M_FORBIDDEN":
		return publish.Contentf(fieldPassword, "the homeserver does not accept this user and password; check both, or use --login")
	case a.Status == http.StatusNotFound || e.Code == "M_UNRECOGNIZED" || e.Code == "M_UNKNOWN":
		return publish.Contentf(fieldPassword, "the homeserver has no login with a password; use --login")
	}
	return e
}

// logOut ends a session that no account will use. Its outcome does not matter.
func (p *Publisher) logOut(ctx context.Context, s session) {
	header := outbound.Header(p.userAgent, s.token)
	header.Set("Content-Type", "application/json")
	_, _ = outbound.Post(context.WithoutCancel(ctx), p.client, s.endpoint("logout").String(), header, []byte("{}"))
}

// metadata is what the authorization server of a homeserver says about itself
// (https://spec.matrix.org/latest/client-server-api/#get_matrixclientv1auth_metadata).
type metadata struct {
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Registration  string   `json:"registration_endpoint"`
	Device        string   `json:"device_authorization_endpoint"` // not in the released specification
	Grants        []string `json:"grant_types_supported"`
}

// errNoOAuth is the error of a homeserver that issues tokens itself.
var errNoOAuth = errors.New("the homeserver has no authorization server")

// readMetadata asks a homeserver for its authorization server. Errors are errNoOAuth or an
// [*publish.Error].
func readMetadata(ctx context.Context, client *http.Client, agent string, server *url.URL) (m metadata, err error) {
	a, err := outbound.Get(ctx, client, server.JoinPath("_matrix", "client", "v1", "auth_metadata").String(), outbound.Header(agent, ""))
	switch {
	case err != nil:
		return m, err
	case a.Status == http.StatusNotFound || a.Status == http.StatusMethodNotAllowed:
		return m, errNoOAuth
	case a.Status != http.StatusOK:
		return m, refusal(a, publish.PurposeIdentity, time.Now())
	case a.Cut || json.Unmarshal(a.Body, &m) != nil || m.Token == "":
		return m, &publish.Error{Kind: schedctl.KindPlatform, HTTPStatus: a.Status, Outcome: schedctl.OutcomeNotPublished, Message: "the homeserver describes its authorization server in an unknown way"}
	}
	return m, nil
}
