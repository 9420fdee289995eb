package postfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	utf16 "golang.org/x/text/encoding/unicode"
)

// Encodings are examples of what [Reader.Decode] takes.
var Encodings = []string{"utf-8", "utf-16", "windows-1250", "windows-1251", "windows-1252", "iso-8859-1", "iso-8859-2", "iso-8859-15", "macintosh", "cp850"}

// Decode names the encoding of the file: UTF-8, UTF-16, or one with a byte for each
// character, in any letter case. It must be called before the first row is read. Without
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
	case "utf 16", "utf16":
		r.encoding = utf16.UTF16(utf16.LittleEndian, utf16.UseBOM)
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
		case isWindows1252(start):
			r.in = bufio.NewReaderSize(charmap.Windows1252.NewDecoder().Reader(&certainReader{in: r.in}), r.in.Size())
			return
		}
	}
	if r.encoding != nil && r.encoding != encoding.Nop {
		r.in = bufio.NewReaderSize(r.encoding.NewDecoder().Reader(r.in), r.in.Size())
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
// UTF-8, has no character of several bytes in UTF-8, and each of its bytes is certain.
func isWindows1252(start []byte) bool {
	invalid := false
	for rest := start; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		switch {
		case size > 1:
			return false
		case r == utf8.RuneError && !utf8.FullRune(rest):
			return invalid && certainly1252(start) // the end of what was read splits it
		case r == utf8.RuneError:
			invalid = true
		}
		rest = rest[size:]
	}
	return invalid && certainly1252(start)
}

func certainly1252(text []byte) bool {
	var w certainty
	for _, c := range text {
		if !w.next(c) {
			return false
		}
	}
	return true
}

// certainty decides byte by byte whether a text is Windows-1252. Letters are certain that
// have the same bytes in the encodings of Central Europe and of Turkish. Other encodings
// show: those of Cyrillic and Greek by words of such letters, and those of DOS and of old
// Macs by marks and capital letters within words.
type certainty struct {
	before [2]byteClass // the last one first
}

type byteClass int

const (
	otherByte   byteClass = iota
	lowerByte             // an ASCII letter
	upperByte             // an ASCII letter
	foreignByte           // a letter that is not ASCII
	markByte              // a mark that no word contains
)

func (w *certainty) next(c byte) bool {
	class, certain := classOf(c)
	inWord := func(c byteClass) bool { return c == lowerByte || c == upperByte || c == foreignByte }
	switch {
	case !certain:
		return false
	case class == foreignByte && w.before[0] == foreignByte && w.before[1] == foreignByte:
		return false
	case class == foreignByte && w.before[0] == lowerByte && unicode.IsUpper(charmap.Windows1252.DecodeByte(c)):
		return false
	case inWord(class) && w.before[0] == markByte && inWord(w.before[1]):
		return false
	}
	w.before[1], w.before[0] = w.before[0], class
	return true
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
	switch {
	case strings.ContainsRune("ŠŽšž", r):
		return foreignByte, false // letters of Macs
	case unicode.IsLetter(r):
		return foreignByte, certain
	case strings.ContainsRune("’–—\u00ad·", r): // with the soft hyphen
		return otherByte, certain
	}
	return markByte, certain
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
