package media_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/media/variant"
	"github.com/schedctl/schedctl/scripts/cost"
)

// worstBytes is the environment variable for the size of the files. "make torture" tests
// large ones.
const worstBytes = "WORST_BYTES"

// maxRatio is how much more a byte of a worst file may cost than a byte of an ordinary
// one.
const maxRatio = 20

// expense is what a step costs.
type expense struct {
	cost.Spent
	reads, read int64 // calls that read the file, and the bytes that they returned
}

// floor is what a step may cost in any case, before maxRatio. Steps that cost an ordinary
// file nothing, such as the preparation of a video, have no ratio. 16 MB allocated is also
// what a request without a key may cost.
var floor = expense{Spent: cost.Spent{Bytes: 16e6 / maxRatio, Objects: 4000, Processor: 2 * time.Millisecond}, reads: 16, read: 256 << 10}

// step is something that the daemon does with a file.
type step struct {
	name string

	// like is the step of an ordinary file with which it is compared: one byte of a
	// worst file may cost as much as serving an ordinary file, whose first byte is free.
	like string

	// stored is set for steps of files that were stored before they would be refused.
	stored bool
	run    func(t *testing.T, f *file) error
}

var steps = []step{
	{"upload", "upload", false, func(t *testing.T, f *file) error {
		var err error
		if _, err = io.Copy(sha256.New(), io.NewSectionReader(f, 0, f.size)); err == nil {
			f.facts, err = mediafile.Inspect(t.Context(), f, f.size, mediafile.DefaultLimits)
		}
		return err
	}},
	{"scaling", "scaling", false, func(t *testing.T, f *file) error {
		return f.fit(t, variant.Target{MaxPixels: f.facts.Pixels()/4 + 1})
	}},
	{"compression", "compression", false, func(t *testing.T, f *file) error {
		return f.fit(t, variant.Target{MaxBytes: f.size / 2})
	}},
	{"publishing", "publishing", true, func(t *testing.T, f *file) error {
		return mediafile.Strip(t.Context(), sha256.New(), f, f.size, mediafile.Facts{MIMEType: f.mimeType, HasMetadata: true})
	}},
	{"serving one byte", "serving", true, func(t *testing.T, f *file) error {
		view, err := mediafile.NewView(t.Context(), f, f.size, f.mimeType)
		if err != nil {
			return err
		}
		_, err = view.Reader(t.Context(), f).ReadAt(make([]byte, 1), view.Size()/2)
		return err
	}},
	{"serving", "serving", true, func(t *testing.T, f *file) error {
		view, err := mediafile.NewView(t.Context(), f, f.size, f.mimeType)
		if err != nil {
			return err
		}
		_, err = io.Copy(sha256.New(), view.Reader(t.Context(), f))
		return err
	}},
}

// TestWorstFilesCostLittleMore guards that no file costs more than 20 times as much as an
// ordinary one of its size, unless it is refused as cheaply.
func TestWorstFilesCostLittleMore(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector changes what a file costs")
	}
	size := 128 << 10
	if text := os.Getenv(worstBytes); text != "" {
		var err error
		if size, err = strconv.Atoi(text); err != nil {
			t.Fatalf("%s: %v", worstBytes, err)
		}
	}
	ordinary := map[string]*file{}
	for _, w := range mediatest.WorstFiles() {
		if ordinary[w.MIMEType] == nil {
			f := newFile(w.MIMEType, mediatest.Ordinary(w.MIMEType, size))
			for _, s := range steps {
				f.spend(t, s, 5)
			}
			if w.MIMEType == mediafile.GIF { // only still pictures are converted
				still := newFile(w.MIMEType, mediatest.GIF(320, 240, 1))
				for _, s := range steps[:3] {
					still.spend(t, s, 5)
				}
				f.still = still
			}
			if err := f.errs["upload"]; err != nil {
				t.Fatalf("an ordinary %s is refused: %v", w.MIMEType, err)
			}
			ordinary[w.MIMEType] = f
		}
		t.Run(w.MIMEType+"/"+w.Name, func(t *testing.T) { compare(t, newFile(w.MIMEType, w.Make(size)), ordinary[w.MIMEType]) })
	}
}

