package postfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	utf16 "golang.org/x/text/encoding/unicode"
)

// Encodings are examples of what [Reader.Decode] takes.
var Encodings = []string{"utf-8", "utf-16", "utf-16le", "utf-16be", "windows-1250", "windows-1251", "windows-1252", "iso-8859-1", "iso-8859-2", "iso-8859-15", "macintosh", "cp850"}

// Decode names the encoding of the file: UTF-8, UTF-16, or one with a byte for each
// character, in any letter case. A byte order mark is not needed, and counts if the file has
// one. It must be called before the first row is read. Without
// it, files in UTF-8 and UTF-16 are read, and files in Windows-1252 if that is certain.
func (r *Reader) Decode(name string) error {
	words := wordsOf(name)
	if page, found := strings.CutPrefix(words, "cp"); found {
		if words = "ibm code page " + page; strings.HasPrefix(page, "125") {
			words = "windows " + page
		}
	}
	switch words {
	case "utf 8", "utf8":
		r.encoding = encoding.Nop
		return nil
	case "utf 16", "utf16", "utf 16le", "utf16le", "utf 16 le":
		r.encoding = utf16.UTF16(utf16.LittleEndian, utf16.UseBOM)
		return nil
	case "utf 16be", "utf16be", "utf 16 be":
		r.encoding = utf16.UTF16(utf16.BigEndian, utf16.UseBOM)
		return nil
	}
	for _, e := range charmap.All {
		if page, ok := e.(*charmap.Charmap); ok && wordsOf(page.String()) == words {
			r.encoding = page
			return nil
		}
	}
	return fmt.Errorf("the encoding %q is not known; use one such as %s", clip(name), strings.Join(Encodings, ", "))
}

// decode makes the reader read UTF-8.
func (r *Reader) decode() {
	if r.encoding == nil {
		start, _ := r.in.Peek(r.in.Size()) // an error is met again when reading
		switch {
		case isUTF16(start):
			r.encoding = utf16.UTF16(endianness(start), utf16.UseBOM)
		default:
			if proved, certain := isWindows1252(start); certain {
				r.in = bufio.NewReaderSize(charmap.Windows1252.NewDecoder().Reader(&stickyErrorReader{in: &certainReader{in: r.in, sure: certainty{proved: proved}}}), r.in.Size())
				return
			}
		}
	}
	if r.encoding != nil && r.encoding != encoding.Nop {
		r.in = bufio.NewReaderSize(&stickyErrorReader{in: &definedReader{in: r.encoding.NewDecoder().Reader(r.in)}}, r.in.Size())
	}
}

// isUTF16 reports whether a text starts as UTF-16: with a byte order mark, or with an ASCII
// character of two bytes.
func isUTF16(start []byte) bool {
	if len(start) < 2 {
		return false
	}
	mark := start[0] == 0xff && start[1] == 0xfe || start[0] == 0xfe && start[1] == 0xff
	return mark || start[0] == 0 != (start[1] == 0) && start[0]|start[1] < utf8.RuneSelf
}

// endianness returns the byte order of a text in UTF-16 without a byte order mark.
func endianness(start []byte) utf16.Endianness {
	if start[0] == 0 {
		return utf16.BigEndian
	}
	return utf16.LittleEndian
}

// isWindows1252 reports whether the start of a file is certainly Windows-1252: it is not
// UTF-8, has no character of several bytes in UTF-8, and each of its bytes is certain. proved
// reports whether it has a proof, see [certainty].
func isWindows1252(start []byte) (proved, certain bool) {
	invalid := false
	for rest := start; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		switch {
		case size > 1:
			return false, false
		case r == utf8.RuneError && !utf8.FullRune(rest): // the end of what was read splits it
			rest = nil
			continue
		case r == utf8.RuneError:
			invalid = true
		}
		rest = rest[size:]
	}
	if !invalid {
		return false, false
	}
	var first certainty
	for _, c := range start { // the proof may come last
		first.next(c)
	}
	again := certainty{proved: first.proved}
	return first.proved, !slices.ContainsFunc(start, func(c byte) bool { return !again.next(c) })
}

// certainty decides byte by byte whether a text is Windows-1252. Letters are certain that
// have the same bytes in the encodings of Central Europe and of Turkish. Words of such
// letters alone can be Cyrillic or Greek. What can also be read as a word in the encodings
// of DOS and of old Macs is certain only with a proof: a letter that they cannot have there.
type certainty struct {
	before  [2]byteClass // the last one first
	pending byte         // a byte that can be a letter in another encoding, if a letter follows; 0 for none
	proved  bool
}

