package usecase

import (
	"context"
	"errors"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage/blob"
)

// The limits of the search for lost files. The store of the files may be far away.
const (
	maxForecastFiles  = 200
	maxForecastLookup = 5 * time.Second // for all files
)

// lostFiles finds files whose bytes are lost. It asks for each of them once, and for the next
// ones no more after the limits or an error.
type lostFiles struct {
	known map[blob.Key]bool // whether they are lost
	spent time.Duration
	ended bool
}

// isLost reports whether the bytes of a ready file do not exist, or have another size. It is
// false for a file that was not looked for.
func (f *forecast) isLost(ctx context.Context, a *schedctl.MediaAsset) bool {
	files := &f.files
	if lost, known := files.known[a.SHA256]; known {
		return lost
	}
	if f.service.Blobs == nil || files.ended || len(files.known) == maxForecastFiles {
		return false
	}
	start := time.Now()
	limited, cancel := context.WithTimeout(ctx, maxForecastLookup-files.spent)
	defer cancel()
	info, err := f.service.Blobs.Stat(limited, a.SHA256)
	files.spent += time.Since(start)
	lost := errors.Is(err, blob.ErrNotFound) || err == nil && info.Size != a.Size
	if err != nil && !lost || files.spent >= maxForecastLookup {
		files.ended, f.cut = true, true
	}
	files.known[a.SHA256] = lost
	return lost
}
