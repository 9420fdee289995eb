package mediatest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// MP4 returns an MP4 video of exactly size bytes, at least 1024: 640 × 360 pixels, 2.5
// seconds, with the position of its recording.
func MP4(size int) []byte {
	b := make([]byte, size)
	if _, err := LargeMP4(int64(size)).ReadAt(b, 0); err != nil && err != io.EOF {
		panic(err)
	}
	return b
}

// LargeMP4 returns an MP4 video as MP4 does, of up to 4 GB, without holding it in memory.
func LargeMP4(size int64) *io.SectionReader {
	head := func(length int64) []byte {
		b := append(mp4Box("ftyp", "isom", "\x00\x00\x02\x00", "isomavc1"), movie(640, 360, identity, int(length))...)
		return append(b, append(binary.BigEndian.AppendUint32(nil, uint32(length)), "mdat"...)...)
	}
	start := int64(len(head(0)))
	if size <= start {
		panic(fmt.Sprintf("an MP4 video has at least %d bytes", start+1))
	}
	return io.NewSectionReader(&sparse{head: head(size - start + 8), size: size}, 0, size)
}

// MP4WithPositions returns an MP4 video with a second track, in which a camera recorded
// its positions: "+60.17" and "+24.94" are in two chunks of the media data.
func MP4WithPositions() []byte {
	b := mp4Box("ftyp", "isom", "\x00\x00\x02\x00", "isom")
	start := len(b) + 8
	b = append(b, mp4Box("mdat", "media data+60.17more media data+24.94")...)
	moov := movie(640, 360, identity, 18)
	table := mp4Box("stbl",
		string(mp4Box("stsc", u32(0, 1, 1, 2, 1))),
		string(mp4Box("stsz", u32(0, 0, 4, 3, 3, 5, 1))),
		string(mp4Box("stco", u32(0, 2, start+10, start+31))),
	)
	handler := mp4Box("hdlr", u32(0, 0), "meta", zero(13))
	track := mp4Box("trak", string(mp4Box("mdia", string(handler), string(mp4Box("minf", string(table))))))
	moov = append(moov, track...)
	binary.BigEndian.PutUint32(moov, uint32(len(moov)))
	return append(b, moov...)
}

// FragmentedMP4 returns an MP4 video whose media data is in a fragment, as streaming
// services store it.
func FragmentedMP4() []byte {
	b := mp4Box("ftyp", "iso5", "\x00\x00\x02\x00", "iso5dash")
	b = append(b, movie(640, 360, identity, 18)...)
	b = append(b, mp4Box("moof", string(mp4Box("mfhd", u32(0, 1))), string(mp4Box("traf", string(mp4Box("tfhd", u32(0, 1))))))...)
	return append(b, mp4Box("mdat", "media data")...)
}

// TurnedMP4 returns an MP4 video whose track is stored with 640 × 360 pixels, and displayed
// with 360 × 640.
func TurnedMP4() []byte {
	b := mp4Box("ftyp", "isom", "\x00\x00\x02\x00", "isom")
	b = append(b, mp4Box("mdat", "media data")...)
	return append(b, movie(640, 360, quarterTurn, 18)...)
}

// QuickTime returns a MOV video with its media data before its moov box.
func QuickTime() []byte {
	b := mp4Box("ftyp", "qt  ", "\x20\x05\x03\x00", "qt  ")
	b = append(b, mp4Box("wide")...)
	b = append(b, mp4Box("mdat", "media data")...)
	return append(b, movie(640, 360, identity, 18)...)
}

// sparse reads as head, and then as bytes that follow from their offset.
type sparse struct {
	head []byte
	size int64
}

func (s *sparse) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	if off < int64(len(s.head)) {
		n = copy(p, s.head[off:])
	}
	for ; n < len(p); n++ {
		at := off + int64(n)
		if at >= s.size {
			return n, io.EOF
		}
		p[n] = byte(at * 0x9e3779b1 >> 24)
	}
	return n, nil
}

// The matrices of track headers.
const (
	identity    = "\x00\x01\x00\x00" + zero4 + zero4 + zero4 + "\x00\x01\x00\x00" + zero4 + zero4 + zero4 + "\x40\x00\x00\x00"
	quarterTurn = zero4 + "\x00\x01\x00\x00" + zero4 + "\xff\xff\x00\x00" + zero4 + zero4 + zero4 + zero4 + "\x40\x00\x00\x00"
	zero4       = "\x00\x00\x00\x00"
)

