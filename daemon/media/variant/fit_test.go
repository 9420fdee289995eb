package variant_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/media/variant"
)

var (
	all  = variant.Target{}
	turn = variant.Turn{Lane: variant.Publishing, Workspace: "ws_1"}
)

func inspect(t testing.TB, data []byte) mediafile.Facts {
	t.Helper()
	facts, err := mediafile.Inspect(t.Context(), bytes.NewReader(data), int64(len(data)), mediafile.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	return facts
}

// fit fits a file in memory.
func fit(t testing.TB, data []byte, target variant.Target) ([]byte, variant.Result, error) {
	t.Helper()
	var out bytes.Buffer
	f := variant.NewFitter(variant.DefaultMemory)
	result, err := f.Fit(t.Context(), turn, &out, bytes.NewReader(data), int64(len(data)), inspect(t, data), target)
	return out.Bytes(), result, err
}

func TestFittingFilesAreOnlyStripped(t *testing.T) {
	t.Parallel()
	for _, data := range [][]byte{
		mediatest.JPEGWithMetadata(40, 30, 6), mediatest.PNGWithMetadata(40, 30, 1), mediatest.WebPWithMetadata(40, 30, 3),
		mediatest.GIF(20, 10, 3), mediatest.MP4(5000), mediatest.PDF(),
	} {
		out, result, err := fit(t, data, all)
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		if err := mediafile.Strip(t.Context(), &want, bytes.NewReader(data), int64(len(data)), inspect(t, data)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out, want.Bytes()) || result.Fix != variant.None || result.Size != int64(len(out)) {
			t.Errorf("%s: %+v", result.Facts.MIMEType, result)
		}
		if diff := cmp.Diff(inspect(t, out), result.Facts); diff != "" {
			t.Error(diff)
		}
	}
}

// A picture that is too large only because of its metadata keeps its pixels.
func TestMetadataGoesFirst(t *testing.T) {
	t.Parallel()
	data := mediatest.JPEGWithMetadata(40, 30, 1)
	_, result, err := fit(t, data, variant.Target{MaxBytes: int64(len(data)) - 1})
	if err != nil || result.Fix != variant.None {
		t.Errorf("%+v, %v", result, err)
	}
}

// The result is within every limit of random targets, and of a type that it takes.
func TestFitReachesLimits(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	sources := [][]byte{
		mediatest.JPEGWithMetadata(300, 200, 1), mediatest.JPEGWithMetadata(300, 200, 6), mediatest.PNG(160, 240),
		mediatest.TransparentPNG(160, 120), mediatest.PNGWithMetadata(100, 90, 8), mediatest.WebP(150, 100),
		mediatest.WebPWithMetadata(150, 100, 5), mediatest.GIF(90, 60, 1),
	}
	for range 150 {
		data := sources[random.IntN(len(sources))]
		target := variant.Target{MaxBytes: 600 + random.Int64N(30_000)}
		for _, side := range []*int{&target.MaxWidth, &target.MaxHeight, &target.MaxSides} {
			if random.IntN(2) == 0 {
				*side = 10 + random.IntN(300)
			}
		}
		if random.IntN(2) == 0 {
			target.MaxPixels = 100 + random.Int64N(40_000)
		}
		if random.IntN(2) == 0 {
			target.Types = []string{mediafile.JPEG, mediafile.PNG}
		}
		out, result, err := fit(t, data, target)
		if err != nil {
			t.Errorf("%+v: %v", target, err)
			continue
		}
		facts := inspect(t, out)
		if fix, err := variant.Plan(facts, int64(len(out)), target); err != nil || fix != variant.None {
			t.Errorf("%+v: the result %+v of %d bytes does not fit: %v", target, facts, len(out), err)
		}
		if diff := cmp.Diff(facts, result.Facts); diff != "" {
			t.Error(diff)
		}
		source := inspect(t, data)
		want, got := float64(source.Width)/float64(source.Height), float64(facts.Width)/float64(facts.Height)
		if facts.Height > 20 && facts.Width > 20 && (got/want > 1.1 || want/got > 1.1) {
			t.Errorf("%d × %d became %d × %d", source.Width, source.Height, facts.Width, facts.Height)
		}
	}
}

// Every orientation is displayed the same way after the picture was scaled.
func TestScaledPicturesAreUpright(t *testing.T) {
	t.Parallel()
	upright := corners(t, mediatest.JPEG(160, 120), 1)
	for orientation := 1; orientation <= 8; orientation++ {
		data := mediatest.JPEGWithMetadata(160, 120, orientation)
		out, result, err := fit(t, data, variant.Target{MaxWidth: 80, MaxHeight: 80})
		if err != nil {
			t.Fatal(err)
		}
		if result.Facts.Orientation != 1 || result.Fix != variant.Resize {
			t.Errorf("orientation %d: %+v", orientation, result)
		}
		if diff := cmp.Diff(displayed(upright, orientation), corners(t, out, 1)); diff != "" {
			t.Errorf("orientation %d: %s", orientation, diff)
		}
	}
}

// corners returns the colors of the corners: top left, top right, bottom right, bottom
// left.
func corners(t *testing.T, data []byte, inset int) [4]string {
	t.Helper()
	m, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	b := m.Bounds()
	at := func(x, y int) string {
		c := color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA)
		switch bright := [3]bool{c.R > 128, c.G > 128, c.B > 128}; bright {
		case [3]bool{true, false, false}:
			return "red"
		case [3]bool{false, true, false}:
			return "green"
		case [3]bool{false, false, true}:
			return "blue"
		case [3]bool{true, true, true}:
			return "white"
		}
		return "other"
	}
	i := inset + 1
	return [4]string{at(i, i), at(b.Dx()-1-i, i), at(b.Dx()-1-i, b.Dy()-1-i), at(i, b.Dy()-1-i)}
}

