package api

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// lineWidth is the number of bytes that a line of the document has at most, except for a
// longer text and for values at [maxIndent].
const lineWidth = 120

// maxIndent is the depth from which on values are not split into lines: those of schemas
// inside of operations, and of examples, which the files in examples have in a readable form.
const maxIndent = 5

// layOut returns a compact JSON value in lines. Short members of an object or list share
// lines, and longer ones have lines of their own, indented. So the document takes little
// more than without spaces, and differences of its versions can be read.
func layOut(compact []byte) ([]byte, error) {
	l := layout{out: bytes.NewBuffer(make([]byte, 0, len(compact)+len(compact)/4))}
	err := l.value(compact, 0)
	return l.out.Bytes(), err
}

type layout struct {
	out   *bytes.Buffer
	start int // of the current line in out
}

// value appends a value. The lines of its members, if it needs several, are one deeper than
// depth.
func (l *layout) value(value []byte, depth int) error {
	if l.fits(len(value)) || depth >= maxIndent || (value[0] != '{' && value[0] != '[') {
		l.out.Write(value)
		return nil
	}
	members := jsontext.NewDecoder(bytes.NewReader(value))
	if _, err := members.ReadToken(); err != nil {
		return err
	}
	l.out.WriteByte(value[0])
	closing, short := value[len(value)-1], false
	for i := 0; members.PeekKind() != jsontext.Kind(closing); i++ {
		name, member, err := readMember(members, value[0] == '{')
		if err != nil {
			return err
		}
		if i > 0 {
			l.out.WriteByte(',')
		}
		wasShort := short
		if short = l.fits(len(name) + len(member) + 1); !short || !wasShort {
			l.line(depth + 1)
			short = l.fits(len(name) + len(member) + 1)
		}
		l.out.Write(name)
		if err := l.value(member, depth+1); err != nil {
			return err
		}
	}
	l.line(depth)
	l.out.WriteByte(closing)
	return nil
}

// fits reports whether so many more bytes, and a comma, fit on the current line.
func (l *layout) fits(n int) bool { return l.out.Len()-l.start+n < lineWidth }

func (l *layout) line(depth int) {
	l.out.WriteByte('\n')
	l.start = l.out.Len()
	l.out.Write(bytes.Repeat([]byte{'\t'}, depth))
}

// readMember returns the next element of a list, or the next value of an object with its
// name and a colon.
func readMember(members *jsontext.Decoder, named bool) (name, member []byte, err error) {
	if named {
		if name, err = members.ReadValue(); err != nil {
			return nil, nil, err
		}
		name = append(bytes.Clone(name), ':')
	}
	member, err = members.ReadValue()
	return name, bytes.Clone(member), err
}
