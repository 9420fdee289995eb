package mastodon

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// outOfBand is the redirect address of programs that have none: the server shows the
// code to the user.
const outOfBand = "urn:ietf:wg:oauth:2.0:oob"

const (
	// scopes are needed to publish and to find published statuses.
	scopes = "read:accounts read:statuses write:statuses write:media"

	// coarseScopes are for servers without fine-grained scopes.
	coarseScopes = "read write"
)

// Login is a login that the user completes in a browser. It contains secrets, which
// String hides. It must not be used from several goroutines at the same time.
type Login struct {
	// URL must be opened in a browser. The server asks the user to log in and to
	// agree, and then shows a code for Finish.
	URL string

	client   *http.Client
	header   http.Header
	host     string
	token    string // the URL that exchanges codes
	id       string // of the registered application
	secret   string
	scope    string
	state    string
	verifier string // empty if the server does not support PKCE
}

// StartLogin registers schedctl as an application of the server and returns the
// login that leads to an access token. instance is the user's input for
// instance_url. version is for the User-Agent. client should come from
// [outbound.Client].
//
// The login uses the authorization code flow of RFC 6749 and shows the code to the
// user. It uses PKCE (RFC 7636, S256) if the server's metadata (RFC 8414) lists it.
// Errors are an [*publish.Error]: kind content with the code instance_url for an
// address without a Mastodon API, network if the server cannot be reached.
func StartLogin(ctx context.Context, client *http.Client, instance, version string) (*Login, error) {
	u, err := parseServer(instance)
	if err != nil {
		return nil, err
	}
	l := &Login{
		client: client, host: u.Host, state: rand.Text(),
		header: http.Header{"Connection": {"close"}, "Accept": {"application/json"}, "User-Agent": {"schedctl/" + version}},
	}
	m, err := l.discover(ctx, u)
	if err != nil {
		return nil, outbound.AddressError(err, "instance_url")
	}
	if err := l.register(ctx, u, m); err != nil {
		return nil, err
	}
	l.token = m.token
	l.URL = l.authorize(m)
	return l, nil
}

// metadata is the server's OAuth metadata.
type metadata struct {
	authorization string
	token         string
	pkce          bool
	coarse        bool // the server has no fine-grained scopes
}

// discover reads the server's metadata. Many servers have none; the defaults are
// Mastodon's usual endpoints.
func (l *Login) discover(ctx context.Context, u *url.URL) (metadata, error) {
	m := metadata{authorization: u.JoinPath("oauth/authorize").String(), token: u.JoinPath("oauth/token").String()}
	a, err := outbound.Get(ctx, l.client, u.JoinPath(".well-known/oauth-authorization-server").String(), l.header)
	if err != nil || a.Status != http.StatusOK {
		return m, err
	}
	return parseMetadata(a, u, m), nil
}

// parseMetadata updates m with the server's metadata. It ignores endpoints on other
// hosts because they would receive the secret and the code.
func parseMetadata(a outbound.Response, u *url.URL, m metadata) metadata {
	var document struct {
		Authorization any `json:"authorization_endpoint"`
		Token         any `json:"token_endpoint"`
		Methods       any `json:"code_challenge_methods_supported"`
		Scopes        any `json:"scopes_supported"`
	}
	if a.Cut || json.Unmarshal(a.Body, &document) != nil {
		return m
	}
	if endpoint := ownEndpoint(document.Authorization, u); endpoint != "" {
		m.authorization = endpoint
	}
	if endpoint := ownEndpoint(document.Token, u); endpoint != "" {
		m.token = endpoint
	}
	methods, _ := document.Methods.([]any)
	m.pkce = slices.Contains(methods, any("S256"))
	if known, _ := document.Scopes.([]any); len(known) > 0 {
		for scope := range strings.FieldsSeq(scopes) {
			m.coarse = m.coarse || !slices.Contains(known, any(scope))
		}
	}
	return m
}

// ownEndpoint returns the URL if it is on the server itself, otherwise the empty
// string.
func ownEndpoint(value any, u *url.URL) string {
	text, _ := value.(string)
	endpoint, err := url.Parse(text)
	if err != nil || endpoint.Scheme != u.Scheme || !strings.EqualFold(endpoint.Host, u.Host) || endpoint.User != nil || endpoint.Fragment != "" {
		return ""
	}
	return text
}

// register creates an application. If the server refuses the fine-grained scopes, it
// tries the coarse ones.
func (l *Login) register(ctx context.Context, u *url.URL, m metadata) error {
	l.scope = scopes
	if m.coarse {
		l.scope = coarseScopes
	}
	a, err := l.registerOnce(ctx, u)
	if err == nil && (a.Status == http.StatusBadRequest || a.Status == http.StatusUnprocessableEntity) && l.scope != coarseScopes {
		l.scope = coarseScopes
		a, err = l.registerOnce(ctx, u)
	}
	if err != nil {
		return outbound.AddressError(err, "instance_url")
	}
	if a.Status != http.StatusOK && a.Status != http.StatusCreated {
		return l.refused(a, "the server refused to register schedctl as an application")
	}
	var app struct {
		ID     any `json:"client_id"`
		Secret any `json:"client_secret"`
	}
	if a.Cut || json.Unmarshal(a.Body, &app) != nil {
		return notAServer(u.Host)
	}
	l.id, _ = app.ID.(string)
	l.secret, _ = app.Secret.(string)
	if l.id == "" || l.secret == "" {
		return notAServer(u.Host)
	}
	return nil
}

