package deliver

import (
	"context"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// hasStagers reports whether any publisher has stages.
func (d *Deliverer) hasStagers() bool {
	for _, p := range d.cfg.Publishers {
		if _, ok := p.(publish.Stager); ok {
			return true
		}
	}
	return false
}

// inUse reports whether any post could need a preparation: there are assets, or accounts
// whose network has stages.
func (p *preparer) inUse(ctx context.Context) (bool, error) {
	if p.d.cfg.Media != nil {
		if inUse, err := p.d.cfg.Media.InUse(ctx); inUse || err != nil {
			return inUse, err
		}
	}
	return p.findStaging(ctx)
}

// findStaging reports whether there is an account whose network has stages. It reads the
// accounts only if some were stored since the last time, and stops after the first one.
func (p *preparer) findStaging(ctx context.Context) (bool, error) {
	version := p.d.accountsVersion.Load() + 1 // so that the first search runs
	if p.staging || !p.d.hasStagers() || version == p.accountsVersion {
		return p.staging, nil
	}
	err := p.d.cfg.Store.View(ctx, func(r storage.Reader) error {
		for a, err := range storage.EachAccount(r) {
			if err != nil {
				return err
			}
			if p.d.stagesOf(a.Platform) {
				p.staging = true
				return nil
			}
		}
		return nil
	})
	if err == nil {
		p.accountsVersion = version
	}
	return p.staging, err
}
