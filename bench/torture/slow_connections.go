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
	bytePause           = time.Second            // roughly, between two bytes
	slowSettle          = 600 * time.Millisecond // time for the initial requests to be served, and for all connections to close
	maxSlowdown         = 2.0                    // limit for the slowdown of honest requests
)

// slowConnectionKinds are the ways to occupy a connection, and how many of each ten
// connections use each way.
var slowConnectionKinds = []struct {
	share int
	hold  func(*slowConnection) error
}{
	{4, (*slowConnection).sendHeaderSlowly},
	{2, (*slowConnection).sendBodySlowly},
	{2, (*slowConnection).readResponseSlowly},
	{2, (*slowConnection).ignoreStream},
}

// slowConnectionScenario measures honest requests, alternately without and with 1,000
// slow connections. These send a header or a body byte by byte, read their responses
// byte by byte, or never read from an event stream. The quick run has shorter windows,
// in which no connection gets old enough to be cut off.
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

// honestClients send requests and read the responses at full speed.
type honestClients struct {
	daemon    *child.Daemon
	transport *http.Transport
	post      string // id of the post to read
}

func (m *honestClients) prepare(ctx context.Context) error {
	for i := range 100 { // a large list page
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

// measure sends requests at a steady pace and returns the response times, each from the
// planned time of the request.
func (m *honestClients) measure(ctx context.Context, window time.Duration) ([]time.Duration, error) {
	var mu sync.Mutex // mu guards all
	var all []time.Duration
	var failed firstError
	var wg sync.WaitGroup
	started := time.Now()
	for worker := range honestWorkers {
		wg.Go(func() {
			var took []time.Duration
			at := started.Add(honestPace * time.Duration(worker) / honestWorkers)
			for n := 0; at.Before(started.Add(window)); n, at = n+1, at.Add(honestPace) {
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

// ask sends one request: mostly reads, some writes.
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

// slowConnections occupy connections. They have an API key: without one, requests are
// refused before the body is read and get no list or stream.
type slowConnections struct {
	daemon *child.Daemon
	random *rand.Rand
	held   atomic.Int64 // connections in the last window
	cut    atomic.Int64 // connections closed by the daemon
	failed firstError   // why a connection could not be opened
}

// connectAll returns when all connections are open. Connections that are cut off are
// replaced. The caller must call release.
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
			started := sync.OnceFunc(func() {
				c.held.Add(1)
				tried()
			})
			for ctx.Err() == nil {
				c.failed.add(l.connect(ctx, ways[i%len(ways)], started))
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
		time.Sleep(slowSettle) // until the daemon has closed all of them
	}
}

// slowConnection is one slow connection.
type slowConnection struct {
	crowd *slowConnections
	pause time.Duration // between two bytes
	ctx   context.Context
	conn  net.Conn
}

// connect opens the connection and uses it until ctx ends or the daemon closes it. It
// calls started once the connection is open.
func (l *slowConnection) connect(ctx context.Context, hold func(*slowConnection) error, started func()) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", l.crowd.daemon.Address)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	conn.(*net.TCPConn).SetReadBuffer(4096)
	l.ctx, l.conn = ctx, conn
	started()
	hold(l) // ends when the connection does
	return nil
}

// sendByte sends a byte after a pause.
func (l *slowConnection) sendByte(b byte) error {
	for l.awaitNextByte() {
		if _, err := l.conn.Write([]byte{b}); err != nil {
			return err
		}
	}
	return l.ctx.Err()
}

// awaitNextByte waits for the next byte's time and reports whether to send it.
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
	return l.sendByte('a') // part of a header name
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
