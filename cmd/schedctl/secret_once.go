package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
)

// onceSecret is a secret that the daemon makes and shows once: it is part of the
// result, or goes into a file of its own.
type onceSecret struct {
	*app
	path   string
	theirs bool // the person has it already
	file   *os.File
}

func (o *onceSecret) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.path, "secret-out", "", "write the secret to this new `file`, which only you can read, and do not print it")
}

// known says that the secret is not a new one: it is not shown.
func (o *onceSecret) known() error {
	if o.path != "" {
		return usage("--secret-out is for a secret that the daemon makes, and you give yours")
	}
	o.theirs = true
	return nil
}

// open makes the file, before anything is made whose secret could get lost. The
// function it returns is to be called at the end: it removes the file again
// unless there is a secret in it.
func (o *onceSecret) open() (end func(), err error) {
	switch {
	case o.path == "" && o.quiet && !o.theirs:
		f := usage("--quiet prints the id alone, and the secret is shown only once")
		f.hint = "save the secret with --secret-out FILE, or print both with --json=id,secret"
		return nil, f
	case o.path == "":
		return func() {}, nil
	}
	o.file, err = os.OpenFile(o.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("--secret-out: %s is there already, and is not written over", o.path)
	}
	if err != nil {
		return nil, fmt.Errorf("--secret-out: %w", err)
	}
	return func() {
		if o.file != nil {
			o.file.Close()
			os.Remove(o.path)
		}
	}, nil
}

// save writes the secret to the file, if there is one, and returns what is left
// to print. A secret that cannot be saved is printed: it must not get lost.
func (o *onceSecret) save(secret string) (shown *string, err error) {
	switch {
	case o.theirs:
		return nil, nil
	case o.file == nil:
		return &secret, nil
	}
	_, err = o.file.WriteString(secret + "\n")
	err = errors.Join(err, o.file.Sync(), o.file.Close())
	o.file = nil
	if err == nil {
		o.tell("the secret is in %s", o.path)
		return nil, nil
	}
	os.Remove(o.path)
	return &secret, fmt.Errorf("save the secret: %w", err)
}

// result is something that was made, with the secret that is left to print.
type result struct {
	id       string
	sentence string   // for a person
	row      []string // for a pipe
	object   any      // for --json
	secret   *string
}

// print prints what was made. Whatever its form, the secret is in it.
func (o *onceSecret) print(r result) error {
	switch {
	case o.json.set:
		return o.printJSON(r.object)
	case o.quiet && r.secret == nil:
		return o.printIDs(r.id)
	case !o.outTerminal:
		return o.write(o.render(table{rows: [][]string{append(r.row, deref(r.secret))}}))
	case r.secret == nil:
		return o.write([]byte(r.sentence + "\n"))
	}
	err := o.write([]byte(r.sentence + "\n" + "Secret: " + *r.secret + "\n"))
	o.tell("keep the secret now: nobody can show it again")
	return err
}

// secretHelp is how commands that make a secret tell of it.
const secretHelp = `The secret is shown once, in a pipe as the last column, and nobody can show it
again. With --secret-out it goes into a new file that only you can read, and is not
printed; --quiet, which prints ids alone, needs that.`
