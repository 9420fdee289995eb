package mediafile

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
)

// maxMetadataChunks bounds the memory for the chunks of metadata tracks: 16 bytes each.
// A camera writes one or two a second.
const maxMetadataChunks = 100_000

// byteRange is a range of bytes in the file.
type byteRange struct{ start, end int64 }

// maxSampleChecks bounds the mdat boxes of a video multiplied by the chunks of its
// metadata tracks. A camera writes one or two boxes; a file of fragments has many, and no
// chunks.
const maxSampleChecks = 1_000_000

// endSamples puts the chunks of metadata tracks in order after a walk, and joins those
// that overlap or follow each other.
func (w *mp4Walk) endSamples() error {
	if n := w.mdats * w.chunks; n > maxSampleChecks {
		return &InvalidError{
			Problem: fmt.Sprintf("has %s mdat boxes and %s chunks in metadata tracks, %s pairs; the limit is %s", thousands(w.mdats), thousands(w.chunks), thousands(n), thousands(maxSampleChecks)),
			Offset:  w.size, Advice: "export it again, without the metadata tracks", cause: ErrTooManyParts,
		}
	}
	slices.SortFunc(w.samples, func(a, b byteRange) int { return cmp.Compare(a.start, b.start) })
	joined := w.samples[:0]
	for _, r := range w.samples {
		if last := len(joined) - 1; last >= 0 && r.start <= joined[last].end {
			joined[last].end = max(joined[last].end, r.end)
		} else if r.end > r.start {
			joined = append(joined, r)
		}
	}
	w.samples = joined
	return nil
}

// appendSamples finds the samples of a metadata track. The mdat box has them between video
// and sound, so that removing the track alone would leave them readable. The range of each
// chunk starts at an offset of the stco or co64 box, and has as many samples as stsc says,
// with the sizes in stsz (ISO/IEC 14496-12, sections 8.7.3 to 8.7.5). Tracks of fragmented
// files have no tables, and are not found.
func (w *mp4Walk) appendSamples(track box) error {
	table, err := w.findPath(track, "mdia", "minf", "stbl")
	if err != nil {
		return err
	}
	offsets, width := box{}, int64(4)
	if offsets, err = w.find(table, "stco"); err == nil && offsets.name == "" {
		width = 8
		offsets, err = w.find(table, "co64")
	}
	if err != nil {
		return err
	}
	runs, err := w.find(table, "stsc")
	if err != nil {
		return err
	}
	sizes, err := w.find(table, "stsz")
	if err != nil || offsets.name == "" || runs.name == "" || sizes.name == "" {
		return err
	}
	chunks := w.openTable(0, offsets)
	count := chunks.number(4, 4)
	if w.chunks+count > maxMetadataChunks {
		return damaged(track.off, "has metadata tracks of %s chunks; the limit is %s", thousands(w.chunks+count), thousands(maxMetadataChunks))
	}
	w.chunks += count
	c := newSampleCursor(w.openTable(1, runs), w.openTable(2, sizes))
	for i := int64(0); i < count && cmp.Or(chunks.err, c.runs.err, c.sizes.err) == nil; i++ {
		start := chunks.number(8+i*width, int(width))
		w.samples = append(w.samples, byteRange{start, start + c.chunk(i+1)})
	}
	return cmp.Or(chunks.err, c.runs.err, c.sizes.err)
}

// tableReader reads the numbers of a box through a window of its own, because the tables
// of a track are read side by side. After an error all numbers are 0.
type tableReader struct {
	window *window
	box    box
	err    error
}

// openTable returns a reader of a box that uses one of the windows for tables.
func (w *mp4Walk) openTable(i int, b box) *tableReader {
	t := &w.tables[i]
	t.ctx, t.r, t.size = w.ctx, w.r, w.size
	return &tableReader{window: t, box: b}
}

// number returns a number of 4 or 8 bytes at an offset in the data of the box.
func (t *tableReader) number(off int64, width int) int64 {
	if t.err != nil {
		return 0
	}
	var v []byte
	if v, t.err = t.window.field(t.box, off, width); t.err != nil {
		return 0
	}
	if width == 4 {
		return int64(binary.BigEndian.Uint32(v))
	}
	return int64(min(binary.BigEndian.Uint64(v), 1<<62))
}

// sampleCursor reads the stsc and stsz boxes of a track in the order of its chunks.
type sampleCursor struct {
	runs, sizes           *tableReader
	runCount, sampleCount int64
	each                  int64 // the size of all samples, 0 if they differ
	run                   int64 // the entry of stsc for the next chunk
	sample                int64 // the next sample
}

func newSampleCursor(runs, sizes *tableReader) *sampleCursor {
	return &sampleCursor{
		runs: runs, sizes: sizes,
		runCount: runs.number(4, 4), each: sizes.number(4, 4), sampleCount: sizes.number(8, 4),
	}
}

// chunk returns the length in bytes of a chunk. Chunks are counted from 1.
func (c *sampleCursor) chunk(number int64) int64 {
	for c.run+1 < c.runCount && c.runs.number(8+12*(c.run+1), 4) <= number && c.runs.err == nil {
		c.run++
	}
	samples := max(0, min(c.runs.number(8+12*c.run+4, 4), c.sampleCount-c.sample))
	c.sample += samples
	if c.each > 0 {
		return samples * c.each
	}
	length := int64(0)
	for i := c.sample - samples; i < c.sample && c.sizes.err == nil; i++ {
		length += c.sizes.number(12+4*i, 4)
	}
	return length
}

// findPath returns the box that a path of names leads to, or a box without a name.
func (w *mp4Walk) findPath(b box, names ...string) (box, error) {
	for _, name := range names {
		var err error
		if b, err = w.find(b, name); err != nil || b.name == "" {
			return box{}, err
		}
	}
	return b, nil
}

// clearSamples overwrites the samples of metadata tracks in an mdat box. An earlier walk
// has found them.
func (w *mp4Walk) clearSamples(mdat box) error {
	if w.total == nil {
		return nil
	}
	samples := w.total.samples
	first := sort.Search(len(samples), func(i int) bool { return samples[i].end > mdat.data })
	for _, r := range samples[first:] {
		start, end := max(r.start, mdat.data), min(r.end, mdat.end)
		if start >= end {
			break
		}
		if err := w.clear(start, end-start); err != nil {
			return err
		}
	}
	return nil
}
