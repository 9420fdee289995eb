package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Confirm prompts on a terminal and returns an error unless the reply is yes. Without
// a terminal it returns nil, and in agent mode on a terminal an error.
func (a *App) Confirm(ctx context.Context, question string) error {
	if !a.Asks() {
		return a.unasked(question)
	}
	a.Prompt(inLine(question) + " [y/N] ")
	answer, err := ReadInterruptibly(ctx, func() ([]byte, error) { return readLine(a.In) })
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the reply: %w", err)
	}
	switch strings.ToLower(strings.TrimSpace(string(answer))) {
	case "y", "yes":
		return nil
	}
	return errDeclined
}

// MayType returns an error if standard input is a terminal and the command must not
// prompt.
func (a *App) MayType() error {
	if !a.InTerminal || !a.NoInput {
		return nil
	}
	return UsageError("standard input is a terminal, and %s", a.neverPrompts()).WithHint("give a file or a pipe")
}

// readLine reads up to the line break and not beyond, because the rest may belong to a
// later read.
func readLine(r io.Reader) (line []byte, err error) {
	var b [1]byte
	for len(line) < 1024 {
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return line, err
		}
		if b[0] == '\n' {
			return line, nil
		}
		line = append(line, b[0])
	}
	return line, nil
}
