package webhook

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// hookKind has what differs between webhooks and notifications for commands that both
// have. An argument names one by id, name, abbreviated id or [cli.LastRef].
type hookKind[T any] struct {
	cli.Noun
	advice string // the hint for an empty list
	get    func(*client.Client, context.Context, string) (T, error)
	list   func(*client.Client, context.Context) ([]T, error)
	remove func(*client.Client, context.Context, string, ...client.Option) error
	id     func(T) string
	name   func(T) *string
	target func(T) string // where events or messages go
	header []string       // of the list
	row    func(T) []string
	detail func(*cli.App, T) []cli.Property
}

// onOne sets up a command whose argument names one webhook or notification.
func (k hookKind[T]) onOne(a *cli.App, cmd *cobra.Command, run func(ctx context.Context, ref string) error) *cobra.Command {
	cmd.Args = cli.Args(1, 1, fmt.Sprintf("a %s: its id or its name", k.Word))
	cmd.ValidArgsFunction = k.complete(a)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args[0]) }
	return cmd
}

// onList sets up the command that lists webhooks or notifications.
func (k hookKind[T]) onList(a *cli.App, cmd *cobra.Command) *cobra.Command {
	cmd.Args = cli.Args(0, 0, "")
	cmd.RunE = a.WithClient(func(ctx context.Context, c *client.Client, _ []string) error {
		all, err := k.list(c, ctx)
		if err != nil {
			return err
		}
		if len(all) == 0 && a.ErrTerminal {
			a.Messagef("no %ss; %s", k.Word, k.advice)
		}
		return k.print(a, all...)
	})
	return cmd
}

// onShow sets up the command that shows one.
func (k hookKind[T]) onShow(a *cli.App, cmd *cobra.Command) *cobra.Command {
	return k.onOne(a, cmd, func(ctx context.Context, ref string) error {
		_, v, err := k.connect(ctx, a, ref)
		if err != nil {
			return err
		}
		return a.PrintObject(v, k.id(v), k.detail(a, v))
	})
}

// onRemoval sets up the command that removes one after a prompt. ask returns the
// prompt, and done is the start of the result.
func (k hookKind[T]) onRemoval(a *cli.App, cmd *cobra.Command, ask func(T) string, done string) *cobra.Command {
	yes := cmd.Flags().BoolP("yes", "y", false, "do not ask")
	return k.onOne(a, cmd, func(ctx context.Context, ref string) error {
		c, v, err := k.connect(ctx, a, ref)
		if err != nil {
			return err
		}
		if !*yes {
			if err := a.Confirm(ctx, ask(v)); err != nil {
				return err
			}
		}
		if err := k.remove(c, ctx, k.id(v)); err != nil {
			return k.unknown(ref, err)
		}
		return a.PrintRemoval(k.id(v), done)
	})
}

// print prints webhooks or notifications as a list.
func (k hookKind[T]) print(a *cli.App, list ...T) error {
	return cli.PrintList(a, list, k.id, cli.Table{Header: k.header, Status: 1, Excerpt: true}, k.row)
}

// printOne prints one: a sentence on a terminal, and else a row of the list.
func (k hookKind[T]) printOne(a *cli.App, v T, sentence string) error {
	return cli.PrintOne(a, v, sentence, k.print)
}

// connect connects to the daemon and reads the webhook or notification that an
// argument names.
func (k hookKind[T]) connect(ctx context.Context, a *cli.App, ref string) (c *client.Client, v T, err error) {
	if c, err = a.Connect(); err == nil {
		v, err = k.find(ctx, a, c, ref)
	}
	return c, v, err
}

// connectID is connect for callers that need only the id. It sends no request for a
// complete id.
func (k hookKind[T]) connectID(ctx context.Context, a *cli.App, ref string) (c *client.Client, id string, err error) {
	if c, err = a.Connect(); err == nil {
		id, err = k.findID(ctx, a, c, ref)
	}
	return c, id, err
}

// find returns the webhook or notification that an argument names. The exit status of
// the error is 3 if none matches, and 5 if several match.
func (k hookKind[T]) find(ctx context.Context, a *cli.App, c *client.Client, ref string) (v T, err error) {
	if ref == cli.LastRef {
		if ref, err = a.LastID(k.Noun); err != nil {
			return v, err
		}
	}
	if k.isID(ref) {
		v, err = k.get(c, ctx, ref)
		return v, k.unknown(ref, err)
	}
	all, err := k.list(c, ctx)
	if err != nil {
		return v, err
	}
	return k.pick(all, ref)
}

// findID is find for callers that need only the id.
func (k hookKind[T]) findID(ctx context.Context, a *cli.App, c *client.Client, ref string) (string, error) {
	if k.isID(ref) {
		return ref, nil
	}
	v, err := k.find(ctx, a, c, ref)
	if err != nil {
		return "", err
	}
	return k.id(v), nil
}

func (k hookKind[T]) isID(ref string) bool {
	_, ok := schedctl.ParseID(k.Prefix, ref)
	return ok
}

// unknown adds ref to an error with the code not_found.
func (k hookKind[T]) unknown(ref string, err error) error {
	if schedctl.CodeOf(err) != schedctl.NotFound {
		return err
	}
	return cli.WithMessage(err, fmt.Sprintf("there is no %s %q; see: schedctl %s list", k.Word, ref, k.Command))
}

// pick returns the element that ref names: by exact name, else by name in another
// case, else by abbreviated id.
func (k hookKind[T]) pick(all []T, ref string) (none T, err error) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		var found []T
		for _, v := range all {
			if name := k.name(v); name != nil && same(*name, ref) {
				found = append(found, v)
			}
		}
		if len(found) > 0 {
			return k.single(found, ref)
		}
	}
	if found := cli.MatchShortID(all, k.Prefix, ref, k.id); len(found) > 0 {
		return k.single(found, ref)
	}
	f := &cli.Failure{Status: cli.ExitNotFound, Code: schedctl.NotFound, Message: fmt.Sprintf("there is no %s %q", k.Word, ref)}
	if f.Hint = k.advice; len(all) > 0 {
		f.Hint = "the " + k.Word + "s are " + k.candidates(all)
	}
	return none, f
}

// single returns the only match, or an error if several match.
func (k hookKind[T]) single(found []T, ref string) (none T, err error) {
	if len(found) > 1 {
		return none, cli.AmbiguousIDError(ref, k.Word+"s", []string{k.candidates(found)})
	}
	return found[0], nil
}

// label returns the name and the id of v.
func (k hookKind[T]) label(v T) string {
	if name := k.name(v); name != nil {
		return fmt.Sprintf("%s (%s)", cli.OneLine(*name), k.id(v))
	}
	return k.id(v)
}

func (k hookKind[T]) candidates(all []T) string {
	return strings.Join(cli.Candidates(cli.Map(all, k.label)), ", ")
}

// complete offers the ids for the first argument.
func (k hookKind[T]) complete(a *cli.App) cobra.CompletionFunc {
	return a.CompleteFrom(1, cobra.ShellCompDirectiveNoFileComp, func(ctx context.Context, c *client.Client) ([]string, error) {
		all, err := k.list(c, ctx)
		return cli.Map(all, func(v T) string {
			return k.id(v) + "\t" + cli.Clip(cli.OneLine(cli.FirstNonEmpty(cli.Deref(k.name(v)), k.target(v))), 50)
		}), err
	})
}
