package server

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// firstInherited is the first file descriptor that a service manager passes.
const firstInherited = 3

// inheritedSocket returns the socket that the service manager opened for this
// process (sd_listen_fds(3)), or nil without one.
func inheritedSocket(getenv func(string) string) (net.Listener, error) {
	count := getenv("LISTEN_FDS")
	if count == "" || getenv("LISTEN_PID") != strconv.Itoa(os.Getpid()) {
		return nil, nil
	}
	if count != "1" {
		return nil, cli.UsageError("the service manager passes %s sockets: give the socket unit one ListenStream", count)
	}
	f := os.NewFile(firstInherited, "inherited socket")
	defer f.Close() // the listener has a copy
	l, err := net.FileListener(f)
	if err != nil {
		return nil, fmt.Errorf("listen on the socket of the service manager: %w", err)
	}
	return l, nil
}

// sealingKeyPath returns the path of the key that seals secrets: the file in the
// data directory, else the credential that the service manager passes. If neither
// exists, it returns the path in the data directory, where a new key is created.
func sealingKeyPath(getenv func(string) string, dir string) string {
	path := filepath.Join(dir, cli.SecretKeyFile)
	if _, err := os.Lstat(path); err == nil {
		return path
	}
	given := credentialPath(getenv, cli.SecretKeyFile)
	if _, err := os.Lstat(given); err == nil {
		return given
	}
	return path
}

// credentialPath returns the path of a credential from the service manager
// (systemd.exec(5), LoadCredential). The file need not exist. The path is empty when
// the manager passes no credentials.
func credentialPath(getenv func(string) string, name string) string {
	if dir := getenv("CREDENTIALS_DIRECTORY"); dir != "" {
		return filepath.Join(dir, name)
	}
	return ""
}
