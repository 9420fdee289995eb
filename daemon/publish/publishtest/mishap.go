package publishtest

import (
	"bytes"
	"io"
	"net/http"
	"sync"
)

// Mishap is what goes wrong with a request to a fake network. The zero value is nothing.
type Mishap struct {
	Accept bool // carry out the request first
	Cut    bool // close the connection without a response
	Status int  // respond with this status
	Header map[string]string
	Body   string
}

// mishaps decides what goes wrong with the requests to a fake network.
type mishaps struct {
	mishapsMu sync.Mutex // mishapsMu guards respond
	respond   func(*http.Request) Mishap
}

// Respond sets a function that decides what goes wrong with a request. Nil removes it.
func (m *mishaps) Respond(mishap func(*http.Request) Mishap) {
	m.mishapsMu.Lock()
	defer m.mishapsMu.Unlock()
	m.respond = mishap
}

// of returns what goes wrong with a request.
func (m *mishaps) of(r *http.Request) Mishap {
	m.mishapsMu.Lock()
	respond := m.respond
	m.mishapsMu.Unlock()
	if respond == nil {
		return Mishap{}
	}
	return respond(r)
}

// serve responds to a request. carryOut is that of [Mishap.serve] with the body, which it
// can also read from the request.
func (m *mishaps) serve(w http.ResponseWriter, r *http.Request, carryOut func(header http.Header, body []byte) (int, string)) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	mishap := m.of(r)
	r.Body = io.NopCloser(bytes.NewReader(body))
	mishap.serve(w, func(header http.Header) (int, string) { return carryOut(header, body) })
}

// serve responds to a request. carryOut sets the headers of the usual response and returns
// the rest of it.
func (m Mishap) serve(w http.ResponseWriter, carryOut func(http.Header) (int, string)) {
	status, response := 0, ""
	if m.Accept || !m.Cut && m.Status == 0 {
		status, response = carryOut(w.Header())
	}
	switch {
	case m.Cut:
		panic(http.ErrAbortHandler)
	case m.Status != 0:
		clear(w.Header())
		status, response = m.Status, m.Body
		for name, value := range m.Header {
			w.Header().Set(name, value)
		}
	}
	w.WriteHeader(status)
	io.WriteString(w, response)
}
