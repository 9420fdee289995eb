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

// keyMember is the member of an event that contains its key; see [eventKey]. The
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

	Relation *relation `json:"m.relates_to,omitempty"`
}

// Check counts the bytes of the text as JSON, because that is how the size of an
// event is limited.
func (p *Publisher) Check(a schedctl.Account, content publish.Content) publish.Check {
	c := publish.MeasuredMessage(a, content, len(outbound.EncodeJSON(content.Text))-len(`""`), maxBody, "bytes", nil)
	c.CheckChat(content, "Matrix")
	c.WarnPreview(content, "Matrix")
	return c
}

// Publish checks that the room is not encrypted and that it has the posts to which a part
// replies, and sends the messages of the request.
func (p *Publisher) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	if err := publish.CheckRequest(p, &r); err != nil {
		return schedctl.Receipt{}, err
	}
	s, err := p.parseRoom(r.Credentials)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	if err := p.checkReadable(ctx, publish.PurposeLookup, s); err != nil {
		return schedctl.Receipt{}, err
	}
	if err := p.checkParent(ctx, s, r); err != nil {
		return schedctl.Receipt{}, err
	}
	return p.sendAll(ctx, s, r)
}

// parseRoom is parseCredentials for requests that need the room's id and a session.
func (p *Publisher) parseRoom(c publish.Credentials) (session, error) {
	s, err := p.parseCredentials(c)
	if err == nil {
		err = s.usable(time.Now())
	}
	if err == nil && !roomID().MatchString(s.room) {
		err = publish.Contentf("room_id", "the id of the room is unknown; reconnect the account")
	}
	return s, err
}

// readResponse interprets a response.
func (s session) readResponse(a outbound.Response, r publish.Request, now time.Time, hidden ...string) (schedctl.Receipt, error) {
	if a.Status < 200 || a.Status > 299 {
		return schedctl.Receipt{}, s.refusal(a, r.Purpose(), now, hidden...)
	}
	var body struct {
		EventID string `json:"event_id"`
	}
	if a.Cut || json.Unmarshal(a.Body, &body) != nil || !isEvent(body.EventID) {
		return schedctl.Receipt{}, outbound.Unconfirmed(a, "the homeserver accepted the request but named no event; check the room for the post")
	}
	return schedctl.Receipt{ID: body.EventID, URL: roomPage(s.room, r.Account.Username, body.EventID)}, nil
}

// isEvent reports whether a string can be the id of an event. Ids are opaque.
func isEvent(id string) bool {
	return strings.HasPrefix(id, "$") && len(id) <= 255 && outbound.ValidToken(id)
}
