package publishtest_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

func TestTokensOfThePDS(t *testing.T) {
	t.Parallel()
	pds := publishtest.PDSConfig{AccessTTL: 90 * time.Second}.Start(t)
	token := accessToken(t, pds, pds.AppPassword)
	if issued, expires := lifetime(t, token); expires-issued != 90 {
		t.Errorf("access tokens last %d s, want 90", expires-issued)
	}
	if name := sessionError(t, pds, token); name != "" {
		t.Errorf("a new token: %s", name)
	}
	expired := pds.Expire(t, token)
	if _, expires := lifetime(t, expired); expires >= time.Now().Unix() {
		t.Errorf("the token expires at %d", expires)
	}
	if name := sessionError(t, pds, expired); name != "ExpiredToken" {
		t.Errorf("an expired token: %q, want ExpiredToken", name)
	}
	if posts := pds.Posts(t); len(posts) != 0 {
		t.Errorf("a new account has %d posts", len(posts))
	}
}

func accessToken(t *testing.T, pds publishtest.PDS, password string) string {
	t.Helper()
	body, err := json.Marshal(map[string]string{"identifier": pds.Handle, "password": password})
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(pds.URL+"/xrpc/com.atproto.server.createSession", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var session struct{ AccessJWT string }
	if err := json.NewDecoder(response.Body).Decode(&session); err != nil || session.AccessJWT == "" {
		t.Fatalf("status %d without a token: %v", response.StatusCode, err)
	}
	return session.AccessJWT
}

// lifetime returns when a token was issued and when it expires, in Unix seconds.
func lifetime(t *testing.T, token string) (issued, expires int64) {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("the token has %d parts", len(parts))
	}
	var claims struct{ Iat, Exp int64 }
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err == nil {
		err = json.Unmarshal(text, &claims)
	}
	if err != nil {
		t.Fatal(err)
	}
	return claims.Iat, claims.Exp
}

// sessionError returns the name of the error that the server returns for a token, or
// the empty string.
func sessionError(t *testing.T, pds publishtest.PDS, token string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, pds.URL+"/xrpc/com.atproto.server.getSession", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var body struct{ Error string }
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	return body.Error
}
