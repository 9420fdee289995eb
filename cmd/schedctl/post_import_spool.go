package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/schedctl/schedctl/client/apiv1"
)

// readyLine is a line that was checked: what is sent for it.
type readyLine struct {
	Key      string           `json:"key"` // of idempotency
	Post     apiv1.CreatePost `json:"post"`
	Relative bool             `json:"relative"` // its time depends on when it is read
}

// spool keeps checked lines on disk until all of them were checked: a file may
// be longer than memory, and standard input cannot be read again.
type spool struct {
	file *os.File
	out  *bufio.Writer
	enc  *json.Encoder
}

func newSpool() (*spool, error) {
	f, err := os.CreateTemp("", "schedctl-import-*") // mode 0600
	if err != nil {
		return nil, fmt.Errorf("keep the lines that were checked: %w", err)
	}
	os.Remove(f.Name()) // where it can be: then nothing is left behind, however this ends
	out := bufio.NewWriter(f)
	return &spool{file: f, out: out, enc: json.NewEncoder(out)}, nil
}

// close removes the file.
func (s *spool) close() {
	s.file.Close()
	os.Remove(s.file.Name())
}

func (s *spool) put(l readyLine) error {
	if err := s.enc.Encode(l); err != nil {
		return fmt.Errorf("keep the lines that were checked: %w", err)
	}
	return nil
}

// rewind returns what reads the lines in their order.
func (s *spool) rewind() (next func() (readyLine, error), err error) {
	err = s.out.Flush()
	if err == nil {
		_, err = s.file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, fmt.Errorf("keep the lines that were checked: %w", err)
	}
	dec := json.NewDecoder(bufio.NewReader(s.file))
	return func() (l readyLine, err error) {
		if err = dec.Decode(&l); err != nil {
			err = fmt.Errorf("read the lines that were checked: %w", err)
		}
		return l, err
	}, nil
}
