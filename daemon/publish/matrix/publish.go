package matrix

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// keyMember is the member of an event that contains the request's key. The
// specification reserves such names for their owners.
const keyMember = "io.github.schedctl.key"

// message is the content of an m.room.message. The empty mentions prevent
// notifications.
type message struct {
	MsgType  string   `json:"msgtype"`
	Body     string   `json:"body"`
	Mentions struct{} `json:"m.mentions"`
	Key      string   `json:"io.github.schedctl.key"`

	// Of a file. If FileName differs from Body, Body is the caption.
	FileName string    `json:"filename,omitempty"`
	URL      string    `json:"url,omitempty"`
	Info     *fileInfo `json:"info,omitempty"`
}

// Check counts the bytes of the text as JSON, because that is how the size of an
// event is limited.
func (p *Publisher) Check(a schedctl.Account, content publish.Content) publish.Check {
	return publish.MeasuredMessage(a, content, len(outbound.EncodeJSON(content.Text))-len(`""`), maxBody, "bytes", nil)
}

// Publish checks that the room is not encrypted and sends a message with the
// request's key as its transaction id.
func (p *Publisher) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	if err := p.Check(r.Account, r.Shown()).Err(); err != nil {
		return schedctl.Receipt{}, err
	}
	m, err := newMessage(r)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	s, err := p.parseRoom(r.Credentials)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	if err := p.checkReadable(ctx, s); err != nil {
		return schedctl.Receipt{}, err
	}
	header := outbound.Header(p.userAgent, s.token)
	header.Set("Content-Type", "application/json")
	to := s.endpoint("rooms", s.room, "send", "m.room.message", r.Key)
	response, err := outbound.Put(ctx, p.client, to.String(), header, outbound.EncodeJSON(m))
	if err != nil {
		return schedctl.Receipt{}, err
	}
	return readResponse(response, s.room, r.Account.Username, time.Now(), append(s.hidden, r.Content)...)
}

// newMessage returns the message of a request: its text, or its file with the text as
// caption.
func newMessage(r publish.Request) (message, error) {
	switch len(r.Files) {
	case 0:
		return message{MsgType: "m.text", Body: r.Content, Key: r.Key}, nil
	case 1:
		m := fileMessage(r, r.Files[0])
		m.Key = r.Key
		return m, nil
	}
	return message{}, publish.Contentf("media", "the network takes one file in a post; split the post")
}

// parseRoom is parseCredentials for requests that need the room's id.
func (p *Publisher) parseRoom(c publish.Credentials) (session, error) {
	s, err := p.parseCredentials(c)
	if err == nil && !roomID().MatchString(s.room) {
		err = publish.Contentf("room_id", "the id of the room is unknown; reconnect the account")
	}
	return s, err
}

// readResponse interprets a response.
func readResponse(a outbound.Response, room, user string, now time.Time, hidden ...string) (schedctl.Receipt, error) {
	if a.Status < 200 || a.Status > 299 {
		return schedctl.Receipt{}, refusal(a, now, hidden...)
	}
	var body struct {
		EventID string `json:"event_id"`
	}
	if a.Cut || json.Unmarshal(a.Body, &body) != nil || !isEvent(body.EventID) {
		return schedctl.Receipt{}, outbound.Unconfirmed(a, "the homeserver accepted the request but named no event; check the room for the post")
	}
	return schedctl.Receipt{ID: body.EventID, URL: roomPage(room, user, body.EventID)}, nil
}

// isEvent reports whether a string can be the id of an event. Ids are opaque.
func isEvent(id string) bool {
	return strings.HasPrefix(id, "$") && len(id) <= 255 && outbound.ValidToken(id)
}
