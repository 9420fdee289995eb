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

// outOfBand is the redirect address of programs that have none: the server shows
// the code to the user instead.
const outOfBand = "urn:ietf:wg:oauth:2.0:oob"

const (
	// scopes are what publishing, and looking for what was published, needs.
	scopes = "read:accounts read:statuses write:statuses"

	// coarseScopes are for servers that do not know finer ones.
	coarseScopes = "read write"
)

// Login is a login that a user has to go through in a browser. It holds secrets;
// printing it shows none. It may be used from one goroutine at a time.
type Login struct {
	// URL is to be opened in a browser. The server asks the user there to log in
	// and to agree, and then shows a code for Finish.
	URL string

	client   *http.Client
	header   http.Header
	host     string
	token    string // the URL that codes are exchanged at
	id       string // of the application that was registered
	secret   string
	scope    string
	state    string
	verifier string // empty when the server does not offer PKCE
}

// StartLogin registers schedctl as an application of the server and returns the
// login that leads to an access token. The instance is what a user writes for
// instance_url; the version is for the User-Agent. The client should be one of
// [outbound.Client].
//
// The authorization code flow is that of RFC 6749 with a code shown to the user,
// and with the proof of RFC 7636 (PKCE, S256) where the server says in its
// metadata (RFC 8414) that it takes one. Errors are an [*publish.Error]: kind
// content with the code instance_url for an address that has no Mastodon API,
// network for one out of reach.
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
		return nil, refusedHost(err)
	}
	if err := l.register(ctx, u, m); err != nil {
		return nil, err
	}
	l.token = m.token
	l.URL = l.authorize(m)
	return l, nil
}

// metadata is what a server says of its logins.
type metadata struct {
	authorization string
	token         string
	pkce          bool
	coarse        bool // the server knows no fine scopes
}

// discover asks the server for its metadata. Many have none; those are where
// Mastodon has always been.
func (l *Login) discover(ctx context.Context, u *url.URL) (metadata, error) {
	m := metadata{authorization: u.JoinPath("oauth/authorize").String(), token: u.JoinPath("oauth/token").String()}
	a, err := outbound.Get(ctx, l.client, u.JoinPath(".well-known/oauth-authorization-server").String(), l.header)
	if err != nil || a.Status != http.StatusOK {
		return m, err
	}
	return parseMetadata(a, u, m), nil
}

// parseMetadata reads what it can of a server's metadata and leaves the rest as
// it was. An endpoint on another host is not believed: the secret and the code
// would be sent to it.
func parseMetadata(a outbound.Response, u *url.URL, m metadata) metadata {
	var said struct {
		Authorization any `json:"authorization_endpoint"`
		Token         any `json:"token_endpoint"`
		Methods       any `json:"code_challenge_methods_supported"`
		Scopes        any `json:"scopes_supported"`
	}
	if a.Cut || json.Unmarshal(a.Body, &said) != nil {
		return m
	}
	if endpoint := ownEndpoint(said.Authorization, u); endpoint != "" {
		m.authorization = endpoint
	}
	if endpoint := ownEndpoint(said.Token, u); endpoint != "" {
		m.token = endpoint
	}
	methods, _ := said.Methods.([]any)
	m.pkce = slices.Contains(methods, any("S256"))
	if known, _ := said.Scopes.([]any); len(known) > 0 {
		for scope := range strings.FieldsSeq(scopes) {
			m.coarse = m.coarse || !slices.Contains(known, any(scope))
		}
	}
	return m
}

// ownEndpoint returns the URL when it is one of the server itself.
func ownEndpoint(value any, u *url.URL) string {
	text, _ := value.(string)
	endpoint, err := url.Parse(text)
	if err != nil || endpoint.Scheme != u.Scheme || !strings.EqualFold(endpoint.Host, u.Host) || endpoint.User != nil || endpoint.Fragment != "" {
		return ""
	}
	return text
}

// register makes an application, with coarse scopes when the server refuses the
// fine ones.
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
		return refusedHost(err)
	}
	if a.Status != http.StatusOK && a.Status != http.StatusCreated {
		return l.refused(a, "the server does not let schedctl log in")
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

// Finish exchanges the code that the user was shown for an access token, which
// goes with the same instance. White space in the code, and what some servers
// show with it, is ignored. Errors are an [*publish.Error]: kind content with
// the code "code" for what cannot be one, auth when the server refuses it. A
// code can be tried once; after a refusal the login has to begin anew.
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
		return "", refusedHost(err)
	case a.Status != http.StatusOK:
		return "", l.refused(a, "the server does not accept the code; begin the login again, a code is good once and for some minutes", code)
	}
	return readToken(a)
}

// readCode returns the code in what a user has pasted: the code, with the state
// behind it as snac shows it, or the address of the page that showed it.
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
	case err != nil, code == "", checkToken(code) != nil:
		return "", publish.Contentf("code", "this is not a code; copy what the server shows after the login")
	case values.Has("state") && values.Get("state") != l.state:
		return "", publish.Contentf("code", "this code belongs to another login; open the address of this one")
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
	if token == "" || checkToken(token) != nil {
		e.Message = "the server accepted the code but gave no usable access token"
		return "", e
	}
	if scope, _ := granted.Scope.(string); scope != "" && !mayWrite(scope) {
		e.Kind, e.Message = schedctl.KindAuth, "the server granted no right to publish; begin the login again and agree to it"
		return "", e
	}
	return token, nil
}

func mayWrite(scope string) bool {
	granted := strings.Fields(scope)
	return slices.Contains(granted, "write") || slices.Contains(granted, "write:statuses")
}

// String names the login without its secrets.
func (l Login) String() string { return "login at " + l.host }

// GoString is as String.
func (l Login) GoString() string { return l.String() }

func (l *Login) post(ctx context.Context, to string, form url.Values) (outbound.Response, error) {
	header := l.header.Clone()
	header.Set("Content-Type", "application/x-www-form-urlencoded")
	return outbound.Post(ctx, l.client, to, header, []byte(form.Encode()))
}

// refused describes an answer that ends the login.
func (l *Login) refused(a outbound.Response, message string, hidden ...string) error {
	e := outbound.Refusal(a, time.Now())
	e.Outcome = schedctl.OutcomeNotPublished
	switch {
	case a.Status == http.StatusNotFound || a.Status == http.StatusMethodNotAllowed || a.Status == http.StatusGone:
		return notAServer(l.host)
	case a.Status >= 300 && a.Status < 400:
		return movedServer(l.host)
	case e.Kind == schedctl.KindContent || e.Kind == schedctl.KindAuth || e.Kind == schedctl.KindDuplicate:
		e.Kind, e.Message = schedctl.KindAuth, message
	case e.Kind == schedctl.KindPlatform:
		e.Message = l.host + " met a fault of its own; try again later"
	}
	return outbound.WithErrorText(e, outbound.ErrorText(a, append(hidden, l.id, l.secret, l.verifier, l.state)...))
}
