package api

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// mediaEvents is the media type of server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html).
const mediaEvents = "text/event-stream"

const lastEventIDHeader = "Last-Event-ID"

// streamEvents handles GET /events. The start position is fixed before the headers
// are sent, so a client that has received them misses no event.
func (s *Server) streamEvents(ctx context.Context, c *request) (response, error) {
	if q := parseQuery(c.query, nil, nil); q.err != nil {
		return response{}, q.err
	}
	given, err := parseLastEventID(c.header.Values(lastEventIDHeader))
	if err != nil {
		return response{}, err
	}
	from, err := s.streamStart(ctx, c.Key.WorkspaceID, given)
	if err != nil {
		return response{}, err
	}
	return response{status: http.StatusOK, stream: func(w http.ResponseWriter, r *http.Request) {
		s.serveEvents(w, r, c.Key, from)
	}}, nil
}

// parseLastEventID returns the event to resume after, empty if none was sent.
func parseLastEventID(values []string) (string, error) {
	if len(values) == 0 {
		return "", nil
	}
	if _, ok := schedctl.ParseID(schedctl.EventPrefix, values[0]); !ok || len(values) > 1 {
		return "", schedctl.Errorf(schedctl.ValidationFailed, lastEventIDHeader,
			"%s must be the id of one event, evt_…, as received from the stream; leave the header out to get new events only", lastEventIDHeader)
	}
	return values[0], nil
}

// streamStart is the start position of a stream.
type streamStart struct {
	position string // the id to start after; it need not be the id of an event
	now      string // a position after all existing events and before all future ones
	missing  string // the event to resume after, if it does not exist
}

// streamStart returns the start position of a stream that resumes after the given
// event, or starts now when given is empty. If that event was pruned, the stream
// resumes with the oldest newer event. An unknown id that is newer than all events
// means now. This happens after a backup was restored.
func (s *Server) streamStart(ctx context.Context, workspaceID, given string) (streamStart, error) {
	now, err := s.outboxEnd(ctx)
	if err != nil || given == "" {
		return streamStart{position: now, now: now}, err
	}
	var from streamStart
	err = s.view(ctx, func(r storage.Reader) error {
		from = streamStart{position: given, now: now}
		e, err := r.Event(given)
		if err == nil && e.WorkspaceID == workspaceID {
			return nil
		}
		if err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
			return err
		}
		from.missing = given
		later, err := r.Later(given, now)
		if err == nil && later == given {
			from.position = now
		}
		return err
	})
	return from, err
}

// outboxEnd returns a position after all committed events and before all future
// ones. It does not return the id of the newest event, because that would reveal
// when something happened in other workspaces.
func (s *Server) outboxEnd(ctx context.Context) (id string, err error) {
	err = s.store.UpdateFromReserve(ctx, func(tx storage.Tx) (err error) {
		id, err = tx.OutboxEnd()
		return err
	})
	return id, storeError(err, "the daemon could not read its database; see its log")
}

// serveEvents writes a stream until the client disconnects, the key becomes
// invalid, or the server ends.
func (s *Server) serveEvents(w http.ResponseWriter, r *http.Request, key schedctl.APIKey, from streamStart) {
	ctx, end := context.WithCancelCause(r.Context())
	defer end(nil)
	st := &stream{
		hub: s.hub, key: key, end: end, position: streamPosition{id: from.position}, more: make(chan struct{}, 1), out: newStreamWriter(w),
	}
	if err := s.hub.join(st, from.now); err != nil {
		s.fail(w, r, err)
		return
	}
	defer s.hub.leave(st)
	st.out.sendHeader()
	if r.Method == http.MethodHead {
		return
	}
	if err := st.run(ctx, from); err != nil {
		s.log.DebugContext(ctx, "event stream ended", "key", key.ID, "request", w.Header().Get(requestIDHeader), "error", err)
	}
}

var errManyStreams = schedctl.Errorf(schedctl.RateLimited, "",
	"this API key has %d event streams open; close some of them, or let several readers share one", maxStreams)

var errStopping = schedctl.Errorf(schedctl.Unavailable, "", "the daemon is stopping; connect again in a few seconds")
