package mediatest

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
)

func worstWebM() []Worst {
	const kind = "video/webm"
	inSegment := func(part string) func(int) []byte {
		return func(size int) []byte { return webM(nil, fill(size, nil, []byte(part), nil)) }
	}
	inCluster := func(part string) func(int) []byte {
		return func(size int) []byte { return webM(nil, longEBML(0x1f43b675, fill(size, nil, []byte(part), nil))) }
	}
	inInfo := func(part string) func(int) []byte {
		return func(size int) []byte { return webM(longEBML(0x1549a966, fill(size, nil, []byte(part), nil)), nil) }
	}
	return []Worst{
		{kind, "tags", inSegment("\x12\x54\xc3\x67\x80")},
		{kind, "void elements", inSegment("\xec\x81\x01")},
		{kind, "checksums", inSegment("\xbf\x80")},
		{kind, "clusters of unknown length", inSegment("\x1f\x43\xb6\x75\xff")},
		{kind, "void elements of a cluster", inCluster("\xec\x81\x01")},
		{kind, "empty blocks", inCluster("\xa3\x80")},
		{kind, "blocks with laces", inCluster("\xa3\x86\x81\x00\x00\x06\xff\x00")},
		{kind, "titles", inInfo("\x7b\xa9\x80")},
		{kind, "dates between durations", inInfo("\x44\x61\x81\x01\x44\x89\x80")},
		{kind, "tracks", func(size int) []byte {
			return webM(longEBML(0x1654ae6b, fill(size, nil, []byte("\xae\x82\xe0\x80"), nil)), nil)
		}},
		{kind, "attachments", inSegment("\x19\x41\xa4\x69\x81a")},
		{kind, "zeros after the end", func(size int) []byte { return fill(size, webM(nil, nil), []byte{0}, nil) }},
		{kind, "ends of archives", inSegment("\xec\x44\x00" + string(zips(1024)))},
	}
}

// webM returns a video with additional elements before its tracks and after its cluster.
func webM(before, after []byte) []byte {
	header := ebml(0x1a45dfa3, ebml(0x4282, []byte("webm")), ebml(0xec, make([]byte, 40)))
	info := ebml(0x1549a966, ebml(0x4489, binary.BigEndian.AppendUint64(nil, math.Float64bits(2500))))
	video := ebml(0xe0, ebml(0xb0, []byte{0x02, 0x80}), ebml(0xba, []byte{0x01, 0x68}))
	tracks := ebml(0x1654ae6b, ebml(0xae, video))
	cluster := ebml(0x1f43b675, ebml(0xe7, []byte{0}), ebml(0xa3, []byte("\x81\x00\x00\x80media data")))
	return append(header, longEBML(0x18538067, slices.Concat(info, before, tracks, cluster, after))...)
}

// longEBML returns an element with its length in eight bytes.
func longEBML(id uint32, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, id)
	return append(binary.BigEndian.AppendUint64(b, 1<<56|uint64(len(data))), data...)
}

// longWebM returns a video as browsers record it: a cluster of some seconds with blocks of
// some kilobytes, again and again.
func longWebM(size int) []byte {
	block := ebml(0xa3, append([]byte("\x81\x00\x00\x80"), bytes.Repeat([]byte("media data"), 400)...))
	cluster := longEBML(0x1f43b675, slices.Concat(ebml(0xe7, []byte{0}), bytes.Repeat(block, 30)))
	return webM(nil, bytes.Repeat(cluster, max(1, size/len(cluster))))
}
