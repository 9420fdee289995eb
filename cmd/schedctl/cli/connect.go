package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/daemon"
)

// DefaultListen is the address of a daemon without --listen.
const DefaultListen = "127.0.0.1:7733"

// Endpoint is the address of a daemon and the API key for it.
type Endpoint struct {
	URL, Key string

	// Announced is the data directory in which the daemon announced its address or
	// stored the key, else empty. That daemon has to prove itself: a killed daemon
	// leaves its address behind, and any process may listen there now.
	Announced string
}

// Endpoint returns the daemon that the flags name, or else the environment, the
// current context, or the running daemon of this user.
func (a *App) Endpoint() (Endpoint, error) {
	url, at, err := a.DaemonAddress()
	if err != nil {
		return Endpoint{URL: FirstNonEmpty(url, "http://"+DefaultListen)}, err
	}
	e, err := a.EndpointAt(url, at)
	a.Keyless = e.Key == ""
	if a.peer = "daemon " + FirstNonEmpty(e.Announced, e.URL); at.Name != "" {
		a.peer = "context " + at.Name
	}
	a.user = a.peer
	if e.Key != "" {
		a.user += " " + e.Key
	}
	return e, err
}

// EndpointWithOwnKey is the endpoint of a command that never uses the admin key. The key
// is that of the flags, the environment or the context, else empty.
func (a *App) EndpointWithOwnKey() (Endpoint, error) {
	url, at, err := a.DaemonAddress()
	e := Endpoint{URL: FirstNonEmpty(url, "http://"+DefaultListen), Announced: at.Announced}
	if err != nil {
		return e, err
	}
	if e.Announced != "" {
		if err := a.RefuseExposedData(e.Announced); err != nil {
			return e, err
		}
	}
	e.Key, err = a.givenKey(e.URL, at)
	return e, err
}

// EndpointAt adds the key to the URL of a daemon, which is empty when it is unknown.
// The admin key in the data directory is sent only to a daemon that has proven that it
// runs on the directory.
func (a *App) EndpointAt(url string, at ContextChoice) (Endpoint, error) {
	e := Endpoint{URL: FirstNonEmpty(url, "http://"+DefaultListen), Announced: at.Announced}
	var err error
	if at.Announced != "" {
		if err = a.RefuseExposedData(at.Announced); err != nil {
			return e, err
		}
	}
	if e.Key, err = a.givenKey(e.URL, at); e.Key != "" || err != nil {
		return e, err
	}
	admin := filepath.Join(a.DataDir(), daemon.AdminKeyFile)
	_, missing := os.Stat(admin)
	switch {
	case url == "" && missing == nil:
		return e, a.NotRunning("no daemon is running on the data in " + a.DataDir())
	case url == "":
		return e, a.NotRunning("no daemon has run in " + a.DataDir())
	case missing != nil || !IsOnThisMachine(url):
		return e, nil
	}
	found, err := a.Announcement()
	if err != nil || !sameListener(found.URL, url) {
		return e, nil // without the key: any process may listen there
	}
	e.URL, e.Announced = found.URL, a.DataDir()
	if err := a.RefuseExposedData(e.Announced); err != nil {
		return e, err
	}
	e.Key, err = a.AdminKey(e.Announced)
	return e, err
}

// sameListener reports whether two URLs lead to one listener on this machine.
func sameListener(a, b string) bool {
	plain := func(text string) string {
		return strings.TrimRight(strings.Replace(strings.ToLower(text), "//localhost:", "//127.0.0.1:", 1), "/")
	}
	return a != "" && (a == b || plain(a) == plain(b))
}

// DaemonAddress returns the URL of the daemon, empty when it is unknown.
func (a *App) DaemonAddress() (url string, at ContextChoice, err error) {
	if at, err = a.ChooseContext(); err != nil {
		return "", at, err
	}
	url = FirstNonEmpty(a.URL, at.URL)
	if url == "" && !at.byFlag {
		url = a.Getenv("SCHEDCTL_URL")
	}
	if url == "" {
		found, err := a.Announcement()
		if err != nil {
			return "", at, err
		}
		if url = found.URL; url != "" {
			at.Announced = a.DataDir()
		}
	}
	if url != "" {
		if err := client.CheckURL(url); err != nil {
			return "", at, UsageError("%v", err)
		}
	}
	return url, at, nil
}

