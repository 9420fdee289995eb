package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// How long a silent connection counts as alive, and how long to wait before a lost one
// is reopened.
const (
	listenCheckPeriod = 30 * time.Second
	listenPause       = 100 * time.Millisecond
	maxListenPause    = 5 * time.Second
)

// listener receives the announcements of other processes on its own connection.
type listener struct {
	config        *pgx.ConnConfig
	log           *slog.Logger
	channel, node string
	notify        func(storage.Commit)
	conn          *pgx.Conn // nil while disconnected
}

// connect starts listening.
func (l *listener) connect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, roundTripLimit)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, l.config.Copy())
	if err != nil {
		return classifyError(err)
	}
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{l.channel}.Sanitize()); err != nil {
		return errors.Join(fmt.Errorf("listen to other processes: %w", err), conn.Close(ctx))
	}
	l.conn = conn
	return nil
}

// run receives announcements until ctx ends. After a reconnect it reports a commit with
// Missed set.
func (l *listener) run(ctx context.Context) {
	defer l.disconnect()
	for wait := listenPause; ctx.Err() == nil; {
		if l.conn == nil {
			if err := l.connect(ctx); err != nil {
				if !schedctl.Sleep(ctx, wait) {
					return
				}
				wait = min(2*wait, maxListenPause)
				continue
			}
			l.notify(storage.Commit{Elsewhere: true, Missed: true})
			wait = listenPause
		}
		err := l.receive(ctx)
		if ctx.Err() == nil {
			l.log.Warn("LISTEN connection lost", "error", err)
		}
		l.disconnect()
	}
}

// receive handles announcements until the connection fails, and returns its error.
func (l *listener) receive(ctx context.Context) error {
	for {
		wait, cancel := context.WithTimeout(ctx, listenCheckPeriod)
		n, err := l.conn.WaitForNotification(wait)
		quiet := wait.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case err == nil:
			if err := l.handle(n.Payload); err != nil {
				return err
			}
		case !quiet || l.conn.IsClosed():
			return err
		default:
			if err := l.check(ctx); err != nil {
				return err
			}
		}
	}
}

// check verifies that the server still responds.
func (l *listener) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, announceLimit)
	defer cancel()
	return l.conn.Ping(ctx)
}

func (l *listener) handle(text string) error {
	c, foreign, err := decodeAnnouncement(l.node, text)
	if err == nil && foreign {
		l.notify(c)
	}
	return err
}

// disconnect closes the connection.
func (l *listener) disconnect() {
	if l.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	l.conn.Close(ctx) // never used again, whatever the server responds
	l.conn = nil
}
