package x

import (
	"context"
	"net/http"
	"strings"

	"github.com/schedctl/schedctl/daemon/publish"
)

// publicLogin is the address of the page on which a user allows an app to post.
const publicLogin = "https://x.com"

// scopes are what publishing, uploading and finding posts need, and renewing the session.
var scopes = []string{"tweet.read", "tweet.write", "users.read", "media.write", "offline.access"}

// Ways lists OAuth 1.0a, a login, and the tokens of OAuth 2.0.
func (p *Publisher) Ways() []publish.Way {
	return []publish.Way{
		{Label: "with the four keys and tokens of your app (OAuth 1.0a), which do not end", Needs: []string{fieldKey, fieldSecret, fieldToken, fieldTokenSecret}},
		{Label: "with a browser (OAuth 2.0)", Needs: []string{fieldClient}, Wants: []string{fieldClientSecret}, Login: true},
		{Label: "with tokens of OAuth 2.0 that you have", Needs: []string{fieldClient, fieldToken, fieldRefresh}, Wants: []string{fieldClientSecret}},
	}
}

// CodeLogin returns the login of X, for public and confidential apps
// (https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code). A server in
// api_url serves the page of the login as well.
func (p *Publisher) CodeLogin(_ context.Context, _ *http.Client, c publish.Credentials) (publish.Login, error) {
	if err := checkLoginFields(p.Fields(), c); err != nil {
		return publish.Login{}, err
	}
	page := publicLogin
	if given := strings.TrimSpace(c[fieldAPI]); given != "" {
		page = strings.TrimRight(given, "/")
	}
	api := strings.TrimRight(orDefault(c[fieldAPI], publicAPI), "/")
	l := publish.Login{
		Network: "X", AuthorizeURL: page + "/i/oauth2/authorize", TokenURL: api + "/2/oauth2/token",
		ClientID: strings.TrimSpace(c[fieldClient]), ClientSecret: strings.TrimSpace(c[fieldClientSecret]),
		PKCE: true, Scopes: scopes, Refreshes: true,
	}
	l.BasicAuth = l.ClientSecret != ""
	return l, nil
}

func checkLoginFields(fields []publish.Field, c publish.Credentials) error {
	for _, f := range fields {
		if err := f.CheckValue(c[f.Name]); err != nil {
			return publish.Contentf(f.Name, "%s", err)
		}
	}
	if strings.TrimSpace(c[fieldClient]) == "" {
		return missingField(fieldClient, "a login")
	}
	return nil
}
