package variant

import (
	"context"
	"fmt"
	"image"
	"io"

	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"golang.org/x/sync/semaphore"
)

// Fitter makes files fit targets. It may be used by several goroutines.
type Fitter struct {
	budget int64
	memory *semaphore.Weighted
}

// DefaultMemory is a memory budget for a daemon, in bytes: it decodes two photos of 12
// megapixels at a time.
const DefaultMemory = 256 << 20

// bytesPerPixel is the memory that a pixel needs while its picture is decoded, scaled and
// encoded. A decoded photo has 3 bytes, a PNG picture 4, one of 16 bits a color 8. The
// scaled picture has 4 more, but is usually much smaller.
const bytesPerPixel = 8

// NewFitter returns a fitter that decodes pictures of up to budget bytes at a time. More
// pictures wait. A picture that needs more than the budget is decoded alone: the largest
// one that mediafile accepts, of 50 megapixels, needs 400 MB if it has 16 bits a color,
// and 750 MB if it is a progressive JPEG without subsampling.
func NewFitter(budget int64) *Fitter {
	return &Fitter{budget: budget, memory: semaphore.NewWeighted(budget)}
}

// Result is what Fit has written.
type Result struct {
	Facts mediafile.Facts
	Size  int64 // in bytes
	Fix   Fix
}

// Fit writes the media file src of size bytes to dst so that it fits the target, without
// its metadata. facts are those that mediafile.Inspect returned. The same arguments give
// the same bytes. Files that need no change are copied in constant memory.
//
// It returns a [*FitError] if the file cannot be made to fit, and the error of the context
// if that ends. After any error, dst may have received a part of the file.
func (f *Fitter) Fit(ctx context.Context, dst io.Writer, src io.ReaderAt, size int64, facts mediafile.Facts, t Target) (Result, error) {
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
	weight := min(f.budget, facts.Pixels()*bytesPerPixel)
	if err := f.memory.Acquire(ctx, weight); err != nil {
		return Result{}, fmt.Errorf("wait for memory to decode a picture: %w", err)
	}
	defer f.memory.Release(weight)
	return fitPicture(ctx, dst, src, size, facts, t)
}

// fitsStripped reports whether a file that does not fit does so without its metadata.
func fitsStripped(ctx context.Context, src io.ReaderAt, size int64, facts mediafile.Facts, t Target) (bool, error) {
	if !facts.HasMetadata || t.MaxBytes == 0 || size <= t.MaxBytes {
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

// fitPicture decodes a still picture and encodes it until it fits. A panic of a decoder
// becomes an error.
func fitPicture(ctx context.Context, dst io.Writer, src io.ReaderAt, size int64, facts mediafile.Facts, t Target) (result Result, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("convert a picture of the type %s: the decoder failed: %v", facts.MIMEType, r)
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
	stored := facts
	if stored.Alpha && isOpaque(m) {
		stored.Alpha = false
	}
	e := &encoder{
		source: m, orientation: facts.Orientation, target: t,
		mimeType: t.outputType(stored, t.MaxBytes > 0 && size > t.MaxBytes),
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
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.w.Write(p)
}
