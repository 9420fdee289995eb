package variant

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/schedctl/schedctl/daemon/media/mediafile"
)

// Fitter makes files fit targets. It may be used by several goroutines.
type Fitter struct{ turns *turns }

const (
	// DefaultMemory is a memory budget for a daemon, in bytes. The largest pictures that
	// mediafile accepts need 750 MB: 50 megapixels as a progressive JPEG without
	// subsampling. A daemon that is limited to 1 GB (2³⁰ bytes) can convert one of them
	// while it converts ordinary photos.
	DefaultMemory = 940_000_000

	// fitTime and timePerPixel bound a conversion. A slow computer needs a tenth of a
	// microsecond for a pixel each time that it decodes, scales or encodes it, and a
	// picture is encoded a few times until it has few enough bytes. The rest is for
	// computers that are busy otherwise: a picture that is too slow fails its post.
	fitTime      = 2 * time.Minute
	timePerPixel = 4 * time.Microsecond
)

// errSlow ends conversions that take longer than their pixels justify.
var errSlow = errors.New("the conversion takes too long")

// NewFitter returns a fitter that uses up to budget bytes for the pictures that it decodes
// at a time. More pictures wait; see [Turn].
func NewFitter(budget int64) *Fitter { return &Fitter{turns: newTurns(budget)} }

// Result is what Fit has written.
type Result struct {
	Facts mediafile.Facts
	Size  int64 // in bytes
	Fix   Fix
}

// Fit writes the media file src of size bytes to dst so that it fits the target, without
// its metadata. facts are those that mediafile.Inspect returned. The same arguments give
// the same bytes. Files that need no change are copied in constant memory. A picture that
// needs a conversion waits for its turn.
//
// It returns a [*FitError] if the file cannot be made to fit, and the cause of the context
// if that ends: within a tenth of a second of processor time, also for the largest pictures.
// After any error, dst may have received a part of the file.
func (f *Fitter) Fit(ctx context.Context, turn Turn, dst io.Writer, src io.ReaderAt, size int64, facts mediafile.Facts, t Target) (Result, error) {
	fix, err := Plan(facts, size, t)
	if err != nil {
		// Without its metadata the file may be small enough.
		if small, stripErr := fitsStripped(ctx, src, size, facts, t); stripErr != nil || !small {
			return Result{}, err
		}
		fix = None
	} else if fix != None {
		small, err := fitsStripped(ctx, src, size, facts, t)
		if err != nil {
			return Result{}, err
		}
		if small {
			fix = None
		}
	}
	if fix == None {
		return copyStripped(ctx, dst, src, size, facts)
	}
	return f.convert(ctx, turn, dst, src, size, facts, t)
}

// convert converts a still picture in its turn.
func (f *Fitter) convert(ctx context.Context, turn Turn, dst io.Writer, src io.ReaderAt, size int64, facts mediafile.Facts, t Target) (Result, error) {
	memory := memoryFor(src, size, facts, t)
	if most := f.turns.most(turn.Lane); memory > most {
		return Result{}, &FitError{
			Problem: fmt.Sprintf("the picture needs %s of memory to be converted, and %s is the limit", megabytes(memory), megabytes(most)),
			Advice:  "scale it down, or save it as an ordinary JPEG, which is not progressive",
		}
	}
	if err := f.turns.acquire(ctx, turn, memory); err != nil {
		return Result{}, fmt.Errorf("wait for a turn to convert a picture: %w", err)
	}
	defer f.turns.release(turn, memory)
	limit := fitTime + time.Duration(facts.Pixels())*timePerPixel
	timed, cancel := context.WithTimeoutCause(ctx, limit, errSlow)
	defer cancel()
	result, err := fitPicture(timed, dst, src, size, facts, t)
	if memory >= largeMemory {
		debug.FreeOSMemory() // before the next picture gets the memory
	}
	if errors.Is(err, errSlow) {
		err = &FitError{Problem: fmt.Sprintf("the picture was not converted within %v", limit), Advice: "attach a smaller one"}
	}
	return result, err
}

// fitsStripped reports whether a file that does not fit does so without its metadata. It
// reads the file only if nothing but its bytes are too many.
func fitsStripped(ctx context.Context, src io.ReaderAt, size int64, facts mediafile.Facts, t Target) (bool, error) {
	if !facts.HasMetadata || t.MaxBytes == 0 || size <= t.MaxBytes {
		return false, nil
	}
	if fix, err := Plan(facts, 0, t); err != nil || fix != None {
		return false, nil
	}
	var n counter
	if err := mediafile.Strip(ctx, &n, src, size, facts); err != nil {
		return false, err
	}
	fix, err := Plan(facts, int64(n), t)
	return err == nil && fix == None, nil
}

// copyStripped writes a file without its metadata.
func copyStripped(ctx context.Context, dst io.Writer, src io.ReaderAt, size int64, facts mediafile.Facts) (Result, error) {
	var n counter
	w := contextWriter{ctx, io.MultiWriter(dst, &n)}
	if err := mediafile.Strip(ctx, w, src, size, facts); err != nil {
		return Result{}, err
	}
	facts.HasMetadata = false
	return Result{Facts: facts, Size: int64(n), Fix: None}, nil
}

// fitPicture decodes a still picture and encodes it until it fits. A panic of an encoder
// becomes an error.
func fitPicture(ctx context.Context, dst io.Writer, src io.ReaderAt, size int64, facts mediafile.Facts, t Target) (result Result, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("convert a picture of the type %s: the encoder failed: %v", facts.MIMEType, r)
		}
	}()
	profile, err := mediafile.ColorProfile(ctx, src, size, facts)
	if err != nil {
		return Result{}, fmt.Errorf("convert picture: %w", err)
	}
	m, err := decode(ctx, src, size, facts)
	if err != nil {
		return Result{}, fmt.Errorf("convert picture: decode %s: %w", facts.MIMEType, err)
	}
	if memoryFor(src, size, facts, t) >= largeMemory {
		runtime.GC() // the decoder's own memory, which is most of it, is no longer needed
	}
	stored := facts
	if stored.Alpha && isOpaque(m) {
		stored.Alpha = false
	}
	e := &encoder{
		source: m, orientation: facts.Orientation, target: t,
		mimeType: t.outputType(stored, t.tooManyBytes(stored, size)),
	}
	if string(colorSpace(profile)) == "RGB " {
		e.profile, e.profileAt = mediafile.EmbedColorProfile(e.mimeType, profile)
	}
	data, err := e.fit(ctx, facts.Width, facts.Height)
	if err != nil {
		return Result{}, err
	}
	return e.write(ctx, dst, data, facts)
}

// colorSpace returns the color space of a profile (ICC.1:2010, section 7.2.6). A picture
// is encoded in RGB, where profiles of other color spaces have no meaning.
func colorSpace(profile []byte) []byte {
	if len(profile) < 20 {
		return nil
	}
	return profile[16:20]
}

func isOpaque(m image.Image) bool {
	o, ok := m.(interface{ Opaque() bool })
	return ok && o.Opaque()
}

// counter counts the bytes that are written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// contextWriter fails once its context has ended.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func (w contextWriter) Write(p []byte) (int, error) {
	if err := context.Cause(w.ctx); err != nil {
		return 0, err
	}
	return w.w.Write(p)
}
