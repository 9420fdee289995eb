package daemon

import (
	"context"
	"errors"
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/storage"
)

// ErrOtherKey means that the secrets in the database are sealed with a different key.
// The daemon does not start then.
var ErrOtherKey = errors.New("the secrets in the database are sealed with another secret.key")

// sealerMetadata is the metadata entry with the fingerprint of the sealing key. Only
// shared databases have it.
const sealerMetadata = "sealing key"

// isShared reports whether several daemons can use the store at once.
func isShared(store storage.Store) bool {
	_, shared := store.(storage.Shared)
	return shared
}

// putSealerFingerprint stores the fingerprint of the sealing key in a shared database.
func putSealerFingerprint(tx storage.Tx, cfg Config) error {
	if !isShared(cfg.Store) {
		return nil
	}
	return tx.PutMetadata(sealerMetadata, []byte(cfg.Sealer.Fingerprint()))
}

// checkSealer returns [ErrOtherKey] when a shared database holds secrets of a different
// key. Two daemons with different keys could not open each other's secrets. If the
// database has no fingerprint, because it was copied from a file, checkSealer tries to
// open a stored secret and then stores the fingerprint.
func checkSealer(ctx context.Context, cfg Config) error {
	if !isShared(cfg.Store) {
		return nil
	}
	stored, err := storage.Read(ctx, cfg.Store.View, func(r storage.Reader) ([]byte, error) { return r.Metadata(sealerMetadata) })
	if err == nil && stored == nil {
		err = cfg.Store.Update(ctx, func(tx storage.Tx) (err error) {
			stored, err = tx.Metadata(sealerMetadata)
			if err != nil || stored != nil {
				return err
			}
			if err := CheckOpens(tx, cfg.Sealer); err != nil {
				return err
			}
			stored = []byte(cfg.Sealer.Fingerprint())
			return putSealerFingerprint(tx, cfg)
		})
	}
	if err == nil && string(stored) != cfg.Sealer.Fingerprint() {
		err = ErrOtherKey
	}
	if err != nil {
		return fmt.Errorf("compare the sealing key with the database: %w", err)
	}
	return nil
}

// CheckOpens returns [ErrOtherKey] when the sealer cannot open the first secret in the
// database.
func CheckOpens(r storage.Reader, sealer *seal.Sealer) error {
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

// anySecret returns a sealed value of a workspace and the id of its owner, or nil.
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
