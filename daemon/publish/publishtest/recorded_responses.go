package publishtest

import (
	"net/http"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// Recorded is a response of a network in its own words, to a request with a purpose. Status
// 0 is 403.
type Recorded struct {
	Purpose publish.Purpose
	Status  int
	Header  map[string]string
	Body    string
	Code    string // of the error; empty for any
}

// ServeHTTP responds.
func (r Recorded) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	for name, value := range r.Header {
		w.Header().Set(name, value)
	}
	if r.Status == 0 {
		r.Status = http.StatusForbidden
	}
	w.WriteHeader(r.Status)
	w.Write([]byte(r.Body))
}

// recordings are the responses of a suite, or those of its platform.
func (s Suite) recordings() Recording {
	if s.Holds == nil && s.Refuses == nil {
		return Recordings[s.New(nil).Platform()]
	}
	return Recording{s.Holds, s.Refuses}
}

// testRecorded checks what responses in the words of the network mean.
func (s Suite) testRecorded(t *testing.T) {
	t.Parallel()
	known := s.recordings()
	if len(known.Holds) == 0 || len(known.Refuses) == 0 {
		t.Fatal("the suite has no recorded responses that hold the account, or that only refuse a post")
	}
	for _, r := range known.Holds {
		e := s.respond(t, r)
		if e != nil && (e.Kind != schedctl.KindAuth || e.Outcome != notPublished || r.Code != "" && e.Code != r.Code) {
			t.Errorf("%d %s for %s: got %s %q, %s (%s); want a hold %q", r.Status, r.Body, r.Purpose, e.Kind, e.Code, e.Outcome, e.Message, r.Code)
		}
	}
	for _, r := range known.Refuses {
		e := s.respond(t, r)
		kind, code := schedctl.KindContent, r.Code
		switch r.Purpose {
		case publish.PurposeFile:
			kind = schedctl.KindMedia
		case publish.PurposeStatus:
			kind, code = schedctl.KindPlatform, publish.CodeNotKnown
		case publish.PurposeLookup:
			kind, code = schedctl.KindPlatform, publish.CodeCannotAsk
		}
		if r.Code == publish.CodeBlockedOnTheWay || r.Code == platformError {
			kind, code = schedctl.KindPlatform, ""
		}
		if e != nil && (e.Kind != kind || code != "" && e.Code != code || r.Purpose != publish.PurposeLookup && e.Outcome != notPublished) {
			t.Errorf("%d %s for %s: got %s %q, %s (%s); want %s %q", r.Status, r.Body, r.Purpose, e.Kind, e.Code, e.Outcome, e.Message, kind, code)
		}
	}
}

// platformError marks a recorded refusal that is temporary.
const platformError = "temporary"

// respond sends a request with the purpose of a response to a network that responds so. It
// returns nil if the account has no such request.
func (s Suite) respond(t *testing.T, response Recorded) *publish.Error {
	t.Helper()
	if response.Purpose == publish.PurposePart || response.Purpose == publish.PurposeComment {
		if s.Threads == nil {
			return nil
		}
		n, r, ok := s.reply(t)
		if !ok {
			return nil
		}
		if response.Purpose == publish.PurposeComment {
			r.Kind = schedctl.PartComment
		}
		n.respondWith(response.ServeHTTP)
		_, err := n.publisher.Publish(t.Context(), r)
		return n.checkError(t, response.Body, err)
	}
	n := s.start(t)
	c := s.Connection(n.url())
	r := n.connect(t)
	n.respondWith(response.ServeHTTP)
	var err error
	switch response.Purpose {
	case publish.PurposeIdentity:
		_, err = n.publisher.Connect(t.Context(), c)
	case publish.PurposeFile, publish.PurposeStatus:
		p, ok := n.publisher.(publish.Uploader)
		if !ok || p.MediaRules(r.Account).Refused != "" {
			return nil
		}
		if response.Purpose == publish.PurposeFile {
			_, err = p.Upload(t.Context(), r, TestFile("image/png", 1))
			break
		}
		_, err = p.Processed(t.Context(), r, publish.Upload{ID: "1"})
	case publish.PurposeLookup:
		p, ok := n.publisher.(publish.Finder)
		if partial, some := n.publisher.(publish.PartialFinder); !ok || some && !partial.CanFind(r.Credentials) {
			return nil
		}
		_, _, err = p.Find(t.Context(), r, time.Now())
	default:
		_, err = n.publisher.Publish(t.Context(), r)
	}
	return n.checkError(t, response.Body, err)
}
