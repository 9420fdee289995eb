package matrix

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// Connect logs in if it is given a password, checks the token, resolves an alias to a room, and checks that the user
// has joined the room and may write there. It refuses encrypted rooms. The profile's
// credentials contain the id of the room, so the account keeps its room even if the
// alias moves to another one.
func (p *Publisher) Connect(ctx context.Context, c publish.Connection) (publish.Profile, error) {
	stored := c.Credentials
	c.Credentials = maps.Clone(stored)
	delete(c.Credentials, resolvedRoom)
	if err := publish.CheckFields(p.Fields(), c); err != nil {
		return publish.Profile{}, err
	}
	if err := checkWay(c.Credentials); err != nil {
		return publish.Profile{}, err
	}
	s, err := p.parseCredentials(stored)
	if err != nil {
		return publish.Profile{}, err
	}
	if stored[fieldPassword] == "" {
		return p.connect(ctx, s, c.Credentials)
	}
	if c.Credentials, err = p.logIn(ctx, s, c.Credentials); err != nil {
		return publish.Profile{}, err
	}
	if s, err = p.parseCredentials(c.Credentials); err != nil {
		return publish.Profile{}, err
	}
	profile, err := p.connect(ctx, s, c.Credentials)
	if err != nil {
		p.logOut(ctx, s)
		return publish.Profile{}, err
	}
	profile.Credentials = c.Credentials
	return profile, nil
}

// checkWay returns an error unless there is either a password with its user or a token.
func checkWay(c publish.Credentials) error {
	switch {
	case c[fieldPassword] != "" && c[fieldToken] != "":
		return publish.Contentf(fieldPassword, "password and access_token exclude each other; give one")
	case c[fieldPassword] != "" && c[fieldUser] == "":
		return publish.Contentf(fieldUser, "user is missing: whose password it is, such as news or @news:example.org")
	case c[fieldPassword] == "" && c[fieldToken] == "":
		return publish.Contentf(fieldToken, "access_token is missing; give it, or user and password, or use --login")
	}
	return nil
}

// connect is Connect for a session. It adds the id of the room to the credentials.
func (p *Publisher) connect(ctx context.Context, s session, c publish.Credentials) (publish.Profile, error) {
	if err := s.usable(time.Now()); err != nil {
		return publish.Profile{}, err
	}
	user, err := p.whoami(ctx, s)
	if err != nil {
		return publish.Profile{}, err
	}
	profile := publish.Profile{Username: user, Limits: schedctl.Limits{MaxCharacters: maxBody, Unit: "bytes"}}
	if isAlias(s.room) {
		if s.room, err = p.resolve(ctx, s); err != nil {
			return publish.Profile{}, err
		}
	}
	if isAlias(c[fieldRoom]) {
		c[resolvedRoom] = s.room
		profile.Credentials = c
	}
	if profile.DisplayName, err = p.displayName(ctx, s, user); err != nil {
		return publish.Profile{}, err
	}
	if err := p.checkReadable(ctx, publish.PurposeIdentity, s); err != nil {
		return publish.Profile{}, err
	}
	if err := p.checkWritable(ctx, s, user); err != nil {
		return publish.Profile{}, err
	}
	profile.URL, profile.Identity = roomPage(s.room, user, ""), user+" "+s.room
	profile.Warnings = p.warnOfEnd(ctx, s)
	return profile, nil
}

func (p *Publisher) whoami(ctx context.Context, s session) (string, error) {
	var response struct {
		UserID string `json:"user_id"`
	}
	status, err := p.get(ctx, s, publish.PurposeIdentity, s.endpoint("account", "whoami"), &response)
	if err != nil {
		return "", err
	}
	user := outbound.Label(response.UserID)
	if status != http.StatusOK || !strings.HasPrefix(user, "@") {
		return "", notAServer(s)
	}
	return user, nil
}

// resolve returns the id of the room with the alias.
func (p *Publisher) resolve(ctx context.Context, s session) (string, error) {
	var response struct {
		RoomID string `json:"room_id"`
	}
	status, err := p.get(ctx, s, publish.PurposeIdentity, s.endpoint("directory", "room", s.room), &response)
	if err != nil {
		return "", err
	}
	if status != http.StatusOK || !roomID().MatchString(response.RoomID) {
		return "", publish.Contentf("room_id", "%s has no room with this alias; check room_id", s.server.Host)
	}
	return response.RoomID, nil
}

// displayName returns the user's name in the room. Homeservers show the members of a
// room only to members.
func (p *Publisher) displayName(ctx context.Context, s session, user string) (string, error) {
	var response struct {
		Membership  string `json:"membership"`
		DisplayName any    `json:"displayname"`
	}
	status, err := p.get(ctx, s, publish.PurposeIdentity, s.endpoint("rooms", s.room, "state", "m.room.member", user), &response)
	if refused, ok := errors.AsType[*publish.Error](err); ok && refused.HTTPStatus == http.StatusForbidden {
		status, err = refused.HTTPStatus, nil
	}
	if err != nil {
		return "", err
	}
	if status != http.StatusOK || response.Membership != "join" {
		return "", &publish.Error{
			Kind: schedctl.KindAuth, Code: "not_joined", HTTPStatus: status, Outcome: schedctl.OutcomeNotPublished,
			Message: outbound.Label(user) + " has not joined the room; join it in a Matrix client, then try again",
		}
	}
	return outbound.Label(response.DisplayName), nil
}

// get reads a document. Status 404 is not an error.
func (p *Publisher) get(ctx context.Context, s session, purpose publish.Purpose, u *url.URL, document any) (status int, err error) {
	a, err := outbound.Get(ctx, p.client, u.String(), outbound.Header(p.userAgent, s.token))
	switch {
	case err != nil:
		return 0, outbound.AddressError(err, "homeserver_url")
	case a.Status == http.StatusNotFound:
		return a.Status, nil
	case a.Status != http.StatusOK:
		return 0, refusedGet(a, purpose, s)
	case a.Cut || json.Unmarshal(a.Body, document) != nil:
		return 0, notAServer(s)
	}
	return a.Status, nil
}

func refusedGet(a outbound.Response, purpose publish.Purpose, s session) error {
	e := s.refusal(a, purpose, time.Now())
	e.Outcome = schedctl.OutcomeNotPublished
	if a.Status >= 300 && a.Status < 400 {
		e.Kind, e.Code = schedctl.KindContent, "homeserver_url"
		e.Message = s.server.Host + " redirects to another address; use that address as homeserver_url"
	}
	return e
}

func notAServer(s session) error {
	return publish.Contentf("homeserver_url", "%.200q has no Matrix client API; look up the address of your homeserver in the settings of your Matrix client", s.server.Host)
}

// roomPage returns the public address of a room, or of an event in it. It names the
// user's homeserver as an entry point.
func roomPage(room, user, event string) string {
	page := "https://matrix.to/#/" + url.QueryEscape(room)
	if event != "" {
		page += "/" + url.QueryEscape(event)
	}
	if _, server, ok := strings.Cut(user, ":"); ok {
		page += "?via=" + url.QueryEscape(server)
	}
	return page
}
