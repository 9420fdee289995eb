package mediafile

import (
	"encoding/binary"
	"math"
	"math/bits"
	"time"
)

// Elements of WebM (RFC 8794 and RFC 9559).
const (
	ebmlHeader   = 0x1a45dfa3
	ebmlVoid     = 0xec
	ebmlCRC      = 0xbf
	mkvSegment   = 0x18538067
	mkvInfo      = 0x1549a966
	mkvScale     = 0x2ad7b1 // nanoseconds in a unit of time
	mkvDuration  = 0x4489
	mkvTitle     = 0x7ba9
	mkvDate      = 0x4461
	mkvFileName  = 0x7384
	mkvTracks    = 0x1654ae6b
	mkvTrack     = 0xae
	mkvVideo     = 0xe0
	mkvWidth     = 0xb0
	mkvHeight    = 0xba
	mkvCluster   = 0x1f43b675
	mkvTimestamp = 0xe7
	mkvCues      = 0x1c53bb6b
	mkvSeekHead  = 0x114d9b74
	mkvTags      = 0x1254c367
	mkvChapters  = 0x1043a770
	mkvAttached  = 0x1941a469
)

// element is a part of a WebM file: an identifier, a length and data.
type element struct {
	id             int64
	off, data, end int64
	unknown        bool // the length is unknown: the element ends where its parent's next child starts
}

// webmWalk is what the elements so far say about the rest.
type webmWalk struct {
	*scan
	tracks, video, cluster bool
	scale                  int64   // nanoseconds in a unit of time
	duration               float64 // in units
	last                   int64   // timestamp of the last cluster, in units
}

// webm walks a WebM file: an EBML header and one segment.
func (s *scan) webm() error {
	w := &webmWalk{scan: s, scale: 1e6}
	header, err := w.element(0, s.size)
	if err != nil {
		return err
	}
	if header.unknown || header.id != ebmlHeader {
		return damaged(0, "has an EBML header without a length")
	}
	segment, err := w.element(header.end, s.size)
	if err != nil {
		return err
	}
	if segment.id != mkvSegment {
		return damaged(header.end, "has no segment after its header")
	}
	if segment.unknown {
		segment.end = s.size
	}
	if err := w.children(segment.data, segment.end, w.segmentChild); err != nil {
		return err
	}
	switch {
	case !w.tracks:
		return incomplete(segment.end, "its tracks")
	case !w.video:
		return damaged(segment.off, "has no video track")
	case !w.cluster:
		return incomplete(segment.end, "its media data")
	}
	units := w.duration
	if units <= 0 {
		units = float64(w.last) // of a live recording: up to its last cluster
	}
	s.facts.Duration = seconds(int64(math.Min(units*float64(w.scale), math.MaxInt64/2)), int64(time.Second))
	return s.finish(segment.end)
}

// element reads the header of the element at an offset of a parent that ends at end.
func (w *webmWalk) element(off, end int64) (element, error) {
	e := element{off: off}
	if err := w.countParts(1, off); err != nil {
		return e, err
	}
	id, n, err := w.number(off, 4)
	if err != nil {
		return e, err
	}
	e.id = id
	length, m, err := w.number(off+n, 8)
	if err != nil {
		return e, err
	}
	length &^= 1 << (7 * m) // the marker bit
	e.data = off + n + m
	if e.unknown = length == 1<<(7*m)-1; e.unknown {
		if id != mkvSegment && id != mkvCluster {
			return e, damaged(off, "has an element %#x without a length", id)
		}
		e.end = end
		return e, nil
	}
	if length > w.size-e.data {
		return e, truncated(w.size, "the element %#x of byte %d", id, off)
	}
	if e.end = e.data + length; e.end > end {
		return e, damaged(off, "has an element %#x that exceeds its parent", id)
	}
	return e, nil
}

// number reads a number of variable length with its marker bit: the number of leading
// zero bits of its first byte is the number of further bytes (RFC 8794, section 4).
func (w *webmWalk) number(off int64, limit int) (value, n int64, err error) {
	b, err := w.at(off, 1, "an element header")
	if err != nil {
		return 0, 0, err
	}
	length := bits.LeadingZeros8(b[0]) + 1
	if length > limit {
		return 0, 0, damaged(off, "has the byte %#x where an element must be", b[0])
	}
	if b, err = w.at(off, length, "an element header"); err != nil {
		return 0, 0, err
	}
	return w.unsigned(b), int64(length), nil
}

