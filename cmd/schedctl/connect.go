package main

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

// defaultListen is the address of a daemon without --listen.
const defaultListen = "127.0.0.1:7733"

// endpoint is a daemon and the key to it.
type endpoint struct {
	url, key string

	// announced is the data directory in which the daemon announced its address or
	// stored the key, else empty. That daemon has to prove itself: a killed daemon
	// leaves its address behind, and any process may listen there now.
	announced string
}

// endpoint finds the daemon: where the flags say, else the environment, else the
// context in use, else the running daemon of this user.
func (a *app) endpoint() (endpoint, error) {
	url, at, err := a.whereabouts()
	if err != nil {
		return endpoint{url: first(url, "http://"+defaultListen)}, err
	}
	e, err := a.endpointAt(url, at)
	a.keyless = e.key == ""
	if a.peer = "daemon " + first(e.announced, e.url); at.name != "" {
		a.peer = "context " + at.name
	}
	return e, err
}

// endpointAt adds the key to the URL of a daemon, which is empty when it is unknown.
// The admin key in the data directory is sent only to a daemon that has proven that it
// runs on the directory.
func (a *app) endpointAt(url string, at chosen) (endpoint, error) {
	e := endpoint{url: first(url, "http://"+defaultListen), announced: at.announced}
	var err error
	if at.announced != "" {
		if err = refuseExposedData(at.announced); err != nil {
			return e, err
		}
	}
	if e.key, err = a.givenKey(e.url, at); e.key != "" || err != nil {
		return e, err
	}
	admin := filepath.Join(a.dataDir(), daemon.AdminKeyFile)
	_, missing := os.Stat(admin)
	switch {
	case url == "" && missing == nil:
		return e, notRunning("no daemon is running on the data in " + a.dataDir())
	case url == "":
		return e, notRunning("no daemon has run in " + a.dataDir())
	case missing != nil || !onThisMachine(url):
		return e, nil
	}
	found, err := a.announcement()
	if err != nil || !sameListener(found.URL, url) {
		return e, nil // without the key: any process may listen there
	}
	e.url, e.announced = found.URL, a.dataDir()
	if err := refuseExposedData(e.announced); err != nil {
		return e, err
	}
	e.key, err = readKey(admin)
	return e, err
}

// sameListener reports whether two URLs lead to one listener on this machine.
func sameListener(a, b string) bool {
	plain := func(text string) string {
		return strings.TrimRight(strings.Replace(strings.ToLower(text), "//localhost:", "//127.0.0.1:", 1), "/")
	}
	return a != "" && (a == b || plain(a) == plain(b))
}

// whereabouts returns the URL of the daemon, empty when it is unknown.
func (a *app) whereabouts() (url string, at chosen, err error) {
	if at, err = a.chooseContext(); err != nil {
		return "", at, err
	}
	url = first(a.url, at.URL)
	if url == "" && !at.byFlag {
		url = a.getenv("SCHEDCTL_URL")
	}
	if url == "" {
		found, err := a.announcement()
		if err != nil {
			return "", at, err
		}
		if url = found.URL; url != "" {
			at.announced = a.dataDir()
		}
	}
	if url != "" {
		if err := client.CheckURL(url); err != nil {
			return "", at, usage("%v", err)
		}
	}
	return url, at, nil
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// dataDir returns where the daemon of this user keeps its data.
func (a *app) dataDir() string {
	return first(a.getenv("SCHEDCTL_DATA_DIR"), filepath.Join(a.dataHome, "schedctl"))
}

// announcement reads what the running daemon says of itself; no file is a zero
// announcement.
func (a *app) announcement() (daemon.Announcement, error) {
	return readAnnouncement(a.dataDir())
}

func readAnnouncement(dir string) (found daemon.Announcement, err error) {
	path := filepath.Join(dir, daemon.AnnouncementFile)
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return found, nil
	case err != nil:
		return found, fmt.Errorf("find the daemon: %w; name it with --url", err)
	}
	if json.Unmarshal(text, &found) != nil || found.URL == "" {
		return found, fmt.Errorf("find the daemon: %s is damaged; name the daemon with --url", path)
	}
	return found, nil
}

// givenKey finds the API key that the user gives, empty for none: whether one is
// needed is for the daemon to say.
func (a *app) givenKey(daemonURL string, at chosen) (string, error) {
	if a.keyFile != "" {
		return readKey(a.keyFile)
	}
	sources := []func() (string, error){a.environmentKey, func() (string, error) { return a.keyOf(at, daemonURL) }}
	switch {
	case at.byFlag && at.name == "": // the local daemon
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

func notRunning(message string) error {
	return &failure{status: exitUnreachable, code: codeUnreachable, message: message, hint: "start one with: schedctl daemon start"}
}

// environmentKey returns the key that the environment gives, empty for none.
func (a *app) environmentKey() (string, error) {
	if key := a.getenv("SCHEDCTL_API_KEY"); key != "" {
		return checkKey(key, "SCHEDCTL_API_KEY")
	}
	if path := a.getenv("SCHEDCTL_API_KEY_FILE"); path != "" {
		return readKey(path)
	}
	return "", nil
}

// keyOf returns the key of a context, which is only ever sent to its URL.
func (a *app) keyOf(at chosen, daemonURL string) (string, error) {
	if at.URL == "" || at.URL != daemonURL {
		return "", nil
	}
	return a.contextKey(at.name, at.savedContext)
}

// needsKey is what the daemon's refusal of a request without a key means here.
var needsKey = noKey("the daemon requires an API key", "give one with --api-key-file, SCHEDCTL_API_KEY or SCHEDCTL_API_KEY_FILE, or keep one with: schedctl login")

func noKey(message, hint string) error {
	return &failure{status: exitAuth, code: schedctl.AuthenticationRequired, message: message, hint: hint}
}

func readKey(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", noKey(fmt.Sprintf("the API key cannot be read: %v", err), "give a readable file with --api-key-file")
	}
	return checkKey(string(text), path)
}

// checkKey refuses what cannot be sent in a header, without repeating it.
func checkKey(text, source string) (string, error) {
	key := strings.TrimSpace(text)
	if key == "" || len(key) > 512 || strings.ContainsFunc(key, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsGraphic(r) || unicode.IsSpace(r) }) {
		return "", noKey(source+" holds no API key", "it must hold the key and nothing else")
	}
	return key, nil
}

// onThisMachine reports whether a URL leads to a socket or a loopback address.
func onThisMachine(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "unix" || u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
