package mediafile

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// maxMetadataChunks bounds the memory for the chunks of metadata tracks: 16 bytes each.
// A camera writes one or two a second.
const maxMetadataChunks = 100_000

// byteRange is a range of bytes in the file.
type byteRange struct{ start, end int64 }

// findMetadataSamples returns where the samples of metadata tracks are, in order. The mdat
// box has them between video and sound, so that removing the track alone would leave them
// readable. Tracks of fragmented files have no tables, and are not found.
func (w *mp4Walk) findMetadataSamples() ([]byteRange, error) {
	var ranges []byteRange
	for off := int64(0); off+8 <= w.size; {
		if other, err := w.skipBytes(off, w.size, "\x00"); err != nil || other == w.size {
			return sortRanges(ranges), err
		}
		top, err := w.box(off, w.size, "")
		if err != nil {
			return nil, err
		}
		off = top.end
		if top.name != "moov" {
			continue
		}
		if ranges, err = w.appendMovie(ranges, top); err != nil {
			return nil, err
		}
	}
	return sortRanges(ranges), nil
}

// appendMovie appends the samples of the metadata tracks of a moov box.
func (w *mp4Walk) appendMovie(ranges []byteRange, moov box) ([]byteRange, error) {
	for off := moov.data; off+8 <= moov.end; {
		b, err := w.box(off, moov.end, "moov")
		if err != nil {
			return nil, err
		}
		if off = b.end; b.name != "trak" {
			continue
		}
		metadata, err := w.isMetadataTrack(b)
		if err == nil && metadata {
			ranges, err = w.appendSamples(ranges, b)
		}
		if err != nil {
			return nil, err
		}
	}
	return ranges, nil
}

func sortRanges(ranges []byteRange) []byteRange {
	slices.SortFunc(ranges, func(a, b byteRange) int { return cmp.Compare(a.start, b.start) })
	return ranges
}

// appendSamples appends the range of each chunk of a track: it starts at an offset of the
// stco or co64 box, and has as many samples as stsc says, with the sizes in stsz (ISO/IEC
// 14496-12, sections 8.7.3 to 8.7.5).
func (w *mp4Walk) appendSamples(ranges []byteRange, track box) ([]byteRange, error) {
	table, err := w.findPath(track, "mdia", "minf", "stbl")
	if err != nil {
		return nil, err
	}
	offsets, width := box{}, int64(4)
	if offsets, err = w.find(table, "stco"); err == nil && offsets.name == "" {
		width = 8
		offsets, err = w.find(table, "co64")
	}
	if err != nil {
		return nil, err
	}
	runs, err := w.find(table, "stsc")
	if err != nil {
		return nil, err
	}
	sizes, err := w.find(table, "stsz")
	if err != nil || offsets.name == "" || runs.name == "" || sizes.name == "" {
		return ranges, err
	}
	chunks := w.openTable(offsets)
	count := chunks.number(4, 4)
	if int64(len(ranges))+count > maxMetadataChunks {
		return nil, damaged(track.off, "has a metadata track of %d chunks", count)
	}
	c := newSampleCursor(w.openTable(runs), w.openTable(sizes))
	for i := range count {
		start := chunks.number(8+i*width, int(width))
		ranges = append(ranges, byteRange{start, start + c.chunk(i+1)})
	}
	return ranges, cmp.Or(chunks.err, c.runs.err, c.sizes.err)
}

// tableReader reads the numbers of a box through its own window, because the tables of a
// track are read side by side. After an error all numbers are 0.
type tableReader struct {
	walk mp4Walk
	box  box
	err  error
}

func (w *mp4Walk) openTable(b box) *tableReader {
	return &tableReader{walk: mp4Walk{scan: &scan{window: window{ctx: w.ctx, r: w.r, size: w.size}}}, box: b}
}

// number returns a number of 4 or 8 bytes at an offset in the data of the box.
func (t *tableReader) number(off int64, width int) int64 {
	if t.err != nil {
		return 0
	}
	var v []byte
	if v, t.err = t.walk.field(t.box, off, width); t.err != nil {
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

// clearSamples overwrites the samples of metadata tracks in an mdat box.
func (w *mp4Walk) clearSamples(mdat box) error {
	done := mdat.data
	for _, r := range w.samples {
		start, end := max(r.start, done), min(r.end, mdat.end)
		if start >= end {
			continue
		}
		if err := w.clear(start, end-start); err != nil {
			return err
		}
		done = end
	}
	return nil
}
