package main

import (
	"strings"
	"testing"
)

// A file that cannot be a secret is named, and none of it is told.
func TestSecretThatIsTooLong(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{})
	m.in = strings.NewReader(strings.Repeat("x", maxSecret+1))
	m.want(t, 2, "", "schedctl: standard input holds no secret: it has more than 16384 bytes\n",
		"account", "add", "mastodon", "--set", "instance_url=m.test", "--secret-file", "-")
}