// compare runs all steps of a file. A step that seems to take too long is measured again.
func compare(t *testing.T, f, ordinary *file) {
	for _, s := range steps {
		if f.errs["upload"] != nil && !s.stored {
			continue
		}
		limit := ordinary.limit(s, f)
		var over string
		for range 5 {
			f.spend(t, s, 1)
			if over = f.spent[s.name].over(limit); over == "" || f.spent[s.name].Processor > 3*limit.Processor {
				break
			}
		}
		if over != "" {
			t.Errorf("%s of %d bytes: %s; an ordinary file of %d bytes: %+v (%v)", s.name, f.size, over, ordinary.size, ordinary.spent[s.like], f.errs[s.name])
		}
		if err := f.errs[s.name]; err != nil {
			t.Logf("%s: %v", s.name, err)
		}
		t.Logf("%s %+v of %+v", s.name, f.spent[s.name], limit)
	}
}

// file is a file that counts how it is read.
type file struct {
	mimeType string
	size     int64
	facts    mediafile.Facts
	data     *bytes.Reader
	reads    int64
	read     int64
	spent    map[string]expense
	errs     map[string]error
	still    *file // for comparison in the preparation; nil for the file itself
}

func newFile(mimeType string, data []byte) *file {
	return &file{
		mimeType: mimeType, size: int64(len(data)), data: bytes.NewReader(data),
		spent: map[string]expense{}, errs: map[string]error{},
	}
}

// ReadAt implements [io.ReaderAt].
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.data.ReadAt(p, off)
	f.reads, f.read = f.reads+1, f.read+int64(n)
	return n, err
}

// spend runs a step some times, and keeps the least that it has cost.
func (f *file) spend(t *testing.T, s step, runs int) {
	for range runs {
		f.reads, f.read = 0, 0
		spent := cost.Measure(func() { f.errs[s.name] = s.run(t, f) })
		now := expense{spent, f.reads, f.read}
		if before, again := f.spent[s.name]; again {
			now.Bytes, now.Objects = min(now.Bytes, before.Bytes), min(now.Objects, before.Objects)
			now.Processor = min(now.Processor, before.Processor)
		}
		f.spent[s.name] = now
	}
}

// fit prepares the file for a network.
func (f *file) fit(t *testing.T, target variant.Target) error {
	target.Types = []string{mediafile.JPEG, mediafile.PNG}
	_, err := variant.NewFitter(variant.DefaultMemory).Fit(t.Context(), variant.Turn{Lane: variant.Publishing}, sha256.New(), f, f.size, f.facts, target)
	return err
}

// converts reports whether a step decodes pixels.
func (s step) converts() bool { return s.name == "scaling" || s.name == "compression" }

// limit returns what a step of a worst file may cost. Each byte counts, and in a
// conversion each pixel: a picture that compresses well has few bytes.
func (f *file) limit(s step, worst *file) expense {
	if f.still != nil && s.converts() {
		f = f.still
	}
	unit := func(f *file) int64 {
		if s.converts() {
			return f.size + f.facts.Pixels()
		}
		return f.size
	}
	floor := floor
	floor.Objects += worst.size / 100 // names of boxes: small, and limited with the parts of a file
	if s.converts() {
		// For a color profile, and for the decoders: that of PNG allocates 4 kB for each
		// chunk that it skips, that of JPEG a few bytes for each restart marker.
		floor.Bytes, floor.Objects = 3e6+5*worst.size, floor.Objects+40_000
	}
	times := func(n, least int64) int64 {
		return maxRatio * max(int64(float64(n)*float64(unit(worst))/float64(unit(f))), least)
	}
	e := f.spent[s.like]
	return expense{
		Spent: cost.Spent{
			Bytes: times(e.Bytes, floor.Bytes), Objects: times(e.Objects, floor.Objects),
			Processor: time.Duration(times(int64(e.Processor), int64(floor.Processor))),
		},
		reads: times(e.reads, floor.reads), read: times(e.read, floor.read),
	}
}

// over says in what an expense exceeds a limit, or returns "".
func (e expense) over(limit expense) string {
	var over []error
	check := func(what string, got, most int64) {
		if got > most {
			over = append(over, fmt.Errorf("%d %s, want %d at most", got, what, most))
		}
	}
	check("bytes allocated", e.Bytes, limit.Bytes)
	check("allocations", e.Objects, limit.Objects)
	check("calls that read", e.reads, limit.reads)
	check("bytes read", e.read, limit.read)
	check("µs of processor time", e.Processor.Microseconds(), limit.Processor.Microseconds())
	if err := errors.Join(over...); err != nil {
		return err.Error()
	}
	return ""
}
