package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/schedctl/schedctl"
)

// Options are the options of [Open].
type Options struct {
	Logger *slog.Logger // for migrations and for panics in transactions; nil for none
}

// Conns is the default maximum number of connections of a Store, all parts included.
// pool_max_conns in the URL overrides it.
const Conns = 16

// minConns is the smallest number of connections that works.
const minConns = 6

// connectTimeout limits connecting, unless connect_timeout in the URL does.
const connectTimeout = 5 * time.Second

// minServerVersion is the oldest supported version of PostgreSQL.
const minServerVersion = 140000

// ErrURL means that the URL of a database cannot be parsed.
var ErrURL = errors.New("the URL of the database cannot be read")

// Open connects to the database given by a URL or a list of key=value pairs
// (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING). A
// missing password is read from PGPASSWORD, or from the file that PGPASSFILE names. Two
// parameters are specific to schedctl: pool_max_conns is the maximum number of
// connections (default [Conns]), and pool_mode is "transaction" behind a PgBouncer in
// transaction mode. In that mode the store does not receive the announcements of other
// processes.
//
// The tables live in the first schema of search_path, which must be empty at first.
// Open creates or migrates them under a lock.
//
// Errors wrap [ErrURL], [storage.ErrUnreachable], [storage.ErrReadOnly],
// [storage.ErrForeign] or [storage.ErrNewer] where that is the cause; the database is
// unchanged then. Errors never contain the password.
func Open(ctx context.Context, url string, options Options) (*Store, error) {
	log := options.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	config, mode, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, config, mode, log)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", nameOf(config), err)
	}
	return s, nil
}

// nameOf describes a database without its password.
func nameOf(config *pgxpool.Config) string {
	c := config.ConnConfig
	if strings.HasPrefix(c.Host, "/") {
		return fmt.Sprintf("%q at %s", c.Database, c.Host)
	}
	return fmt.Sprintf("%q at %s:%d", c.Database, c.Host, c.Port)
}

// parseURL parses the URL of a database.
func parseURL(url string) (*pgxpool.Config, poolMode, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		// the parse error may contain a part of the URL
		return nil, "", fmt.Errorf("%w; it looks like postgres://user@host:5432/database?sslmode=verify-full", ErrURL)
	}
	params := config.ConnConfig.RuntimeParams
	mode := sessionMode
	switch given, set := params["pool_mode"]; {
	case set && given != string(sessionMode) && given != string(transactionMode):
		return nil, "", fmt.Errorf("%w: pool_mode %q is neither %q nor %q", ErrURL, given, sessionMode, transactionMode)
	case set:
		mode = poolMode(given)
		delete(params, "pool_mode")
	}
	mode.configure(config.ConnConfig)
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = Conns
	}
	if config.MaxConns < minConns {
		return nil, "", fmt.Errorf("%w: pool_max_conns is %d; it must be at least %d", ErrURL, config.MaxConns, minConns)
	}
	config.MaxConns -= mode.extraConns()
	config.MinConns, config.MinIdleConns = min(config.MinConns, config.MaxConns), min(config.MinIdleConns, config.MaxConns)
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	return config, mode, nil
}

func open(ctx context.Context, config *pgxpool.Config, mode poolMode, log *slog.Logger) (*Store, error) {
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, classifyError(err)
	}
	s, err := openPool(ctx, pool, mode, log)
	if err != nil {
		pool.Close()
		return nil, err
	}
	s.capacity.database = "database " + nameOf(config)
	return s, nil
}

func openPool(ctx context.Context, pool *pgxpool.Pool, mode poolMode, log *slog.Logger) (*Store, error) {
	if err := prepareDatabase(ctx, pool, mode, log); err != nil {
		return nil, err
	}
	lifeline, err := newLifeline(ctx, pool)
	if err != nil {
		return nil, err
	}
	s := &Store{pool: pool, lifeline: lifeline, log: log, mode: mode}
	if err := s.start(ctx); err != nil {
		lifeline.Close()
		return nil, err
	}
	if err := s.copyAltTexts(ctx); err != nil {
		s.Close()
		return nil, fmt.Errorf("copy alt texts into posts: %w", err)
	}
	return s, nil
}

// lifelineConns is the number of connections reserved for heartbeats and other work of
// a node that must not be late: all other connections may wait for locks that a stopped
// process holds.
const lifelineConns = 2

// extraConns returns the number of connections outside the pool: the lifeline, and the
// one that listens.
func (m poolMode) extraConns() int32 {
	if m == sessionMode {
		return lifelineConns + 1
	}
	return lifelineConns
}

// newLifeline returns a pool that connects on first use.
func newLifeline(ctx context.Context, pool *pgxpool.Pool) (*pgxpool.Pool, error) {
	config := pool.Config()
	config.MaxConns, config.MinConns, config.MinIdleConns = lifelineConns, 0, 0
	return pgxpool.NewWithConfig(ctx, config)
}

// start starts the background work on a migrated database. The store receives what
// other processes commit from now on.
func (s *Store) start(ctx context.Context) error {
	pool, log := s.pool, s.log
	var tables uint32
	if err := pool.QueryRow(ctx, "SELECT 'events'::regclass::oid").Scan(&tables); err != nil {
		return fmt.Errorf("find the tables: %w", err)
	}
	// the table's oid distinguishes the schemas of one database
	channel, node := fmt.Sprintf("schedctl_%d", tables), schedctl.NewULID(time.Now()).String()
	s.gaps = newGapResolver(pool, log, s.notifyInOrder)
	s.announcer = newAnnouncer(pool, log, channel, node)
	ears := &listener{config: pool.Config().ConnConfig, log: log, channel: channel, node: node, notify: s.notifyInOrder}
	if s.mode == sessionMode {
		if err := ears.connect(ctx); err != nil {
			return err
		}
	}
	var running context.Context
	running, s.stopBackground = context.WithCancel(context.Background())
	s.closing, s.close = context.WithCancel(context.Background())
	s.background.Go(func() { s.gaps.run(running) })
	s.background.Go(func() { s.announcer.run(running) })
	if s.mode == sessionMode {
		s.background.Go(func() { ears.run(running) })
	}
	return nil
}