// movie returns a moov box with one video track, and with user data.
func movie(width, height int, matrix string, mediaBytes int) []byte {
	const recorded = 3_900_000_000 // seconds since 1904
	times := u32(0, recorded, recorded)
	entry := string(mp4Box("avc1", zero(24), string(binary.BigEndian.AppendUint32(nil, uint32(width<<16|height))), zero(50)))
	table := mp4Box("stbl",
		string(mp4Box("stsd", u32(0, 1), entry)),
		string(mp4Box("stts", u32(0, 1, 1, 2500))),
		string(mp4Box("stsc", u32(0, 1, 1, 1, 1))),
		string(mp4Box("stsz", u32(0, 0, 1, max(mediaBytes-8, 0)))),
		string(mp4Box("stco", u32(0, 1, 48))),
	)
	media := mp4Box("mdia",
		string(mp4Box("mdhd", times, u32(1000, 2500, 0))),
		string(mp4Box("hdlr", u32(0, 0), "vide", zero(13))),
		string(mp4Box("minf", string(mp4Box("vmhd", zero(12))), string(table))),
	)
	track := mp4Box("trak",
		string(mp4Box("tkhd", times, u32(1, 0, 2500), zero(16), matrix, u32(width<<16, height<<16))),
		string(media),
		string(mp4Box("udta", string(mp4Box("name", "taken at home")))),
	)
	return mp4Box("moov",
		string(mp4Box("mvhd", times, u32(1000, 2500, 1<<16), zero(12), identity, zero(24), u32(2))),
		string(track),
		string(mp4Box("udta", string(mp4Box("\xa9xyz", "\x00\x12\x15\xc7+60.1700+024.9400/")))),
		string(mp4Box("uuid", "\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac", XMP)),
	)
}

func u32(n ...int) string {
	var b []byte
	for _, v := range n {
		b = binary.BigEndian.AppendUint32(b, uint32(v))
	}
	return string(b)
}

func zero(n int) string { return string(make([]byte, n)) }

func mp4Box(name string, data ...string) []byte {
	b := append(make([]byte, 4), name...)
	for _, d := range data {
		b = append(b, d...)
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)))
	return b
}

// WebM returns a WebM video of 640 × 360 pixels and 2.5 seconds, with tags and a title.
func WebM() []byte {
	header := ebml(0x1a45dfa3, ebml(0x4282, []byte("webm")))
	info := ebml(0x1549a966,
		ebml(0x2ad7b1, []byte{0x0f, 0x42, 0x40}),
		ebml(0x4489, binary.BigEndian.AppendUint64(nil, math.Float64bits(2500))),
		ebml(0x7ba9, []byte("taken at home")),
		ebml(0x4d80, []byte("muxer")), ebml(0x5741, []byte("writer")),
	)
	video := ebml(0xe0, ebml(0xb0, []byte{0x02, 0x80}), ebml(0xba, []byte{0x01, 0x68}))
	tracks := ebml(0x1654ae6b, ebml(0xae, ebml(0xd7, []byte{1}), ebml(0x83, []byte{1}), ebml(0x86, []byte("V_VP9")), video))
	cluster := ebml(0x1f43b675, ebml(0xe7, []byte{0}), ebml(0xa3, []byte("\x81\x00\x00\x80media data")))
	tags := ebml(0x1254c367, ebml(0x7373, ebml(0x67c8, ebml(0x45a3, []byte("LOCATION")), ebml(0x4487, []byte("+60.1700+024.9400/")))))
	return append(header, ebml(0x18538067, info, tracks, tags, cluster)...)
}

// LiveWebM returns a WebM video as browsers record it: the lengths of its segment and of
// its cluster are unknown.
func LiveWebM() []byte {
	b := WebM()
	for _, id := range []string{"\x18\x53\x80\x67", "\x1f\x43\xb6\x75"} {
		i := bytes.Index(b, []byte(id))
		b[i+4], b[i+5] = 0x7f, 0xff
	}
	return b
}

// ebml returns an element with its length in two bytes.
func ebml(id uint32, data ...[]byte) []byte {
	var b []byte
	for shift := 24; shift >= 0; shift -= 8 {
		if id>>shift != 0 {
			b = append(b, byte(id>>shift))
		}
	}
	n := 0
	for _, d := range data {
		n += len(d)
	}
	b = append(b, 0x40|byte(n>>8), byte(n))
	for _, d := range data {
		b = append(b, d...)
	}
	return b
}
