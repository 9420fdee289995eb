package connect

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// Seal returns credentials as they are stored with the account of this id.
func (c *Connector) Seal(credentials publish.Credentials, accountID string) ([]byte, error) {
	plain, err := json.Marshal(credentials)
	if err != nil {
		return nil, fmt.Errorf("seal the credentials of %s: %w", accountID, err)
	}
	return c.cfg.Sealer.Seal(plain, accountID), nil
}

// Open returns the stored credentials of an account, nil when it has none. The
// error holds nothing of them.
func (c *Connector) Open(a schedctl.Account) (publish.Credentials, error) {
	if len(a.Credentials) == 0 {
		return nil, nil
	}
	plain, err := c.cfg.Sealer.Open(a.Credentials, a.ID)
	if err != nil {
		return nil, fmt.Errorf("open the credentials of %s: %w", a.ID, err)
	}
	var credentials publish.Credentials
	if json.Unmarshal(plain, &credentials) != nil {
		// The decoder's own error could quote what it has read.
		return nil, fmt.Errorf("open the credentials of %s: %w", a.ID, errors.New("not a JSON object of strings"))
	}
	return credentials, nil
}

// mergeCredentials returns the new credentials, with what they lack or have emptied of
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

// missingField returns the name of a field that the new credentials lack or have
// emptied, or the empty string.
func missingField(old, fresh publish.Credentials) string {
	for name, value := range old {
		if value != "" && fresh[name] == "" {
			return name
		}
	}
	return ""
}