type byteClass int

const (
	otherByte   byteClass = iota
	lowerByte             // an ASCII letter
	upperByte             // an ASCII letter
	foreignByte           // a letter that is not ASCII
)

func (w *certainty) next(c byte) bool {
	class, certain := classOf(c)
	before, before2 := w.before[0], w.before[1]
	w.before[1], w.before[0] = before, class
	inWord := before != otherByte
	doubt := w.pending != 0 && class != otherByte
	w.pending = 0
	if c >= utf8.RuneSelf {
		switch letter := isLetterElsewhere(c, before == lowerByte || before == foreignByte); {
		case !letter && class == foreignByte:
			w.proved = true
		case letter && (inWord || class == foreignByte || alone(c)):
			doubt = true
		case letter:
			w.pending = c
		}
	}
	if class == foreignByte && (before == foreignByte && before2 == foreignByte ||
		before == lowerByte && unicode.IsUpper(charmap.Windows1252.DecodeByte(c))) {
		return false
	}
	return certain && (w.proved || !doubt)
}

// isLetterElsewhere reports whether a byte is a letter in an encoding of DOS or of old Macs
// that can be at this place: a capital letter does not follow a small one.
func isLetterElsewhere(c byte, afterSmall bool) bool {
	for _, other := range []*charmap.Charmap{charmap.Macintosh, charmap.CodePage850, charmap.CodePage437} {
		if r := other.DecodeByte(c); unicode.Is(unicode.Latin, r) && (unicode.IsLower(r) || unicode.IsUpper(r) && !afterSmall) {
			return true
		}
	}
	return false
}

// alone reports whether the other letter of a byte is a word of one letter, such as à.
func alone(c byte) bool {
	const words = "àèéòóáÀÈÉÒÓ"
	return strings.ContainsRune(words, charmap.Macintosh.DecodeByte(c)) || strings.ContainsRune(words, charmap.CodePage850.DecodeByte(c))
}

// classOf returns the class of a byte, and whether other encodings of its region give it the
// same meaning.
func classOf(c byte) (class byteClass, certain bool) {
	switch {
	case 'a' <= c && c <= 'z':
		return lowerByte, true
	case 'A' <= c && c <= 'Z':
		return upperByte, true
	case c < utf8.RuneSelf:
		return otherByte, c != 0
	}
	r := charmap.Windows1252.DecodeByte(c)
	certain = r != utf8.RuneError && r == charmap.Windows1250.DecodeByte(c) && r == charmap.Windows1254.DecodeByte(c)
	if unicode.IsLetter(r) {
		return foreignByte, certain
	}
	return otherByte, certain
}

// certainReader reads Windows-1252, and ends with an error at a byte that is not certain.
type certainReader struct {
	in   io.Reader
	sure certainty
	line int // from 0
}

func (r *certainReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	for i, c := range p[:n] {
		if !r.sure.next(c) {
			return i, fatalError(r.line+1, "the file is not UTF-8 text, and its encoding is not certain; name it with --encoding, such as windows-1252")
		}
		if c == '\n' {
			r.line++
		}
	}
	return n, err
}

// definedReader reads decoded text, and ends with an error at U+FFFD: the decoder writes it
// for bytes that the encoding does not define.
type definedReader struct {
	in   io.Reader
	seen int // bytes of U+FFFD at the end of what was read
	line int // from 0
}

func (r *definedReader) Read(p []byte) (int, error) {
	const undefined = "\ufffd"
	n, err := r.in.Read(p)
	for i, c := range p[:n] {
		switch {
		case c == undefined[r.seen]:
			if r.seen++; r.seen == len(undefined) {
				return i, fatalError(r.line+1, "a character is damaged, or the file has another encoding; name it with --encoding, such as windows-1252")
			}
			continue
		case c == '\n':
			r.line++
		}
		r.seen = 0
		if c == undefined[0] {
			r.seen = 1
		}
	}
	return n, err
}

// notUTF8 says what to do about a text that is not UTF-8.
const notUTF8 = "this is not UTF-8 text; name the encoding of the file with --encoding, such as windows-1252, or convert the file"

// withoutMark skips the byte order mark, which has no meaning in UTF-8.
func withoutMark(in *bufio.Reader) error {
	start, err := in.Peek(len(byteOrderMark))
	if bytes.Equal(start, []byte(byteOrderMark)) {
		in.Discard(len(byteOrderMark))
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
