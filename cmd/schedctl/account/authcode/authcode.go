// Package authcode logs in to a network with the authorization code flow of OAuth 2.0
// (RFC 6749, section 4.1), with PKCE (RFC 7636) where the network supports it. The network
// sends the browser to an address of this machine (RFC 8252, section 7.3). If the browser
// runs on another machine, the person copies that address from the page that did not load.
package authcode

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"html"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/oauth2"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// callbackPath is the path to which the network sends the browser.
const callbackPath = "/callback"

// Redirect returns the address to which networks send the browser. It must be registered
// in the developer app.
func Redirect(port int) string {
	return "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) + callbackPath
}

// Flow is one login. It contains secrets, which String hides. It can be used once.
type Flow struct {
	login    publish.Login
	config   oauth2.Config
	state    string
	verifier string // empty without PKCE
	agent    string
}

// New starts a login. It sends no request. version is for the User-Agent.
func New(login publish.Login, port int, version string) *Flow {
	f := &Flow{login: login, state: rand.Text(), agent: "schedctl/" + version, config: oauth2.Config{
		ClientID: login.ClientID, ClientSecret: login.ClientSecret, RedirectURL: Redirect(port), Scopes: login.Scopes,
		Endpoint: oauth2.Endpoint{AuthURL: login.AuthorizeURL, TokenURL: login.TokenURL, DeviceAuthURL: login.DeviceURL, AuthStyle: oauth2.AuthStyleInParams},
	}}
	if login.BasicAuth {
		f.config.Endpoint.AuthStyle = oauth2.AuthStyleInHeader
	}
	if login.PKCE {
		f.verifier = oauth2.GenerateVerifier()
	}
	return f
}

// URL returns the address to open in a browser. It contains no secret.
func (f *Flow) URL() string {
	if f.verifier == "" {
		return f.config.AuthCodeURL(f.state)
	}
	return f.config.AuthCodeURL(f.state, oauth2.S256ChallengeOption(f.verifier))
}

// String describes the login without its secrets.
func (f *Flow) String() string { return f.login.String() }

// GoString is String, so that %#v shows no secrets.
func (f *Flow) GoString() string { return f.String() }

// errForeign is the error of an address that does not belong to this login.
var errForeign = errors.New("this address belongs to another login; use the address of this one")

// code returns the code in the query of the address to which the network sent the browser.
// Errors are [errForeign] for the address of another login, and otherwise an
// [*publish.Error] of kind auth, after which the login has failed.
func (f *Flow) code(query url.Values) (string, error) {
	if subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(f.state)) != 1 {
		return "", errForeign
	}
	if refusal := query.Get("error"); refusal != "" {
		return "", f.declined(refusal, query.Get("error_description"))
	}
	code := query.Get("code")
	if code == "" || !outbound.ValidToken(code) {
		return "", f.failure(f.login.Network + " sent no code; log in again")
	}
	return code, nil
}

// Pasted returns the code in the address of the page that did not load, which a person has
// copied. Errors with which the person can try again are not an [*publish.Error].
func (f *Flow) Pasted(text string) (string, error) {
	address, err := url.Parse(strings.Join(strings.Fields(text), ""))
	if err != nil || address.RawQuery == "" {
		return "", errors.New("this is not the address; copy it from the address bar of the browser, after you have allowed access: it starts with " + f.config.RedirectURL + "?")
	}
	query, err := url.ParseQuery(address.RawQuery)
	if err != nil {
		return "", errors.New("this address is not complete; copy all of it")
	}
	return f.code(query)
}

// declined returns the error for a login that the network or the person refused
// (RFC 6749, section 4.1.2.1).
func (f *Flow) declined(refusal, description string) error {
	description = html.UnescapeString(description) // LinkedIn escapes quotation marks
	message := f.login.Network + " refused the login"
	switch refusal {
	case "access_denied", "user_cancelled_login", "user_cancelled_authorize":
		message = "the login was canceled in the browser"
	case "unauthorized_scope_error", "invalid_scope":
		message = f.login.Network + " does not let your app ask for the permissions " + strings.Join(f.named(description), ", ") + "; " +
			cmp.Or(f.login.Refused, "add the products that have them in the developer portal")
	}
	return outbound.WithErrorText(f.failure(message), f.clean(description))
}

// named returns the scopes that a text of the network names, or all if it names none.
func (f *Flow) named(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Quotation_Mark, r) || r == ',' })
	named := slices.DeleteFunc(slices.Clone(f.login.Scopes), func(s string) bool { return !slices.Contains(words, s) })
	if len(named) == 0 {
		return f.login.Scopes
	}
	return named
}

// clean returns a text of the network for an error message, without secrets.
func (f *Flow) clean(text string, hidden ...string) string {
	return outbound.ErrorText(outbound.Response{Body: outbound.EncodeJSON(text)}, f.hidden(hidden...)...)
}

// hidden returns the texts that no error may contain.
func (f *Flow) hidden(more ...string) []string {
	return append([]string{f.login.ClientSecret, f.verifier, f.state}, more...)
}

