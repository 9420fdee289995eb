package mediafile

import (
	"encoding/binary"
	"time"
)

// box is a part of an MP4 or MOV file (ISO/IEC 14496-12, section 4.2): a length, a type
// and data.
type box struct {
	name      string
	off, data int64 // offsets of its header and of its data
	end       int64
	toEnd     bool // the length is 0: the box extends to the end of the file
}

// mp4Containers are the boxes whose data is boxes, as far as Inspect needs them.
var mp4Containers = map[string]bool{
	"moov": true, "trak": true, "mdia": true, "minf": true, "stbl": true, "mvex": true,
	"moof": true, "traf": true,
}

// mp4Top are the boxes that Strip keeps at the top level; those in mp4Movie are kept in
// the moov box.
var (
	mp4Top = map[string]bool{
		"ftyp": true, "styp": true, "moov": true, "mdat": true, "moof": true, "mfra": true,
		"sidx": true, "ssix": true, "prft": true, "pdin": true, "free": true, "skip": true, "wide": true,
	}
	mp4Movie = map[string]bool{
		"mvhd": true, "trak": true, "mvex": true, "iods": true, "pssh": true, "free": true, "skip": true,
	}
)

// maxBoxDepth bounds the nesting of containers: moov, trak, mdia, minf, stbl.
const maxBoxDepth = 6

// mp4Walk is what the boxes so far say about the rest.
type mp4Walk struct {
	*scan
	movie, media, video bool
	mediaBytes          int64 // in mdat boxes
	openEnded           bool  // the last mdat box has no length
	sampleBytes         int64 // announced by the tracks
	timescale           int64 // of the movie, in units a second
	fragments           int64 // duration of the fragments, in units of timescale
	track               mp4Track
	mdats               int64     // the number of mdat boxes
	chunks              int64     // of metadata tracks
	tables              [3]window // for the tables of metadata tracks
}

// mp4 walks an MP4 or MOV file, which is a sequence of boxes.
func (s *scan) mp4() error {
	w := &mp4Walk{scan: s}
	if err := w.boxes(0, s.size, "", 0); err != nil {
		return err
	}
	switch {
	case !w.movie:
		return incomplete(s.size, "its moov box")
	case !w.video:
		return damaged(0, "has no video track")
	case !w.media:
		return incomplete(s.size, "its media data")
	case w.openEnded && w.sampleBytes > w.mediaBytes:
		return truncated(s.size, "the media data: its tracks have %d bytes, the file has %d", w.sampleBytes, w.mediaBytes)
	}
	if s.facts.Duration == 0 {
		s.facts.Duration = seconds(w.fragments, w.timescale)
	}
	return w.endSamples()
}

// boxes walks the boxes in [off, end) of a container.
func (w *mp4Walk) boxes(off, end int64, parent string, depth int) error {
	for off < end {
		if parent == "" || end-off < 8 { // padding; some containers end with four zero bytes
			other, err := w.skipBytes(off, end, "\x00")
			if err != nil {
				return err
			}
			if other == end && parent == "" {
				return w.cut(off, end-off)
			}
			if other == end {
				return nil
			}
		}
		b, err := w.box(off, end, parent)
		if err != nil {
			return err
		}
		if err := w.read(b, parent, depth); err != nil {
			return err
		}
		off = b.end
	}
	return nil
}

