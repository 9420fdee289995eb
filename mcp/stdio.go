package mcp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// RunStdio serves one client: one message a line, requests on in and responses on out.
// Nothing else is written to out. It returns nil when in ends and the calls that were
// made before have their responses, and an error when ctx ends or out fails.
//
// A line that is not a valid message gets the error -32700 or -32600, and the session
// continues.
func (s *Server) RunStdio(ctx context.Context, c Caller, in io.Reader, out io.Writer) error {
	ended := make(chan struct{})
	ctx = withSession(withCaller(ctx, c), ended)
	conn := &lines{out: out, ended: ended, incoming: make(chan jsonrpc.Message), closed: make(chan struct{}), running: map[jsonrpc.ID]bool{}, free: make(chan struct{}, maxRunning)}
	go conn.readAll(in)
	err := s.forCaller(c).Run(ctx, conn)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return err
}

// maxRunning is how many calls of a client run at a time. Others wait.
const maxRunning = 32

// lines is a connection with one message a line. It implements [sdk.Transport] and
// [sdk.Connection].
type lines struct {
	incoming  chan jsonrpc.Message
	closed    chan struct{}
	closeOnce sync.Once
	ended     chan struct{} // closed when the client sends no more

	free chan struct{} // one token for each running call

	mu      sync.Mutex // guards what follows, and writes to out
	out     io.Writer
	running map[jsonrpc.ID]bool // calls without a response
}

// Connect implements [sdk.Transport].
func (l *lines) Connect(context.Context) (sdk.Connection, error) { return l, nil }

// SessionID implements [sdk.Connection].
func (l *lines) SessionID() string { return "" }

// Read implements [sdk.Connection].
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, ok := <-l.incoming:
		if !ok {
			return nil, io.EOF
		}
		return m, nil
	case <-l.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements [sdk.Connection].
func (l *lines) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.out.Write(append(text, '\n'))
	if r, ok := m.(*jsonrpc.Response); ok && l.running[r.ID] {
		delete(l.running, r.ID)
		<-l.free
	}
	return err
}

// Close implements [sdk.Connection].
func (l *lines) Close() error {
	l.closeOnce.Do(func() { close(l.closed) })
	return nil
}

// readAll passes the messages of in on, until in ends and all calls have responses. It
// outlives the session while a read of in blocks.
func (l *lines) readAll(in io.Reader) {
	defer close(l.incoming)
	reader := bufio.NewReaderSize(in, 64<<10)
	for {
		text, err := readLine(reader)
		m, bad := (jsonrpc.Message)(nil), errTooLarge
		if !errors.Is(err, bufio.ErrTooLong) {
			if len(text) == 0 && err != nil {
				break
			}
			if len(text) == 0 {
				continue
			}
			m, bad = parseMessage(text)
		}
		if bad == nil {
			bad = l.start(m)
		}
		if bad != nil {
			if !l.refuse(bad) {
				return
			}
			continue
		}
		select {
		case l.incoming <- m:
		case <-l.closed:
			return
		}
	}
	close(l.ended)
	for range maxRunning { // when all tokens are taken, no call runs
		select {
		case l.free <- struct{}{}:
		case <-l.closed:
			return
		}
	}
}

// start registers a call. It waits while too many run.
func (l *lines) start(m jsonrpc.Message) *fault {
	r, ok := m.(*jsonrpc.Request)
	if !ok || !r.IsCall() || r.Method == "subscriptions/listen" { // which ends with the session
		return nil
	}
	select {
	case l.free <- struct{}{}:
	case <-l.closed:
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running[r.ID] {
		<-l.free
		return invalid(nil, "a request with this id is running")
	}
	l.running[r.ID] = true
	return nil
}

// refuse writes the response to a bad message. It reports false if that failed.
func (l *lines) refuse(f *fault) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.out.Write(append(f.text(), '\n'))
	return err == nil
}

// readLine returns the next line without its end. The error is [bufio.ErrTooLong] for a
// line of more than [MaxMessage] bytes, which is skipped, and otherwise that of the reader.
func readLine(r *bufio.Reader) (line []byte, err error) {
	large := false
	for {
		part, err := r.ReadSlice('\n')
		if large = large || len(line)+len(part) > MaxMessage+1; !large {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case large && (err == nil || len(part) > 0 || errors.Is(err, io.EOF)):
			return nil, bufio.ErrTooLong
		}
		for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
			line = line[:len(line)-1]
		}
		return line, err
	}
}
