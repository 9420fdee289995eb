package matrix

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// codeNotFound is the errcode for a state event that the room does not have.
const codeNotFound = "M_NOT_FOUND"

// checkReadable returns an error of kind auth for an encrypted room. Its members
// expect that no one else can read the messages, and schedctl cannot encrypt. It
// also returns an error if the response does not clearly say that the room is not
// encrypted. Messages are sent only after it has returned nil. A refusal of the question holds the
// account only when it is connected or verified.
func (p *Publisher) checkReadable(ctx context.Context, purpose publish.Purpose, s session) error {
	a, err := outbound.Get(ctx, p.client, s.endpoint("rooms", s.room, "state", "m.room.encryption").String(), outbound.Header(p.userAgent, s.token))
	switch {
	case err != nil:
		return publish.NotPublished(err)
	case a.Status == http.StatusOK:
		return &publish.Error{
			Kind: schedctl.KindAuth, Code: "encrypted", Outcome: schedctl.OutcomeNotPublished,
			Message: "the room is encrypted, and schedctl cannot encrypt; connect another room as a separate account",
		}
	case a.Status == http.StatusNotFound && refusal(a, purpose, time.Now()).Code == codeNotFound:
		return nil
	}
	return notSaid(a, purpose, s, "whether the room is encrypted")
}

// notSaid returns the error of a question before a message that the homeserver refuses or
// does not understand. That it does not allow the question says nothing about the account.
func notSaid(a outbound.Response, purpose publish.Purpose, s session, what string) error {
	refused := publish.AsError(refusedGet(a, purpose, s))
	if a.Status != http.StatusOK && a.Status != http.StatusNotFound && refused.Code != publish.CodeCannotAsk {
		return refused
	}
	return outbound.WithErrorText(&publish.Error{
		Kind: schedctl.KindPlatform, HTTPStatus: a.Status, Outcome: schedctl.OutcomeNotPublished,
		Message: "the homeserver does not say " + what + "; schedctl will retry",
	}, outbound.ErrorText(a, s.hidden...))
}

// powerLevels are the parts of m.room.power_levels that say who may send messages.
// Levels are numbers, or numbers in strings in old rooms.
type powerLevels struct {
	Users         map[string]any `json:"users"`
	UsersDefault  any            `json:"users_default"`
	Events        map[string]any `json:"events"`
	EventsDefault any            `json:"events_default"`
}

// forMessage returns the level of a user and the level needed to send a message.
func (l powerLevels) forMessage(user string) (has, needs float64) {
	has, listed := level(l.Users[user])
	if !listed {
		has, _ = level(l.UsersDefault)
	}
	needs, listed = level(l.Events["m.room.message"])
	if !listed {
		needs, _ = level(l.EventsDefault)
	}
	return has, needs
}

func level(value any) (n float64, ok bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case string:
		n, err := strconv.ParseFloat(v, 64)
		return n, err == nil
	}
	return 0, false
}

// checkWritable returns an error of kind auth if the user may not send messages to
// the room. A room without power levels lets everyone write
// (https://spec.matrix.org/latest/client-server-api/#mroompower_levels).
func (p *Publisher) checkWritable(ctx context.Context, s session, user string) error {
	var levels powerLevels
	status, err := p.get(ctx, s, publish.PurposeIdentity, s.endpoint("rooms", s.room, "state", "m.room.power_levels"), &levels)
	if err != nil || status != http.StatusOK {
		return err
	}
	has, needs := levels.forMessage(user)
	if has >= needs {
		return nil
	}
	if creator, err := p.mayBeCreator(ctx, s, user); creator || err != nil {
		return err
	}
	return &publish.Error{
		Kind: schedctl.KindAuth, Code: "may_not_write", Outcome: schedctl.OutcomeNotPublished,
		Message: outbound.Label(user) + " has power level " + formatLevel(has) + " in the room, and messages need " + formatLevel(needs) +
			"; ask an administrator of the room to raise it, then try again",
	}
}

func formatLevel(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// creatorVersion is the first room version in which creators may do everything
// without being listed in the power levels.
const creatorVersion = 12

// mayBeCreator reports whether the user is, or may be, a creator of a room whose
// creators are above all power levels.
func (p *Publisher) mayBeCreator(ctx context.Context, s session, user string) (bool, error) {
	u := s.endpoint("rooms", s.room, "state", "m.room.create")
	u.RawQuery = "format=event" // the content alone does not name the sender
	type content struct {
		Version    string   `json:"room_version"`
		Additional []string `json:"additional_creators"`
	}
	var event struct {
		content // if the homeserver ignores the format
		Sender  string
		Content json.RawMessage
	}
	status, err := p.get(ctx, s, publish.PurposeIdentity, u, &event)
	if err != nil || status != http.StatusOK {
		return false, err
	}
	if len(event.Content) > 0 {
		event.content = content{}
		_ = json.Unmarshal(event.Content, &event.content) // unexpected content has no version
	}
	if version, err := strconv.Atoi(event.Version); err != nil || version < creatorVersion {
		return false, nil
	}
	return event.Sender == "" || event.Sender == user || slices.Contains(event.Additional, user), nil
}
