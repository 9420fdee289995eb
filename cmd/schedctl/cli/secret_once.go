package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
)

// OneTimeSecret is a secret that the daemon makes and shows once: it is part of the
// result, or goes into a file of its own.
type OneTimeSecret struct {
	*App
	path   string
	theirs bool // the person has it already
	file   *os.File
}

func (o *OneTimeSecret) Add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.path, "secret-out", "", "write the secret to this new `file`, which only you can read, and do not print it")
}

// Known says that the secret is not a new one: it is not shown.
func (o *OneTimeSecret) Known() error {
	if o.path != "" {
		return UsageError("--secret-out is for a secret that the daemon makes, and you give yours")
	}
	o.theirs = true
	return nil
}

// Open makes the file, before anything is made whose secret could get lost. The
// function it returns is to be called at the end: it removes the file again
// unless there is a secret in it.
func (o *OneTimeSecret) Open() (end func(), err error) {
	switch {
	case o.path == "" && o.Quiet && !o.theirs:
		return nil, UsageError("--quiet prints the id alone, and the secret is shown only once").
			WithHint("save the secret with --secret-out FILE, or print both with --json=id,secret")
	case o.path == "":
		return func() {}, nil
	}
	o.file, err = os.OpenFile(o.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("--secret-out: %s already exists and is not overwritten", o.path)
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

// Save writes the secret to the file, if there is one, and returns what is left
// to print. A secret that cannot be saved is printed: it must not get lost.
func (o *OneTimeSecret) Save(secret string) (shown *string, err error) {
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
		o.Messagef("the secret is in %s", o.path)
		return nil, nil
	}
	os.Remove(o.path)
	return &secret, fmt.Errorf("save the secret: %w", err)
}

// CreatedResult is something that was made, with the secret that is left to print.
type CreatedResult struct {
	ID       string
	Sentence string   // for a person
	Row      []string // for a pipe
	Object   any      // for --json
	Secret   *string
}

// Print prints what was made. Whatever its form, the secret is in it.
func (o *OneTimeSecret) Print(r CreatedResult) error {
	switch {
	case o.JSON.Given:
		return o.PrintJSON(r.Object)
	case o.Quiet && r.Secret == nil:
		return o.PrintIDs(r.ID)
	case !o.OutTerminal:
		return o.Write(o.RenderTable(Table{Rows: [][]string{append(r.Row, Deref(r.Secret))}}))
	case r.Secret == nil:
		return o.Write([]byte(r.Sentence + "\n"))
	}
	err := o.Write([]byte(r.Sentence + "\n" + "Secret: " + *r.Secret + "\n"))
	o.Messagef("save the secret now: it cannot be shown again")
	return err
}

// SecretHelp is a part of the help of commands that generate a secret.
const SecretHelp = `The secret is shown only once, in a pipe as the last column. With --secret-out it is
written to a new file that only you can read, and not printed; --quiet, which prints
only ids, requires that.`
