// Package forecast announces what will make posts of the next day fail or be late if no one
// acts: with one event when it appears, and with another one only if it had passed since.
//
// Of several nodes, one announces at a time. The ids of what was announced are stored with
// the events, in one transaction, so nothing is announced twice: not after a restart, and not
// by two nodes.
package forecast

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/clock"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

const (
	// interval is how often the announcer looks for new events. A look reads one index.
	interval = time.Minute

	// longest is the longest time between two forecasts, because posts come nearer, and
	// accounts change without events.
	longest = 10 * time.Minute

	// ahead is how far ahead posts are announced.
	ahead = 24 * time.Hour
)

// hold is the name whose holder announces.
const hold = "forecast"

// Holder makes one of several nodes the holder of a name. The member of package node
// implements it.
type Holder interface {
	Hold(ctx context.Context, name string) (bool, error)
}

// Config holds the dependencies of an [Announcer].
type Config struct {
	Store  storage.Store
	Member Holder       // nil when no other daemon can use the store
	Clock  *clock.Clock // nil trusts the wall clock
	Cases  *usecase.Service
	Logger *slog.Logger
}

// Announcer emits events about what a forecast finds.
type Announcer struct {
	cfg       Config
	lastEvent string    // when the last forecasts were made
	lastRun   time.Time // when they were made; zero before the first ones

	// failed has when the last forecast of a workspace failed, by the id of the workspace, if
	// that is less than longest ago.
	failed map[string]time.Time
}

// New returns an announcer. It starts no goroutine.
func New(c Config) *Announcer { return &Announcer{cfg: c} }

// Run announces every minute if there were events, and every 10 minutes otherwise, until ctx
// ends. The first time is a minute after the start. Failures are logged. If the forecast of a
// workspace fails, it is made again after 10 minutes, and those of others as usual.
func (a *Announcer) Run(ctx context.Context) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := a.announce(ctx); err != nil && ctx.Err() == nil {
			a.cfg.Logger.Error("the forecast failed", "error", err)
		}
	}
}

// announce makes the forecasts of all workspaces, if this node is the one to do it and if
// they may have changed.
func (a *Announcer) announce(ctx context.Context) error {
	if !a.cfg.Clock.Steady() {
		return nil
	}
	now := time.Now()
	last, err := storage.Read(ctx, a.cfg.Store.View, storage.Reader.LastEvent)
	if err != nil || last == a.lastEvent && now.Sub(a.lastRun) < longest {
		return err
	}
	if a.cfg.Member != nil {
		if held, err := a.cfg.Member.Hold(ctx, hold); err != nil || !held {
			return err
		}
	}
	workspaces, err := storage.Read(ctx, a.cfg.Store.View, storage.Reader.Workspaces)
	if err != nil {
		return err
	}
	failed := map[string]time.Time{}
	for _, w := range workspaces {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if at, ok := a.failed[w.ID]; ok && now.Sub(at) < longest {
			failed[w.ID] = at
			continue
		}
		if problem := a.announceIn(ctx, w.ID, now); problem != nil {
			failed[w.ID] = now
			err = errors.Join(err, fmt.Errorf("workspace %s: %w", w.ID, problem))
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	a.lastEvent, a.lastRun, a.failed = last, now, failed
	return err
}

// announceIn announces what is new in the forecast of a workspace, and forgets what has
// passed.
func (a *Announcer) announceIn(ctx context.Context, workspaceID string, now time.Time) error {
	found, err := a.forecast(ctx, workspaceID, now)
	if err != nil {
		return err
	}
	known, err := storage.Read(ctx, a.cfg.Store.View, func(r storage.Reader) (ids, error) { return readIDs(r, workspaceID) })
	if err != nil {
		return err
	}
	if next, news := known.next(found); len(news) == 0 && bytes.Equal(next, known) {
		return nil
	}
	return a.cfg.Store.Update(ctx, func(tx storage.Tx) error {
		known, err := readIDs(tx, workspaceID)
		if err != nil {
			return err
		}
		next, news := known.next(found)
		events := make([]schedctl.Event, len(news))
		for i := range news {
			events[i] = eventOf(&news[i], workspaceID, now)
		}
		if err := tx.AddEvents(events...); err != nil {
			return err
		}
		return next.store(tx, workspaceID)
	})
}

// forecast makes the forecast of a workspace. A check of a text that panics fails only that.
func (a *Announcer) forecast(ctx context.Context, workspaceID string, now time.Time) (found usecase.Forecast, err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = fmt.Errorf("a check panicked: %v\n%s", thrown, debug.Stack())
		}
	}()
	return a.cfg.Cases.SharedForecast(ctx, a.cfg.Store.View, workspaceID, now, now.Add(ahead))
}

