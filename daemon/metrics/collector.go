package metrics

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Backlog returns how many events still have to be sent to webhooks. It may stop
// counting at a limit.
type Backlog func(context.Context) (int, error)

const (
	// countTimeout bounds one count. Prometheus waits ten seconds for a scrape.
	countTimeout = 8 * time.Second

	// idleFactor is how many times longer a result is reused than it took to count.
	// Counting a large store is slow and scrapes can be frequent, so counting never
	// takes more than one percent of the time.
	idleFactor = 100
)

// maxSweeps limits the series with a due sweep that are counted.
const maxSweeps = 1000

// maxReadings limits the overdue readings of results that are counted.
const maxReadings = 1000

// collector counts targets, accounts and the webhook backlog at a scrape.
type collector struct {
	store   storage.Store
	backlog Backlog
	log     *slog.Logger

	noResults bool // are read

	mu     sync.Mutex // mu guards what follows, and is held while counting
	last   counts
	valid  time.Time // until when last counts
	failed bool
}

// counts is the result of one count.
type counts struct {
	due, overdue, backlog, sweeps int
	readings                      int // overdue
	accounts                      map[accountState]int
	ending                        []schedctl.Account // whose credentials end
	assets                        map[schedctl.MediaStatus]int
	sources                       map[schedctl.SourceState]int
	feeds                         []schedctl.Source // that are read
}

type accountState struct {
	platform string
	status   schedctl.AccountStatus
}

// write counts, and writes the results.
func (c *collector) write(w io.Writer) {
	n, err := c.current()
	if err != nil {
		return // current has logged it
	}
	plain := func(name string, value int) {
		g := gauge{name: name}
		g.writeType(w)
		g.write(w, float64(value))
	}
	plain("schedctl_due_targets", n.due)
	plain("schedctl_overdue_targets", n.overdue)
	plain("schedctl_due_sweeps", n.sweeps)
	if !c.noResults {
		plain("schedctl_results_overdue", n.readings)
	}
	if c.backlog != nil {
		plain("schedctl_webhook_backlog", n.backlog)
	}
	accounts := gauge{"schedctl_accounts", []string{"platform", "status"}}
	accounts.writeType(w)
	for state, n := range n.accounts {
		accounts.write(w, float64(n), state.platform, string(state.status))
	}
	expiries := gauge{"schedctl_account_expires_at_seconds", []string{"account", "platform"}}
	expiries.writeType(w)
	for _, a := range n.ending {
		expiries.write(w, float64(a.Expiry.At.Unix()), a.ID, a.Platform)
	}
	sources := gauge{"schedctl_sources", []string{"state"}}
	sources.writeType(w)
	for state, n := range n.sources {
		sources.write(w, float64(n), string(state))
	}
	successes := gauge{"schedctl_source_last_success_seconds", []string{"source"}}
	successes.writeType(w)
	for i := range n.feeds {
		successes.write(w, float64(n.feeds[i].LastSuccessAt.Unix()), n.feeds[i].ID)
	}
	assets := gauge{"schedctl_media_assets", []string{"status"}}
	assets.writeType(w)
	for status, n := range n.assets {
		assets.write(w, float64(n), string(status))
	}
}

