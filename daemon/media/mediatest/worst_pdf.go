package mediatest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

func worstPDF() []Worst {
	const kind = "application/pdf"
	before := func(part string) func(int) []byte { // the table of the last revision
		return func(size int) []byte { return endPDF(fill(size, []byte("%PDF-1.4\n"), []byte(part), nil)) }
	}
	return []Worst{
		{kind, "objects", before("1 0 obj\nnull\nendobj\n")},
		{kind, "revisions", func(size int) []byte {
			b := PDF()
			for len(b) < size {
				b = endPDF(b)
			}
			return b
		}},
		{kind, "starts of tables", before("startxref 1\n")},
		{kind, "starts of tables after the end", func(size int) []byte { return fill(size, PDF(), []byte("startxref 1 "), []byte("startxref\n9\n%%EOF")) }},
		{kind, "ends", before("%%EOF\n")},
		{kind, "linearized headers", before("/Linearized /L ")},
		{kind, "spaces at the end", func(size int) []byte { return fill(size, PDF(), []byte(" "), nil) }},
		{kind, "zeros at the end", func(size int) []byte { return fill(size, PDF(), []byte{0}, nil) }},
		{kind, "nested lists", before("[")},
		{kind, "ends of archives", before(string(zips(1000)))},
	}
}

// endPDF appends an empty revision to a document.
func endPDF(b []byte) []byte {
	return fmt.Appendf(b, "xref\n0 0\ntrailer\n<</Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(b))
}

// longPDF returns a document of many pages.
func longPDF(size int) []byte {
	page := "1 0 obj\n<</Type/Page>>\nendobj\n2 0 obj\n<</Length 3000>>stream\n" + strings.Repeat("BT (text) Tj ET\n", 188) + "endstream\nendobj\n"
	return endPDF(slices.Concat([]byte("%PDF-1.4\n"), bytes.Repeat([]byte(page), max(1, size/len(page)))))
}
