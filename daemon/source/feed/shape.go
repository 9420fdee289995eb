package feed

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// Limits of XML documents. Each bounds work of the parser that grows with the square of the
// document otherwise.
const (
	maxNesting    = 256
	maxElements   = 250_000   // each takes some hundred bytes of memory
	maxNamespaces = 4 << 20   // bindings that are copied for elements, together
	maxBases      = 64 << 20  // bytes of the xml:base in scope of each element, together
	maxPieces     = 256 << 20 // bytes of text that are copied again because elements or comments divide it
)

// shape reads the elements of a document once, without its texts.
type shape struct {
	body   []byte
	d      *xml.Decoder
	open   []openElement
	root   string // its local name in lower case
	items  int
	count  int // elements
	copied int // namespaces
	bases  int // bytes
	pieces int // bytes
}

type openElement struct {
	name       string // as the document has it, with its prefix
	namespaces int    // in scope
	base       int    // bytes of xml:base in scope
	text       int    // bytes of its own
}

// checkShape returns the part of an XML document with its first [MaxItems] items, and whether
// there are more. It returns an error if the document is not a feed, is no XML, is cut, or
// would take too long.
func checkShape(body []byte) (part []byte, more bool, err error) {
	s := shape{body: body, d: xml.NewDecoder(bytes.NewReader(body))}
	s.d.Strict = false
	for {
		at := s.d.InputOffset()
		token, err := s.d.Token()
		if err != nil {
			return body, false, s.ending(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if err := s.start(token, at); err != nil {
				return nil, false, err
			}
		case xml.EndElement:
			if part := s.end(token); part != nil {
				return part, true, nil
			}
		case xml.CharData:
			if err := s.addText(len(token)); err != nil {
				return nil, false, err
			}
		}
	}
}

// ending returns what the end of the tokens means, or nil at the end of a feed.
func (s *shape) ending(err error) error {
	switch {
	case errors.Is(err, io.EOF) && s.root != "":
		return nil
	case errors.Is(err, io.EOF):
		return errorf(ErrNotFeed, "it has no elements")
	case s.root == "":
		return errorf(ErrNotFeed, "it is neither XML nor JSON")
	case s.d.InputOffset() >= int64(len(s.body)):
		return ErrCut
	}
	return errorf(ErrMalformed, "%v", err)
}

func (s *shape) start(e xml.StartElement, at int64) error {
	if s.root == "" {
		s.root = strings.ToLower(e.Name.Local)
		if s.root != "rss" && s.root != "rdf" && s.root != "feed" {
			return errorf(ErrNotFeed, "its first element is %.40q", e.Name.Local)
		}
	}
	o := openElement{name: rawName(s.body[at:])}
	if n := len(s.open); n > 0 {
		o.namespaces, o.base = s.open[n-1].namespaces, s.open[n-1].base
	}
	for _, a := range e.Attr {
		switch {
		case a.Name.Space == "xmlns", a.Name.Space == "" && a.Name.Local == "xmlns":
			o.namespaces++
		case a.Name.Local == "base":
			o.base += len(a.Value)
		}
	}
	s.count++
	s.copied += o.namespaces
	s.bases += o.base
	s.open = append(s.open, o)
	switch {
	case len(s.open) > maxNesting:
		return errorf(ErrTooLarge, "elements are nested more than %d deep", maxNesting)
	case s.count > maxElements:
		return errorf(ErrTooLarge, "it has more than %d elements", maxElements)
	case s.copied > maxNamespaces:
		return errorf(ErrTooLarge, "it has too many namespaces")
	case s.bases > maxBases:
		return errorf(ErrTooLarge, "its xml:base is too long")
	}
	return nil
}

// end closes the innermost element. It returns the document up to here, with what is open
// closed, after the last item that is read.
func (s *shape) end(e xml.EndElement) []byte {
	if len(s.open) == 0 {
		return nil
	}
	s.open = s.open[:len(s.open)-1]
	if name := strings.ToLower(e.Name.Local); len(s.open) == 0 || len(s.open) > 2 || name != "item" && name != "entry" {
		return nil
	}
	if s.items++; s.items <= MaxItems {
		return nil
	}
	part := bytes.Clone(s.body[:s.d.InputOffset()])
	for i := len(s.open) - 1; i >= 0; i-- {
		part = append(part, "</"+s.open[i].name+">"...)
	}
	return part
}

func (s *shape) addText(n int) error {
	if len(s.open) == 0 {
		return nil
	}
	o := &s.open[len(s.open)-1]
	s.pieces += o.text
	o.text += n
	if s.pieces > maxPieces {
		return errorf(ErrTooLarge, "one of its elements has too many parts")
	}
	return nil
}

// rawName returns the name of the tag at the start of a document, with its prefix.
func rawName(tag []byte) string {
	tag = bytes.TrimPrefix(tag, []byte("<"))
	if end := bytes.IndexAny(tag, " \t\r\n/>"); end >= 0 {
		tag = tag[:end]
	}
	return string(tag)
}