// current returns the last counts, or new ones when those are too old.
func (c *collector) current() (counts, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	began := time.Now()
	if began.Before(c.valid) {
		return c.last, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	n, err := c.count(ctx, began)
	if err != nil {
		if !c.failed {
			c.log.Error("counting targets and accounts failed", "error", err)
		}
		c.failed = true
		return n, err
	}
	c.last, c.failed = n, false
	ended := time.Now()
	c.valid = ended.Add(idleFactor * ended.Sub(began))
	return n, nil
}

// count reads the store. It uses several snapshots, so a target that changes between
// two of them may be counted twice or not at all.
func (c *collector) count(ctx context.Context, now time.Time) (n counts, err error) {
	if c.backlog != nil {
		if n.backlog, err = c.backlog(ctx); err != nil {
			return n, err
		}
	}
	var workspaces []schedctl.Workspace
	err = c.store.View(ctx, func(r storage.Reader) (err error) {
		if workspaces, err = r.Workspaces(); err != nil {
			return err
		}
		if n.accounts, n.ending, err = countAccounts(r, workspaces); err != nil {
			return err
		}
		if n.assets, err = countAssets(r, workspaces); err != nil {
			return err
		}
		if n.sources, n.feeds, err = countSources(r, workspaces); err != nil {
			return err
		}
		sweeps, err := r.SeriesDue(now, maxSweeps)
		if n.sweeps = len(sweeps); err != nil {
			return err
		}
		readings, err := r.ResultsDue(now.Add(-time.Hour), maxReadings)
		n.readings = len(readings)
		return err
	})
	if err != nil {
		return n, err
	}
	if err := c.countDue(ctx, &n, now.UnixMilli()); err != nil {
		return n, err
	}
	for _, w := range workspaces {
		between, err := c.countInFlight(ctx, w.ID, now)
		if err != nil {
			return n, err
		}
		n.overdue += between
	}
	return n, nil
}

// countAccounts counts accounts, and returns those whose credentials end.
func countAccounts(r storage.Reader, workspaces []schedctl.Workspace) (n map[accountState]int, ending []schedctl.Account, err error) {
	n = map[accountState]int{}
	for _, w := range workspaces {
		accounts, err := r.Accounts(w.ID)
		if err != nil {
			return nil, nil, err
		}
		for i := range accounts {
			a := &accounts[i]
			n[accountState{a.Platform, a.Status}]++
			if !a.Expiry.At.IsZero() && a.Status != schedctl.AccountDisconnected {
				ending = append(ending, *a)
			}
		}
	}
	return n, ending, nil
}

// countSources counts sources, and returns those whose feeds are read.
func countSources(r storage.Reader, workspaces []schedctl.Workspace) (n map[schedctl.SourceState]int, feeds []schedctl.Source, err error) {
	n = map[schedctl.SourceState]int{}
	for _, w := range workspaces {
		sources, err := r.Sources(w.ID)
		if err != nil {
			return nil, nil, err
		}
		for i := range sources {
			s := &sources[i]
			if s.State == schedctl.SourceRemoved {
				continue
			}
			n[s.State]++
			if reads := s.State == schedctl.SourceActive || s.State == schedctl.SourceError; reads && s.Kind == schedctl.SourceFeed && !s.LastSuccessAt.IsZero() {
				feeds = append(feeds, *s)
			}
		}
	}
	return n, feeds, nil
}

// dueBatch is how many entries are read in one snapshot. That takes a few milliseconds:
// a long snapshot would keep the store from reusing freed pages.
const dueBatch = 50_000

// countDue counts the due index.
func (c *collector) countDue(ctx context.Context, n *counts, now int64) error {
	var last schedctl.Due
	for {
		read := 0
		err := c.store.View(ctx, func(r storage.Reader) error {
			from := last
			return r.Due(from, func(d schedctl.Due) bool {
				if d == from {
					return true // the last entry of the previous batch
				}
				last = d
				n.due++
				if d.At <= now {
					n.overdue++
				}
				read++
				return read < dueBatch
			})
		})
		if err = errors.Join(err, ctx.Err()); err != nil || read < dueBatch {
			return err
		}
	}
}

// postPage is how many posts are read in one snapshot.
const postPage = 500

// countInFlight counts the overdue targets of a workspace that are not in the due index
// before now: those with an attempt in progress or with a later retry.
func (c *collector) countInFlight(ctx context.Context, workspaceID string, now time.Time) (n int, err error) {
	query := storage.PostQuery{WorkspaceID: workspaceID, Statuses: []schedctl.Status{schedctl.Publishing}, Limit: postPage}
	for {
		err := c.store.View(ctx, func(r storage.Reader) error {
			found, err := r.Posts(query)
			if err != nil {
				return err
			}
			for i := range found.Posts {
				n += inFlight(&found.Posts[i], now)
			}
			query.After = found.Next
			return nil
		})
		if err = errors.Join(err, ctx.Err()); err != nil || query.After == nil {
			return n, err
		}
	}
}

func inFlight(p *schedctl.Post, now time.Time) (n int) {
	for i := range p.Targets {
		t := &p.Targets[i]
		if at, waiting := t.Due(); t.Status == schedctl.Publishing && (!waiting || at.After(now)) {
			n++
		}
	}
	return n
}
