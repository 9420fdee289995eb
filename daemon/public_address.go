package daemon

import (
	"context"
	"log/slog"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// warnAddress logs which accounts cannot publish everything because the daemon has no public
// address from which their networks could fetch files: once for each platform.
func warnAddress(ctx context.Context, store storage.Store, publishers publish.Registry, log *slog.Logger) {
	problems := map[string]string{}
	for platform, p := range publishers {
		if needer, ok := p.(publish.AddressNeeder); ok && needer.AddressProblem() != "" {
			problems[platform] = needer.AddressProblem()
		}
	}
	if len(problems) == 0 {
		return
	}
	err := store.View(ctx, func(r storage.Reader) error {
		for a, err := range storage.EachAccount(r) {
			if err != nil {
				return err
			}
			if problem := problems[a.Platform]; problem != "" && a.Status != schedctl.AccountDisconnected {
				log.Warn("the daemon has no public address", "platform", a.Platform, "account", a.ID, "problem", problem)
				delete(problems, a.Platform)
			}
		}
		return nil
	})
	if err != nil {
		log.Error("reading accounts failed", "error", err)
	}
}
