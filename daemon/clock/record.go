package clock

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"time"
)

// keepEvery is how old the time in the file may become. It is little beside
// [Far].
const keepEvery = time.Hour

// record is a file with the latest time that was believed. Without a path it
// does nothing.
type record struct {
	path string
	log  *slog.Logger
	kept time.Time
}

type recordFile struct {
	Believed time.Time `json:"believed"`
}

// read returns the time in the file.
func (r *record) read() (time.Time, bool) {
	text, err := os.ReadFile(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, false
	}
	var f recordFile
	if err == nil {
		err = json.Unmarshal(text, &f)
	}
	if err != nil {
		r.log.Warn("the time that was believed last cannot be read", "error", err)
		return time.Time{}, false
	}
	r.kept = f.Believed
	return f.Believed, !f.Believed.IsZero()
}

// keep writes a time once in a while. A file that is lost with the power is as
// good as one that is an hour old.
func (r *record) keep(believed time.Time) {
	if r.path == "" || believed.Sub(r.kept) < keepEvery {
		return
	}
	r.kept = believed // also when it fails: not more often
	text, err := json.Marshal(recordFile{believed.UTC().Truncate(time.Second)})
	if err == nil {
		err = os.WriteFile(r.path+".new", append(text, '\n'), 0o600)
	}
	if err == nil {
		err = os.Rename(r.path+".new", r.path)
	}
	if err != nil {
		r.log.Warn("the time that is believed cannot be kept", "error", err)
	}
}
