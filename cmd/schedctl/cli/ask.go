package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Question is one value to prompt for.
type Question struct {
	Title    string
	Help     string
	Secret   bool
	Required bool
	Choices  []Choice // to pick one of; nil for free text
	Value    *string  // the current value, and then the reply

	// Check returns why a reply is not valid; nil if every reply is.
	Check func(answer string) error
}

// Choice is one possible reply.
type Choice struct{ Value, Label string }

// check returns why a reply is not valid, or nil.
func (q Question) check(answer string) error {
	if q.Required && strings.TrimSpace(answer) == "" {
		return errors.New("a value is required")
	}
	if q.Check == nil {
		return nil
	}
	return q.Check(answer)
}

func (a *App) AskLines(ctx context.Context, questions []Question) error {
	for _, q := range questions {
		if q.Help != "" {
			a.Messagef("%s: %s", q.Title, q.Help)
		}
		for i, c := range q.Choices {
			a.Messagef("%3d. %s", i+1, c.Label)
		}
		for {
			answer, err := a.askLine(ctx, q)
			if err == nil {
				*q.Value = answer
				break
			}
			if errors.Is(err, errDeclined) || ctx.Err() != nil {
				return err
			}
			a.Messagef("%v", err)
		}
	}
	return nil
}

// noAnswer removes the current value.
const noAnswer = "-"

func (q Question) removable() bool { return q.Choices == nil && !q.Required && *q.Value != "" }

// before describes the current value.
func (q Question) before() string {
	text := OneLine(*q.Value)
	if q.Secret {
		text = "as before"
	}
	if q.removable() {
		text += ", " + noAnswer + " for none"
	}
	return text
}

// askLine prompts once. An empty line keeps the current value.
func (a *App) askLine(ctx context.Context, q Question) (string, error) {
	prompt := q.Title
	switch {
	case q.Choices != nil:
		prompt = fmt.Sprintf("%s, 1 to %d", q.Title, len(q.Choices))
	case *q.Value != "":
		prompt += " [" + q.before() + "]"
	case !q.Required:
		prompt += " (empty for none)"
	}
	a.Prompt(inLine(prompt) + ": ")
	line, err := a.ReadAnswer(ctx, q.Secret)
	if err != nil {
		return "", err
	}
	answer := FirstNonEmpty(strings.TrimSpace(line), *q.Value)
	if answer == noAnswer && q.removable() {
		return "", nil
	}
	if q.Choices == nil {
		return answer, q.check(answer)
	}
	return q.pick(answer)
}

// pick returns the choice with this number or value.
func (q Question) pick(answer string) (string, error) {
	if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= len(q.Choices) {
		return q.Choices[n-1].Value, nil
	}
	if slices.ContainsFunc(q.Choices, func(c Choice) bool { return c.Value == answer }) {
		return answer, nil
	}
	return "", fmt.Errorf("type a number from 1 to %d", len(q.Choices))
}

// ReadAnswer reads a line. The end of the input is an error.
func (a *App) ReadAnswer(ctx context.Context, secret bool) (string, error) {
	if secret {
		line, err := a.ReadSecret(ctx)
		a.Messagef("") // the line break was not shown
		return line, a.ended(ctx, err)
	}
	line, err := ReadInterruptibly(ctx, func() ([]byte, error) { return readLine(a.In) })
	if errors.Is(err, io.EOF) && len(line) > 0 {
		err = nil
	}
	return string(line), a.ended(ctx, err)
}

func (a *App) ended(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, io.EOF):
		a.Messagef("")
	}
	return errDeclined
}
