package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// question is one value that a person is asked for.
type question struct {
	title    string
	help     string
	secret   bool
	required bool
	choices  []choice // to pick one of; nil for free text
	value    *string  // the current value, and then the reply
}

// choice is a reply to choose.
type choice struct{ value, label string }

// check returns why a reply is not valid, or nil.
func (q question) check(answer string) error {
	if q.required && strings.TrimSpace(answer) == "" {
		return errors.New("this is needed")
	}
	return nil
}

func (a *app) askLines(ctx context.Context, questions []question) error {
	for _, q := range questions {
		if q.help != "" {
			a.tell("%s: %s", q.title, q.help)
		}
		for i, c := range q.choices {
			a.tell("%3d. %s", i+1, c.label)
		}
		for {
			answer, err := a.askLine(ctx, q)
			if err == nil {
				*q.value = answer
				break
			}
			if errors.Is(err, declined) || ctx.Err() != nil {
				return err
			}
			a.tell("%v", err)
		}
	}
	return nil
}

// noAnswer removes the current value.
const noAnswer = "-"

func (q question) removable() bool { return q.choices == nil && !q.required && *q.value != "" }

// before describes the current value.
func (q question) before() string {
	text := oneLine(*q.value)
	if q.secret {
		text = "as before"
	}
	if q.removable() {
		text += ", " + noAnswer + " for none"
	}
	return text
}

// askLine asks once. An empty line keeps the current value.
func (a *app) askLine(ctx context.Context, q question) (string, error) {
	prompt := q.title
	switch {
	case q.choices != nil:
		prompt = fmt.Sprintf("%s, 1 to %d", q.title, len(q.choices))
	case *q.value != "":
		prompt += " [" + q.before() + "]"
	case !q.required:
		prompt += " (empty for none)"
	}
	fmt.Fprint(a.err, prompt+": ")
	line, err := a.readAnswer(ctx, q.secret)
	if err != nil {
		return "", err
	}
	answer := first(strings.TrimSpace(line), *q.value)
	if answer == noAnswer && q.removable() {
		return "", nil
	}
	if q.choices == nil {
		return answer, q.check(answer)
	}
	return q.pick(answer)
}

// pick returns the choice with this number or value.
func (q question) pick(answer string) (string, error) {
	if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= len(q.choices) {
		return q.choices[n-1].value, nil
	}
	if slices.ContainsFunc(q.choices, func(c choice) bool { return c.value == answer }) {
		return answer, nil
	}
	return "", fmt.Errorf("type a number from 1 to %d", len(q.choices))
}

// readAnswer reads a line. The end of the input is an error.
func (a *app) readAnswer(ctx context.Context, secret bool) (string, error) {
	if secret {
		line, err := a.readSecret(ctx)
		a.tell("") // the line break was not shown
		return line, a.ended(ctx, err)
	}
	line, err := interruptible(ctx, func() ([]byte, error) { return readLine(a.in) })
	if errors.Is(err, io.EOF) && len(line) > 0 {
		err = nil
	}
	return string(line), a.ended(ctx, err)
}

func (a *app) ended(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, io.EOF):
		a.tell("")
	}
	return declined
}
