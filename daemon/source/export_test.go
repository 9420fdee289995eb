package source

import (
	"context"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/source/fetch"
	"github.com/schedctl/schedctl/storage"
)

// Moved counts a redirect for good.
func Moved(r *Runner, s *schedctl.Source, result *fetch.Result) error {
	j := job{Runner: r}
	return r.cfg.Store.Update(context.Background(), func(tx storage.Tx) error {
		_, err := j.moved(tx, s, result, r.cfg.Now())
		return err
	})
}
