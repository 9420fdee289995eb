// Package archive writes and reads backups that hold a database file and the bytes of
// media. A backup is a tar file with these entries, in this order:
//
//	schedctl.db            the database file
//	blobs/SHA256           the bytes of a blob
//	damaged/SHA256         empty; the entry before it has not the bytes that its name says
//	missing/SHA256         empty; the blob store did not have this blob
//	manifest.json          the [Manifest], which is also the end mark
//
// SHA256 stands for 64 lower-case hexadecimal digits. The entries between the database and
// the manifest are in ascending order of SHA256, and each SHA256 appears once, except that
// a damaged entry follows its blob. A file without the manifest was cut off.
//
// Memory use does not depend on the size or the number of blobs.
package archive

import (
	"errors"
	"io"
	"os"
)

// Names of entries.
const (
	databaseName  = "schedctl.db"
	blobPrefix    = "blobs/"
	damagedPrefix = "damaged/"
	missingPrefix = "missing/"
	manifestName  = "manifest.json"
)

// formatVersion is the version of the format in the manifest.
const formatVersion = 1

// Manifest describes an archive.
type Manifest struct {
	Version  int      `json:"version"`
	Database Database `json:"database"`
	Blobs    Count    `json:"blobs"`   // complete blobs
	Damaged  int      `json:"damaged"` // blobs whose bytes were damaged in the blob store
	Missing  int      `json:"missing"` // blobs that the blob store did not have
}

// Database describes the database file of an archive.
type Database struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // in hexadecimal
}

// Count is a number of blobs and the sum of their sizes.
type Count struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

// Errors of [Read]; it wraps them with what was found.
var (
	// ErrTruncated means that the archive ends before its manifest.
	ErrTruncated = errors.New("the backup is cut off")

	// ErrInvalid means that the archive is damaged or was not written by this package.
	ErrInvalid = errors.New("the backup is damaged")

	// ErrNewer means that a newer version has written the archive.
	ErrNewer = errors.New("a newer version has written the backup")
)

// Is reports whether a file is an archive, and not a plain database file. It looks at the
// first bytes only. Directories and pipes are no archives, and are not opened: a pipe
// without a writer would block.
func Is(path string) (bool, error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, len(databaseName)+1)
	switch _, err := io.ReadFull(f, head); err {
	case nil:
		return string(head) == databaseName+"\x00", nil
	case io.EOF, io.ErrUnexpectedEOF:
		return false, nil
	default:
		return false, err
	}
}
