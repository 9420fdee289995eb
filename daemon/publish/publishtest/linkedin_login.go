package publishtest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// login serves the pages and requests of a login. found is false for other paths.
func (f *FakeLinkedIn) login(header http.Header, r *http.Request, body []byte) (status int, response string, found bool) {
	switch r.Method + " " + r.URL.Path {
	case "GET /oauth/v2/authorization":
		if f.refuseScopes(header, r.URL.Query()) {
			return 302, "", true
		}
		status, response = authorize(header, r.URL.Query(), f.ClientID, f.Declined, f.codes)
		return status, response, true
	case "POST /oauth/v2/accessToken":
		form, _ := url.ParseQuery(string(body))
		header.Set("Content-Type", "application/json")
		status, response = f.exchange(form)
		return status, response, true
	}
	return 0, "", false
}

// refuseScopes refuses a login that asks for a permission that the app does not have, as a
// whole.
func (f *FakeLinkedIn) refuseScopes(header http.Header, query url.Values) bool {
	for _, scope := range strings.Fields(query.Get("scope")) {
		if !slices.Contains(f.Scopes, scope) {
			back := url.Values{
				"error": {"unauthorized_scope_error"}, "state": {query.Get("state")},
				"error_description": {"Scope &quot;" + scope + "&quot; is not authorized for your application"},
			}
			header.Set("Location", query.Get("redirect_uri")+"?"+back.Encode())
			return true
		}
	}
	return false
}

func (f *FakeLinkedIn) exchange(form url.Values) (int, string) {
	if form.Get("client_id") != f.ClientID || form.Get("client_secret") != f.ClientSecret {
		return 401, `{"error":"invalid_client","error_description":"Client authentication failed"}`
	}
	a, ok := redeem(form, f.codes)
	if !ok || form.Get("grant_type") != "authorization_code" {
		return 400, `{"error":"invalid_request","error_description":"Unable to retrieve access token: appid/redirect uri/code verifier does not match authorization code. Or authorization code expired. Or external member binding exists"}`
	}
	scopes := slices.DeleteFunc(strings.Fields(a.scope), func(s string) bool { return slices.Contains(f.Withheld, s) })
	answer, _ := json.Marshal(map[string]any{"access_token": f.Token, "expires_in": 5184000, "scope": strings.Join(scopes, ",")})
	return 200, string(answer)
}
