package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
)

// Kind has what differs between kinds of objects, such as webhooks and queues, for
// commands that they share. An argument names an object by id, name, abbreviated id or
// [LastRef].
type Kind[T any] struct {
	Noun
	Plural string // Word with an s if it is empty
	Advice string // the hint for an empty list
	Get    func(*client.Client, context.Context, string) (T, error)
	List   func(*client.Client, context.Context) ([]T, error)
	Remove func(*client.Client, context.Context, string, ...client.Option) error
	ID     func(T) string
	Name   func(T) *string // nil for an object without a name
	About  func(T) string  // describes an object in completions
	Header []string        // of the list; the second column is a status
	Row    func(*App, T) []string
	Detail func(*App, T) []Property

	// Live reports whether an object is in use. If several objects have a name, those that
	// are in use are meant. It may be nil.
	Live func(T) bool

	// CompleteNames has completions offer names, where an object has one, and not ids.
	CompleteNames bool
}

func (k Kind[T]) plural() string { return FirstNonEmpty(k.Plural, k.Word+"s") }

// OnOne sets up a command whose argument names one object.
func (k Kind[T]) OnOne(a *App, cmd *cobra.Command, run func(ctx context.Context, ref string) error) *cobra.Command {
	cmd.Args = Args(1, 1, fmt.Sprintf("a %s: its id or its name", k.Word))
	cmd.ValidArgsFunction = k.Complete(a)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args[0]) }
	return cmd
}

// OnList sets up the command that lists the objects.
func (k Kind[T]) OnList(a *App, cmd *cobra.Command) *cobra.Command {
	cmd.Args = Args(0, 0, "")
	cmd.RunE = a.WithClient(func(ctx context.Context, c *client.Client, _ []string) error {
		all, err := k.List(c, ctx)
		if err != nil {
			return err
		}
		if len(all) == 0 && a.ErrTerminal {
			a.Messagef("no %s; %s", k.plural(), k.Advice)
		}
		return k.Print(a, all...)
	})
	return cmd
}

// OnShow sets up the command that shows one.
func (k Kind[T]) OnShow(a *App, cmd *cobra.Command) *cobra.Command {
	return k.OnOne(a, cmd, func(ctx context.Context, ref string) error {
		_, v, err := k.Connect(ctx, a, ref)
		if err != nil {
			return err
		}
		return a.PrintObject(v, k.ID(v), k.Detail(a, v))
	})
}

// OnRemoval sets up the command that removes one after a prompt. ask returns the
// prompt, and done is the start of the result.
func (k Kind[T]) OnRemoval(a *App, cmd *cobra.Command, ask func(T) string, done string) *cobra.Command {
	yes := cmd.Flags().BoolP("yes", "y", false, "do not ask")
	return k.OnOne(a, cmd, func(ctx context.Context, ref string) error {
		c, v, err := k.Connect(ctx, a, ref)
		if err != nil {
			return err
		}
		if !*yes {
			if err := a.Confirm(ctx, ask(v)); err != nil {
				return err
			}
		}
		if err := k.Remove(c, ctx, k.ID(v)); err != nil {
			return k.Unknown(ref, err)
		}
		return a.PrintRemoval(k.ID(v), done)
	})
}

// Print prints objects as a list.
func (k Kind[T]) Print(a *App, list ...T) error {
	return PrintList(a, list, k.ID, Table{Header: k.Header, Status: 1, Excerpt: true}, func(v T) []string { return k.Row(a, v) })
}

// PrintOne prints one: a sentence on a terminal, and else a row of the list.
func (k Kind[T]) PrintOne(a *App, v T, sentence string) error {
	return PrintOne(a, v, sentence, k.Print)
}

// Connect connects to the daemon and reads the object that an argument names.
func (k Kind[T]) Connect(ctx context.Context, a *App, ref string) (c *client.Client, v T, err error) {
	if c, err = a.Connect(); err == nil {
		v, err = k.Find(ctx, a, c, ref)
	}
	return c, v, err
}

// ConnectID is [Kind.Connect] for callers that need only the id. It sends no request for a
// complete id.
func (k Kind[T]) ConnectID(ctx context.Context, a *App, ref string) (c *client.Client, id string, err error) {
	if c, err = a.Connect(); err == nil {
		id, err = k.FindID(ctx, a, c, ref)
	}
	return c, id, err
}

// Find returns the object that an argument names. The exit status of
// the error is 3 if none matches, and 5 if several match.
func (k Kind[T]) Find(ctx context.Context, a *App, c *client.Client, ref string) (v T, err error) {
	if ref == LastRef {
		if ref, err = a.LastID(k.Noun); err != nil {
			return v, err
		}
	}
	if k.isID(ref) {
		v, err = k.Get(c, ctx, ref)
		return v, k.Unknown(ref, err)
	}
	all, err := k.List(c, ctx)
	if err != nil {
		return v, err
	}
	return k.Pick(all, ref)
}

