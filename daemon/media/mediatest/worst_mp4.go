package mediatest

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
)

// worstMP4 returns the worst files of a brand, which decides the media type.
func worstMP4(kind, brand string) []Worst {
	inMovie := func(part []byte) func(int) []byte {
		return func(size int) []byte { return moviePlus(brand, fill(size, nil, part, nil), nil) }
	}
	atTop := func(part []byte) func(int) []byte {
		return func(size int) []byte { return moviePlus(brand, nil, fill(size, nil, part, nil)) }
	}
	return []Worst{
		{kind, "unknown boxes", func(size int) []byte { return unknownBoxes(brand, size) }},
		{kind, "unknown boxes of the movie", inMovie(mp4Box("abcd"))},
		{kind, "user data of the movie", inMovie(mp4Box("udta", "a"))},
		{kind, "free boxes", atTop(mp4Box("free", "a"))},
		{kind, "media data in empty boxes", atTop(mp4Box("mdat"))},
		{kind, "media data and sample ranges", func(size int) []byte { return crossedRanges(brand, size) }},
		{kind, "tracks", inMovie(mp4Box("trak"))},
		{kind, "tracks of metadata", inMovie(metadataTrack(1))},
		{kind, "chunks of a track of metadata", func(size int) []byte { return moviePlus(brand, metadataTrack(min(size/8, 90_000)), nil) }},
		{kind, "sample sizes", func(size int) []byte { return sampleTables(brand, size) }},
		{kind, "nested boxes", inMovie(nestedTracks(6))},
		{kind, "fragments", atTop(slices.Concat(mp4Box("moof", string(mp4Box("mfhd", u32(0, 1)))), mp4Box("mdat", "a")))},
		{kind, "zeros between boxes", func(size int) []byte { return moviePlus(brand, nil, append(make([]byte, size), mp4Box("free")...)) }},
		{kind, "ends of archives", atTop(mp4Box("free", string(zips(1000))))},
	}
}

// moviePlus returns a video with additional boxes in its movie and after its media data.
func moviePlus(brand string, boxes, after []byte) []byte {
	moov := append(movie(640, 360, identity, 18), boxes...)
	binary.BigEndian.PutUint32(moov, uint32(len(moov)))
	return slices.Concat(mp4Box("ftyp", brand, "\x00\x00\x02\x00", brand), mp4Box("mdat", "media data"), moov, after)
}

func unknownBoxes(brand string, size int) []byte {
	return moviePlus(brand, nil, fill(size, nil, mp4Box("abcd"), nil))
}

// metadataTrack returns a track of metadata with a number of empty chunks.
func metadataTrack(chunks int) []byte {
	table := mp4Box("stbl",
		string(mp4Box("stsc", u32(0, 1, 1, 1, 1))),
		string(mp4Box("stsz", u32(0, 1, chunks))),
		string(mp4Box("stco", u32(0, chunks), strings.Repeat(u32(33), chunks))),
	)
	handler := mp4Box("hdlr", u32(0, 0), "meta", zero(13))
	return mp4Box("trak", string(mp4Box("mdia", string(handler), string(mp4Box("minf", string(table))))))
}

// crossedRanges returns a video in which half of the bytes are empty boxes of media data,
// and the other half the places of samples, none of which is in these boxes.
func crossedRanges(brand string, size int) []byte {
	return moviePlus(brand, metadataTrack(min(size/2/4, 90_000)), bytes.Repeat(mp4Box("mdat"), size/2/8))
}

// sampleTables returns a video whose track has a size for each of many empty samples.
func sampleTables(brand string, size int) []byte {
	n := size / 4
	sizes := mp4Box("stsz", u32(0, 0, n), strings.Repeat(u32(0), n))
	return moviePlus(brand, mp4Box("trak", string(mp4Box("mdia", string(mp4Box("minf", string(mp4Box("stbl", string(sizes)))))))), nil)
}

// nestedTracks returns containers inside each other.
func nestedTracks(depth int) []byte {
	b := mp4Box("free", "a")
	for range depth - 1 {
		b = mp4Box("traf", string(b))
	}
	return mp4Box("trak", string(b))
}

// longMovie returns a video as phones record it: its media data, and a movie with a table
// of the samples.
func longMovie(brand string, size int) []byte {
	samples := max(1, size/4000)
	sizes := mp4Box("stsz", u32(0, 0, samples), strings.Repeat(u32(4000), samples))
	offsets := mp4Box("stco", u32(0, samples), strings.Repeat(u32(40), samples))
	tables := mp4Box("mdia", string(mp4Box("minf", string(mp4Box("stbl", string(sizes), string(offsets))))))
	moov := append(movie(1920, 1080, identity, 18), mp4Box("trak", string(tables))...)
	binary.BigEndian.PutUint32(moov, uint32(len(moov)))
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(i * 0x9e3779b1 >> 24)
	}
	return slices.Concat(mp4Box("ftyp", brand, "\x00\x00\x02\x00", brand), mp4Box("mdat", string(data)), moov)
}
