package main

import (
	"strings"
	"testing"
)

// TestSecretThatIsTooLong guards that an error about a secret file names the file and
// shows none of its content.
func TestSecretThatIsTooLong(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{})
	m.In = strings.NewReader(strings.Repeat("x", 16<<10+1))
	m.want(t, 2, "", "schedctl: standard input holds no secret: it has more than 16384 bytes\n",
		"account", "add", "mastodon", "--set", "instance_url=m.test", "--secret-file", "-")
}
