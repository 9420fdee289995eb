package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/storage"
)

// givenKeys are the keys to restore with a database. Each is optional.
type givenKeys struct {
	secret []byte // the sealing key
	admin  string // an API key
	paths  struct{ secret, admin string }
}

// readKeys reads the keys that flags name.
func (o *restore) readKeys() (keys givenKeys, err error) {
	keys.paths.secret, keys.paths.admin = o.secretKey, o.adminKey
	if o.secretKey != "" {
		if keys.secret, err = seal.LoadKey(o.secretKey, seal.MustExist); err != nil {
			return keys, err
		}
	}
	if o.adminKey != "" {
		if keys.admin, err = cli.ReadKey(o.adminKey); err != nil {
			return keys, err
		}
	}
	return keys, nil
}

// check returns an error if a key does not belong to this database.
func (k *givenKeys) check(ctx context.Context, store storage.Store, now time.Time) error {
	return store.View(ctx, func(r storage.Reader) error {
		return errors.Join(k.checkSecret(r), k.checkAdmin(r, now))
	})
}

func (k *givenKeys) checkSecret(r storage.Reader) error {
	if k.secret == nil {
		return nil
	}
	sealer, err := seal.New(k.secret)
	if err != nil {
		return err
	}
	if err := daemon.CheckOpens(r, sealer); !errors.Is(err, daemon.ErrOtherKey) {
		return err
	}
	return wrongKey(k.paths.secret + " does not open the secrets in the backup")
}

func (k *givenKeys) checkAdmin(r storage.Reader, now time.Time) error {
	if k.admin == "" {
		return nil
	}
	hash, _ := schedctl.HashKeySecret(k.admin)
	key, err := r.KeyByHash(hash)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return wrongKey(k.paths.admin + " holds no API key of this backup")
	}
	if err != nil {
		return err
	}
	if err := key.Check(now); err != nil {
		return fmt.Errorf("%s: %w", k.paths.admin, err)
	}
	return nil
}

func wrongKey(message string) error {
	return cli.OtherError("%s", message).WithHint("give the one from the data directory of the daemon that the backup is of")
}
