package bolt

import (
	"bufio"
	"encoding/binary"
	"io"
)

// minRun is the least number of free pages in a row that count as space. A record can need
// several pages in a row, and so does the list of free pages: in a file whose free pages lie
// between used ones, a commit extends the file although many pages are free.
const minRun = 64

// freeRuns returns the size in bytes of the runs of at least minRun free pages in a database
// file. It stops when it has found enough bytes. The result is 0 if the list of free pages
// cannot be read.
func freeRuns(f io.ReaderAt, enough int64) int64 {
	m, err := newestMeta(f)
	if err != nil {
		return 0
	}
	// The list ends where the file ends at the latest: it has at most one entry per page.
	list := io.NewSectionReader(f, int64(m.freelist)*int64(m.pageSize), pageHeaderSize+8*int64(m.pages+1))
	ids := bufio.NewReaderSize(list, 64<<10)
	var header [pageHeaderSize]byte
	if _, err := io.ReadFull(ids, header[:]); err != nil {
		return 0
	}
	var entry [8]byte
	next := func() (id uint64, ok bool) {
		_, err := io.ReadFull(ids, entry[:])
		return binary.NativeEndian.Uint64(entry[:]), err == nil
	}
	n := uint64(binary.NativeEndian.Uint16(header[10:]))
	if n == 0xFFFF { // the count is the first entry of a long list
		n, _ = next()
	}
	return countRuns(min(n, m.pages), next, int64(m.pageSize), enough)
}

// countRuns is freeRuns for a rising list of n page numbers.
func countRuns(n uint64, next func() (uint64, bool), pageSize, enough int64) (bytes int64) {
	var run, last uint64
	for ; n > 0 && bytes < enough; n-- {
		id, ok := next()
		switch {
		case !ok:
			return bytes
		case run > 0 && id == last+1:
			run++
		default:
			run = 1
		}
		switch last = id; {
		case run == minRun:
			bytes += minRun * pageSize
		case run > minRun:
			bytes += pageSize
		}
	}
	return bytes
}