// FindID is [Kind.Find] for callers that need only the id.
func (k Kind[T]) FindID(ctx context.Context, a *App, c *client.Client, ref string) (string, error) {
	if k.isID(ref) {
		return ref, nil
	}
	v, err := k.Find(ctx, a, c, ref)
	if err != nil {
		return "", err
	}
	return k.ID(v), nil
}

// FlagID is [Kind.FindID] for the value of a flag: the exit status is 5 if none matches. An
// empty ref stays empty.
func (k Kind[T]) FlagID(ctx context.Context, a *App, c *client.Client, ref string) (string, error) {
	if ref == "" {
		return "", nil
	}
	id, err := k.FindID(ctx, a, c, ref)
	if failed, ok := errors.AsType[*Failure](err); ok && failed.Status == ExitNotFound {
		failed.Status, failed.Code = ExitInvalid, schedctl.ValidationFailed
	}
	return id, err
}

func (k Kind[T]) isID(ref string) bool {
	_, ok := schedctl.ParseID(k.Prefix, ref)
	return ok
}

// Unknown adds ref to an error with the code not_found.
func (k Kind[T]) Unknown(ref string, err error) error {
	if schedctl.CodeOf(err) != schedctl.NotFound {
		return err
	}
	return WithMessage(err, fmt.Sprintf("there is no %s %q; see: schedctl %s list", k.Word, ref, k.Command))
}

// Pick returns the element that ref names: by exact name, else by name in another
// case, else by abbreviated id.
func (k Kind[T]) Pick(all []T, ref string) (none T, err error) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		var found []T
		for _, v := range all {
			if name := k.Name(v); name != nil && same(*name, ref) {
				found = append(found, v)
			}
		}
		if live := k.live(found); len(live) > 0 {
			found = live
		}
		if len(found) > 0 {
			return k.single(found, ref)
		}
	}
	if found := MatchShortID(all, k.Prefix, ref, k.ID); len(found) > 0 {
		return k.single(found, ref)
	}
	f := &Failure{Status: ExitNotFound, Code: schedctl.NotFound, Message: fmt.Sprintf("there is no %s %q", k.Word, ref)}
	if f.Hint = k.Advice; len(all) > 0 {
		f.Hint = "the " + k.plural() + " are " + k.candidates(all)
	}
	return none, f
}

// live returns the objects that are in use.
func (k Kind[T]) live(list []T) (live []T) {
	for _, v := range list {
		if k.Live != nil && k.Live(v) {
			live = append(live, v)
		}
	}
	return live
}

// single returns the only match, or an error if several match.
func (k Kind[T]) single(found []T, ref string) (none T, err error) {
	if len(found) > 1 {
		return none, AmbiguousIDError(ref, k.plural(), []string{k.candidates(found)})
	}
	return found[0], nil
}

// Label returns the name and the id of v.
func (k Kind[T]) Label(v T) string {
	if name := k.Name(v); name != nil {
		return fmt.Sprintf("%s (%s)", OneLine(*name), k.ID(v))
	}
	return k.ID(v)
}

func (k Kind[T]) candidates(all []T) string {
	label := func(v T) string {
		if k.Live != nil && !k.Live(v) {
			return k.Label(v) + " ended"
		}
		return k.Label(v)
	}
	return strings.Join(Candidates(Map(all, label)), ", ")
}

// Complete offers the ids or the names for the first argument.
func (k Kind[T]) Complete(a *App) cobra.CompletionFunc { return k.completeMost(a, 1) }

// CompleteFlag is Complete for the value of a flag.
func (k Kind[T]) CompleteFlag(a *App) cobra.CompletionFunc { return k.completeMost(a, Unlimited) }

func (k Kind[T]) completeMost(a *App, most int) cobra.CompletionFunc {
	return a.CompleteFrom(most, cobra.ShellCompDirectiveNoFileComp, func(ctx context.Context, c *client.Client) ([]string, error) {
		all, err := k.List(c, ctx)
		return Map(all, k.offer), err
	})
}

// offer returns an object as shells offer it.
func (k Kind[T]) offer(v T) string {
	name := OneLine(Deref(k.Name(v)))
	if k.CompleteNames && name != "" {
		return name + "\t" + Clip(OneLine(k.About(v)), 50)
	}
	return k.ID(v) + "\t" + Clip(FirstNonEmpty(name, OneLine(k.About(v))), 50)
}
