package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/privatefile"
)

// daemonRecord is what "daemon restart" needs to start the same daemon again. It holds no
// password.
type daemonRecord struct {
	Flags     []string          `json:"flags"`               // of "daemon run"
	Variables map[string]string `json:"variables,omitempty"` // values that came from variables, by flag

	// Password reports that the database was opened with a password.
	Password bool `json:"password,omitempty"`

	// StoreSource is the source of the database in records of versions that did not store
	// its address.
	StoreSource string `json:"store_source,omitempty"`
}

// value returns the value of a flag in the record, and "" if it had its default.
func (r *daemonRecord) value(flag string) string {
	for _, given := range slices.Backward(r.Flags) {
		name, value, _ := strings.Cut(given, "=")
		if name == "--debug" { // of versions without --log-level
			name, value = "--"+logLevelFlag, "debug"
		}
		if name == "--"+flag {
			return value
		}
	}
	return r.Variables[flag]
}

// errDataLocked means that another daemon holds the lock of a data directory.
var errDataLocked = errors.New("another daemon uses this data directory")

// lockData locks a data directory for this daemon. Closing the result, which is nil if the
// file system has no locks, unlocks it. The daemon starts anyway then, and logs what does not
// work.
func lockData(dir string, log *slog.Logger) (*os.File, error) {
	file, err := lockFile(filepath.Join(dir, cli.DataLockFile))
	if errors.Is(err, errDataLocked) {
		return nil, dataInUse(dir)
	}
	if err != nil {
		log.Warn("data directory not locked: daemon stop and daemon restart do not work for this daemon", "error", err)
	}
	return file, nil
}

// keepFlags records the flags of a daemon that has started. Until then, the file has those of
// the last daemon that did. If the disk is full, the daemon runs without a record.
func (o *daemonRun) keepFlags(lock *os.File, dir string, name storeName, log *slog.Logger) {
	if lock == nil {
		return
	}
	if err := writeRecord(lock, o.record(dir, name)); err != nil {
		log.Warn("flags not recorded: daemon restart does not know the flags of this daemon", "error", err)
	}
}

func (o *daemonRun) record(dir string, name storeName) daemonRecord {
	return daemonRecord{
		Flags: o.args(dir, name), Variables: o.variableValues(name),
		Password: name.url != "" && passwordFor(name.url) != "",
	}
}

func writeRecord(file *os.File, r daemonRecord) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err = file.WriteAt(append(text, '\n'), 0)
	return err
}

// readRecord returns the record of the last daemon on a data directory.
func readRecord(a *cli.App, dir string) (r daemonRecord, err error) {
	path := filepath.Join(dir, cli.DataLockFile)
	if err := a.RefuseExposedFile(path, privatefile.Writing); err != nil {
		return r, err
	}
	return recordIn(dir)
}

// recordIn is [readRecord] without the check who can have written the record. The error
// wraps [fs.ErrNotExist] if there is none.
func recordIn(dir string) (r daemonRecord, err error) {
	path := filepath.Join(dir, cli.DataLockFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	if len(text) == 0 { // no daemon has started there yet
		return r, fs.ErrNotExist
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("%s is damaged; give the flags of the daemon again", path)
	}
	return r, nil
}

// dataInUse returns the error for a data directory that another daemon uses.
func dataInUse(dir string) error {
	return cli.OtherError("%s has the data in %s", lockHolderText(dir), dir).WithHint("stop it first, or choose another directory with --data-dir")
}

// lockHolderText describes the daemon that uses a data directory, as far as it is
// known.
func lockHolderText(dir string) string {
	found, err := cli.ReadAnnouncement(dir)
	pid, locked := dataHolder(dir)
	switch {
	case err == nil && found.PID != 0 && (!locked || pid == found.PID):
		return fmt.Sprintf("another daemon (pid %d, %s)", found.PID, found.URL)
	case pid > 0:
		return fmt.Sprintf("another daemon (pid %d)", pid)
	}
	return "another daemon"
}

// dataHolder reports whether a daemon has locked a data directory, and its process id.
// The id is 0 if this process cannot see the daemon, for example because it runs in a
// container.
func dataHolder(dir string) (pid int, locked bool) {
	return fileHolder(filepath.Join(dir, cli.DataLockFile))
}
