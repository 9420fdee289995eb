package connect

import (
	"maps"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// identityField is the credential that holds the identity of an account. Publishers do
// not receive it, and clients cannot set it, because no publisher lists it.
const identityField = "identity"

// withIdentity returns the credentials with the identity of the profile, or
// without one when the profile has none.
func withIdentity(c publish.Credentials, identity string) publish.Credentials {
	if c[identityField] == identity {
		return c
	}
	c = withoutIdentity(c)
	if identity != "" {
		if c == nil {
			c = publish.Credentials{}
		}
		c[identityField] = identity
	}
	return c
}

// withoutIdentity returns a copy of the credentials for a publisher.
func withoutIdentity(c publish.Credentials) publish.Credentials {
	c = maps.Clone(c)
	delete(c, identityField)
	return c
}

// Identity returns the last known [publish.Profile.Identity] of the account, or the
// empty string.
func (c *Connector) Identity(a schedctl.Account) string {
	credentials, err := c.Open(a)
	if err != nil {
		return ""
	}
	return credentials[identityField]
}

// WithoutSecrets returns sealed credentials that hold only the identity of an account,
// which is not a secret; nil without an identity. A disconnected account keeps them, so
// that it can be reconnected only with the same identity.
func (c *Connector) WithoutSecrets(a schedctl.Account) ([]byte, error) {
	identity := c.Identity(a)
	if identity == "" {
		return nil, nil
	}
	return c.Seal(publish.Credentials{identityField: identity}, a.ID)
}
