package mediafile

import (
	"bytes"
	"encoding/binary"
)

// maxZipTail is the longest end of a ZIP archive that readers search: the end of central
// directory record (22 bytes) with the longest comment.
const maxZipTail = 22 + 1<<16 - 1

// rejectZip refuses files that are also ZIP archives (APPNOTE.TXT, section 4.3.16): ZIP
// readers start at the end of a file, so an archive can hide in any format that allows
// free bytes near its end.
func (s *scan) rejectZip(mimeType string) error {
	end := s.size
	for low := max(0, s.size-maxZipTail); end > low; {
		start := max(low, end-windowSize)
		b, err := s.at(start, int(end-start), "")
		if err != nil {
			return err
		}
		for i := bytes.LastIndex(b, []byte("PK\x05\x06")); i >= 0; i = bytes.LastIndex(b[:i], []byte("PK\x05\x06")) {
			record, err := s.at(start+int64(i), 22, "")
			if err != nil {
				break // too short to be a record
			}
			comment := int64(binary.LittleEndian.Uint16(record[20:]))
			if start+int64(i)+22+comment == s.size {
				return nameType(appended(start+int64(i), "a ZIP archive"), mimeType)
			}
			if b, err = s.at(start, int(end-start), ""); err != nil {
				return err
			}
		}
		if start == low {
			return nil
		}
		end = start + 3 // so that a signature across the border is found
	}
	return nil
}
