package linkedin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// tokenLife is how long a token of the token generator lasts.
const tokenLife = 60 * 24 * time.Hour

// expiry returns when the access token ends: as LinkedIn reports if the client of the app
// is known, or else 60 days after the account was connected with this token. since is the
// new value of fieldSince.
func (p *Publisher) expiry(ctx context.Context, a access) (e publish.Expiry, since string, err error) {
	connected, since := connectedAt(a.token, a.since, p.now())
	if a.client == "" {
		return publish.Expiry{At: connected.Add(tokenLife), Assumed: true}, since, nil
	}
	form := url.Values{"client_id": {a.client}, "client_secret": {a.clientSecret}, "token": {a.token}}
	header := outbound.Header(p.userAgent, "")
	header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := outbound.Post(ctx, p.client, a.login.JoinPath("oauth", "v2", "introspectToken").String(), header, []byte(form.Encode()))
	switch {
	case err != nil:
		return e, "", err
	case response.Status == http.StatusBadRequest || response.Status == http.StatusUnauthorized:
		return e, "", publish.Contentf(fieldClientSecret, "LinkedIn does not accept %s and %s; copy both from the tab Auth of the app", fieldClient, fieldClientSecret)
	case response.Status != http.StatusOK:
		return e, "", refusal(response, publish.PurposeIdentity, p.now(), a)
	}
	at, active, granted, ok := parseIntrospection(response)
	switch {
	case !ok:
		return e, "", unreadable(response)
	case !active:
		return e, "", tokenRevoked(0)
	}
	if missing := missingScopes(a, granted); len(missing) > 0 {
		return e, "", publish.NeedsScope(missingScope(a, publish.PurposeIdentity, 0), "LinkedIn", strings.Join(missing, ", "))
	}
	return publish.Expiry{At: at}, since, nil
}

// parseIntrospection reads the state of a token
// (https://learn.microsoft.com/linkedin/shared/authentication/token-introspection).
func parseIntrospection(response outbound.Response) (at time.Time, active bool, scopes string, ok bool) {
	var body struct {
		Active any `json:"active"`
		At     any `json:"expires_at"`
		Scope  any `json:"scope"`
	}
	// Unmarshal continues after a member of an unexpected type.
	_ = json.Unmarshal(response.Body, &body)
	active, ok = body.Active.(bool)
	seconds, isNumber := body.At.(float64)
	if active && (!isNumber || seconds < 1e9 || seconds > 1e11) {
		ok = false
	}
	scopes, _ = body.Scope.(string)
	return time.Unix(int64(seconds), 0).UTC(), active, scopes, ok && !response.Cut
}

// missingScopes returns the permissions to publish that are not in granted, a list that is
// separated by commas. An empty list says nothing.
func missingScopes(a access, granted string) (missing []string) {
	list := strings.FieldsFunc(granted, func(r rune) bool { return r == ',' || r == ' ' })
	for _, scope := range scopesOf(a.organization()) {
		if len(list) > 0 && strings.Contains(scope, "_social") && !slices.Contains(list, scope) {
			missing = append(missing, scope)
		}
	}
	return missing
}

// connectedAt returns when the account was connected with a token: at the time in given if
// that is about this token, or else now. since is the time and a hash of the token.
func connectedAt(token, given string, now time.Time) (at time.Time, since string) {
	sum := sha256.Sum256([]byte(token))
	hash := hex.EncodeToString(sum[:8])
	if text, of, _ := strings.Cut(given, " "); of == hash {
		if seconds, err := strconv.ParseInt(text, 10, 64); err == nil && seconds > 0 && seconds <= now.Unix() {
			return time.Unix(seconds, 0).UTC(), given
		}
	}
	return now.UTC().Truncate(time.Second), fmt.Sprint(now.Unix(), " ", hash)
}