// displayed returns the stored corners in the order in which an orientation displays them.
func displayed(c [4]string, orientation int) [4]string {
	order := map[int][4]int{
		1: {0, 1, 2, 3}, 2: {1, 0, 3, 2}, 3: {2, 3, 0, 1}, 4: {3, 2, 1, 0},
		5: {0, 3, 2, 1}, 6: {3, 0, 1, 2}, 7: {2, 1, 0, 3}, 8: {1, 2, 3, 0},
	}[orientation]
	return [4]string{c[order[0]], c[order[1]], c[order[2]], c[order[3]]}
}

// The color profile of a scaled picture is that of its source. The profile of a turned
// WebP picture moves to JPEG.
func TestColorProfileIsKept(t *testing.T) {
	t.Parallel()
	for _, data := range [][]byte{
		mediatest.JPEGWithMetadata(160, 120, 1), mediatest.PNGWithMetadata(160, 120, 1), mediatest.WebPWithMetadata(160, 120, 6),
	} {
		out, result, err := fit(t, data, variant.Target{MaxWidth: 50, Types: []string{mediafile.JPEG, mediafile.PNG}})
		if err != nil {
			t.Fatal(err)
		}
		profile, err := mediafile.ColorProfile(t.Context(), bytes.NewReader(out), int64(len(out)), result.Facts)
		if err != nil || !bytes.Equal(profile, mediatest.ICCProfile()) {
			t.Errorf("%s: profile of %d bytes, %v", result.Facts.MIMEType, len(profile), err)
		}
	}
}

func TestTransparencyIsKept(t *testing.T) {
	t.Parallel()
	data := mediatest.TransparentPNG(160, 120)
	out, result, err := fit(t, data, variant.Target{MaxBytes: int64(len(data)) / 3})
	if err != nil {
		t.Fatal(err)
	}
	if result.Facts.MIMEType != mediafile.PNG || result.Fix != variant.Resize {
		t.Errorf("%+v", result)
	}
	m, _, err := image.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	b := m.Bounds()
	if _, _, _, a := m.At(b.Dx()/2, b.Dy()/2).RGBA(); a != 0 {
		t.Errorf("the middle has the alpha %d", a)
	}
	if _, _, _, a := m.At(0, 0).RGBA(); a != 0xffff {
		t.Errorf("the corner has the alpha %d", a)
	}
}

// The corners keep their colors at every scale, and the smallest sizes are possible.
func TestScalingKeepsColors(t *testing.T) {
	t.Parallel()
	want := corners(t, mediatest.PNG(97, 61), 0)
	for _, width := range []int{1, 2, 3, 7, 50, 96} {
		out, result, err := fit(t, mediatest.PNG(97, 61), variant.Target{MaxWidth: width})
		if err != nil || result.Facts.Width > width {
			t.Fatalf("%+v, %v", result, err)
		}
		if width >= 50 {
			if diff := cmp.Diff(want, corners(t, out, 0)); diff != "" {
				t.Errorf("width %d: %s", width, diff)
			}
		}
	}
}