// box reads the header of the box at an offset of a container that ends at end.
func (w *mp4Walk) box(off, end int64, parent string) (box, error) {
	part := "a box header"
	if err := w.countParts(1, off); err != nil {
		return box{}, err
	}
	head, err := w.at(off, 8, part)
	if err != nil {
		return box{}, err
	}
	b := box{name: partName(head[4:8]), off: off, data: off + 8}
	length := int64(binary.BigEndian.Uint32(head))
	switch length {
	case 0:
		if parent != "" {
			return box{}, damaged(off, "has a box %q without a length", b.name)
		}
		length, b.toEnd = end-off, true
	case 1:
		long, err := w.uint64BE(off+8, part)
		if err != nil {
			return box{}, err
		}
		if long > 1<<62 {
			return box{}, damaged(off, "has a box %q of an impossible length", b.name)
		}
		length, b.data = int64(long), off+16
	}
	if !isBoxName(b.name) {
		return box{}, w.notBox(off, parent)
	}
	if length < b.data-off {
		return box{}, damaged(off, "has a box %q of %d bytes", b.name, length)
	}
	if b.end = off + length; b.end > end {
		if parent != "" {
			return box{}, damaged(off, "has a box %q that exceeds its container %q", b.name, parent)
		}
		if !mp4Top[b.name] {
			return box{}, w.notBox(off, parent)
		}
		return box{}, truncated(w.size, "the box %q of byte %d", b.name, off)
	}
	return b, nil
}

// notBox returns the error for bytes that are not a box: other data at the top level.
func (w *mp4Walk) notBox(off int64, parent string) error {
	if parent == "" {
		return w.foreign(off)
	}
	return damaged(off, "has other data in its box %q", parent)
}

// isBoxName reports whether a type has printable characters only. QuickTime uses
// "©" in Mac OS Roman.
func isBoxName(name string) bool {
	for _, c := range []byte(name) {
		if (c < ' ' || c > '~') && c != 0xa9 {
			return false
		}
	}
	return true
}

// read takes the facts from a box, removes it if it is metadata, and walks its boxes.
func (w *mp4Walk) read(b box, parent string, depth int) error {
	if w.isMetadata(b.name, parent) {
		return w.free(b)
	}
	if b.name == "trak" && parent == "moov" {
		metadata, err := w.isMetadataTrack(b)
		if err != nil {
			return err
		}
		if metadata {
			if err := w.appendSamples(b); err != nil {
				return err
			}
			return w.free(b)
		}
		w.track = mp4Track{}
	}
	if err := w.fact(b, parent); err != nil {
		return err
	}
	switch {
	case b.name == "free" || b.name == "skip" || b.name == "wide":
		return w.clear(b.data, b.end-b.data)
	case !mp4Containers[b.name]:
		return nil
	case depth == maxBoxDepth:
		return damaged(b.off, "has too many boxes inside each other")
	}
	if err := w.boxes(b.data, b.end, b.name, depth+1); err != nil {
		return err
	}
	if b.name == "trak" {
		w.endTrack()
	}
	return nil
}

// isMetadata reports whether Strip removes a box: user data (udta, with the position in
// ©xyz), metadata (meta, with the keys of QuickTime), XMP and data of cameras (uuid), and
// unknown boxes outside of tracks.
func (w *mp4Walk) isMetadata(name, parent string) bool {
	switch {
	case parent == "":
		return !mp4Top[name]
	case parent == "moov":
		return !mp4Movie[name]
	case name == "uuid":
		return parent != "moof" && parent != "traf" // there it belongs to the encryption
	}
	return name == "udta" || name == "meta"
}

// free turns a box into a free box of zeros, so that all offsets in the file stay right.
func (w *mp4Walk) free(b box) error {
	name := []byte("free")
	if b.data == b.off+16 { // a length of 64 bits follows, which stays
		length, err := w.at(b.off+8, 8, "a box header")
		if err != nil {
			return err
		}
		name = append(name, length...)
	}
	return w.overwrite(b.off+4, b.end-b.off-4, name)
}

// seconds converts a number of units to a duration. Impossible durations are 0.
func seconds(units, perSecond int64) time.Duration {
	if perSecond <= 0 || units <= 0 {
		return 0
	}
	d := float64(units) / float64(perSecond)
	if d > (100 * 24 * time.Hour).Seconds() {
		return 0
	}
	return time.Duration(d * float64(time.Second)).Round(time.Millisecond)
}
