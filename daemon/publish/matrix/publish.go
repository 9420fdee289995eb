package matrix

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// keyMember is where an event carries the request's key. The specification leaves
// such names to their owners.
const keyMember = "io.github.schedctl.key"

// message is the content of an m.room.message. With mentions that name nobody, a
// text notifies nobody either.
type message struct {
	MsgType  string   `json:"msgtype"`
	Body     string   `json:"body"`
	Mentions struct{} `json:"m.mentions"`
	Key      string   `json:"io.github.schedctl.key"`
}

// Check counts the bytes of the text as JSON, which is how an event is measured.
func (p *Publisher) Check(a schedctl.Account, content string) publish.Check {
	limit := a.Limits.MaxCharacters
	if limit == 0 {
		limit = maxBody
	}
	c := publish.Measured(len(encode(content))-len(`""`), limit, "bytes")
	if strings.TrimSpace(content) == "" {
		c.Problems = append(c.Problems, publish.Contentf("empty", "the post is empty; a message needs text"))
	}
	return c
}

// encode returns JSON as homeservers write it: nothing is escaped that need not be.
func encode(value any) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value) // texts can always be written
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// Publish sends a message with the request's key as its transaction id, once the
// homeserver has said that the room is not encrypted.
func (p *Publisher) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	if err := p.Check(r.Account, r.Content).Err(); err != nil {
		return schedctl.Receipt{}, err
	}
	s, err := p.parseRoom(r.Credentials)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	if err := p.checkReadable(ctx, s); err != nil {
		return schedctl.Receipt{}, err
	}
	header := p.header(s)
	header.Set("Content-Type", "application/json")
	to := s.endpoint("rooms", s.room, "send", "m.room.message", r.Key)
	a, err := outbound.Put(ctx, p.client, to.String(), header, encode(message{MsgType: "m.text", Body: r.Content, Key: r.Key}))
	if err != nil {
		return schedctl.Receipt{}, err
	}
	return readResponse(a, s.room, r.Account.Username, time.Now(), append(s.hidden, r.Content)...)
}

// parseRoom is parse for calls, which need the room's id.
func (p *Publisher) parseRoom(c publish.Credentials) (session, error) {
	s, err := p.parseCredentials(c)
	if err == nil && !roomID().MatchString(s.room) {
		err = publish.Contentf("room_id", "the id of the room is not known; connect the account again")
	}
	return s, err
}

// readResponse tells what an answer means. One that says yes but names no event may come
// from something in front of the homeserver.
func readResponse(a outbound.Response, room, user string, now time.Time, hidden ...string) (schedctl.Receipt, error) {
	if a.Status < 200 || a.Status > 299 {
		return schedctl.Receipt{}, refusal(a, now, hidden...)
	}
	var answer struct {
		EventID string `json:"event_id"`
	}
	if a.Cut || json.Unmarshal(a.Body, &answer) != nil || !isEvent(answer.EventID) {
		return schedctl.Receipt{}, &publish.Error{
			Kind: schedctl.KindPlatform, Message: "the homeserver accepted the call but named no event; look into the room whether it is there",
			HTTPStatus: a.Status, Outcome: schedctl.OutcomeUnknown,
		}
	}
	return schedctl.Receipt{ID: answer.EventID, URL: roomPage(room, user, answer.EventID)}, nil
}

// isEvent reports whether a text can be the id of an event, which is opaque.
func isEvent(id string) bool {
	return strings.HasPrefix(id, "$") && len(id) <= 255 && !strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' })
}
