package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// OneTimeSecret is a secret that the daemon generates and shows once. It is part of
// the result, or is written to a new file.
type OneTimeSecret struct {
	*App
	Word   string // for the secret in messages; empty for "secret"
	Field  string // its field of --json; empty for "secret"
	path   string
	theirs bool // the user has given the secret
	file   *os.File
}

func (o *OneTimeSecret) Add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.path, "secret-out", "", "write the "+o.word()+" to this new `file`, which only you can read, and do not print it")
}

// ToFile reports whether the secret goes to a file, and is not printed.
func (o *OneTimeSecret) ToFile() bool { return o.path != "" }

func (o *OneTimeSecret) word() string { return FirstNonEmpty(o.Word, "secret") }

// Known records that the user has given the secret, so that it is not shown.
func (o *OneTimeSecret) Known() error {
	if o.path != "" {
		return UsageError("--secret-out is for a secret that the daemon generates, and you gave your own")
	}
	o.theirs = true
	return nil
}

// Open creates the file, before the daemon generates a secret that could be lost. Call
// the returned function at the end: it removes the file if it is still empty.
func (o *OneTimeSecret) Open() (end func(), err error) {
	switch {
	case o.path == "" && o.Quiet && !o.theirs:
		return nil, UsageError("--quiet prints the id alone, and the %s is shown only once", o.word()).
			WithHint(fmt.Sprintf("save the %s with --secret-out FILE, or print both with --json=id,%s", o.word(), FirstNonEmpty(o.Field, "secret")))
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

// Save writes the secret to the file, if there is one, and returns the secret to
// print, if any. A secret that cannot be saved is printed, so that it is not lost.
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
		o.Messagef("the %s is in %s", o.word(), o.path)
		return nil, nil
	}
	os.Remove(o.path)
	return &secret, fmt.Errorf("save the %s: %w", o.word(), err)
}

// CreatedResult is a new object with the secret that is still to be printed.
type CreatedResult struct {
	ID       string
	Sentence string   // for a person
	Row      []string // for a pipe
	Object   any      // for --json
	Secret   *string
}

// Print prints the new object. Every output format includes the secret.
func (o *OneTimeSecret) Print(r CreatedResult) error {
	switch {
	case o.JSON.Given:
		return o.PrintJSON(r.Object)
	case o.Quiet && r.Secret == nil:
		return o.PrintIDs(r.ID)
	case !o.OutTerminal:
		return o.Write(o.RenderTable(Table{Rows: [][]string{append(r.Row, Deref(r.Secret))}}))
	case r.Secret == nil:
		return o.Linef("%s", r.Sentence)
	}
	err := errors.Join(o.Linef("%s", r.Sentence), o.Linef("%s: %s", strings.ToUpper(o.word()[:1])+o.word()[1:], *r.Secret))
	o.Messagef("save the %s now: it cannot be shown again", o.word())
	return err
}

// SecretHelp returns the part of the help of commands that generate a secret. word is what
// they call it.
func SecretHelp(word string) string {
	return `The ` + word + ` is shown only once, in a pipe as the last column. With --secret-out it is
written to a new file that only you can read, and not printed; --quiet, which prints
only ids, requires that.`
}
