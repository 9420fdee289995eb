package main

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"

	"github.com/coder/websocket"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/networks"
)

// parrot plays every network and every receiver. It accepts requests until it is set
// to refuse; then its responses repeat the whole request, in every encoding.
type parrot struct {
	*httptest.Server
	refusal atomic.Int64 // an index into refusals, or -1
	heard   atomic.Int64 // calls that were refused

	networks map[string]*httptest.Server // by the names of the accounts
}

// refusals are the ways in which a parrot repeats a request.
var refusals = []func(w http.ResponseWriter, heard string){
	func(w http.ResponseWriter, heard string) {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"ok":false,"errcode":"M_UNKNOWN_TOKEN","error":%q,"message":%[1]q,"description":%[1]q,"error_description":%[1]q}`, heard)
	},
	func(w http.ResponseWriter, heard string) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"ok":false,"error":{"message":%q}}`, heard)
	},
	func(w http.ResponseWriter, heard string) {
		w.WriteHeader(http.StatusInternalServerError)
		io.WriteString(w, heard)
	},
	func(w http.ResponseWriter, heard string) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusForbidden)
		io.WriteString(w, "<p>"+heard)
	},
	func(w http.ResponseWriter, heard string) {
		w.Header().Set("Location", "http://127.0.0.1/?"+url.QueryEscape(heard))
		w.WriteHeader(http.StatusTemporaryRedirect)
	},
	func(w http.ResponseWriter, heard string) {
		w.Header().Set("Retry-After", heard)
		w.Header().Set("Content-Type", heard)
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprintf(w, `%q`, heard)
	},
	func(w http.ResponseWriter, heard string) { // not HTTP at all
		c, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			io.WriteString(c, "SMTP "+heard+"\r\n\r\n")
			c.Close()
		}
	},
	func(w http.ResponseWriter, heard string) { // a malformed response
		w.Header().Set("Content-Length", "100000")
		w.WriteHeader(http.StatusBadGateway)
		io.WriteString(w, heard)
	},
}

// newParrot starts a server for each account, and one for everything else. The secrets that
// the networks give are those of s.
func newParrot(t *testing.T, s map[string]string) *parrot {
	p := &parrot{networks: map[string]*httptest.Server{}}
	p.refusal.Store(-1)
	serve := func(accept http.HandlerFunc) *httptest.Server {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.respond(w, r, accept) }))
		t.Cleanup(server.Close)
		return server
	}
	p.Server = serve(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "thank you") })
	for _, a := range networks.Accounts() {
		planted := plantedIn(a, s)
		p.networks[a.Name] = serve(func(w http.ResponseWriter, r *http.Request) {
			if a.Preflight != nil && a.Preflight(r) {
				w.WriteHeader(http.StatusNotFound)
				io.WriteString(w, `{"errcode":"M_NOT_FOUND"}`)
				return
			}
			if a.Header != nil {
				a.Header(w.Header(), networks.Sent{})
			}
			response := `{"ok":true,"id":"1","username":"u"}`
			if a.Responds != nil {
				response = a.Responds(r)
			}
			planted.WriteString(w, response)
		})
	}
	return p
}

// respond accepts a request or refuses it.
func (p *parrot) respond(w http.ResponseWriter, r *http.Request, accept http.HandlerFunc) {
	body, _ := io.ReadAll(r.Body)
	n := p.refusal.Load()
	if r.Header.Get("Upgrade") != "" && (n < 0 || n%2 == 0) {
		p.relay(w, r)
		return
	}
	if n >= 0 {
		p.heard.Add(1)
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		heard := strings.Join([]string{
			"no " + token, r.URL.String(), r.URL.Path, r.URL.RawQuery, string(body), hex.EncodeToString([]byte(token)),
			base64.StdEncoding.EncodeToString([]byte(token)), url.QueryEscape(token), fmt.Sprint(r.Header),
		}, " ")
		// The shortest first: only the start of a long text is checked.
		refusals[n](w, heard)
		return
	}
	accept(w, r)
}

// relay plays a relay of Nostr.
func (p *parrot) relay(w http.ResponseWriter, r *http.Request) {
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer c.CloseNow()
	for {
		_, text, err := c.Read(r.Context())
		var message []json.RawMessage
		if err != nil || json.Unmarshal(text, &message) != nil || len(message) < 2 {
			return
		}
		if string(message[0]) == `"REQ"` {
			c.Write(r.Context(), websocket.MessageText, []byte(`["EOSE","schedctl"]`))
			continue
		}
		var e struct{ ID string }
		_ = json.Unmarshal(message[1], &e)
		response := []any{"OK", e.ID, true, ""}
		if p.refusal.Load() >= 0 {
			p.heard.Add(1)
			response = []any{"OK", e.ID, false, "blocked: " + string(text)}
		}
		encoded, _ := json.Marshal(response)
		c.Write(r.Context(), websocket.MessageText, encoded)
	}
}

// plantedIn replaces the secrets of an account by those of s.
func plantedIn(a networks.Account, s map[string]string) *strings.Replacer {
	var pairs []string
	for _, secret := range a.Secrets {
		pairs = append(pairs, secret, s[a.Name+" "+secret])
	}
	return strings.NewReplacer(pairs...)
}

// plantAccounts puts new secrets for all accounts into s.
func plantAccounts(s map[string]string) {
	for _, a := range networks.Accounts() {
		for _, secret := range a.Secrets {
			s[a.Name+" "+secret] = alike(secret)
		}
		for _, secret := range a.FixedKeys {
			s[a.Name+" "+secret] = secret
		}
	}
}

// alike returns a secret with other letters and digits.
func alike(secret string) string {
	random := rand.Text() + rand.Text() + rand.Text()
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			c, random = rune(random[0]), random[1:]
		}
		return c
	}, secret)
}

// parrotAccounts are one account of every way to connect one, with the secrets of s.
func parrotAccounts(p *parrot, s map[string]string) (list []apiv1.AddAccount) {
	for _, a := range networks.Accounts() {
		credentials := a.At(p.networks[a.Name].URL)
		if credentials == nil {
			continue
		}
		for name, text := range credentials {
			credentials[name] = plantedIn(a, s).Replace(text)
		}
		list = append(list, apiv1.AddAccount{Platform: a.Platform, Name: a.Name, Credentials: credentials, Options: a.Stored.Options})
	}
	return list
}
