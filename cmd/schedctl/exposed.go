package main

import (
	"errors"
	"path/filepath"

	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/daemon/privatefile"
)

// refuseExposed returns an error when other users can change what is at a path, or
// read it where they must not, with the command that mends it.
func refuseExposed(path string, refused privatefile.Access) error {
	err := privatefile.Check(path, refused)
	var exposed *privatefile.ExposedError
	if errors.As(err, &exposed) {
		return &failure{status: exitOther, code: codeOther, message: exposed.Error(), hint: "take that from them with: " + exposed.Command}
	}
	return err
}

// refuseExposedData is refuseExposed for a data directory and what is in it.
func refuseExposedData(dir string) error {
	if err := refuseExposed(dir, privatefile.Writing); err != nil {
		return err
	}
	for _, name := range []string{daemon.AdminKeyFile, daemon.AnnouncementFile, dataLockFile, secretKeyFile} {
		if err := refuseExposed(filepath.Join(dir, name), privatefile.Reading); err != nil {
			return err
		}
	}
	return refuseExposed(filepath.Join(dir, databaseFile), privatefile.Writing)
}

// dataLockFile is the file in a data directory that the running daemon keeps locked
// until its process ends, however that happens. It also holds a [daemonRecord].
const dataLockFile = "daemon.lock"

// The files in a data directory, in addition to those of package daemon.
const (
	databaseFile  = "schedctl.db"
	secretKeyFile = "secret.key"
)
