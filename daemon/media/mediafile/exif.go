package mediafile

import "encoding/binary"

// orientationTag is the tag of the orientation in an image file directory (EXIF 3.0,
// section 4.6.5).
const orientationTag = 0x0112

// readOrientation returns the orientation in the EXIF data (a TIFF structure) of length
// bytes at an offset. Damaged EXIF data has the orientation 1: viewers ignore it as well.
func (s *scan) readOrientation(offset, length int64) (int, error) {
	if length < 14 {
		return 1, nil
	}
	head, err := s.at(offset, 8, "the EXIF data")
	if err != nil {
		return 1, err
	}
	var order binary.ByteOrder
	switch string(head[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 1, nil
	}
	directory := int64(order.Uint32(head[4:]))
	if directory < 8 || directory+2 > length {
		return 1, nil
	}
	b, err := s.at(offset+directory, 2, "the EXIF data")
	if err != nil {
		return 1, err
	}
	for i := range int64(order.Uint16(b)) {
		entry := directory + 2 + 12*i
		if entry+12 > length {
			break
		}
		b, err := s.at(offset+entry, 12, "the EXIF data")
		if err != nil {
			return 1, err
		}
		if order.Uint16(b) != orientationTag {
			continue
		}
		const short = 3
		if o := int(order.Uint16(b[8:])); order.Uint16(b[2:]) == short && o >= 1 && o <= 8 {
			return o, nil
		}
		break
	}
	return 1, nil
}

// minimalEXIF returns EXIF data that has an orientation and nothing else, nil for
// upright pictures, which need none.
func minimalEXIF(orientation int) []byte {
	if orientation <= 1 {
		return nil
	}
	return []byte{
		'M', 'M', 0, '*', 0, 0, 0, 8, // big-endian; the directory follows
		0, 1, // one entry
		orientationTag >> 8, orientationTag & 0xff, 0, 3, 0, 0, 0, 1, 0, byte(orientation), 0, 0,
		0, 0, 0, 0, // no further directory
	}
}
