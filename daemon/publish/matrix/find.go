package matrix

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

const (
	// maxClockSkew is how much the clocks of a homeserver and of this machine may
	// differ. A clock may be changed by an hour between an attempt and the search for
	// its event.
	maxClockSkew = 2 * time.Hour

	pageSize = "50"
	maxPages = 20
)

// findAfter is how long after an interrupted request the room is first searched:
// long enough for most homeservers to finish it.
const findAfter = 2 * time.Second

// FindAfter returns two seconds; see the package comment.
func (p *Publisher) FindAfter() time.Duration { return findAfter }

// Find reads the room backwards, to two hours before since, and looks for an event
// of the account's user with the request's key. It returns an error if the room has
// more events than it reads.
func (p *Publisher) Find(ctx context.Context, r publish.Request, since time.Time) (schedctl.Receipt, bool, error) {
	s, err := p.parseRoom(r.Credentials)
	if err != nil {
		return schedctl.Receipt{}, false, err
	}
	user := r.Account.Username
	query := url.Values{"dir": {"b"}, "limit": {pageSize}, "filter": {filter(user)}}
	for range maxPages {
		u := s.endpoint("rooms", s.room, "messages")
		u.RawQuery = query.Encode()
		var events eventPage
		status, err := p.get(ctx, s, u, &events)
		if err != nil {
			return schedctl.Receipt{}, false, err
		}
		if status != http.StatusOK {
			return schedctl.Receipt{}, false, cannotAsk("the homeserver does not show the messages of the room")
		}
		if id := events.find(r.Key, user); id != "" {
			return schedctl.Receipt{ID: id, URL: roomPage(s.room, user, id)}, true, nil
		}
		if events.End == "" || events.End == query.Get("from") || events.endsBefore(since.Add(-maxClockSkew)) {
			return schedctl.Receipt{}, false, nil
		}
		query.Set("from", events.End)
	}
	return schedctl.Receipt{}, false, cannotAsk("the room has too many newer messages to search")
}

// filter selects messages of the user.
func filter(user string) string {
	f := map[string][]string{"types": {"m.room.message"}}
	if user != "" {
		f["senders"] = []string{user}
	}
	return string(outbound.EncodeJSON(f))
}

func cannotAsk(why string) error {
	return &publish.Error{Kind: schedctl.KindPlatform, Code: publish.CodeCannotAsk, Message: why, Outcome: schedctl.OutcomeUnknown}
}

// eventPage is a page of a room's events, newest first.
type eventPage struct {
	Chunk []event `json:"chunk"`
	End   string  `json:"end"` // start of the next page, or empty
}

type event struct {
	ID      string          `json:"event_id"`
	Sender  string          `json:"sender"`
	Time    int64           `json:"origin_server_ts"` // Unix milliseconds
	Content json.RawMessage `json:"content"`
}

// find returns the id of the event with the key, or the empty string. Other members
// can write any key, so only the user's own events count.
func (p eventPage) find(key, user string) string {
	for _, e := range p.Chunk {
		var content map[string]any
		if json.Unmarshal(e.Content, &content) == nil && content[keyMember] == key && (user == "" || e.Sender == user) && isEvent(e.ID) {
			return e.ID
		}
	}
	return ""
}

// endsBefore reports whether the page ends before t.
func (p eventPage) endsBefore(t time.Time) bool {
	return len(p.Chunk) > 0 && time.UnixMilli(p.Chunk[len(p.Chunk)-1].Time).Before(t)
}
