package publishtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// FakeMatrix is a homeserver of Matrix with one user and one room, as the specification
// describes it: logins with a password, sessions with refresh tokens, and an authorization
// server with registration, code grant and device grant. A refresh token is valid until the
// session that it was exchanged for is used; with Strict it works once. It keeps its state in
// memory. See [NewFakeMatrix].
//
// Fields may be changed before the first request. Respond may be changed at any time.
type FakeMatrix struct {
	mishaps

	User, Password, Room string
	URL                  string // where the fake is served; needed for OAuth

	OAuth  bool // the homeserver has an authorization server, which issues its tokens
	Device bool // the authorization server has the device grant
	Strict bool // a refresh token is refused as soon as it was used

	// Seconds is how long a session lasts by its own account. A session ends when a test calls
	// [FakeMatrix.ExpireSession].
	Seconds int

	// Scope is what the user grants; empty grants what is asked for.
	Scope string

	mu       sync.Mutex // mu guards the fields below
	issued   int
	sessions map[string]*matrixSession // by refresh token
	events   []MatrixEvent
	byTxn    map[string]string // ids of events, by device and transaction
	clients  map[string]matrixClient
	codes    map[string]authorization
	devices  map[string]string // scopes, by device code
	refused  int               // refresh tokens that were refused
}

// MatrixEvent is a message in the room of a [FakeMatrix].
type MatrixEvent struct {
	ID, Device, Key, Body string
}

type matrixSession struct {
	access, device, client, scope string
	used, expired, ended          bool
	previous                      string // the refresh token that it replaces
}

type matrixClient struct {
	redirects, grants []string
}

// NewFakeMatrix returns a homeserver without an authorization server.
func NewFakeMatrix() *FakeMatrix {
	return &FakeMatrix{
		User: "@news:server.test", Password: "a-password-of-the-user", Room: "!room:server.test", Seconds: 300,
		sessions: map[string]*matrixSession{}, byTxn: map[string]string{}, clients: map[string]matrixClient{}, codes: map[string]authorization{}, devices: map[string]string{},
	}
}

// Events returns the messages of the room.
func (f *FakeMatrix) Events() []MatrixEvent {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.events)
}

// ExpireSession ends the access tokens that were issued so far.
func (f *FakeMatrix) ExpireSession() { f.each(func(s *matrixSession) { s.expired = true }) }

// LogOut ends all sessions, with their refresh tokens.
func (f *FakeMatrix) LogOut() { f.each(func(s *matrixSession) { s.ended = true }) }

// Sessions returns how many sessions can still be renewed or used.
func (f *FakeMatrix) Sessions() (n int) {
	f.each(func(s *matrixSession) {
		if !s.ended {
			n++
		}
	})
	return n
}

// Refused returns how many refresh tokens were refused.
func (f *FakeMatrix) Refused() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.refused
}

func (f *FakeMatrix) each(fn func(*matrixSession)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.sessions {
		fn(s)
	}
}

// Login returns credentials of a new session, as a login returns them.
func (f *FakeMatrix) Login(address string) map[string]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.clients["a-client"] = matrixClient{}
	refresh, s := f.issue("A-DEVICE", "a-client", "urn:matrix:client:api:*", "")
	return map[string]string{
		"homeserver_url": address, "room_id": f.Room, "access_token": s.access, "refresh_token": refresh, "client_id": s.client, "device_id": s.device,
	}
}

// issue starts a session, which replaces the one of a refresh token.
func (f *FakeMatrix) issue(device, client, scope, previous string) (refresh string, s *matrixSession) {
	f.issued++
	refresh = fmt.Sprint("a-refresh-token-", f.issued)
	s = &matrixSession{access: fmt.Sprint("an-access-token-", f.issued), device: device, client: client, scope: scope, previous: previous}
	f.sessions[refresh] = s
	return refresh, s
}

// renew exchanges a refresh token. ok is false if it is not valid.
func (f *FakeMatrix) renew(refresh, client string) (string, *matrixSession, bool) {
	old := f.sessions[refresh]
	replaced := slices.ContainsFunc(f.all(), func(s *matrixSession) bool { return s.previous == refresh && (s.used || f.Strict) })
	if old == nil || old.ended || old.client != client || replaced {
		f.refused++
		return "", nil, false
	}
	fresh, s := f.issue(old.device, old.client, old.scope, refresh)
	return fresh, s, true
}

func (f *FakeMatrix) all() (list []*matrixSession) {
	for _, s := range f.sessions {
		list = append(list, s)
	}
	return list
}

// ServeHTTP implements [http.Handler].
func (f *FakeMatrix) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.serve(w, r, func(header http.Header, body []byte) (int, string) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if rest, ok := strings.CutPrefix(r.URL.Path, "/oauth2/"); ok {
			return f.oauth(header, r, rest, body)
		}
		return f.route(r, body)
	})
}

