package main

import (
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

	"github.com/coder/websocket"

	"github.com/schedctl/schedctl/client/apiv1"
)

// parrot plays every network and every receiver. It accepts requests until it is set
// to refuse; then its responses repeat the whole request, in every encoding.
type parrot struct {
	*httptest.Server
	refusal atomic.Int64 // an index into refusals, or -1
	heard   atomic.Int64 // calls that were refused
	session string       // its response to a login
	page    string       // the token of a Page of Facebook
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

func newParrot(t *testing.T, s map[string]string) *parrot {
	p := &parrot{session: fmt.Sprintf(`"accessJwt":%q,"refreshJwt":%q`, s["bluesky access"], s["bluesky refresh"]), page: s["facebook page"]}
	p.refusal.Store(-1)
	p.Server = httptest.NewServer(http.HandlerFunc(p.answer))
	t.Cleanup(p.Close)
	return p
}

func (p *parrot) answer(w http.ResponseWriter, r *http.Request) {
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
	if strings.Contains(r.URL.Path, "m.room.encryption") || strings.Contains(r.URL.Path, "oauth-authorization-server") {
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, `{"errcode":"M_NOT_FOUND"}`)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/in/") {
		fmt.Fprint(w, "thank you")
		return
	}
	if strings.HasPrefix(r.URL.Path, "/wp-json/") && r.Method == http.MethodGet && !strings.HasSuffix(r.URL.Path, "/me") {
		fmt.Fprint(w, `[]`)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/rest/") || strings.HasPrefix(r.URL.Path, "/v2/") || strings.HasPrefix(r.URL.Path, "/oauth/v2/") {
		w.Header().Set("X-Restli-Id", "urn:li:share:17")
		fmt.Fprint(w, `{"sub":"alice","name":"n","elements":[],"active":true,"expires_at":1900000000}`)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/2/") {
		fmt.Fprint(w, `{"data":{"id":"17","name":"n","username":"u"},"meta":{},"access_token":"fresh","refresh_token":"fresh"}`)
		return
	}
	if strings.HasPrefix(r.URL.Query().Get("fields"), "user_id,") {
		fmt.Fprint(w, `{"user_id":"17","username":"u"}`) // Instagram
		return
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/debug_token"):
		fmt.Fprint(w, `{"data":{"type":"USER","is_valid":true,"expires_at":0,"scopes":["pages_manage_posts","pages_read_engagement","pages_show_list"]}}`)
		return
	case strings.HasSuffix(r.URL.Path, "/published_posts"):
		fmt.Fprint(w, `{"data":[]}`)
		return
	case strings.HasPrefix(r.URL.Path, "/v25.0/17"):
		fmt.Fprintf(w, `{"id":"17","name":"n","username":"u","access_token":%q}`, p.page)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/v1/spaces/") {
		fmt.Fprint(w, `{"name":"spaces/AAAA/messages/m.m"}`)
		return
	}
	fmt.Fprintf(w, `{"ok":true,"id":"1","username":"u","acct":"u","url":"https://network.example/@u","name":"n","channel_id":"1","type":1,
		"result":{"id":-1001,"message_id":7,"status":"administrator","title":"c","type":"channel","username":"chan","chat":{"id":-1001}},
		"user_id":"@u:network.example","membership":"join","displayname":"u","event_id":"$e","user":"u","team":"t","ts":"1.2","channel":{"name":"c"},
		"did":"did:plc:abcdefghijklmnopqrstuvwx","handle":"me.network.example",%s,"uri":"at://did:plc:abcdefghijklmnopqrstuvwx/app.bsky.feed.post/3k","cid":"c"}`, p.session)
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

// parrotAccounts are one account of every way to connect one.
func parrotAccounts(p *parrot, s map[string]string) []apiv1.AddAccount {
	return []apiv1.AddAccount{
		{Platform: "http", Name: "http", Credentials: map[string]string{"url": p.URL + "/hook/" + s["http path"] + "?token=" + s["http query"], "secret": s["http secret"]}},
		{Platform: "mastodon", Name: "mastodon", Credentials: map[string]string{"instance_url": p.URL, "access_token": s["mastodon token"]}},
		{Platform: "bluesky", Name: "bluesky", Credentials: map[string]string{"service_url": p.URL, "identifier": "me.network.example", "app_password": s["bluesky password"]}},
		{Platform: "discord", Name: "discord", Credentials: map[string]string{"webhook_url": p.URL + "/api/webhooks/123456789012345678/" + s["discord webhook"]}},
		{Platform: "facebook", Name: "facebook", Credentials: map[string]string{"access_token": s["facebook person"], "page_id": "17", "api_url": p.URL}},
		{Platform: "googlechat", Name: "googlechat", Credentials: map[string]string{"webhook_url": p.URL + "/v1/spaces/AAAA/messages?key=" + s["googlechat key"] + "&token=" + s["googlechat token"]}},
		{Platform: "nostr", Name: "nostr", Credentials: map[string]string{"nsec": s["nostr key"], "relays": strings.Replace(p.URL, "http", "ws", 1)}},
		{Platform: "slack", Name: "slack", Credentials: map[string]string{"webhook_url": p.URL + "/services/T00000000/B00000000/" + s["slack webhook"]}},
		{Platform: "slack", Name: "slack bot", Credentials: map[string]string{"bot_token": s["slack bot token"], "channel": "C0123456789", "api_url": p.URL + "/api"}},
		{Platform: "telegram", Name: "telegram", Credentials: map[string]string{"bot_token": "123456:" + s["telegram token"], "chat_id": "-1001", "api_url": p.URL}},
		{Platform: "threads", Name: "threads", Credentials: map[string]string{"api_url": p.URL, "access_token": s["threads token"]}},
		{Platform: "instagram", Name: "instagram", Credentials: map[string]string{"api_url": p.URL, "access_token": s["instagram token"]}},
		{Platform: "wordpress", Name: "wordpress", Credentials: map[string]string{"site_url": p.URL, "username": "alice", "application_password": s["wordpress password"]}},
		{Platform: "linkedin", Name: "linkedin", Credentials: map[string]string{
			"access_token": s["linkedin person"], "client_id": "client", "client_secret": s["linkedin secret"], "api_url": p.URL,
		}},
		{Platform: "linkedin", Name: "linkedin organization", Credentials: map[string]string{"access_token": s["linkedin organization"], "organization": "17", "api_url": p.URL}},
		{Platform: "x", Name: "x", Credentials: map[string]string{
			"api_key": s["x key"], "api_secret": s["x secret"], "access_token": s["x token"], "access_token_secret": s["x token secret"], "api_url": p.URL,
		}},
		{Platform: "x", Name: "x, OAuth 2.0", Credentials: map[string]string{
			"client_id": "client", "client_secret": s["x client secret"], "access_token": s["x access"], "refresh_token": s["x refresh"], "api_url": p.URL,
		}},
		{Platform: "matrix", Name: "matrix", Credentials: map[string]string{"homeserver_url": p.URL, "access_token": s["matrix token"], "room_id": "!room:network.example"}},
	}
}
