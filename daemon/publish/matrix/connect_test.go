package matrix_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/matrix"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/recorded"
)

func TestConnectFollowsAnAlias(t *testing.T) {
	t.Parallel()
	p := matrix.New(recorded.Client(t, "testdata/connect.json"), outbound.PublicOnly, "1.2.3")
	given := credentials(server, "#news:example.org")
	got, err := p.Connect(t.Context(), publish.Connection{Credentials: given})
	if err != nil {
		t.Fatal(err)
	}
	want := publish.Profile{
		Username: "@alice:example.org", DisplayName: "Alice 🙂",
		URL:         "https://matrix.to/#/%21636q39766251%3Aexample.org?via=example.org",
		Limits:      schedctl.Limits{MaxCharacters: 60000, Unit: "bytes"},
		Identity:    "@alice:example.org " + room,
		Credentials: credentials(server, "#news:example.org"),
	}
	want.Credentials["resolved_room_id"] = room
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("profile (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(credentials(server, "#news:example.org"), given); diff != "" {
		t.Errorf("Connect changed the given credentials (-before +after):\n%s", diff)
	}
}

// If an alias moves to another room, the account keeps its room.
func TestConnectAgainKeepsTheRoom(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(homeserver{"#news:example.org": {200, `{"room_id":"!2:example.org"}`}})
	defer web.Close()
	stored := credentials(web.URL, "#news:example.org")
	stored["resolved_room_id"] = "!1:example.org"
	p := matrix.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "test")
	for given, want := range map[string]string{"!1:example.org": "!1:example.org", "": "!2:example.org", "nonsense": "!2:example.org"} {
		stored["resolved_room_id"] = given
		got, err := p.Connect(t.Context(), publish.Connection{Credentials: stored})
		if err != nil || got.Credentials["resolved_room_id"] != want {
			t.Errorf("%q: got %v, %v; want %s", given, got.Credentials, err, want)
		}
	}
}

func TestConnectChecksFieldsFirst(t *testing.T) {
	t.Parallel()
	p := matrix.New(nil, outbound.PublicOnly, "test")
	for _, tt := range []struct{ server, token, room, field string }{
		{"matrix.example.org", token, room, "homeserver_url"},
		{"http://matrix.example.org", token, room, "homeserver_url"},
		{"https://192.168.1.1", token, room, "homeserver_url"},
		{"https://matrix.example.org/?x=1", token, room, "homeserver_url"},
		{server, "with space", room, "access_token"},
		{server, token + "\n", room, "access_token"},
		{server, token, "news:example.org", "room_id"},
		{server, token, "#news", "room_id"},
		{server, token, "!a/../b:example.org", "room_id"},
		{server, token, "https://matrix.to/#/#news:example.org", "room_id"},
	} {
		c := credentials(tt.server, tt.room)
		c["access_token"] = tt.token
		_, err := p.Connect(t.Context(), publish.Connection{Credentials: c})
		if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != tt.field || strings.Contains(e.Message, tt.token) {
			t.Errorf("%+v: got %+v", tt, e)
		}
	}
}

// TestConnectAcceptsWhoMayWrite: no user who can send messages is refused.
func TestConnectAcceptsWhoMayWrite(t *testing.T) {
	t.Parallel()
	for name, room := range map[string]homeserver{
		"no power levels":    {},
		"nothing said":       {"m.room.power_levels": {200, `{}`}},
		"listed":             {"m.room.power_levels": {200, `{"events_default":50,"users":{"@alice:example.org":50}}`}},
		"by default":         {"m.room.power_levels": {200, `{"events_default":50,"users_default":"50"}`}},
		"messages need less": {"m.room.power_levels": {200, `{"events_default":50,"events":{"m.room.message":0}}`}},
		"creator":            {"m.room.power_levels": {200, `{"events_default":50}`}, "m.room.create": {200, `{"sender":"@alice:example.org","content":{"room_version":"12"}}`}},
		"additional creator": {"m.room.power_levels": {200, `{"events_default":50}`}, "m.room.create": {200, `{"sender":"@admin:example.org","content":{"room_version":"12","additional_creators":["@alice:example.org"]}}`}},
		"unknown creator":    {"m.room.power_levels": {200, `{"events_default":50}`}, "m.room.create": {200, `{"room_version":"12"}`}},
	} {
		web := httptest.NewServer(room)
		p := matrix.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "test")
		if _, err := p.Connect(t.Context(), publish.Connection{Credentials: credentials(web.URL, "!1:example.org")}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		web.Close()
	}
}

