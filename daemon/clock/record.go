package clock

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"time"
)

// saveInterval is how old the time in the file may become. A machine that crashes and
// reboots at once has then not leapt.
const saveInterval = 5 * time.Minute

// record is the file with the state of a Clock. Without a path it does nothing.
type record struct {
	path  string
	log   *slog.Logger
	saved recordFile
}

// recordFile is the content of the file. Files of earlier versions have Believed alone.
type recordFile struct {
	Believed time.Time     `json:"believed"`
	Lived    time.Duration `json:"lived,omitempty"` // nanoseconds since the boot, when Believed was read
	Boot     string        `json:"boot,omitempty"`  // empty when Lived cannot be used
	Leap     *recordLeap   `json:"leap,omitempty"`  // a leap that is not trusted yet
}

// recordLeap is a leap of a file. At is when it happened, in nanoseconds since the
// boot.
type recordLeap struct {
	From time.Time     `json:"from"`
	To   time.Time     `json:"to"`
	At   time.Duration `json:"at"`
}

// comparable reports whether the time since the record was written can be measured.
func (f recordFile) comparable(boot string, now reading) bool {
	return f.Boot != "" && f.Boot == boot && f.Lived <= now.uptime && (f.Leap == nil || f.Leap.At <= now.uptime)
}

// read returns the content of the file.
func (r *record) read() (recordFile, bool) {
	if r.path == "" {
		return recordFile{}, false
	}
	text, err := os.ReadFile(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		return recordFile{}, false
	}
	var f recordFile
	if err == nil {
		err = json.Unmarshal(text, &f)
	}
	if err != nil {
		r.log.Warn("reading the last trusted time failed", "error", err)
		return recordFile{}, false
	}
	r.saved = f
	return f, !f.Believed.IsZero()
}

// save writes the file at once when the boot or the leap has changed, and every few
// minutes when only the time has. It does not sync: after a power failure, an older file
// serves as well.
func (r *record) save(f recordFile) {
	same := f.Boot == r.saved.Boot && sameLeap(f.Leap, r.saved.Leap)
	if r.path == "" || same && f.Believed.Sub(r.saved.Believed).Abs() < saveInterval {
		return
	}
	r.saved = f // also after a failure, to limit the rate of attempts
	f.Believed = f.Believed.UTC()
	text, err := json.Marshal(f)
	if err == nil {
		err = os.WriteFile(r.path+".new", append(text, '\n'), 0o600)
	}
	if err == nil {
		err = os.Rename(r.path+".new", r.path)
	}
	if err != nil {
		r.log.Warn("storing the trusted time failed", "error", err)
	}
}

func sameLeap(a, b *recordLeap) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.From.Equal(b.From) && a.To.Equal(b.To) && a.At == b.At
}
