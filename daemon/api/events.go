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

// streamEvents answers GET /events. Where the stream begins is settled before
// the answer begins, so that a client that has its headers misses nothing.
func (s *Server) streamEvents(ctx context.Context, c *call) (answer, error) {
	if q := parseQuery(c.query, nil, nil); q.err != nil {
		return answer{}, q.err
	}
	given, err := parseLastEventID(c.header.Values(lastEventIDHeader))
	if err != nil {
		return answer{}, err
	}
	told := s.hub.lastTold() // before reading: it is committed by then
	var from beginning
	err = s.view(ctx, func(r storage.Reader) (err error) {
		from, err = beginAfter(r, c.key.WorkspaceID, given, told)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusOK, stream: func(w http.ResponseWriter, r *http.Request) {
		s.serveEvents(w, r, c.key, from)
	}}, nil
}

// parseLastEventID returns the event to resume after, empty for none.
func parseLastEventID(values []string) (string, error) {
	if len(values) == 0 {
		return "", nil
	}
	if _, ok := schedctl.ParseID(schedctl.EventPrefix, values[0]); !ok || len(values) > 1 {
		return "", schedctl.Errorf(schedctl.ValidationFailed, lastEventIDHeader,
			"%s takes the id of one event, evt_…, as the stream gave it; leave the header out to begin with what happens from now on", lastEventIDHeader)
	}
	return values[0], nil
}

// beginning is where a stream begins.
type beginning struct {
	position string // the id after which it begins
	last     string // of the youngest event, kept or not; empty when there is none
	gone     string // the event to resume after, when it is not kept any more
}

// beginAfter returns where a stream begins that resumes after the given event,
// or that resumes nothing when it is empty. After an event that is gone it
// resumes with the oldest one that is younger and kept; an id from the future,
// such as of a database that was restored from a backup, means now. told is an
// event that was committed, and need not be kept.
func beginAfter(r storage.Reader, workspaceID, given, told string) (beginning, error) {
	last, err := r.LastEvent()
	last = max(last, told)
	if err != nil || given == "" {
		return beginning{position: last, last: last}, err
	}
	e, err := r.Event(given)
	switch {
	case err == nil && e.WorkspaceID == workspaceID:
		return beginning{position: given, last: last}, nil
	case err == nil || schedctl.CodeOf(err) == schedctl.NotFound:
		return beginning{position: min(given, last), last: last, gone: given}, nil
	}
	return beginning{}, err
}

// serveEvents writes a stream until the client has gone, the key is no longer
// good, or the server ends.
func (s *Server) serveEvents(w http.ResponseWriter, r *http.Request, key schedctl.APIKey, from beginning) {
	ctx, end := context.WithCancelCause(r.Context())
	defer end(nil)
	st := &stream{hub: s.hub, key: key, position: from.position, end: end, out: newStreamWriter(w)}
	if !s.hub.join(st, from.last) {
		s.fail(w, r, errStopping)
		return
	}
	defer s.hub.leave(st)
	st.out.begin()
	if r.Method == http.MethodHead {
		return
	}
	if err := st.run(ctx, from); err != nil {
		s.log.DebugContext(ctx, "event stream ended", "key", key.ID, "request", w.Header().Get(requestIDHeader), "error", err)
	}
}

var errStopping = schedctl.Errorf(schedctl.Unavailable, "", "the daemon is stopping; connect again in a few seconds")