func TestFitIsDeterministic(t *testing.T) {
	t.Parallel()
	data := mediatest.JPEGWithMetadata(300, 200, 6)
	target := variant.Target{MaxBytes: 4000}
	first, _, err := fit(t, data, target)
	if err != nil {
		t.Fatal(err)
	}
	if second, _, err := fit(t, data, target); err != nil || !bytes.Equal(first, second) {
		t.Errorf("the second result differs: %v", err)
	}
}

// Fit writes no byte of a picture that cannot be decoded, and says that trying again does
// not help. A file that cannot be read at the moment is another matter.
func TestUndecodablePicture(t *testing.T) {
	t.Parallel()
	for name, whole := range map[string][]byte{
		"PNG": mediatest.PNG(100, 80), "JPEG": mediatest.JPEG(100, 80), "GIF": mediatest.GIF(100, 80, 1),
	} {
		damaged := damage(name, whole)
		facts := inspect(t, damaged) // its structure is right
		var out bytes.Buffer
		f := variant.NewFitter(1 << 20)
		_, err := f.Fit(t.Context(), turn, &out, bytes.NewReader(damaged), int64(len(damaged)), facts, variant.Target{MaxWidth: 50})
		if _, unfit := errors.AsType[*variant.FitError](err); !unfit || out.Len() > 0 {
			t.Errorf("%s: a damaged picture: %v, %d bytes", name, err, out.Len())
		}
		broken := brokenAt{bytes.NewReader(whole), int64(len(whole) / 3)}
		_, err = variant.Decode(t.Context(), broken, int64(len(whole)), facts, 1<<20)
		if _, unfit := errors.AsType[*variant.FitError](err); unfit || !errors.Is(err, errDisk) {
			t.Errorf("%s: a file that cannot be read: %v", name, err)
		}
	}
}

// damage returns a picture with other compressed pixels, which a decoder refuses.
func damage(format string, picture []byte) []byte {
	picture = bytes.Clone(picture)
	if format != "PNG" {
		for i := len(picture) - 30; i < len(picture)-10; i++ {
			picture[i] = 0xfe
		}
		return picture
	}
	name := bytes.Index(picture, []byte("IDAT"))
	end := name + 4 + int(binary.BigEndian.Uint32(picture[name-4:]))
	picture[name+4] = 0 // no header of zlib
	binary.BigEndian.PutUint32(picture[end:], crc32.ChecksumIEEE(picture[name:end]))
	return picture
}

var errDisk = errors.New("the disk does not respond")

// brokenAt is a file that cannot be read from an offset on.
type brokenAt struct {
	io.ReaderAt
	offset int64
}

func (b brokenAt) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > b.offset && len(p) > 1024 {
		return 0, errDisk
	}
	return b.ReaderAt.ReadAt(p, off)
}

// Pictures that exceed the memory budget together are fitted one after another.
func TestFitWaitsForMemory(t *testing.T) {
	t.Parallel()
	f := variant.NewFitter(40_000)
	data := mediatest.JPEG(120, 90)
	facts := inspect(t, data)
	done := make(chan error)
	for i := range 8 {
		go func() {
			turn := variant.Turn{Workspace: string(rune('a' + i))}
			_, err := f.Fit(t.Context(), turn, new(bytes.Buffer), bytes.NewReader(data), int64(len(data)), facts, variant.Target{MaxWidth: 50})
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestFitStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	data := mediatest.JPEG(100, 80)
	for _, target := range []variant.Target{{}, {MaxWidth: 50}} {
		_, err := variant.NewFitter(1<<20).Fit(ctx, turn, new(bytes.Buffer), bytes.NewReader(data), int64(len(data)), inspect(t, data), target)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: %v", target, err)
		}
	}
}

// Scaling a photo needs little more than the decoded photo.
func TestMemoryOfScaling(t *testing.T) {
	const width, height = 3000, 2000
	data := mediatest.JPEG(width, height)
	facts := inspect(t, data)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var out bytes.Buffer
	_, err := variant.NewFitter(variant.DefaultMemory).Fit(t.Context(), turn, &out, bytes.NewReader(data), int64(len(data)), facts, variant.Target{MaxWidth: 1500})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > width*height*8 {
		t.Errorf("allocated %d bytes for %d pixels", allocated, width*height)
	}
}
