package mediafile

import "encoding/binary"

// mp4Track is what the boxes of a track say.
type mp4Track struct {
	handler       string // "vide" for video
	width, height int    // as displayed
	turned        bool   // by 90 or 270 degrees
}

// endTrack takes the size from the first video track.
func (w *mp4Walk) endTrack() {
	t := w.track
	if t.handler != "vide" || w.video {
		return
	}
	w.video = true
	if t.turned {
		t.width, t.height = t.height, t.width
	}
	w.facts.Width, w.facts.Height = t.width, t.height
}

// fact reads the boxes that Inspect needs.
func (w *mp4Walk) fact(b box, parent string) error {
	switch b.name {
	case "moov":
		if w.movie {
			return damaged(b.off, "has two moov boxes")
		}
		w.movie = true
	case "mdat":
		w.media = w.media || b.end > b.data
		w.mdats++
		w.mediaBytes += b.end - b.data
		w.openEnded = b.toEnd
		return w.clearSamples(b)
	case "mvhd":
		return w.movieHeader(b)
	case "mehd":
		return w.fragmentDuration(b)
	case "tkhd":
		return w.trackHeader(b)
	case "mdhd":
		return w.clearTimes(b)
	case "hdlr":
		if parent == "mdia" {
			return w.handler(b)
		}
	case "stsd":
		return w.sampleEntry(b)
	case "stsz":
		return w.sampleSizes(b)
	case "stco":
		return w.chunkOffsets(b, 4)
	case "co64":
		return w.chunkOffsets(b, 8)
	}
	return nil
}

// field returns the bytes of a box from an offset in its data on.
func (w *window) field(b box, off int64, n int) ([]byte, error) {
	if b.data+off+int64(n) > b.end {
		return nil, damaged(b.off, "has a box %q of %d bytes, which is too short", b.name, b.end-b.off)
	}
	return w.named(b.data+off, n, "box", b.name)
}

// clearTimes overwrites the creation and modification times after the version of a
// header box. They have 8 bytes each in version 1.
func (w *mp4Walk) clearTimes(b box) error {
	v, err := w.field(b, 0, 20)
	if err != nil {
		return err
	}
	if v[0] == 1 {
		return w.clear(b.data+4, 16)
	}
	return w.clear(b.data+4, 8)
}

// movieHeader reads the duration of the movie (ISO/IEC 14496-12, section 8.2.2).
func (w *mp4Walk) movieHeader(b box) error {
	v, err := w.field(b, 0, 32)
	if err != nil {
		return err
	}
	var duration uint64
	if v[0] == 1 {
		w.timescale, duration = int64(binary.BigEndian.Uint32(v[20:])), binary.BigEndian.Uint64(v[24:])
	} else if w.timescale, duration = int64(binary.BigEndian.Uint32(v[12:])), uint64(binary.BigEndian.Uint32(v[16:])); duration == 1<<32-1 {
		duration = 0 // unknown
	}
	w.facts.Duration = seconds(int64(duration), w.timescale)
	return w.clearTimes(b)
}

// fragmentDuration reads the duration of a file of fragments (section 8.8.2).
func (w *mp4Walk) fragmentDuration(b box) error {
	v, err := w.field(b, 0, 8)
	if err != nil {
		return err
	}
	w.fragments = int64(binary.BigEndian.Uint32(v[4:]))
	if v[0] == 1 {
		if v, err = w.field(b, 4, 8); err != nil {
			return err
		}
		w.fragments = int64(binary.BigEndian.Uint64(v))
	}
	return nil
}

// trackHeader reads the size and the matrix of a track (section 8.3.2). The matrix turns
// the picture by 90 or 270 degrees if the first and fifth of its numbers are 0.
func (w *mp4Walk) trackHeader(b box) error {
	v, err := w.field(b, 0, 1)
	if err != nil {
		return err
	}
	matrix := int64(40)
	if v[0] == 1 {
		matrix = 52
	}
	if v, err = w.field(b, matrix, 44); err != nil {
		return err
	}
	fixed := func(i int) int { return int(binary.BigEndian.Uint32(v[i:]) >> 16) } // 16.16
	a, d := binary.BigEndian.Uint32(v), binary.BigEndian.Uint32(v[16:])
	c1, c2 := binary.BigEndian.Uint32(v[4:]), binary.BigEndian.Uint32(v[12:])
	w.track.turned = a == 0 && d == 0 && c1 != 0 && c2 != 0
	w.track.width, w.track.height = fixed(36), fixed(40)
	return w.clearTimes(b)
}

