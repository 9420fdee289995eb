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

// Find reads the room backwards, to two hours before since, and looks for the events of
// the account's user with the keys of the request. It finds a post with several events
// only if the room has all of them; a repeated request sends those that are missing. It
// returns an error if the room has more events than it reads.
func (p *Publisher) Find(ctx context.Context, r publish.Request, since time.Time) (schedctl.Receipt, bool, error) {
	s, err := p.parseRoom(r.Credentials)
	if err != nil {
		return schedctl.Receipt{}, false, err
	}
	sent, err := p.search(ctx, s, r, since)
	if len(sent) == eventCount(r) {
		return sent[r.Key], true, nil
	}
	return schedctl.Receipt{}, false, err
}

// search returns the events of a request that the room has, by key. It stops when it has
// found all of them.
func (p *Publisher) search(ctx context.Context, s session, r publish.Request, since time.Time) (map[string]schedctl.Receipt, error) {
	user, sent, keys := r.Account.Username, map[string]schedctl.Receipt{}, map[string]bool{}
	for i := range eventCount(r) {
		keys[eventKey(r, i)] = true
	}
	query := url.Values{"dir": {"b"}, "limit": {pageSize}, "filter": {filter(user)}}
	for range maxPages {
		u := s.endpoint("rooms", s.room, "messages")
		u.RawQuery = query.Encode()
		var events eventPage
		status, err := p.get(ctx, s, publish.PurposeLookup, u, &events)
		if err != nil {
			return sent, err
		}
		if status != http.StatusOK {
			return sent, publish.CannotAsk("the homeserver does not show the messages of the room")
		}
		for key, id := range events.find(keys, user) {
			sent[key] = schedctl.Receipt{ID: id, URL: roomPage(s.room, user, id)}
		}
		if len(sent) == len(keys) || events.End == "" || events.End == query.Get("from") || events.endsBefore(since.Add(-maxClockSkew)) {
			return sent, nil
		}
		query.Set("from", events.End)
	}
	return sent, publish.CannotAsk("the room has too many newer messages to search")
}

// filter selects messages of the user.
func filter(user string) string {
	f := map[string][]string{"types": {"m.room.message"}}
	if user != "" {
		f["senders"] = []string{user}
	}
	return string(outbound.EncodeJSON(f))
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

// find returns the ids of the events with the keys, by key. Other members can write any
// key, so only the user's own events count.
func (p eventPage) find(keys map[string]bool, user string) map[string]string {
	ids := map[string]string{}
	for _, e := range p.Chunk {
		var content map[string]any
		if json.Unmarshal(e.Content, &content) != nil || user != "" && e.Sender != user || !isEvent(e.ID) {
			continue
		}
		if key, ok := content[keyMember].(string); ok && keys[key] && ids[key] == "" {
			ids[key] = e.ID
		}
	}
	return ids
}

// endsBefore reports whether the page ends before t.
func (p eventPage) endsBefore(t time.Time) bool {
	return len(p.Chunk) > 0 && time.UnixMilli(p.Chunk[len(p.Chunk)-1].Time).Before(t)
}
