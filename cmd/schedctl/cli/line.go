package cli

import (
	"context"
	"errors"
	"io"

	"github.com/muesli/cancelreader"
)

// maxLine is more than a terminal passes on as one line, in bytes.
const maxLine = 8192

// ReadLine reads a line until ctx ends. Then it returns the cause of ctx, and what is typed
// later belongs to the next read; only if the input is no terminal may one line be lost. At
// the end of the input the person has declined.
func (a *App) ReadLine(ctx context.Context) (string, error) {
	input, err := cancelreader.NewReader(a.In)
	if err != nil { // not a file that can be waited for
		line, err := ReadInterruptibly(ctx, func() ([]byte, error) { return readLineOf(a.In) })
		return string(line), a.ended(ctx, err)
	}
	defer input.Close()
	type result struct {
		line []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		line, err := readLineOf(input)
		done <- result{line, err}
	}()
	select {
	case r := <-done:
		return string(r.line), a.ended(ctx, r.err)
	case <-ctx.Done():
		if input.Cancel() {
			<-done
		}
		return "", context.Cause(ctx)
	}
}

// readLineOf reads up to the line break and not beyond. The end of the input ends a line
// that is not empty.
func readLineOf(r io.Reader) (line []byte, err error) {
	var b [1]byte
	for len(line) < maxLine {
		if _, err := io.ReadFull(r, b[:]); err != nil {
			if errors.Is(err, io.EOF) && len(line) > 0 {
				return line, nil
			}
			return nil, err
		}
		if b[0] == '\n' {
			return line, nil
		}
		line = append(line, b[0])
	}
	return line, nil
}
