package connect

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// Seal encrypts credentials for storage with the account of this id.
func (c *Connector) Seal(credentials publish.Credentials, accountID string) ([]byte, error) {
	plain, err := json.Marshal(credentials)
	if err != nil {
		return nil, fmt.Errorf("seal the credentials of %s: %w", accountID, err)
	}
	return c.cfg.Sealer.Seal(plain, accountID), nil
}

// Open decrypts the credentials of an account. They are nil for an account without
// credentials. Errors do not contain credentials.
func (c *Connector) Open(a schedctl.Account) (publish.Credentials, error) {
	return publish.OpenCredentials(c.cfg.Sealer.Open, a)
}

// mergeCredentials returns the new credentials, with missing and empty fields taken from
// the old ones.
func mergeCredentials(old, fresh publish.Credentials) publish.Credentials {
	if fresh == nil {
		return old
	}
	all := maps.Clone(fresh)
	for name, value := range old {
		if all[name] == "" {
			all[name] = value
		}
	}
	return all
}

// missingField returns the name of a field that is missing or empty in the new
// credentials only, or the empty string.
func missingField(old, fresh publish.Credentials) string {
	for name, value := range old {
		if value != "" && fresh[name] == "" {
			return name
		}
	}
	return ""
}
