package publishtest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// PDS is a running personal data server of Bluesky with one account.
type PDS struct {
	URL         string `json:"url"`
	Handle      string `json:"handle"`
	DID         string `json:"did"`
	Password    string `json:"password"`
	AppPassword string `json:"app_password"`

	JWTSecret     string `json:"jwt_secret"` // the key that signs the server's tokens
	AdminPassword string `json:"admin_password"`
}

// PDSConfig configures a server.
type PDSConfig struct {
	AccessTTL time.Duration // lifetime of access tokens, in whole seconds; 0 for the default of two hours
}

// PDSRecord is one post as the server stores it.
type PDSRecord struct {
	URI   string          `json:"uri"` // at://…
	CID   string          `json:"cid"` // the hash of the record
	Value json.RawMessage `json:"value"`
}

// StartPDS starts a server with one account on loopback. It runs until the test
// ends. If the server is not installed, the test is skipped; with
// SCHEDCTL_REQUIRE_ALL=1 in the environment it fails.
func StartPDS(t *testing.T) PDS {
	t.Helper()
	return PDSConfig{}.Start(t)
}

// Start is [StartPDS] with this configuration.
func (c PDSConfig) Start(t *testing.T) PDS {
	t.Helper()
	requireServer(t, "pds")
	environment := []string{"ACCESS_TTL="}
	if c.AccessTTL > 0 {
		environment[0] += fmt.Sprintf("%.0fs", c.AccessTTL.Seconds())
	}
	var p PDS
	startServer(t, "pds", 2, environment, &p)
	if p.AppPassword == "" {
		t.Fatal("up.sh pds printed no app password")
	}
	return p
}

// Posts returns the posts of the account, up to a hundred, newest first.
func (p PDS) Posts(t *testing.T) []PDSRecord {
	t.Helper()
	query := url.Values{"repo": {p.DID}, "collection": {"app.bsky.feed.post"}, "limit": {"100"}}
	var list struct{ Records []PDSRecord }
	p.call(t, http.MethodGet, "com.atproto.repo.listRecords?"+query.Encode(), "", nil, &list)
	return list.Records
}

// NewAppPassword creates an app password for the account. The name identifies it for
// RevokeAppPassword.
func (p PDS) NewAppPassword(t *testing.T, name string) string {
	t.Helper()
	var created struct{ Password string }
	p.call(t, http.MethodPost, "com.atproto.server.createAppPassword", p.login(t), map[string]string{"name": name}, &created)
	return created.Password
}

// RevokeAppPassword revokes the app password with this name.
func (p PDS) RevokeAppPassword(t *testing.T, name string) {
	t.Helper()
	p.call(t, http.MethodPost, "com.atproto.server.revokeAppPassword", p.login(t), map[string]string{"name": name}, nil)
}

// TakeDown takes the account down, as an operator of the server does.
func (p PDS) TakeDown(t *testing.T) {
	t.Helper()
	p.admin(t, "com.atproto.admin.updateSubjectStatus", map[string]any{
		"subject":  map[string]string{"$type": "com.atproto.admin.defs#repoRef", "did": p.DID},
		"takedown": map[string]any{"applied": true, "ref": "test"},
	})
}

// Delete deletes the account, as an operator of the server does.
func (p PDS) Delete(t *testing.T) {
	t.Helper()
	p.admin(t, "com.atproto.admin.deleteAccount", map[string]string{"did": p.DID})
}

// admin sends one request as an operator of the server.
func (p PDS) admin(t *testing.T, method string, body any) {
	t.Helper()
	login := base64.StdEncoding.EncodeToString([]byte("admin:" + p.AdminPassword))
	p.call(t, http.MethodPost, method, "Basic "+login, body, nil)
}

// login returns an access token with rights that app passwords do not have.
func (p PDS) login(t *testing.T) string {
	t.Helper()
	var session struct{ AccessJWT string }
	credentials := map[string]string{"identifier": p.Handle, "password": p.Password}
	p.call(t, http.MethodPost, "com.atproto.server.createSession", "", credentials, &session)
	return session.AccessJWT
}

// call sends one request and decodes the response. body and into may be nil.
func (p PDS) call(t *testing.T, method, path, token string, body, into any) {
	t.Helper()
	var encoded io.Reader = http.NoBody
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		encoded = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, p.URL+"/xrpc/"+path, encoded)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	switch {
	case strings.HasPrefix(token, "Basic "):
		r.Header.Set("Authorization", token)
	case token != "":
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d, %v: %s", path, response.StatusCode, err, text)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v: %s", path, err, text)
	}
}

// Expire returns a copy of the token that has expired, signed with the server's key.
func (p PDS) Expire(t *testing.T, token string) string {
	t.Helper()
	encoding := base64.RawURLEncoding
	parts := strings.Split(token, ".")
	claims := map[string]any{}
	if len(parts) != 3 {
		t.Fatal("the token does not have three parts")
	}
	text, err := encoding.DecodeString(parts[1])
	if err == nil {
		err = json.Unmarshal(text, &claims)
	}
	if err != nil {
		t.Fatal(err)
	}
	claims["iat"], claims["exp"] = time.Now().Add(-3*time.Hour).Unix(), time.Now().Add(-time.Hour).Unix()
	if text, err = json.Marshal(claims); err != nil {
		t.Fatal(err)
	}
	signed := parts[0] + "." + encoding.EncodeToString(text)
	mac := hmac.New(sha256.New, []byte(p.JWTSecret))
	mac.Write([]byte(signed))
	return signed + "." + encoding.EncodeToString(mac.Sum(nil))
}
