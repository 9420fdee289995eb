package daemon

import (
	"context"
	"errors"
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/storage"
)

// ErrOtherKey is why a daemon does not start on a database whose secrets were
// sealed with another key than its own.
var ErrOtherKey = errors.New("the secrets in the database are sealed with another secret.key")

// sealerMetadata is the note that holds the fingerprint of the key by which secrets
// in a database that daemons share are sealed. In a file of one daemon there is
// none.
const sealerMetadata = "sealing key"

// isShared reports whether several daemons may use the store at once.
func isShared(store storage.Store) bool {
	_, shared := store.(storage.Shared)
	return shared
}

// putSealerFingerprint notes whose secrets the database will hold.
func putSealerFingerprint(tx storage.Tx, cfg Config) error {
	if !isShared(cfg.Store) {
		return nil
	}
	return tx.PutMetadata(sealerMetadata, []byte(cfg.Sealer.Fingerprint()))
}

// checkSealer returns ErrOtherKey when a database that daemons share has secrets
// of another key: each of two daemons would call what the other has sealed
// damaged. Where nothing is noted, because the database was copied from a file, a
// secret of it tells, and then it is noted.
func checkSealer(ctx context.Context, cfg Config) error {
	if !isShared(cfg.Store) {
		return nil
	}
	var noted []byte
	err := cfg.Store.View(ctx, func(r storage.Reader) (err error) {
		noted, err = r.Metadata(sealerMetadata)
		return err
	})
	if err == nil && noted == nil {
		err = cfg.Store.Update(ctx, func(tx storage.Tx) (err error) {
			noted, err = tx.Metadata(sealerMetadata)
			if err != nil || noted != nil {
				return err
			}
			if err := checkOpens(tx, cfg.Sealer); err != nil {
				return err
			}
			noted = []byte(cfg.Sealer.Fingerprint())
			return putSealerFingerprint(tx, cfg)
		})
	}
	if err == nil && string(noted) != cfg.Sealer.Fingerprint() {
		err = ErrOtherKey
	}
	if err != nil {
		return fmt.Errorf("compare the sealing key with the database: %w", err)
	}
	return nil
}

// checkOpens returns ErrOtherKey when the sealer does not open the first secret that
// there is.
func checkOpens(r storage.Reader, sealer *seal.Sealer) error {
	workspaces, err := r.Workspaces()
	if err != nil {
		return err
	}
	for _, w := range workspaces {
		sealed, owner, err := anySecret(r, w)
		if err != nil {
			return err
		}
		if sealed == nil {
			continue
		}
		if _, err := sealer.Open(sealed, owner); err != nil {
			return ErrOtherKey
		}
		return nil
	}
	return nil
}

// anySecret returns something sealed in a workspace, and whose it is; nil when
// there is nothing.
func anySecret(r storage.Reader, w schedctl.Workspace) (sealed []byte, owner string, err error) {
	accounts, err := r.Accounts(w.ID)
	if err != nil {
		return nil, "", err
	}
	for i := range accounts {
		if a := &accounts[i]; len(a.Credentials) > 0 {
			return a.Credentials, a.ID, nil
		}
	}
	webhooks, err := r.Webhooks(w.ID)
	if err != nil {
		return nil, "", err
	}
	for i := range webhooks {
		if len(webhooks[i].Secret) > 0 {
			return webhooks[i].Secret, webhooks[i].ID, nil
		}
	}
	return nil, "", nil
}