// TestNothingGoesIntoARoomThatWasEncrypted guards that the room is checked before every
// message, and that no message is sent without a clear response.
func TestNothingGoesIntoARoomThatWasEncrypted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		reply reply
		kind  schedctl.ErrorKind
		code  string
	}{
		{"encrypted", reply{200, `{"algorithm":"m.megolm.v1.aes-sha2"}`}, schedctl.KindAuth, "encrypted"},
		{"encrypted in another way", reply{200, `not JSON`}, schedctl.KindAuth, "encrypted"},
		{"may not ask", reply{403, `{"errcode":"M_FORBIDDEN"}`}, schedctl.KindPlatform, ""},
		{"suspended", reply{403, `{"errcode":"M_USER_SUSPENDED"}`}, schedctl.KindAuth, "M_USER_SUSPENDED"},
		{"busy", reply{429, `{"errcode":"M_LIMIT_EXCEEDED"}`}, schedctl.KindRateLimited, "M_LIMIT_EXCEEDED"},
		{"broken", reply{500, ""}, schedctl.KindPlatform, ""},
		{"a page", reply{404, "<h1>404</h1>"}, schedctl.KindPlatform, ""},
	} {
		var sent []string
		room := homeserver{"m.room.encryption": tt.reply}
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet {
				sent = append(sent, r.Method+" "+r.URL.Path)
			}
			room.ServeHTTP(w, r)
		}))
		r := request()
		r.Credentials["homeserver_url"] = web.URL
		_, err := matrix.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "test").Publish(t.Context(), r)
		web.Close()
		e := publish.AsError(err)
		if e.Kind != tt.kind || e.Code != tt.code || e.Outcome != schedctl.OutcomeNotPublished || len(sent) > 0 {
			t.Errorf("%s: got %+v and %q, want %s %q and nothing sent", tt.name, e, sent, tt.kind, tt.code)
		}
	}
}

// A name that resolves to a private address is detected when it is dialed.
func TestConnectRefusesPrivateAddresses(t *testing.T) {
	t.Parallel()
	p := matrix.New(outbound.Client(outbound.PublicOnly), outbound.AllowPrivate, "test")
	_, err := p.Connect(t.Context(), publish.Connection{Credentials: credentials("http://localhost:1", room)})
	e := publish.AsError(err)
	if e.Kind != schedctl.KindContent || e.Code != "homeserver_url" || !strings.Contains(e.Message, "--allow-private-networks") {
		t.Errorf("got %+v", e)
	}
}

// reply is the response of a homeserver.
type reply struct {
	status int
	body   string
}

// homeserver responds by the last segment of the path. Without an entry it responds
// with success.
type homeserver map[string]reply

func (h homeserver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	well := homeserver{
		"whoami":             {200, `{"user_id":"@alice:example.org"}`},
		"#news:example.org":  {200, `{"room_id":"!1:example.org"}`},
		"@alice:example.org": {200, `{"membership":"join"}`},
	}
	name := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	response, known := h[name]
	if !known {
		response = well[name]
	}
	if response.status == 0 {
		response = reply{404, `{"errcode":"M_NOT_FOUND","error":"Event not found."}`}
	}
	w.WriteHeader(response.status)
	fmt.Fprint(w, response.body)
}

