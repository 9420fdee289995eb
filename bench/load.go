package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

// load describes a number of requests over a number of persistent connections.
type load struct {
	connections, count int
	request            func(i int) []byte
	checkBody          func(i int, body []byte) error // checks the body of a response, unless nil; must be fast
}

// runLoad sends requests as fast as responses arrive, and returns their durations. It
// uses one processor, so that it does not compete with the measured server.
func runLoad(ctx context.Context, s server, l load) ([]time.Duration, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	return l.send(ctx, s)
}

// send is runLoad on all processors. It speaks the minimum of HTTP that a server needs.
// The first response other than 2xx ends it with an error.
func (l *load) send(ctx context.Context, s server) ([]time.Duration, error) {
	took := make([]time.Duration, l.count)
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range l.connections {
		wg.Go(func() {
			conn, err := dial(ctx, s.address)
			if err != nil {
				fail(err)
				return
			}
			defer conn.Close()
			for i := int(next.Add(1)) - 1; i < l.count && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := l.exchange(conn, i, &took[i]); err != nil {
					fail(err)
				}
			}
		})
	}
	wg.Wait()
	return took, context.Cause(ctx)
}

func (l *load) exchange(conn *connection, i int, took *time.Duration) error {
	request := l.request(i)
	started := time.Now()
	body, err := conn.exchange(request)
	*took = time.Since(started)
	if err == nil && l.checkBody != nil {
		err = l.checkBody(i, body)
	}
	return err
}

// connection is one persistent HTTP/1.1 connection.
type connection struct {
	net.Conn
	answers *bufio.Reader
	body    []byte
}

func dial(ctx context.Context, address string) (*connection, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &connection{Conn: conn, answers: bufio.NewReaderSize(conn, 64<<10)}, nil
}

// exchange sends a request and returns the body of the response, which is valid until
// the next call.
func (c *connection) exchange(request []byte) ([]byte, error) {
	if _, err := c.Write(request); err != nil {
		return nil, err
	}
	status, length, err := c.readHead()
	if err != nil {
		return nil, err
	}
	if cap(c.body) < length {
		c.body = make([]byte, length)
	}
	c.body = c.body[:length]
	if _, err := io.ReadFull(c.answers, c.body); err != nil {
		return nil, err
	}
	if status < 200 || status > 299 {
		return nil, fmt.Errorf("status %d: %s", status, c.body)
	}
	return c.body, nil
}

// readHead reads the status line and the headers of a response.
func (c *connection) readHead() (status, length int, err error) {
	line, err := c.answers.ReadSlice('\n')
	if err != nil {
		return 0, 0, err
	}
	if len(line) < 12 {
		return 0, 0, fmt.Errorf("not an HTTP response: %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, 0, fmt.Errorf("not an HTTP response: %q", line)
	}
	for {
		line, err := c.answers.ReadSlice('\n')
		if err != nil || len(line) <= 2 {
			return status, length, err
		}
		if name, value, _ := bytes.Cut(line, []byte(": ")); bytes.EqualFold(name, []byte("Content-Length")) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return status, 0, err
			}
		}
	}
}

// server is the daemon, or a server that it is compared with.
type server struct{ address, key string }

func serverOf(d *child.Daemon) server { return server{d.Address, d.Key} }

// post returns a request that creates something.
func (s server) post(path, idempotencyKey, body string) []byte {
	return fmt.Appendf(nil, "POST /api/v1%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Idempotency-Key: %s\r\nContent-Length: %d\r\n\r\n%s", path, s.address, s.key, idempotencyKey, len(body), body)
}

// get returns a request that reads a path.
func (s server) get(path string) []byte {
	return fmt.Appendf(nil, "GET /api/v1%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", path, s.address, s.key)
}

// micros returns a duration as a figure in microseconds.
func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// perSecond returns a rate as a figure.
func perSecond(n int, d time.Duration) float64 { return float64(n) / d.Seconds() }
