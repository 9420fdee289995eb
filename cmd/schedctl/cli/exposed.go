package cli

import (
	"errors"
	"path/filepath"
	"strconv"

	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/daemon/privatefile"
)

// RefuseExposed returns an error when other users can change a file, or read it
// although they must not. The error says how to repair this.
func RefuseExposed(path string, refused privatefile.Access) error {
	return refuseExposed(path, refused, exposedAdvice{ignored: "keep it on another file system"})
}

// ignoresModes is a variable for tests.
var ignoresModes = privatefile.IgnoresModes

// exposedAdvice is what to do about an exposed file.
type exposedAdvice struct {
	ignored string // on a file system that ignores modes
	also    string // in addition to chmod, or empty
}

// refuseExposed is [RefuseExposed] with other advice.
func refuseExposed(path string, refused privatefile.Access, advice exposedAdvice) error {
	err := privatefile.Check(path, refused)
	exposed, ok := errors.AsType[*privatefile.ExposedError](err)
	switch {
	case !ok:
		return err
	case ignoresModes(path):
		return OtherError("%s, and chmod has no effect on its file system", exposed.Error()).WithHint(advice.ignored)
	}
	return OtherError("%s", exposed.Error()).WithHint("remove this permission with: " + exposed.Command + advice.also)
}

// SharedFilesAllowed reports whether a data directory may be used although other users can
// reach its files, by --allow-shared-files of a daemon or by the variable.
func (a *App) SharedFilesAllowed() bool {
	text := a.Getenv("SCHEDCTL_ALLOW_SHARED_FILES")
	if f := a.SharedFiles; f != nil && (f.Changed || f.Value.String() == "true") { // true also from the variable of an earlier daemon
		text = f.Value.String()
	}
	allowed, err := strconv.ParseBool(text)
	return err == nil && allowed
}

// RefuseExposedData returns an error when other users can reach a data directory or its files
// as they must not, unless that is allowed.
func (a *App) RefuseExposedData(dir string) error {
	if a.SharedFilesAllowed() {
		return nil
	}
	return ExposedData(dir)
}

// RefuseExposedFile is [App.RefuseExposedData] for one file of a daemon.
func (a *App) RefuseExposedFile(path string, refused privatefile.Access) error {
	if a.SharedFilesAllowed() {
		return nil
	}
	return refuseExposed(path, refused, allowSharedFiles)
}

// allowSharedFiles is the advice for data that others can reach.
var allowSharedFiles = exposedAdvice{
	ignored: "use another directory, or, if only you can reach this one, start the daemon with --allow-shared-files; " +
		"other commands need SCHEDCTL_ALLOW_SHARED_FILES=true",
	also: "; or, if only you can reach it, set SCHEDCTL_ALLOW_SHARED_FILES=true for the daemon and all commands",
}

// ExposedData is [App.RefuseExposedData] without the exception.
func ExposedData(dir string) error {
	if err := refuseExposed(dir, privatefile.Writing, allowSharedFiles); err != nil {
		return err
	}
	for _, name := range []string{daemon.AdminKeyFile, daemon.AnnouncementFile, DataLockFile, SecretKeyFile} {
		if err := refuseExposed(filepath.Join(dir, name), privatefile.Reading, allowSharedFiles); err != nil {
			return err
		}
	}
	return refuseExposed(filepath.Join(dir, DatabaseFile), privatefile.Writing, allowSharedFiles)
}

// DataLockFile is the file in a data directory that a daemon locks until its process
// ends. It also says which process that is and where it serves.
const DataLockFile = "daemon.lock"

// The files in a data directory, in addition to those of package daemon.
const (
	DatabaseFile  = "schedctl.db"
	SecretKeyFile = "secret.key"
)