func TestConnectErrors(t *testing.T) {
	t.Parallel()
	const whoami, alias, member, levels = "whoami", "#news:example.org", "@alice:example.org", "m.room.power_levels"
	for _, tt := range []struct {
		name   string
		server homeserver
		kind   schedctl.ErrorKind
		code   string
		says   string
	}{
		{"dead token", homeserver{whoami: {401, `{"errcode":"M_UNKNOWN_TOKEN","error":"Invalid access token passed.","soft_logout":false}`}}, schedctl.KindAuth, "M_UNKNOWN_TOKEN", "new one"},
		{"no API", homeserver{whoami: {404, "<h1>404</h1>"}}, schedctl.KindContent, "homeserver_url", "no Matrix client API"},
		{"a page for people", homeserver{whoami: {200, "<!doctype html>"}}, schedctl.KindContent, "homeserver_url", "no Matrix client API"},
		{"another document", homeserver{whoami: {200, `{"user_id":"alice"}`}}, schedctl.KindContent, "homeserver_url", "no Matrix client API"},
		{"moved", homeserver{whoami: {301, ""}}, schedctl.KindContent, "homeserver_url", "redirects"},
		{"busy", homeserver{whoami: {429, `{"errcode":"M_LIMIT_EXCEEDED","error":"Too Many Requests","retry_after_ms":2000}`}}, schedctl.KindRateLimited, "M_LIMIT_EXCEEDED", "fewer requests"},
		{"broken", homeserver{whoami: {502, ""}}, schedctl.KindPlatform, "", "HTTP 502"},
		{"no such alias", homeserver{alias: {404, `{"errcode":"M_NOT_FOUND","error":"Room alias not found."}`}}, schedctl.KindContent, "room_id", "no room with this alias"},
		{"odd alias", homeserver{alias: {200, `{"room_id":"../x"}`}}, schedctl.KindContent, "room_id", "no room with this alias"},
		{"may not ask whether encrypted", homeserver{"m.room.encryption": {403, `{"errcode":"M_FORBIDDEN","error":"no"}`}}, schedctl.KindAuth, "M_FORBIDDEN", "no"},
		{"a stranger", homeserver{member: {403, `{"errcode":"M_FORBIDDEN","error":"You aren't a member of the room."}`}}, schedctl.KindAuth, "not_joined", "has not joined"},
		{"invited only", homeserver{member: {200, `{"membership":"invite"}`}}, schedctl.KindAuth, "not_joined", "has not joined"},
		{"never there", homeserver{member: {404, `{"errcode":"M_NOT_FOUND"}`}}, schedctl.KindAuth, "not_joined", "has not joined"},
		{"encrypted", homeserver{"m.room.encryption": {200, `{"algorithm":"m.megolm.v1.aes-sha2"}`}}, schedctl.KindAuth, "encrypted", "the room is encrypted, and schedctl cannot encrypt"},
		{"another 404 for encryption", homeserver{"m.room.encryption": {404, `<h1>404</h1>`}}, schedctl.KindPlatform, "", "does not say whether the room is encrypted"},
		{"announcements", homeserver{levels: {200, `{"events_default":50,"users":{"@admin:example.org":100}}`}}, schedctl.KindAuth, "may_not_write", "has power level 0 in the room, and messages need 50"},
		{"muted", homeserver{levels: {200, `{"users":{"@alice:example.org":-1}}`}}, schedctl.KindAuth, "may_not_write", "has power level -1"},
		{"messages need more", homeserver{levels: {200, `{"users_default":"10","events":{"m.room.message":"20"}}`}}, schedctl.KindAuth, "may_not_write", "10 in the room, and messages need 20"},
		{"another's new room", homeserver{levels: {200, `{"events_default":50}`}, "m.room.create": {200, `{"sender":"@admin:example.org","content":{"room_version":"12"}}`}}, schedctl.KindAuth, "may_not_write", "ask an administrator"},
		{"own old room", homeserver{levels: {200, `{"events_default":50}`}, "m.room.create": {200, `{"sender":"@alice:example.org","content":{"room_version":"11"}}`}}, schedctl.KindAuth, "may_not_write", ""},
		{"not known whether encrypted", homeserver{"m.room.encryption": {500, ""}}, schedctl.KindPlatform, "", "HTTP 500"},
		{"echoes the token", homeserver{whoami: {403, `{"errcode":"X","error":"no ` + token + `"}`}}, schedctl.KindAuth, "X", "HTTP 403"},
	} {
		web := httptest.NewServer(tt.server)
		p := matrix.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "test")
		_, err := p.Connect(t.Context(), publish.Connection{Credentials: credentials(web.URL, alias)})
		web.Close()
		e := publish.AsError(err)
		if e.Kind != tt.kind || e.Code != tt.code || !strings.Contains(e.Message, tt.says) || e.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%s: got %s %q %s %q", tt.name, e.Kind, e.Code, e.Outcome, e.Message)
		}
		if strings.Contains(e.Message, token) {
			t.Errorf("%s: %q contains the token", tt.name, e.Message)
		}
	}
}
