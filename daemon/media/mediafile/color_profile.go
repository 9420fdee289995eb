package mediafile

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"context"
	"fmt"
	"io"
	"slices"
)

// maxProfile is the largest color profile that is read. Profiles of printers have 2 MB.
const maxProfile = 4 << 20

// maxProfileParts is how many parts a color profile can have: a byte counts them.
const maxProfileParts = 255

// iccHeader is the start of an APP2 segment with a part of a color profile. The number of
// the part and the number of parts follow (ICC.1:2010, annex B.4).
const iccHeader = "ICC_PROFILE\x00"

// ColorProfile returns the ICC color profile of a picture, nil if it has none. facts are
// those that Inspect returned. A damaged or huge profile counts as none.
func ColorProfile(ctx context.Context, r io.ReaderAt, size int64, facts Facts) ([]byte, error) {
	type part struct {
		number byte
		data   []byte
	}
	var parts []part
	total := int64(0)
	s := newScan(ctx, r, size)
	s.inspected, s.edit = true, func(edit) error { return nil }
	s.profile = func(number byte, off, length int64) error {
		if total += length; total > maxProfile || len(parts) == maxProfileParts {
			total = maxProfile + 1
			return nil
		}
		data := make([]byte, length)
		if _, err := io.ReadFull(io.NewSectionReader(r, off, length), data); err != nil {
			return fmt.Errorf("read color profile: %w", err)
		}
		parts = append(parts, part{number, data})
		return nil
	}
	if err := s.walk(facts.MIMEType, &Facts{}); err != nil {
		return nil, err
	}
	if total > maxProfile {
		return nil, nil
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.number, b.number) })
	var profile []byte
	for _, p := range parts {
		profile = append(profile, p.data...)
	}
	if facts.MIMEType == PNG {
		profile = inflateProfile(profile)
	}
	if len(profile) < 128 || string(profile[36:40]) != "acsp" {
		return nil, nil
	}
	return profile, nil
}

// inflateProfile returns the profile in the data of an iCCP chunk: a name, a compression
// method and compressed data (PNG Specification, section 11.3.2.3).
func inflateProfile(chunk []byte) []byte {
	_, data, found := bytes.Cut(chunk, []byte{0})
	if !found || len(data) < 1 || data[0] != 0 {
		return nil
	}
	z, err := zlib.NewReader(bytes.NewReader(data[1:]))
	if err != nil {
		return nil
	}
	profile, err := io.ReadAll(io.LimitReader(z, maxProfile+1))
	if err != nil || len(profile) > maxProfile {
		return nil
	}
	return profile
}

// EmbedColorProfile returns what goes into a PNG or JPEG picture without a color profile
// to give it one, and the offset at which to insert it.
func EmbedColorProfile(mimeType string, profile []byte) (insert []byte, offset int) {
	if len(profile) == 0 {
		return nil, 0
	}
	if mimeType == PNG {
		var b bytes.Buffer
		b.WriteString("ICC profile\x00\x00")
		z := zlib.NewWriter(&b)
		z.Write(profile) // a bytes.Buffer cannot fail
		z.Close()
		return pngChunk("iCCP", b.Bytes()), 8 + 12 + 13 // after the header
	}
	const partSize = 1<<16 - 1 - 2 - len(iccHeader) - 2
	count := (len(profile) + partSize - 1) / partSize
	number := 0
	for data := range slices.Chunk(profile, partSize) {
		number++
		insert = append(insert, jpegSegment(markerAPP0+2, slices.Concat([]byte(iccHeader), []byte{byte(number), byte(count)}, data))...)
	}
	return insert, 2 // after the SOI marker
}

// reportProfile reports a part of a color profile to the caller of a walk.
func (s *scan) reportProfile(number byte, off, length int64) error {
	if s.profile == nil || length <= 0 {
		return nil
	}
	return s.profile(number, off, length)
}

// jpegProfile reports the part of a color profile in an APP2 segment.
func (w *jpegWalk) jpegProfile(start, end int64) error {
	b, err := w.at(start, int(min(end-start, 14)), "a color profile")
	if err != nil || len(b) < 14 || !w.keep {
		return err
	}
	return w.reportProfile(b[12], start+14, end-start-14)
}
