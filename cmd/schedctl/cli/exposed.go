package cli

import (
	"errors"
	"path/filepath"

	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/daemon/privatefile"
)

// RefuseExposed returns an error when other users can change a file, or read it
// although they must not. The error has the command that repairs this.
func RefuseExposed(path string, refused privatefile.Access) error {
	err := privatefile.Check(path, refused)
	if exposed, ok := errors.AsType[*privatefile.ExposedError](err); ok {
		return OtherError("%s", exposed.Error()).WithHint("remove this permission with: " + exposed.Command)
	}
	return err
}

// RefuseExposedData is [RefuseExposed] for a data directory and its files.
func RefuseExposedData(dir string) error {
	if err := RefuseExposed(dir, privatefile.Writing); err != nil {
		return err
	}
	for _, name := range []string{daemon.AdminKeyFile, daemon.AnnouncementFile, DataLockFile, SecretKeyFile} {
		if err := RefuseExposed(filepath.Join(dir, name), privatefile.Reading); err != nil {
			return err
		}
	}
	return RefuseExposed(filepath.Join(dir, DatabaseFile), privatefile.Writing)
}

// DataLockFile is the file in a data directory that a daemon locks until its process
// ends. It also says which process that is and where it serves.
const DataLockFile = "daemon.lock"

// The files in a data directory, in addition to those of package daemon.
const (
	DatabaseFile  = "schedctl.db"
	SecretKeyFile = "secret.key"
)