func FirstNonEmpty(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// DataDir returns where the daemon of this user keeps its data.
func (a *App) DataDir() string {
	return FirstNonEmpty(a.Getenv("SCHEDCTL_DATA_DIR"), filepath.Join(a.dataHome, "schedctl"))
}

// Announcement reads the announcement of the running daemon. Without a file it returns
// a zero announcement.
func (a *App) Announcement() (daemon.Announcement, error) {
	return ReadAnnouncement(a.DataDir())
}

func ReadAnnouncement(dir string) (found daemon.Announcement, err error) {
	path := filepath.Join(dir, daemon.AnnouncementFile)
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return found, nil
	case err != nil:
		return found, fmt.Errorf("find the daemon: %w; name it with --url", err)
	}
	if json.Unmarshal(text, &found) != nil || found.URL == "" {
		return found, fmt.Errorf("find the daemon: %s is damaged; give its address with --url", path)
	}
	return found, nil
}

// givenKey returns the API key from flags, the environment or the context, or empty.
// The daemon decides whether a key is needed.
func (a *App) givenKey(daemonURL string, at ContextChoice) (string, error) {
	if a.KeyFile != "" {
		return ReadKey(a.KeyFile)
	}
	sources := []func() (string, error){a.environmentKey, func() (string, error) { return a.keyOf(at, daemonURL) }}
	switch {
	case at.byFlag && at.Name == "": // the local daemon
		sources = nil
	case at.byFlag:
		slices.Reverse(sources)
	}
	for _, source := range sources {
		if key, err := source(); key != "" || err != nil {
			return key, err
		}
	}
	return "", nil
}

// NotRunning returns the error that there is no daemon. A daemon that has run is started
// again with the flags that it had.
func (a *App) NotRunning(message string) error {
	hint := "start one with: schedctl daemon start"
	if lock, err := os.Stat(filepath.Join(a.DataDir(), DataLockFile)); err == nil && lock.Size() > 0 {
		hint = "start it again with: schedctl daemon restart"
	}
	return NewFailure(ExitUnreachable, CodeUnreachable, "%s", message).WithHint(hint)
}

// environmentKey returns the key that the environment gives, empty for none.
func (a *App) environmentKey() (string, error) {
	if key := a.Getenv("SCHEDCTL_API_KEY"); key != "" {
		return CheckKey(key, "SCHEDCTL_API_KEY")
	}
	if path := a.Getenv("SCHEDCTL_API_KEY_FILE"); path != "" {
		return ReadKey(path)
	}
	return "", nil
}

// keyOf returns the key of a context. The key is sent only to the URL of the context.
func (a *App) keyOf(at ContextChoice, daemonURL string) (string, error) {
	if at.URL == "" || at.URL != daemonURL {
		return "", nil
	}
	return a.contextKey(at.Name, at.SavedContext)
}

// errNoKey is the error for a request that the daemon refused because it had no key.
var errNoKey = noKey("the daemon requires an API key", "give one with --api-key-file, SCHEDCTL_API_KEY or SCHEDCTL_API_KEY_FILE, or keep one with: schedctl login")

func noKey(message, hint string) error {
	return NewFailure(ExitAuth, schedctl.AuthenticationRequired, "%s", message).WithHint(hint)
}

func ReadKey(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", noKey(fmt.Sprintf("the API key cannot be read: %v", err), "give a readable file with --api-key-file")
	}
	return CheckKey(string(text), path)
}

// CheckKey returns an error for a key that cannot be sent in a header. The error does
// not contain the key.
func CheckKey(text, source string) (string, error) {
	key := strings.TrimSpace(text)
	if key == "" || len(key) > 512 || strings.ContainsFunc(key, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsGraphic(r) || unicode.IsSpace(r) }) {
		return "", noKey(source+" holds no API key", "it must hold the key and nothing else")
	}
	return key, nil
}

// IsOnThisMachine reports whether a URL leads to a socket or a loopback address.
func IsOnThisMachine(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "unix" || u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// WarnOfLocalAddress says that an address that others shall open leads to this computer.
func (a *App) WarnOfLocalAddress(address string) {
	if !IsOnThisMachine(address) {
		return
	}
	host := address
	if u, err := url.Parse(address); err == nil {
		host = u.Hostname()
	}
	a.Messagef("only this computer can open the address, because its host is %s; for others, start the daemon with a --public-url that they can reach", host)
}
