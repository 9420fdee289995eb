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
	if text := withoutSecrets(n.url, "password", "sslpassword", "passfile"); text != "" {
		return text
	}
	return "postgres://…"
}

// stored returns the name of a database as it is kept for restarts: without its password.
func (n storeName) stored() string {
	if n.file != "" {
		return "bolt:" + n.file
	}
	return withoutSecrets(n.url, "password", "sslpassword")
}

// withoutSecrets returns the address of a PostgreSQL database without the password of its
// user and without these parameters, or "" if it cannot be parsed.
func withoutSecrets(address string, parameters ...string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	query := u.Query()
	for name := range query {
		if slices.Contains(parameters, name) {
			query.Del(name)
		}
	}
	u.RawQuery = query.Encode()
	return u.String()
}
