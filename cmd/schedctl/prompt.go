package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// confirm asks on a terminal and returns an error for anything but yes. Without
// a terminal there is nobody to ask, and the answer is yes.
func (a *app) confirm(ctx context.Context, question string) error {
	if !a.inTerminal || !a.errTerminal || a.noInput {
		return nil
	}
	fmt.Fprintf(a.err, "%s [y/N] ", question)
	answer, err := interruptible(ctx, func() ([]byte, error) { return readLine(a.in) })
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the answer: %w", err)
	}
	switch strings.ToLower(strings.TrimSpace(string(answer))) {
	case "y", "yes":
		return nil
	}
	return declined
}

// inQuestion is one post in a question: its id, its time, its accounts and its text.
func (a *app) inQuestion(p apiv1.Post, names accounts) string {
	return strings.Join(strings.Fields(p.ID+" "+a.shortTime(p.PublishAt)+" "+oneLine(recipientsText(p, names))), " ") + ": " + clip(oneLine(p.Content), 40)
}

// maxAsked is how many posts a question shows.
const maxAsked = 20

// confirmPosts is confirm for posts that are named by their ids. It shows what they
// are; to, if not nil, are the accounts that they will go to.
func (a *app) confirmPosts(ctx context.Context, c *client.Client, question string, ids []string, to *[]string) error {
	if !a.inTerminal || !a.errTerminal || a.noInput {
		return nil
	}
	names := accountNames(ctx, c)
	for i, id := range ids {
		if i == maxAsked {
			a.tell("and %d more", len(ids)-i)
			break
		}
		p, err := c.Post(ctx, id)
		if err != nil {
			return refusedPost(id, err)
		}
		if to != nil {
			p.SocialAccountIDs = *to
		}
		a.tell("%s", a.inQuestion(p, names))
	}
	return a.confirm(ctx, question)
}

// mayType returns an error when standard input would be typed by a person who is
// not to be waited for.
func (a *app) mayType() error {
	if !a.inTerminal || !a.noInput {
		return nil
	}
	f := usage("standard input is a terminal, and --no-input waits for nobody to type")
	f.hint = "give a file or a pipe"
	return f
}

// readLine reads no further than the line break: what follows is not its own.
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