func (f *Flow) failure(message string) *publish.Error {
	return &publish.Error{Kind: schedctl.KindAuth, Outcome: schedctl.OutcomeNotPublished, Message: message}
}

// Exchange exchanges a code for the tokens. A code works once: after an error a new login
// is needed. Errors are an [*publish.Error] without secrets. client should come from
// [outbound.Client].
func (f *Flow) Exchange(ctx context.Context, client *http.Client, code string) (publish.Credentials, error) {
	var options []oauth2.AuthCodeOption
	if f.verifier != "" {
		options = append(options, oauth2.VerifierOption(f.verifier))
	}
	token, err := f.config.Exchange(f.through(ctx, client), code, options...)
	if err != nil {
		return nil, f.refused(err, code)
	}
	return f.credentials(token)
}

// Device logs in with the device grant (RFC 8628): show gets the address that the person
// opens in any browser. It waits until the person has allowed the login, or ctx ends. Errors
// are as in [Flow.Exchange].
func (f *Flow) Device(ctx context.Context, client *http.Client, show func(address string)) (publish.Credentials, error) {
	ctx = f.through(ctx, client)
	device, err := f.config.DeviceAuth(ctx)
	if err != nil {
		return nil, f.refused(err, "")
	}
	address := cmp.Or(device.VerificationURIComplete, device.VerificationURI)
	if u, err := outbound.ParseURL(address); err != nil || !outbound.ValidToken(u.String()) {
		return nil, f.failure(f.login.Network + " sent no address for the login")
	}
	if device.VerificationURIComplete == "" {
		address += " (code: " + outbound.Label(device.UserCode) + ")"
	}
	show(address)
	token, err := f.config.DeviceAccessToken(ctx, device)
	if err != nil {
		return nil, f.refused(err, device.DeviceCode)
	}
	return f.credentials(token)
}

// through returns a context in which package oauth2 uses the client.
func (f *Flow) through(ctx context.Context, client *http.Client) context.Context {
	named := *client
	named.Transport = userAgent{f.agent, client.Transport}
	return context.WithValue(ctx, oauth2.HTTPClient, &named)
}

// credentials returns the tokens of a login, with what else an account needs.
func (f *Flow) credentials(token *oauth2.Token) (publish.Credentials, error) {
	if token.AccessToken == "" || !outbound.ValidToken(token.AccessToken) || !outbound.ValidToken(token.RefreshToken) {
		return nil, f.failure(f.login.Network + " sent no usable token; log in again")
	}
	granted, _ := token.Extra("scope").(string)
	if missing := f.missing(granted); len(missing) > 0 {
		return nil, f.failure(fmt.Sprintf("%s did not grant %s, which publishing needs; check the permissions of your app, then log in again and allow all of them",
			f.login.Network, strings.Join(missing, ", ")))
	}
	if f.login.Refreshes && token.RefreshToken == "" {
		return nil, f.failure(f.login.Network + " sent no refresh token, without which the login ends soon; log in again and allow offline access")
	}
	c := publish.Credentials{publish.LoginAccess: token.AccessToken}
	maps.Copy(c, f.login.Extra)
	if f.login.Ends != "" && !token.Expiry.IsZero() {
		c[f.login.Ends] = strconv.FormatInt(token.Expiry.Unix(), 10)
	}
	if f.login.Refreshes {
		c[publish.LoginRefresh] = token.RefreshToken
	}
	return c, nil
}

// userAgent sets the User-Agent of requests.
type userAgent struct {
	name string
	next http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (u userAgent) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", u.name)
	return u.next.RoundTrip(r)
}

// missing returns the needed scopes that are not in granted, a list that is separated by
// spaces or commas. An empty list means that all were granted (RFC 6749, section 5.1).
func (f *Flow) missing(granted string) []string {
	list := strings.FieldsFunc(granted, func(r rune) bool { return r == ' ' || r == ',' })
	if len(list) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(f.login.Scopes), func(s string) bool { return slices.Contains(list, s) })
}

// refused returns the error of an exchange. The errors of package oauth2 contain the
// response, which may repeat the request.
func (f *Flow) refused(err error, code string) error {
	refusal, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		host := f.login.Network
		if u, err := url.Parse(f.login.TokenURL); err == nil {
			host = u.Hostname()
		}
		e := f.failure(outbound.NoResponse(err, host))
		e.Kind = schedctl.KindNetwork
		return e
	}
	response := outbound.Response{Status: refusal.Response.StatusCode, Header: refusal.Response.Header, Body: refusal.Body}
	message := f.login.Network + " refused the code of the login; log in again, without a pause: a code works once, and for a short time"
	if refusal.ErrorCode == "access_denied" {
		message = "the login was canceled in the browser"
	}
	if refusal.ErrorCode == "invalid_client" || refusal.ErrorCode == "unauthorized_client" || response.Status == http.StatusUnauthorized {
		message = f.login.Network + " does not accept the client id and the client secret of the app; copy both again"
	}
	e := f.failure(message)
	e.HTTPStatus = response.Status
	return outbound.WithErrorText(e, outbound.ErrorText(response, f.hidden(code)...))
}
