package matrix

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

const (
	clientPage  = "https://github.com/schedctl/schedctl"
	deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
)

// Ways lists a login, a password, and a token.
func (p *Publisher) Ways() []publish.Way {
	return []publish.Way{
		{Label: "with a browser", Wants: []string{fieldClient, fieldRefresh, fieldDevice, fieldEnds}, Login: true},
		{Label: "with the user and the password", Needs: []string{fieldUser, fieldPassword}},
		{Label: "with an access token", Needs: []string{fieldToken}},
	}
}

// CodeLogin registers schedctl with the authorization server of the homeserver (RFC 7591)
// and returns its login, for a new device. The server accepts any port of the redirect
// address.
func (p *Publisher) CodeLogin(ctx context.Context, client *http.Client, c publish.Credentials) (publish.Login, error) {
	server, err := parseServer(outbound.AllowPrivate, c[fieldServer]) // a person chose it; the daemon checks it again
	if err != nil {
		return publish.Login{}, err
	}
	m, err := readMetadata(ctx, client, p.userAgent, server)
	switch {
	case errors.Is(err, errNoOAuth):
		return publish.Login{}, publish.Contentf(fieldServer, "%.200q has no login with a browser; use the user and the password, or an access token", server.Host)
	case err != nil:
		return publish.Login{}, outbound.AddressError(publish.NotPublished(err), fieldServer)
	}
	grants := []string{"authorization_code", "refresh_token"}
	l := publish.Login{Network: "Matrix", AuthorizeURL: m.Authorization, TokenURL: m.Token, PKCE: true, Refreshes: true}
	if m.Device != "" && slices.Contains(m.Grants, deviceGrant) {
		l.DeviceURL, grants = m.Device, append(grants, deviceGrant)
	}
	for _, address := range []string{l.AuthorizeURL, l.TokenURL, m.Registration, l.DeviceURL} {
		if _, err := outbound.AllowPrivate.ParseAddress(address); err != nil && (address != "" || l.DeviceURL != "") {
			return publish.Login{}, publish.Contentf(fieldServer, "%.200q names an address for logins that cannot be used: %s", server.Host, err)
		}
	}
	if l.ClientID, err = register(ctx, client, p.userAgent, m.Registration, grants); err != nil {
		return publish.Login{}, err
	}
	device := rand.Text()
	l.Scopes = []string{"urn:matrix:client:api:*", "urn:matrix:client:device:" + device}
	l.Extra = publish.Credentials{fieldClient: l.ClientID, fieldDevice: device}
	l.Ends = fieldEnds
	return l, nil
}

// register returns the client id of a new registration
// (https://github.com/matrix-org/matrix-spec-proposals/pull/2966).
func register(ctx context.Context, client *http.Client, agent, address string, grants []string) (string, error) {
	header := outbound.Header(agent, "")
	header.Set("Content-Type", "application/json")
	a, err := outbound.Post(ctx, client, address, header, outbound.EncodeJSON(map[string]any{
		"client_name": "schedctl", "client_uri": clientPage, "application_type": "native", "token_endpoint_auth_method": "none",
		"redirect_uris": []string{"http://127.0.0.1/callback"}, "response_types": []string{"code"}, "grant_types": grants,
	}))
	if err != nil {
		return "", publish.NotPublished(err)
	}
	var body struct {
		ID any `json:"client_id"`
	}
	if a.Status == http.StatusOK || a.Status == http.StatusCreated {
		_ = json.Unmarshal(a.Body, &body)
	}
	id, _ := body.ID.(string)
	if id == "" || !outbound.ValidToken(id) {
		e := outbound.Refusal(a, publish.PurposeIdentity, time.Now())
		e.Kind, e.Outcome, e.Message = schedctl.KindAuth, schedctl.OutcomeNotPublished, "the homeserver did not register schedctl for logins"
		return "", outbound.WithErrorText(e, outbound.ErrorText(a))
	}
	return id, nil
}

// parseServer parses the address of a homeserver.
func parseServer(policy outbound.Policy, text string) (*url.URL, error) {
	server, err := policy.ParseAddress(text)
	switch {
	case err != nil:
		return nil, publish.Contentf(fieldServer, "homeserver_url: %s", err)
	case server.RawQuery != "":
		return nil, publish.Contentf(fieldServer, "homeserver_url must not have a query; use the form https://matrix.example.org")
	}
	return server, nil
}

// warnOfEnd returns a warning if the token was pasted, and the homeserver lets tokens end.
// Tokens of mas-cli do not end. They start with mct_, and those that end with mat_
// (matrix-authentication-service: TokenType in crates/data-model/src/tokens.rs).
func (p *Publisher) warnOfEnd(ctx context.Context, s session) []string {
	if s.renews() || s.device != "" || strings.HasPrefix(s.token, "mct_") {
		return nil
	}
	if _, err := readMetadata(ctx, p.client, p.userAgent, s.server); err != nil {
		return nil
	}
	return []string{tokenEnds}
}

const (
	endsSoon  = "this token ends within hours"
	tokenEnds = endsSoon + "; use --login, or \"mas-cli manage issue-compatibility-token\" on your own server"
)

// Prevents implements [publish.AccountWarner].
func (p *Publisher) Prevents(warning string, _ int) bool { return strings.HasPrefix(warning, endsSoon) }
