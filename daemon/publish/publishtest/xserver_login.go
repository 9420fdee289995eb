package publishtest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// codeLife is how long a code of X is valid.
const codeLife = 30 * time.Second

// authorization is the consent of a user in a browser, for one code.
type authorization struct {
	redirect, challenge, scope string
	created                    time.Time
}

// authorize is the page of a login whose user agrees at once, or declines if that is set.
func authorize(header http.Header, query url.Values, client string, declined bool, codes map[string]authorization) (int, string) {
	redirect, err := url.Parse(query.Get("redirect_uri"))
	if err != nil || query.Get("response_type") != "code" || query.Get("client_id") != client || redirect.Hostname() != "127.0.0.1" || redirect.Path != "/callback" {
		return 400, "Something went wrong. You weren’t able to give access to the App."
	}
	back := url.Values{"state": {query.Get("state")}}
	if declined {
		back.Set("error", "access_denied")
		back.Set("error_description", "The user declined")
	} else {
		code := rand.Text()
		codes[code] = authorization{query.Get("redirect_uri"), query.Get("code_challenge"), query.Get("scope"), time.Now()}
		back.Set("code", code)
	}
	redirect.RawQuery = back.Encode()
	header.Set("Location", redirect.String())
	return 302, ""
}

// redeem exchanges a code, once. ok is false if the code is not valid.
func redeem(form url.Values, codes map[string]authorization) (a authorization, ok bool) {
	code := form.Get("code")
	a, ok = codes[code]
	delete(codes, code)
	challenge := sha256.Sum256([]byte(form.Get("code_verifier")))
	switch {
	case !ok, form.Get("redirect_uri") != a.redirect, time.Since(a.created) > codeLife:
		return a, false
	case a.challenge != "":
		return a, base64.RawURLEncoding.EncodeToString(challenge[:]) == a.challenge
	}
	return a, true
}

// authorize is the page on which the user allows the app to post.
func (f *FakeX) authorize(header http.Header, r *http.Request) (int, string) {
	query := r.URL.Query()
	if query.Get("code_challenge_method") != "S256" || len(query.Get("code_challenge")) != 43 || query.Get("state") == "" {
		return 400, "Something went wrong. You weren’t able to give access to the App."
	}
	return authorize(header, query, f.ClientID, f.Declined, f.codes)
}

// exchange exchanges a code for a session.
func (f *FakeX) exchange(form url.Values, client string) (int, string) {
	a, ok := redeem(form, f.codes)
	if !ok || client != f.ClientID {
		return 400, `{"error":"invalid_request","error_description":"Value passed for the authorization code was invalid."}`
	}
	scopes := slices.DeleteFunc(strings.Fields(a.scope), func(s string) bool { return slices.Contains(f.Withheld, s) })
	f.issued++
	f.revoked, f.Scopes = false, scopes
	f.access, f.refresh = fmt.Sprint("oauth2-access-", f.issued), fmt.Sprint("oauth2-refresh-", f.issued)
	refresh := ""
	if slices.Contains(scopes, "offline.access") {
		refresh = fmt.Sprintf(`"refresh_token":%q,`, f.refresh)
	}
	return 200, fmt.Sprintf(`{"token_type":"bearer","expires_in":7200,"access_token":%q,%s"scope":%q}`, f.access, refresh, strings.Join(scopes, " "))
}
