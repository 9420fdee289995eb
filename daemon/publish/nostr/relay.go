package nostr

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/coder/websocket"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

const (
	// relayTime is how long one relay may take for everything.
	relayTime = 20 * time.Second

	// maxMessage is the maximum size of a message of a relay, in bytes.
	maxMessage = 1 << 20
)

// relay is a connection to a relay.
type relay struct {
	url       *url.URL
	conn      *websocket.Conn
	signer    signer
	hidden    []string // texts that no error may contain
	challenge string   // for authentication; empty if the relay sent none
	loggedIn  bool
}

// dial connects to a relay. The client checks the address after name resolution. The
// outcome of errors is not_published.
func (p *Publisher) dial(ctx context.Context, purpose publish.Purpose, u *url.URL, s signer, hidden ...string) (*relay, error) {
	header := http.Header{"User-Agent": {p.userAgent}}
	conn, response, err := websocket.Dial(ctx, u.String(), &websocket.DialOptions{HTTPClient: p.client, HTTPHeader: header})
	switch {
	case err == nil:
		conn.SetReadLimit(maxMessage)
		return &relay{url: u, conn: conn, signer: s, hidden: hidden}, nil
	case response == nil:
		return nil, outbound.TransportError(err, u.Hostname(), false)
	}
	a := outbound.Response{Status: response.StatusCode, Header: response.Header}
	if response.Body != nil {
		a.Body, _ = io.ReadAll(io.LimitReader(response.Body, 1024))
	}
	return nil, handshakeRefusal(u.Hostname(), a, purpose, time.Now(), hidden...)
}

// close ends the connection without waiting for the relay.
func (r *relay) close() { r.conn.CloseNow() }

// send sends an event and waits until the relay accepts or refuses it. If the relay
// demands authentication, send authenticates and sends the event again.
func (r *relay) send(ctx context.Context, e event) *publish.Error {
	for {
		m, err := r.request(ctx, e, message("EVENT", e))
		switch {
		case err != nil:
			return err
		case m.accepted, prefix(m.text) == "duplicate":
			return nil
		case prefix(m.text) != prefixAuth || r.loggedIn || r.challenge == "":
			return refusalOf(r.url.Hostname(), m.text, r.hidden...)
		}
		if err := r.logIn(ctx); err != nil {
			return err
		}
	}
}

// logIn authenticates with the key of the account (NIP-42).
func (r *relay) logIn(ctx context.Context) *publish.Error {
	proof := newEvent(r.signer, kindRelay, time.Now(), [][]string{{"relay", r.url.String()}, {"challenge", r.challenge}}, "")
	m, err := r.request(ctx, proof, message("AUTH", proof))
	if err != nil {
		err.Outcome = schedctl.OutcomeNotPublished // the relay refused the event before
		return err
	}
	if r.loggedIn = true; !m.accepted {
		return refusalOf(r.url.Hostname(), prefixAuth+": "+m.text, r.hidden...)
	}
	return nil
}

// request sends a message with an event and returns the relay's OK for it. No byte is
// sent unless the guard of ctx allows it.
func (r *relay) request(ctx context.Context, e event, text []byte) (received, *publish.Error) {
	if allowed := publish.Guard(ctx); allowed != nil && !allowed() {
		return received{}, publish.LeaseLapsed()
	}
	if err := r.conn.Write(ctx, websocket.MessageText, text); err != nil {
		return received{}, r.lost(err)
	}
	for {
		m, err := r.read(ctx)
		if err != nil {
			return received{}, err
		}
		if m.label == "OK" && m.id == e.ID && !m.malformed {
			return m, nil
		}
	}
}

// read returns the next message. It remembers the challenge of the relay.
func (r *relay) read(ctx context.Context) (received, *publish.Error) {
	_, text, err := r.conn.Read(ctx)
	if err != nil {
		return received{}, r.lost(err)
	}
	m := parseMessage(text)
	if m.label == "AUTH" && !m.malformed && len(m.text) <= 1024 {
		r.challenge, r.loggedIn = m.text, false
	}
	return m, nil
}

// lost is the error of a connection that broke after an event was sent.
func (r *relay) lost(err error) *publish.Error {
	if websocket.CloseStatus(err) != -1 {
		err = io.EOF // the relay closed the connection
	}
	return publish.AsError(outbound.TransportError(err, r.url.Hostname(), true))
}

const (
	// A relay may show an event a moment after it has accepted it.
	parentTries = 3
	parentWait  = 2 * time.Second
)

// lacks reports whether the relay says that it does not have an event.
func (r *relay) lacks(ctx context.Context, id string) bool {
	for try := 1; ; try++ {
		_, found, known := r.query(ctx, map[string]any{"ids": []string{id}, "limit": 1})
		if found || !known || try == parentTries {
			return known && !found
		}
		select {
		case <-time.After(parentWait):
		case <-ctx.Done():
			return false
		}
	}
}

// query returns the first event that matches a filter. found is false if the relay says
// that it has none, and known is false if it does not say.
func (r *relay) query(ctx context.Context, filter map[string]any) (e event, found, known bool) {
	const subscription = "schedctl"
	if r.conn.Write(ctx, websocket.MessageText, message("REQ", subscription, filter)) != nil {
		return event{}, false, false
	}
	for {
		m, err := r.read(ctx)
		switch {
		case err != nil:
			return event{}, false, false
		case m.malformed || m.id != subscription:
		case m.label == "EVENT":
			e, found = m.event, true
		case m.label == "EOSE":
			return e, found, true
		case m.label == "CLOSED":
			return e, found, found
		}
	}
}
