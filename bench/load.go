package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// load sends count requests over a number of kept connections as fast as they
// are answered, and returns how long each took. It speaks the least HTTP that a
// server needs, and runs on one processor, so that what is measured is the
// server and not how the two get in each other's way.
func load(ctx context.Context, address string, connections, count int, request func(i int) []byte) ([]time.Duration, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	took := make([]time.Duration, count)
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, connections)
	for c := range connections {
		wg.Go(func() {
			conn, err := dial(ctx, address)
			if err != nil {
				errs[c] = err
				return
			}
			defer conn.Close()
			for i := int(next.Add(1)) - 1; i < count && errs[c] == nil; i = int(next.Add(1)) - 1 {
				began := time.Now()
				errs[c] = conn.exchange(request(i))
				took[i] = time.Since(began)
			}
		})
	}
	wg.Wait()
	return took, errors.Join(errs...)
}

// connection is one kept HTTP/1.1 connection.
type connection struct {
	net.Conn
	answers *bufio.Reader
}

func dial(ctx context.Context, address string) (*connection, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &connection{conn, bufio.NewReaderSize(conn, 64<<10)}, nil
}

// exchange sends a request and reads its answer, which must be 2xx.
func (c *connection) exchange(request []byte) error {
	if _, err := c.Write(request); err != nil {
		return err
	}
	status, err := c.answers.ReadSlice('\n')
	if err != nil {
		return err
	}
	good := len(status) > 9 && status[9] == '2'
	first := string(status)
	length := 0
	for {
		line, err := c.answers.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) <= 2 {
			break
		}
		if name, value, _ := bytes.Cut(line, []byte(": ")); bytes.EqualFold(name, []byte("Content-Length")) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return err
			}
		}
	}
	if !good {
		body := make([]byte, length)
		_, err := io.ReadFull(c.answers, body)
		return errors.Join(err, fmt.Errorf("answered %s%s", first, body))
	}
	_, err = c.answers.Discard(length)
	return err
}

// post returns a request that creates a post.
func (d *daemon) post(idempotencyKey, body string) []byte {
	return fmt.Appendf(nil, "POST /api/v1/posts HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Idempotency-Key: %s\r\nContent-Length: %d\r\n\r\n%s", d.address, d.key, idempotencyKey, len(body), body)
}

// get returns a request that reads a path.
func (d *daemon) get(path string) []byte {
	return fmt.Appendf(nil, "GET /api/v1%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", path, d.address, d.key)
}
