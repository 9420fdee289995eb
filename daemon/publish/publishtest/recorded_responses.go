package publishtest

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
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
	for _, fault := range s.RecordedFaults(t) {
		t.Error(fault)
	}
}

// RecordedFaults returns the responses in the words of the network that the publisher takes
// for something else.
func (s Suite) RecordedFaults(t *testing.T) []string {
	t.Helper()
	return s.recordings().Faults(s.Lacks, func(r Recorded) *publish.Error { return s.respond(t, r) })
}

// Faults returns the responses that are taken for something else. send sends a request with
// the purpose of a response to a network that responds so, and returns nil if the account has
// no such request. lacks are the purposes for which it has none.
func (k Recording) Faults(lacks []publish.Purpose, send func(Recorded) *publish.Error) (faults []string) {
	for i, list := range [][]Recorded{k.Holds, k.Refuses} {
		sent := 0
		for _, r := range list {
			e := send(r)
			if lacking := slices.Contains(lacks, r.Purpose); lacking != (e == nil) {
				faults = append(faults, fmt.Sprintf("the suite says %v about whether the account lacks a request for %s", lacking, r.Purpose))
			}
			if e == nil {
				continue
			}
			sent++
			if status := cmp.Or(r.Status, http.StatusForbidden); e.HTTPStatus != 0 && e.HTTPStatus != status {
				faults = append(faults, fmt.Sprintf("%d %s for %s: got the status %d", status, r.Body, r.Purpose, e.HTTPStatus))
			}
			if want := r.meaning(i == 0); !want.fits(e) {
				faults = append(faults, fmt.Sprintf("%d %s for %s: got %s %q, %s (%s); want %s", r.Status, r.Body, r.Purpose, e.Kind, e.Code, e.Outcome, e.Message, want))
			}
		}
		if sent == 0 {
			faults = append(faults, "no recorded response holds the account, or none only refuses a post")
		}
	}
	return faults
}

// meaning is what the error of a response must be. An empty Code or outcome is any.
type meaning struct {
	kind    schedctl.ErrorKind
	code    string
	outcome schedctl.Outcome
}

func (m meaning) String() string { return fmt.Sprintf("%s %q, %s", m.kind, m.code, m.outcome) }

func (m meaning) fits(e *publish.Error) bool {
	return e.Kind == m.kind && (m.code == "" || e.Code == m.code) && (m.outcome == "" || e.Outcome == m.outcome)
}

// meaning returns what the response means on a list of those that hold the account, or that
// only refuse a post.
func (r Recorded) meaning(holds bool) meaning {
	switch {
	case holds:
		return meaning{schedctl.KindAuth, r.Code, notPublished}
	case r.Code == publish.CodeBlockedOnTheWay, r.Code == platformError:
		return meaning{schedctl.KindPlatform, "", notPublished}
	case r.Purpose == file:
		return meaning{schedctl.KindMedia, r.Code, notPublished}
	case r.Purpose == status:
		return meaning{schedctl.KindPlatform, publish.CodeNotKnown, notPublished}
	case r.Purpose == lookup:
		return meaning{schedctl.KindPlatform, publish.CodeCannotAsk, ""}
	}
	return meaning{schedctl.KindContent, r.Code, notPublished}
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
	case publish.PurposeResults:
		p, ok := n.publisher.(publish.ResultsReader)
		if !ok {
			return nil
		}
		_, err = p.Results(t.Context(), publish.ResultsRequest{Account: r.Account, Credentials: r.Credentials, IDs: []string{"1", "2"}})
	default:
		_, err = n.publisher.Publish(t.Context(), r)
	}
	return n.checkError(t, response.Body, err)
}