func (w *mp4Walk) handler(b box) error {
	v, err := w.field(b, 8, 4)
	if err != nil {
		return err
	}
	w.track.handler = string(v)
	return nil
}

// isMetadataTrack reports whether a track has timed metadata, such as the positions that
// cameras record. Its handler is found in the mdia box.
func (w *mp4Walk) isMetadataTrack(track box) (bool, error) {
	mdia, err := w.find(track, "mdia")
	if err != nil || mdia.name == "" {
		return false, err
	}
	hdlr, err := w.find(mdia, "hdlr")
	if err != nil || hdlr.name == "" {
		return false, err
	}
	v, err := w.field(hdlr, 8, 4)
	return err == nil && (string(v) == "meta" || string(v) == "camm" || string(v) == "data"), err
}

// find returns the first box with a name in a container, or a box without a name.
func (w *mp4Walk) find(parent box, name string) (box, error) {
	for off := parent.data; off+8 <= parent.end; {
		b, err := w.box(off, parent.end, parent.name)
		if err != nil || b.name == name {
			return b, err
		}
		off = b.end
	}
	return box{}, nil
}

// sampleEntry takes the size of video without a size in its track header from the first
// sample entry (section 12.1.3).
func (w *mp4Walk) sampleEntry(b box) error {
	if w.track.width != 0 || b.end-b.data < 44 {
		return nil
	}
	v, err := w.field(b, 40, 4)
	if err == nil {
		w.track.width, w.track.height = int(binary.BigEndian.Uint16(v)), int(binary.BigEndian.Uint16(v[2:]))
	}
	return err
}

// sampleSizes adds up the bytes of the samples of a track (section 8.7.3).
func (w *mp4Walk) sampleSizes(b box) error {
	v, err := w.field(b, 0, 12)
	if err != nil {
		return err
	}
	size, count := int64(binary.BigEndian.Uint32(v[4:])), int64(binary.BigEndian.Uint32(v[8:]))
	if size > 0 {
		w.sampleBytes += size * count
		return nil
	}
	return w.table(b, 12, count, 4, func(n uint64) error {
		w.sampleBytes += int64(n)
		return nil
	})
}

// chunkOffsets checks that all chunks of a track start within the file (section 8.7.5).
func (w *mp4Walk) chunkOffsets(b box, width int) error {
	v, err := w.field(b, 4, 4)
	if err != nil {
		return err
	}
	return w.table(b, 8, int64(binary.BigEndian.Uint32(v)), width, func(n uint64) error {
		if n >= uint64(w.size) {
			return truncated(w.size, "the media data: a track has data at byte %d", n)
		}
		return nil
	})
}

// table calls read for each of count numbers of a box, from an offset in its data on.
// A number has 4 or 8 bytes.
func (w *mp4Walk) table(b box, off, count int64, width int, read func(uint64) error) error {
	if b.data+off+count*int64(width) > b.end {
		return damaged(b.off, "has a box %q that is too short for its %d entries", b.name, count)
	}
	pos, end := b.data+off, b.data+off+count*int64(width)
	for pos < end {
		if _, err := w.named(pos, width, "box", b.name); err != nil {
			return err
		}
		v, err := w.rest(pos, "a box")
		if err != nil {
			return err
		}
		v = v[:min(int64(len(v)), end-pos)]
		for ; len(v) >= width; v, pos = v[width:], pos+int64(width) {
			n := uint64(binary.BigEndian.Uint32(v))
			if width == 8 {
				n = binary.BigEndian.Uint64(v)
			}
			if err := read(n); err != nil {
				return err
			}
		}
	}
	return nil
}
