package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

const (
	slowConnectionCount = 1000
	slowRounds          = 5
	honestWorkers       = 4
	honestPace          = 5 * time.Millisecond   // between two requests of a worker
	bytePause           = time.Second            // about so long between two bytes
	slowSettle          = 600 * time.Millisecond // until what all sent at once is answered, or all have gone
	maxSlowdown         = 2.0                    // how many times slower honest requests may become
)

// slowConnectionKinds are the ways to hold a connection without using it, and how many of
// each ten connections do it.
var slowConnectionKinds = []struct {
	share int
	hold  func(*slowConnection) error
}{
	{4, (*slowConnection).sendHeaderSlowly},
	{2, (*slowConnection).sendBodySlowly},
	{2, (*slowConnection).readResponseSlowly},
	{2, (*slowConnection).ignoreStream},
}

// slowConnectionScenario measures honest requests in turns without and with 1,000 connections
// that send a byte of a header or of a body now and then, that take their answers a
// byte at a time, and that read no event of a stream. Quick has shorter windows, in
// which no connection gets so old that it is cut off.
func slowConnectionScenario(ctx context.Context, h *harness) (result, error) {
	w, err := h.newWorld(setting{name: "slow-loris"})
	if err != nil {
		return result{}, err
	}
	defer w.end()
	if err := w.start(ctx); err != nil {
		return result{}, err
	}
	window := 12 * time.Second
	if h.quick {
		window = time.Second
	}
	m := &honestClients{daemon: w.daemon(), transport: &http.Transport{MaxIdleConnsPerHost: honestWorkers}}
	defer m.transport.CloseIdleConnections()
	if err := m.prepare(ctx); err != nil {
		return result{}, err
	}
	var measured slowWindows
	crowd := &slowConnections{daemon: w.daemon(), random: h.random("slow-loris")}
	for range slowRounds {
		if err := m.add(ctx, &measured.without, window); err != nil {
			return result{}, err
		}
		release := crowd.connectAll(ctx)
		err := m.add(ctx, &measured.with, window)
		release()
		if err != nil {
			return result{}, fmt.Errorf("while connections are held: %w", err)
		}
	}
	if err := m.add(ctx, &measured.without, window); err != nil {
		return result{}, err
	}
	r := judgeSlowConnections(measured, crowd)
	if !h.quick && crowd.cut.Load() == 0 {
		r.Verdict, r.Detail = fail, "no connection was ever cut off"
	}
	return r, nil
}

// honestClients are clients that ask and take their answers.
type honestClients struct {
	daemon    *child.Daemon
	transport *http.Transport
	post      string // the id of one to read
}

func (m *honestClients) prepare(ctx context.Context) error {
	for i := range 100 { // a page that is worth sipping
		if err := m.daemon.Call(ctx, http.MethodPost, "/posts", longPost(fmt.Sprint("page ", i)), nil); err != nil {
			return err
		}
	}
	var made struct{ Post struct{ ID string } }
	err := m.daemon.Call(ctx, http.MethodPost, "/posts", longPost("read"), &made)
	m.post = made.Post.ID
	return err
}

func longPost(content string) string {
	return fmt.Sprintf(`{"content":"%s %s"}`, content, strings.Repeat("x", 2000))
}

// add measures one window and adds its p99.
func (m *honestClients) add(ctx context.Context, to *[]time.Duration, window time.Duration) error {
	took, err := m.measure(ctx, window)
	if err == nil {
		*to = append(*to, p99(took))
	}
	return err
}

