package publish

import (
	"context"
	"net/http"
)

// Way is one of several kinds of credentials that a publisher accepts. Its fields are named
// in the order in which a person is asked for them.
type Way struct {
	Label string   // a short description for people who choose
	Needs []string // the required credentials
	Wants []string // the optional ones

	// Login means that [CodeLogin] returns the tokens, which are not in Needs.
	Login bool
}

// Chooser is a publisher that accepts several kinds of credentials. Prompts ask for one
// kind only.
type Chooser interface {
	// Ways lists the kinds, the recommended one first.
	Ways() []Way
}

// Guided is a publisher with instructions for people who connect an account.
type Guided interface {
	Guide() Guide
}

// Guide explains step by step how to connect an account. The step that uses schedctl starts
// with "Connect the account".
type Guide struct {
	Account string // what is connected: "an account of X"
	Text    string // the help page
	Login   string // the steps of a login with a browser, up to the redirect address

	// Notice is what people have to know before they connect an account, such as what it
	// costs. Text contains it, before the steps. It may be empty.
	Notice string
}

// CodeLogin is a publisher whose network issues tokens through the authorization code flow
// of OAuth 2.0 (RFC 6749, section 4.1), to a developer app of the user or to schedctl.
type CodeLogin interface {
	Chooser

	// CodeLogin returns the login for the credentials of a [Way] with Login. It may ask the
	// server of the account with client, and register with it. The error is an [*Error].
	CodeLogin(ctx context.Context, client *http.Client, c Credentials) (Login, error)
}

// Names of the credentials that a login returns.
const (
	LoginAccess  = "access_token"
	LoginRefresh = "refresh_token"
)

// Login describes an authorization code flow. It contains secrets, which String hides.
type Login struct {
	Network      string // the name for people
	AuthorizeURL string
	TokenURL     string
	ClientID     string
	ClientSecret string   // empty for a public client
	BasicAuth    bool     // the secret is sent in the header Authorization instead of the body
	PKCE         bool     // the flow uses RFC 7636 with the method S256
	Scopes       []string // publishing needs all of them
	Refused      string   // what to do if the network lets the app ask for some scopes only; empty for the usual
	Refreshes    bool     // the response has a refresh token, which is needed as well

	DeviceURL string      // if set, the login uses the device grant (RFC 8628) instead of a code
	Extra     Credentials // what an account needs besides the tokens
	Ends      string      // the credential for the end of the access token, in Unix seconds, or empty
}

// String describes the login without its secrets.
func (l Login) String() string { return "login of " + l.Network }

// GoString is String, so that %#v shows no secrets.
func (l Login) GoString() string { return l.String() }
