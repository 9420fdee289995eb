package connect

import (
	"maps"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// identityField keeps the identity of an account among its credentials. No
// publisher is given it when it connects, and no client may set it: publishers do
// not list it.
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

// withoutIdentity returns a copy of the credentials as a publisher is given them.
func withoutIdentity(c publish.Credentials) publish.Credentials {
	c = maps.Clone(c)
	delete(c, identityField)
	return c
}

// Identity returns the [publish.Profile.Identity] that the account had when its
// network was last asked, or the empty string when that is not known.
func (c *Connector) Identity(a schedctl.Account) string {
	credentials, err := c.Open(a)
	if err != nil {
		return ""
	}
	return credentials[identityField]
}

// WithoutSecrets returns the sealed credentials of an account without everything
// but its identity, which is no secret; nil when it has none. They stay with an
// account that is disconnected, so that it cannot become another one when it is
// connected again.
func (c *Connector) WithoutSecrets(a schedctl.Account) ([]byte, error) {
	identity := c.Identity(a)
	if identity == "" {
		return nil, nil
	}
	return c.Seal(publish.Credentials{identityField: identity}, a.ID)
}
