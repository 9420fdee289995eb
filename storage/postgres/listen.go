package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/schedctl/schedctl/storage"
)

// How long a connection on which nothing comes is believed to be alive, and how
// long is waited before a lost one is made anew.
const (
	listenCheckPeriod = 30 * time.Second
	listenPause       = 100 * time.Millisecond
	maxListenPause    = 5 * time.Second
)

// listener hears what other processes tell, on a connection of its own.
type listener struct {
	config        *pgx.ConnConfig
	log           *slog.Logger
	channel, node string
	notify        func(storage.Commit)
	conn          *pgx.Conn // nil while there is none
}

// connect begins to listen.
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

// run hears until ctx ends. What was told while there was no connection is told
// of as missed.
func (l *listener) run(ctx context.Context) {
	defer l.disconnect()
	for wait := listenPause; ctx.Err() == nil; {
		if l.conn == nil {
			if err := l.connect(ctx); err != nil {
				if !sleep(ctx, wait) {
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
			l.log.Warn("other processes are not heard", "error", err)
		}
		l.disconnect()
	}
}

// receive tells of what comes until the connection fails, and returns why it did.
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

// check asks whether the server is still there.
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

// disconnect gives up the connection.
func (l *listener) disconnect() {
	if l.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	l.conn.Close(ctx) // whatever the server says, it is not used again
	l.conn = nil
}
