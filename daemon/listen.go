package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/privatefile"
)

// listen opens the address, host:port or unix:///path. It replaces a socket file that
// no process serves. Only this user can connect to the new socket.
func listen(address string) (net.Listener, error) {
	path, unix := strings.CutPrefix(address, "unix://")
	if !unix {
		l, err := net.Listen("tcp", address)
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, fmt.Errorf("listen on %s: %s uses the port; choose a different one with --listen, or 127.0.0.1:0 for any free port", address, holder(address))
		}
		if err != nil {
			return nil, fmt.Errorf("listen on %s: %w; use host:port or unix:///path", address, err)
		}
		return l, nil
	}
	if !filepath.IsAbs(path) {
		return nil, fmt.Errorf("listen on %s: the socket path must be absolute, as in unix:///run/schedctl.sock", address)
	}
	if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
		c.Close()
		return nil, fmt.Errorf("listen on %s: another program serves this socket", address)
	}
	if err := removeSocket(path); err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	l, err := net.Listen("unix", path)
	if err == nil {
		err = os.Chmod(path, 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	return l, nil
}

// CheckListen returns an error if a daemon could not listen on an address, for example because
// another program uses the port. It opens the address and closes it again.
func CheckListen(address string) error {
	l, err := listen(address)
	if err != nil {
		return err
	}
	return l.Close()
}

// holder names what listens on an address that is in use: another daemon of schedctl if it
// responds as one.
func holder(address string) string {
	const other = "another program"
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return other
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	client := http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Get("http://" + net.JoinHostPort(host, port) + "/api/v1/me")
	if err != nil {
		return other
	}
	defer response.Body.Close()
	var refused apiv1.ErrorEnvelope
	if json.NewDecoder(io.LimitReader(response.Body, 10_000)).Decode(&refused) != nil || refused.Error.Code != schedctl.AuthenticationRequired {
		return other
	}
	return "another schedctl daemon"
}

// removeSocket removes a stale socket. It refuses to remove any other kind of file.
func removeSocket(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("%s exists and is not a socket", path)
	}
	return os.Remove(path)
}

// clientURL returns the URL at which clients on this machine reach a listener.
func clientURL(l net.Listener) string {
	if l.Addr().Network() == "unix" {
		return "unix://" + l.Addr().String()
	}
	addr, err := netip.ParseAddrPort(l.Addr().String())
	if err != nil || !addr.Addr().IsUnspecified() {
		return "http://" + l.Addr().String()
	}
	return fmt.Sprintf("http://127.0.0.1:%d", addr.Port())
}

// AnnouncementFile is the file in the data directory that clients of the same user read
// to find the running daemon.
const AnnouncementFile = "daemon.json"

// Announcement is the content of the file. A daemon that was killed leaves the file
// behind, so clients verify the daemon with [apiv1.Announced].
type Announcement struct {
	URL    string `json:"url"`
	PID    int    `json:"pid"`
	Secret string `json:"secret"` // new at each start
}

// announce writes the announcement; the returned function removes it. The daemon starts
// even if the disk is full. Then the file of an earlier daemon is removed, and clients
// need --url.
func announce(dir string, self apiv1.Announced, log *slog.Logger) (remove func(), err error) {
	path := filepath.Join(dir, AnnouncementFile)
	data, err := json.Marshal(Announcement{URL: self.URL, PID: os.Getpid(), Secret: self.Secret})
	if err != nil {
		return nil, err
	}
	data = append(data, '\n')
	if err = privatefile.Write(path, data); errors.Is(err, syscall.ENOSPC) {
		os.Remove(path)
		if err = privatefile.Write(path, data); errors.Is(err, syscall.ENOSPC) {
			log.Warn("disk full: clients cannot find this daemon automatically, use --url and --api-key-file", "url", self.URL, "file", path)
			err = nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("announce the daemon: %w", err)
	}
	return func() { os.Remove(path) }, nil
}