// route serves the client-server API.
func (f *FakeMatrix) route(r *http.Request, body []byte) (int, string) {
	var in struct {
		Type, Password, Body, Key string
		Identifier                struct{ User string }
		Refresh                   any `json:"refresh_token"`
	}
	_ = json.Unmarshal(body, &in)
	switch r.URL.Path {
	case "/_matrix/client/v1/auth_metadata":
		return f.metadata()
	case "/_matrix/client/v3/login":
		if f.OAuth {
			return 404, `{"errcode":"M_UNRECOGNIZED","error":"Unrecognized request"}`
		}
		if in.Password != f.Password || in.Identifier.User != f.User || in.Type != "m.login.password" {
			return 403, `{"errcode":"M_FORBIDDEN","error":"Invalid username or password"}`
		}
		refresh, s := f.issue(fmt.Sprint("DEVICE", f.issued), "", "urn:matrix:client:api:*", "")
		return 200, f.session(refresh, s)
	case "/_matrix/client/v3/refresh":
		token, _ := in.Refresh.(string)
		refresh, s, ok := f.renew(token, "")
		if old := f.sessions[token]; !ok && old != nil && !old.ended { // the words of Synapse
			return 403, `{"errcode":"M_FORBIDDEN","error":"refresh token isn't valid anymore"}`
		} else if !ok {
			return 401, `{"errcode":"M_UNKNOWN_TOKEN","error":"refresh token does not exist"}`
		}
		return 200, f.session(refresh, s)
	}
	s := f.authorized(r.Header.Get("Authorization"))
	if s == nil {
		return 401, `{"errcode":"M_UNKNOWN_TOKEN","error":"Unrecognised access token","soft_logout":true}`
	}
	if !strings.Contains(s.scope, "urn:matrix:client:api:*") {
		return 403, `{"errcode":"M_FORBIDDEN","error":"The token does not have the required scope"}`
	}
	s.used = true
	return f.room(r, s, body)
}

func (f *FakeMatrix) authorized(header string) *matrixSession {
	for _, s := range f.sessions {
		if header == "Bearer "+s.access && !s.expired && !s.ended {
			return s
		}
	}
	return nil
}

func (f *FakeMatrix) session(refresh string, s *matrixSession) string {
	return fmt.Sprintf(`{"user_id":%q,"device_id":%q,"access_token":%q,"refresh_token":%q,"expires_in_ms":%d}`, f.User, s.device, s.access, refresh, f.Seconds*1000)
}

// room serves the requests about the room.
func (f *FakeMatrix) room(r *http.Request, s *matrixSession, body []byte) (int, string) {
	rest := strings.TrimPrefix(r.URL.Path, "/_matrix/client/v3/rooms/"+f.Room+"/")
	switch {
	case r.URL.Path == "/_matrix/client/v3/account/whoami":
		return 200, fmt.Sprintf(`{"user_id":%q,"device_id":%q}`, f.User, s.device)
	case r.URL.Path == "/_matrix/client/v3/logout":
		s.ended = true
		return 200, "{}"
	case rest == "state/m.room.member/"+f.User:
		return 200, `{"membership":"join","displayname":"News"}`
	case strings.HasPrefix(rest, "state/"):
		return 404, `{"errcode":"M_NOT_FOUND","error":"Event not found."}`
	case strings.HasPrefix(rest, "event/"):
		if slices.ContainsFunc(f.events, func(e MatrixEvent) bool { return e.ID == path.Base(rest) }) {
			return 200, `{"content":{"body":"…"}}`
		}
		return 404, `{"errcode":"M_NOT_FOUND","error":"Event not found."}`
	case rest == "messages":
		return 200, f.messages()
	case strings.HasPrefix(rest, "send/m.room.message/") && r.Method == http.MethodPut:
		var content struct {
			Key  string `json:"io.github.schedctl.key"`
			Body string `json:"body"`
		}
		_ = json.Unmarshal(body, &content)
		txn := s.device + " " + path.Base(rest)
		if f.byTxn[txn] == "" {
			f.byTxn[txn] = "$" + strconv.Itoa(len(f.events)+1)
			f.events = append(f.events, MatrixEvent{ID: f.byTxn[txn], Device: s.device, Key: content.Key, Body: content.Body})
		}
		return 200, fmt.Sprintf(`{"event_id":%q}`, f.byTxn[txn])
	}
	return 404, `{"errcode":"M_UNRECOGNIZED","error":"Unrecognized request"}`
}

// messages lists the room, newest first.
func (f *FakeMatrix) messages() string {
	list := []map[string]any{}
	for _, e := range slices.Backward(f.events) {
		list = append(list, map[string]any{
			"event_id": e.ID, "sender": f.User, "type": "m.room.message", "origin_server_ts": 1_700_000_000_000,
			"content": map[string]any{"body": e.Body, "io.github.schedctl.key": e.Key},
		})
	}
	page, _ := json.Marshal(map[string]any{"chunk": list, "start": "t1"})
	return string(page)
}

// Authorize opens the page of a login as the user in a browser does, who agrees. It returns
// the address to which the browser is sent, or ends the wait of a device grant.
func (f *FakeMatrix) Authorize(address string) (string, error) {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := client.Get(address)
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	if r.StatusCode >= 400 {
		return "", fmt.Errorf("the page has status %d", r.StatusCode)
	}
	return r.Header.Get("Location"), nil
}

func form(body []byte) url.Values {
	values, _ := url.ParseQuery(string(body))
	return values
}