func (l *Login) registerOnce(ctx context.Context, u *url.URL) (outbound.Response, error) {
	return l.post(ctx, u.JoinPath("api/v1/apps").String(), url.Values{
		"client_name": {"schedctl"}, "redirect_uris": {outOfBand}, "scopes": {l.scope},
	})
}

// authorize returns the URL of the server's login page.
func (l *Login) authorize(m metadata) string {
	query := url.Values{
		"response_type": {"code"}, "client_id": {l.id}, "redirect_uri": {outOfBand}, "scope": {l.scope}, "state": {l.state},
	}
	if m.pkce {
		l.verifier = rand.Text() + rand.Text()
		challenge := sha256.Sum256([]byte(l.verifier))
		query.Set("code_challenge", base64.RawURLEncoding.EncodeToString(challenge[:]))
		query.Set("code_challenge_method", "S256")
	}
	separator := "?"
	if strings.Contains(m.authorization, "?") {
		separator = "&"
	}
	return m.authorization + separator + query.Encode()
}

// Finish exchanges the code that the user was shown for an access token for the same
// instance. It ignores white space and the extra text that some servers show. Errors
// are an [*publish.Error]: kind content with the code "code" for an invalid code,
// auth if the server refuses the code. A code works once; after a refusal the user
// must start a new login.
func (l *Login) Finish(ctx context.Context, code string) (accessToken string, err error) {
	code, err = l.readCode(code)
	if err != nil {
		return "", err
	}
	form := url.Values{
		"grant_type": {"authorization_code"}, "client_id": {l.id}, "client_secret": {l.secret},
		"redirect_uri": {outOfBand}, "scope": {l.scope}, "code": {code},
	}
	if l.verifier != "" {
		form.Set("code_verifier", l.verifier)
	}
	a, err := l.post(ctx, l.token, form)
	switch {
	case err != nil:
		return "", outbound.AddressError(err, "instance_url")
	case a.Status != http.StatusOK:
		return "", l.refused(a, "the server refused the code; start a new login: a code works once and expires after some minutes", code)
	}
	return readToken(a)
}

// readCode extracts the code from the user's input: the code, the code followed by
// the state as snac shows it, or the address of the page that showed it.
func (l *Login) readCode(pasted string) (string, error) {
	text := strings.Join(strings.Fields(pasted), "")
	if _, query, ok := strings.Cut(text, "?"); ok {
		text = query
	}
	if !strings.HasPrefix(text, "code=") && !strings.Contains(text, "&code=") {
		text = "code=" + text
	}
	text, _, _ = strings.Cut(text, "#")
	values, err := url.ParseQuery(strings.ReplaceAll(text, "+", "%2B"))
	code := values.Get("code")
	switch {
	case err != nil, code == "", !outbound.ValidToken(code):
		return "", publish.Contentf("code", "this is not a valid code; copy the code that the server shows after the login")
	case values.Has("state") && values.Get("state") != l.state:
		return "", publish.Contentf("code", "this code belongs to another login; open the address of this login")
	}
	return code, nil
}

func readToken(a outbound.Response) (string, error) {
	var granted struct {
		AccessToken any `json:"access_token"`
		Scope       any `json:"scope"`
	}
	e := &publish.Error{Kind: schedctl.KindPlatform, HTTPStatus: a.Status, Outcome: schedctl.OutcomeNotPublished}
	if a.Cut || json.Unmarshal(a.Body, &granted) != nil {
		e.Message = "the server accepted the code but gave no readable access token"
		return "", e
	}
	token, _ := granted.AccessToken.(string)
	if token == "" || !outbound.ValidToken(token) {
		e.Message = "the server accepted the code but gave no usable access token"
		return "", e
	}
	if scope, _ := granted.Scope.(string); scope != "" && !mayWrite(scope) {
		e.Kind, e.Message = schedctl.KindAuth, "the server did not grant the right to publish; start a new login and agree to publishing"
		return "", e
	}
	return token, nil
}

func mayWrite(scope string) bool {
	granted := strings.Fields(scope)
	return slices.Contains(granted, "write") || slices.Contains(granted, "write:statuses")
}

// String describes the login without its secrets.
func (l Login) String() string { return "login at " + l.host }

// GoString is String, so that %#v shows no secrets.
func (l Login) GoString() string { return l.String() }

func (l *Login) post(ctx context.Context, to string, form url.Values) (outbound.Response, error) {
	header := l.header.Clone()
	header.Set("Content-Type", "application/x-www-form-urlencoded")
	return outbound.Post(ctx, l.client, to, header, []byte(form.Encode()))
}

// refused returns the error for a response that ends the login.
func (l *Login) refused(a outbound.Response, message string, hidden ...string) error {
	e := outbound.Refusal(a, publish.PurposeIdentity, time.Now())
	e.Outcome = schedctl.OutcomeNotPublished
	switch {
	case a.Status == http.StatusNotFound || a.Status == http.StatusMethodNotAllowed || a.Status == http.StatusGone:
		return notAServer(l.host)
	case a.Status >= 300 && a.Status < 400:
		return movedServer(l.host)
	case e.Kind == schedctl.KindContent || e.Kind == schedctl.KindAuth || e.Kind == schedctl.KindDuplicate:
		e.Kind, e.Message = schedctl.KindAuth, message
	case e.Kind == schedctl.KindPlatform:
		e.Message = l.host + " had an internal error; try again later"
	}
	return outbound.WithErrorText(e, outbound.ErrorText(a, append(hidden, l.id, l.secret, l.verifier, l.state)...))
}
