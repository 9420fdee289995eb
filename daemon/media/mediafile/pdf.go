package mediafile

import (
	"bytes"
	"regexp"
	"strconv"
)

// pdfTail is how many last bytes of a PDF file are searched for its end.
const pdfTail = 2048

// pdfEnd matches the end of a PDF file (ISO 32000-1, section 7.5.5): the offset of the
// last cross-reference section, and the end marker.
var pdfEnd = regexp.MustCompile(`startxref[ \t\r\n]+([0-9]{1,12})[ \t\r\n]+%%EOF[ \t\r\n\x00]*$`)

// pdfLinearized matches the length in the first object of a file that is made for the web
// (ISO 32000-1, annex F).
var pdfLinearized = regexp.MustCompile(`/Linearized[^>]*/L[ \t\r\n]+([0-9]{1,12})`)

// pdfObject matches the start of a cross-reference table, or of an object with a
// cross-reference stream.
var pdfObject = regexp.MustCompile(`^[ \t\r\n]*(xref|[0-9]+[ \t\r\n]+[0-9]+[ \t\r\n]+obj)`)

// pdf checks that a PDF file has its start and its end. Metadata in documents stays.
func (s *scan) pdf() error {
	head, err := s.at(0, int(min(s.size, sniffLength)), "")
	if err != nil {
		return err
	}
	if len(head) < 8 || head[5] < '1' || head[5] > '2' || head[6] != '.' {
		return damaged(0, "has no valid version in its first line")
	}
	if m := pdfLinearized.FindSubmatch(head); m != nil {
		if length, _ := strconv.ParseInt(string(m[1]), 10, 64); length > s.size {
			return truncated(s.size, "a document of %d bytes", length)
		}
	}
	start := max(0, s.size-pdfTail)
	tail, err := s.at(start, int(s.size-start), "")
	if err != nil {
		return err
	}
	m := pdfEnd.FindSubmatch(tail)
	if m == nil {
		if i := bytes.LastIndex(tail, []byte("%%EOF")); i >= 0 {
			other, err := s.skipBytes(start+int64(i)+5, s.size, "\x00\r\n\t ")
			if err == nil && other < s.size {
				err = s.foreign(other)
			}
			if err != nil {
				return err
			}
		}
		return incomplete(s.size, "its end marker")
	}
	table, _ := strconv.ParseInt(string(m[1]), 10, 64)
	b, err := s.at(table, int(max(0, min(64, s.size-table))), "the cross-reference table")
	if err != nil {
		return err
	}
	if !pdfObject.Match(b) {
		return damaged(table, "has no cross-reference table where its end says")
	}
	return nil
}
