package server

import (
	"context"
	"time"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/storage"
)

// banner is what a person reads when a daemon is ready.
type banner struct {
	version, url, dataDir, log string
	fresh                      bool // whether no account is connected yet
}

// bannerText lays a banner out, with the command to continue with.
func bannerText(a *cli.App, b banner) []byte {
	next := `schedctl post create "Hello" --to ACCOUNT --at "tomorrow 9am"`
	if b.fresh {
		next = "schedctl account add"
	}
	rows := []cli.Property{{Name: "Ready", Value: "schedctl " + b.version}, {Name: "Address", Value: b.url}, {Name: "Data", Value: b.dataDir}, {Name: "Log", Value: b.log}, {Name: "Next", Value: next}}
	return a.RenderProperties(rows)
}

// showsBanner reports whether a person watches this daemon.
func (o *daemonRun) showsBanner() bool {
	return o.OutTerminal && o.ErrTerminal && o.logFormat == "text" && !o.Quiet
}

// withBanner lets the daemon print a banner once it is ready, next to what it does
// for a service manager.
func (o *daemonRun) withBanner(cfg *daemon.Config) {
	supervise := cfg.Supervise
	cfg.Supervise = func(ctx context.Context, ready func(context.Context) error) error {
		if untilReady(ctx, ready) {
			o.Err().Write(bannerText(o.App, o.bannerOf(ctx, cfg)))
		}
		if supervise != nil {
			return supervise(ctx, ready)
		}
		<-ctx.Done()
		return nil
	}
}

// untilReady waits until the daemon is ready, and reports false if ctx ends first.
func untilReady(ctx context.Context, ready func(context.Context) error) bool {
	for ready(ctx) != nil {
		select {
		case <-time.After(readyPoll):
		case <-ctx.Done():
			return false
		}
	}
	return ctx.Err() == nil
}

func (o *daemonRun) bannerOf(ctx context.Context, cfg *daemon.Config) banner {
	b := banner{version: cfg.Version, dataDir: cfg.DataDir, fresh: true}
	if found, err := cli.ReadAnnouncement(cfg.DataDir); err == nil {
		b.url = found.URL
	}
	cfg.Store.View(ctx, func(r storage.Reader) error {
		workspaces, err := r.Workspaces()
		for _, w := range workspaces {
			accounts, err := r.Accounts(w.ID)
			if err != nil {
				return err
			}
			b.fresh = b.fresh && len(accounts) == 0
		}
		return err
	})
	return b
}