func (w *webmWalk) unsigned(b []byte) (n int64) {
	for _, c := range b[:min(len(b), 8)] {
		n = n<<8 | int64(c)
	}
	return n
}

// children calls read for each element in [off, end). read returns where the next one
// starts.
func (w *webmWalk) children(off, end int64, read func(element) (int64, error)) error {
	for off < end {
		e, err := w.element(off, end)
		if err == nil {
			off, err = read(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// segmentChild reads an element of the segment.
func (w *webmWalk) segmentChild(e element) (int64, error) {
	switch e.id {
	case mkvInfo:
		return e.end, w.children(e.data, e.end, w.infoChild)
	case mkvTracks:
		w.tracks = true
		return e.end, w.children(e.data, e.end, w.trackChild)
	case mkvCluster:
		return w.clusterData(e)
	case mkvTags, mkvAttached:
		return e.end, w.void(e)
	case ebmlVoid:
		return e.end, w.clear(e.data, e.end-e.data)
	case mkvCues, mkvSeekHead, mkvChapters, ebmlCRC:
		return e.end, nil
	}
	return 0, damaged(e.off, "has the unknown element %#x in its segment", e.id)
}

// infoChild reads the duration and removes the title, the date and file names. A checksum
// of the changed element is removed as well.
func (w *webmWalk) infoChild(e element) (int64, error) {
	b, err := w.at(e.data, int(min(e.end-e.data, 8)), "an element")
	if err != nil {
		return 0, err
	}
	switch e.id {
	case mkvScale:
		w.scale = w.unsigned(b)
	case mkvDuration:
		switch len(b) {
		case 4:
			w.duration = float64(math.Float32frombits(binary.BigEndian.Uint32(b)))
		case 8:
			w.duration = math.Float64frombits(binary.BigEndian.Uint64(b))
		}
	case mkvTitle, mkvDate, mkvFileName, ebmlCRC:
		return e.end, w.void(e)
	}
	return e.end, nil
}

// trackChild finds the first track of video.
func (w *webmWalk) trackChild(track element) (int64, error) {
	if track.id != mkvTrack {
		return track.end, nil
	}
	return track.end, w.children(track.data, track.end, func(e element) (int64, error) {
		if e.id != mkvVideo || w.video {
			return e.end, nil
		}
		w.video = true
		return e.end, w.children(e.data, e.end, w.videoChild)
	})
}

// videoChild reads the size of a track.
func (w *webmWalk) videoChild(e element) (int64, error) {
	if e.id != mkvWidth && e.id != mkvHeight {
		return e.end, nil
	}
	b, err := w.at(e.data, int(min(e.end-e.data, 4)), "an element")
	if err != nil {
		return 0, err
	}
	if n := int(w.unsigned(b)); e.id == mkvWidth {
		w.facts.Width = n
	} else {
		w.facts.Height = n
	}
	return e.end, nil
}

// clusterData reads the timestamp of a cluster and skips its blocks. A cluster of unknown
// length ends at the next element that only a segment can have.
func (w *webmWalk) clusterData(cluster element) (int64, error) {
	w.cluster = true
	for off := cluster.data; off < cluster.end; {
		e, err := w.element(off, cluster.end)
		if err != nil {
			return 0, err
		}
		if cluster.unknown && e.id > 0xffffff { // elements of a segment have identifiers of 4 bytes
			return e.off, nil
		}
		switch e.id {
		case mkvTimestamp:
			b, err := w.at(e.data, int(min(e.end-e.data, 8)), "an element")
			if err != nil {
				return 0, err
			}
			w.last = max(w.last, w.unsigned(b))
		case ebmlVoid:
			if err := w.clear(e.data, e.end-e.data); err != nil {
				return 0, err
			}
		}
		off = e.end
	}
	return cluster.end, nil
}

// void turns an element into a Void element of zeros, which readers skip (RFC 8794,
// section 11.3.2).
func (w *webmWalk) void(e element) error {
	length := e.end - e.off
	header := []byte{ebmlVoid, 0x80 | byte(length-2)}
	if length >= 9 {
		header = binary.BigEndian.AppendUint64([]byte{ebmlVoid}, 1<<56|uint64(length-9))
	}
	return w.overwrite(e.off, length, header)
}