// ids identify what was announced and has not passed yet: idBytes for each thing.
type ids []byte

const idBytes = 8

// idOf returns the id of an entry of a forecast.
func idOf(e *usecase.ForecastEntry) []byte {
	sum := sha256.Sum256([]byte(e.Cause))
	return sum[:idBytes]
}

// metadataName is the name of the metadata with the ids of a workspace.
func metadataName(workspaceID string) string { return "forecast " + workspaceID }

func readIDs(r storage.Reader, workspaceID string) (ids, error) {
	value, err := r.Metadata(metadataName(workspaceID))
	return ids(value), err
}

func (l ids) store(tx storage.Tx, workspaceID string) error {
	if len(l) == 0 {
		l = nil
	}
	return tx.PutMetadata(metadataName(workspaceID), l)
}

func (l ids) has(id []byte) bool {
	for i := 0; i+idBytes <= len(l); i += idBytes {
		if bytes.Equal(l[i:i+idBytes], id) {
			return true
		}
	}
	return false
}

// next returns the ids after a forecast, and its entries that are new. What a forecast that
// is not complete does not have may still be there.
func (l ids) next(found usecase.Forecast) (next ids, news []usecase.ForecastEntry) {
	for i := range found.Entries {
		id := idOf(&found.Entries[i])
		if next.has(id) || len(next)+idBytes > storage.MaxMetadata {
			continue
		}
		if next = append(next, id...); !l.has(id) {
			news = append(news, found.Entries[i])
		}
	}
	for i := 0; found.Truncated && i+idBytes <= len(l) && len(next)+idBytes <= storage.MaxMetadata; i += idBytes {
		if id := l[i : i+idBytes]; !next.has(id) {
			next = append(next, id...)
		}
	}
	return next, news
}

// errorKinds are the kinds of the errors that an entry announces.
var errorKinds = map[apiv1.ForecastKind]schedctl.ErrorKind{
	apiv1.ForecastAccountRemoved: schedctl.KindAuth, apiv1.ForecastAccountError: schedctl.KindAuth, apiv1.ForecastAccountWarning: schedctl.KindAuth, apiv1.ForecastTokenEnds: schedctl.KindAuth,
	apiv1.ForecastAccountWaits: schedctl.KindRateLimited, apiv1.ForecastRateLimit: schedctl.KindRateLimited,
	apiv1.ForecastApprovalMissing: schedctl.KindApproval, apiv1.ForecastRefused: schedctl.KindContent, apiv1.ForecastDuplicate: schedctl.KindDuplicate,
	apiv1.ForecastBlackout: schedctl.KindDegraded, apiv1.ForecastPaused: schedctl.KindMissed, apiv1.ForecastClockChange: schedctl.KindDegraded,
	apiv1.ForecastKeyRevoked: schedctl.KindDegraded,
}

// maxMessage is the longest message of an error, in bytes.
const maxMessage = 500

// eventOf returns the event about an entry. It is about the first post that is affected.
func eventOf(e *usecase.ForecastEntry, workspaceID string, now time.Time) schedctl.Event {
	about := schedctl.Event{WorkspaceID: workspaceID, SeriesID: e.SeriesID, Platform: e.Platform}
	if len(e.PostIDs) > 0 {
		about.PostID = e.PostIDs[0]
	}
	if e.SocialAccountID != nil {
		about.AccountID = *e.SocialAccountID
	}
	message := usecase.Clip(e.Message, maxMessage-len("…"))
	if withCommand := e.Message + "; fix it with: " + e.Command; len(withCommand) <= maxMessage {
		message = withCommand
	}
	return schedctl.ForecastAppearedEvent(about, schedctl.TargetError{
		Kind: errorKinds[e.Kind], Code: string(e.Kind), Message: message, Outcome: schedctl.OutcomeNotPublished,
	}, now)
}
