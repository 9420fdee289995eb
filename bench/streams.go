package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

// measureStreams connects 1,000 clients to the event stream and measures the daemon's
// memory. Then it creates one post, whose events each client must receive.
func measureStreams(ctx context.Context, b *bench, n *counts) (out []result, err error) {
	dir, err := b.withAccounts(ctx)
	if err != nil {
		return nil, err
	}
	readers := 1000 / b.scale
	err = b.withDaemon(ctx, dir, func(d *child.Daemon) error {
		before, err := child.Anonymous(d.PID())
		if err != nil {
			return err
		}
		streams, err := openStreams(ctx, serverOf(d), readers)
		defer closeAll(streams)
		if err != nil {
			return err
		}
		if err := waitIdle(ctx, d.PID()); err != nil {
			return err
		}
		memory, err := child.Anonymous(d.PID())
		if err != nil {
			return err
		}
		var c cost
		if err := c.measure(d.PID(), readers, func() error { return readEvents(ctx, d, streams, n) }); err != nil {
			return err
		}
		c.memory = memory
		out = append(out, holds(fmt.Sprintf("anonymous memory with %d idle event streams", readers), float64(memory), 40e6).
			detailed("%s before; CPU of sending the events of one post to all", formatBytes(float64(before))).with(&c))
		return nil
	})
	return out, err
}

// openStreams opens a number of streams. On an error it returns those that are open.
func openStreams(ctx context.Context, s server, readers int) (streams []*connection, err error) {
	for range readers {
		c, err := openStream(ctx, s)
		if err != nil {
			return streams, err
		}
		streams = append(streams, c)
	}
	return streams, nil
}

func closeAll(streams []*connection) {
	for _, s := range streams {
		s.Close()
	}
}

// openStream requests the event stream and returns when the response has started.
func openStream(ctx context.Context, s server) (*connection, error) {
	conn, err := dial(ctx, s.address)
	if err != nil {
		return nil, err
	}
	conn.answers = bufio.NewReaderSize(conn, 4<<10)
	_, err = conn.Write(s.get("/events"))
	if err == nil {
		var status int
		if status, _, err = conn.readHead(); err == nil && status != 200 {
			err = fmt.Errorf("the event stream returned status %d", status)
		}
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// eventsOfPost is the number of events of a scheduled post.
const eventsOfPost = 2

// readEvents creates a post and counts the clients that receive its events.
func readEvents(ctx context.Context, d *child.Daemon, streams []*connection, n *counts) error {
	accounts, err := accountIDs(ctx, d, "feed")
	if err != nil {
		return err
	}
	if err := d.Call(ctx, "POST", "/posts", createBody(accounts[0], time.Now()), nil); err != nil {
		return err
	}
	heard := make([][]string, len(streams))
	var wg sync.WaitGroup
	for i, s := range streams {
		wg.Go(func() { heard[i] = s.events(eventsOfPost) })
	}
	wg.Wait()
	for _, ids := range heard {
		n.countArrivals(eventsOfPost, slices.Values(ids))
	}
	return nil
}

// events returns the ids of the next events, or fewer when no more arrive. An
// unexpected event that follows immediately is included.
func (c *connection) events(wanted int) (ids []string) {
	c.SetReadDeadline(time.Now().Add(5 * time.Second))
	for {
		line, err := c.answers.ReadString('\n')
		if err != nil {
			return ids
		}
		if id, found := strings.CutPrefix(line, "id: evt_"); found {
			ids = append(ids, id)
			if len(ids) == wanted {
				c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
			}
		}
	}
}
