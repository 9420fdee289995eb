package server

import (
	"net/url"
	"slices"
)

// shown returns the name of a database without its password.
func (n storeName) shown() string {
	if n.file != "" {
		return "bolt:" + n.file
	}
	u, err := url.Parse(n.url)
	if err != nil {
		return "postgres://…"
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	query := u.Query()
	for name := range query {
		if slices.Contains([]string{"password", "sslpassword", "passfile"}, name) {
			query.Del(name)
		}
	}
	u.RawQuery = query.Encode()
	return u.String()
}