// measure makes requests at a steady pace and returns how long they took, each
// from when it was to be made.
func (m *honestClients) measure(ctx context.Context, window time.Duration) ([]time.Duration, error) {
	var mu sync.Mutex // mu guards all
	var all []time.Duration
	var failed firstError
	var wg sync.WaitGroup
	began := time.Now()
	for worker := range honestWorkers {
		wg.Go(func() {
			var took []time.Duration
			at := began.Add(honestPace * time.Duration(worker) / honestWorkers)
			for n := 0; at.Before(began.Add(window)); n, at = n+1, at.Add(honestPace) {
				time.Sleep(time.Until(at))
				if err := m.ask(ctx, n); err != nil {
					failed.add(err)
					return
				}
				took = append(took, time.Since(at))
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
		})
	}
	wg.Wait()
	return all, failed.err
}

// ask makes one request: most read, some write.
func (m *honestClients) ask(ctx context.Context, n int) error {
	method, path, body := http.MethodGet, "/posts/"+m.post, ""
	switch n % 8 {
	case 3:
		path = "/posts?limit=10"
	case 7:
		method, path, body = http.MethodPost, "/posts", `{"content":"honest"}`
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+m.daemon.Address+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+m.daemon.Key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := m.transport.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s, %v", method, path, resp.Status, err)
	}
	return nil
}

// slowConnections holds connections. They have an API key: who has none is refused
// before a body is read, and gets no list and no stream.
type slowConnections struct {
	daemon *child.Daemon
	random *rand.Rand
	held   atomic.Int64 // connections that the last crowd held
	cut    atomic.Int64 // times that the daemon closed one
	failed firstError   // why one could not be held
}

// connectAll returns when all connections are held; those that are cut off are made
// anew. The caller releases them.
func (c *slowConnections) connectAll(ctx context.Context) (release func()) {
	ctx, cancel := context.WithCancel(ctx)
	var ways []func(*slowConnection) error
	for _, l := range slowConnectionKinds {
		ways = append(ways, slices.Repeat([]func(*slowConnection) error{l.hold}, l.share)...)
	}
	c.held.Store(0)
	var all, made sync.WaitGroup
	made.Add(slowConnectionCount)
	for i := range slowConnectionCount {
		l := &slowConnection{crowd: c, pause: bytePause/2 + time.Duration(c.random.Int64N(int64(bytePause)))}
		all.Go(func() {
			tried := sync.OnceFunc(made.Done)
			defer tried()
			began := sync.OnceFunc(func() {
				c.held.Add(1)
				tried()
			})
			for ctx.Err() == nil {
				c.failed.add(l.connect(ctx, ways[i%len(ways)], began))
				tried()
				if ctx.Err() == nil {
					c.cut.Add(1)
					time.Sleep(10 * time.Millisecond)
				}
			}
		})
	}
	made.Wait()
	time.Sleep(slowSettle)
	return func() {
		cancel()
		all.Wait()
		time.Sleep(slowSettle) // the daemon has all of them to end
	}
}

// slowConnection is one slow connection.
type slowConnection struct {
	crowd *slowConnections
	pause time.Duration // between two bytes
	ctx   context.Context
	conn  net.Conn
}

// connect opens the connection and holds it until ctx ends or the daemon closes
// it. began is called once it is held.
func (l *slowConnection) connect(ctx context.Context, hold func(*slowConnection) error, began func()) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", l.crowd.daemon.Address)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	conn.(*net.TCPConn).SetReadBuffer(4096)
	l.ctx, l.conn = ctx, conn
	began()
	hold(l) // ends with the connection, in one way or the other
	return nil
}

// sendByte sends a byte now and then.
func (l *slowConnection) sendByte(b byte) error {
	for l.awaitNextByte() {
		if _, err := l.conn.Write([]byte{b}); err != nil {
			return err
		}
	}
	return l.ctx.Err()
}

// awaitNextByte waits until it is time for the next byte, and reports whether there is to
// be one.
func (l *slowConnection) awaitNextByte() bool {
	timer := time.NewTimer(l.pause)
	defer timer.Stop()
	select {
	case <-l.ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

func (l *slowConnection) send(request string) error {
	_, err := fmt.Fprintf(l.conn, "%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n", request, l.crowd.daemon.Key)
	return err
}

func (l *slowConnection) sendHeaderSlowly() error {
	if err := l.send("GET /api/v1/me"); err != nil {
		return err
	}
	return l.sendByte('a') // of the name of a header
}

func (l *slowConnection) sendBodySlowly() error {
	if err := l.send("POST /api/v1/posts"); err != nil {
		return err
	}
	fmt.Fprint(l.conn, "Content-Length: 100000\r\n\r\n{")
	return l.sendByte(' ')
}

func (l *slowConnection) readResponseSlowly() error {
	if err := l.send("GET /api/v1/posts?limit=100"); err != nil {
		return err
	}
	fmt.Fprint(l.conn, "\r\n")
	for l.awaitNextByte() {
		if _, err := l.conn.Read(make([]byte, 1)); err != nil {
			return err
		}
	}
	return l.ctx.Err()
}

func (l *slowConnection) ignoreStream() error {
	if err := l.send("GET /api/v1/events"); err != nil {
		return err
	}
	fmt.Fprint(l.conn, "\r\n")
	<-l.ctx.Done()
	return l.ctx.Err()
}
