package mediafile

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrTooManyParts means that a file consists of more parts than any camera or program
// writes, so that it would cost too much to process. Errors of type [*InvalidError] wrap
// it.
var ErrTooManyParts = errors.New("the file has too many parts")

const (
	// Every file may have freeParts parts: chunks, boxes, elements, segments and blocks.
	// A longer one may have one more for each partBytes bytes. An hour of video in
	// fragments or clusters has about a million parts of more than 100 bytes.
	freeParts = 100_000
	partBytes = 16

	// maxViewEdits is how many pieces of metadata a view removes. It is above the limit
	// for uploads, for files that are stored already.
	maxViewEdits = 30_000
)

// tally counts the parts that a walk reads.
type tally struct{ parts, limit int64 }

func newTally(size int64) *tally { return &tally{limit: freeParts + size/partBytes} }

// countParts adds n parts that end at an offset, and returns an InvalidError if the file
// has too many. Each walk over a file counts for itself.
func (s *scan) countParts(n, offset int64) error {
	if s.tally.parts += n; s.tally.parts > s.tally.limit {
		return tooMany(offset, "parts", s.tally.parts, s.tally.limit)
	}
	return nil
}

// checkEdits returns an InvalidError for more than limit pieces of metadata. Zero is no
// limit.
func checkEdits(offset, edits, limit int64) error {
	if limit > 0 && edits > limit {
		return tooMany(offset, "pieces of metadata", edits, limit)
	}
	return nil
}

// tooMany returns the error for a file that has n things of a kind up to an offset.
func tooMany(offset int64, kind string, n, limit int64) error {
	return &InvalidError{
		Problem: "has " + thousands(n) + " " + kind + " or more; the limit is " + thousands(limit),
		Offset:  offset,
		Advice:  "export or save it again, without its metadata",
		cause:   ErrTooManyParts,
	}
}

// thousands writes a number with commas.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// checkScans returns an InvalidError for a JPEG picture with too many scans, or with too
// many pixels in all its scans.
func (l Limits) checkScans(offset int64, scans int, pixels int64) error {
	if l.MaxScans > 0 && scans > l.MaxScans {
		return tooManyScans(offset, "has "+thousands(int64(scans))+" scans or more; the limit is "+thousands(int64(l.MaxScans)))
	}
	if total := int64(scans) * pixels; l.MaxScanPixels > 0 && total > l.MaxScanPixels {
		return tooManyScans(offset, fmt.Sprintf("has %d scans or more, with %s megapixels in all; the limit is %s", scans, megapixels(total), megapixels(l.MaxScanPixels)))
	}
	return nil
}

func tooManyScans(offset int64, problem string) error {
	return &InvalidError{Problem: problem, Offset: offset, Advice: "export or save it again"}
}

// partNames are the names of the parts that this package knows.
var partNames = func() map[string]string {
	names := map[string]string{}
	const inTracks = "mvhd tkhd mdhd hdlr stsd stsz stco co64 stsc stts stss ctts sdtp edts dinf vmhd smhd udta meta uuid mehd trex mfhd tfhd tfdt trun"
	for name := range strings.FieldsSeq(inTracks) {
		names[name] = name
	}
	for _, known := range []map[string]bool{pngKept, webpKept, mp4Containers, mp4Top, mp4Movie} {
		for name := range known {
			names[name] = name
		}
	}
	return names
}()

// partName returns the name of a part as a string. It copies only unknown names.
func partName(b []byte) string {
	if name, known := partNames[string(b)]; known {
		return name
	}
	return string(b)
}
