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

// lookup finds the webhook or the notification that an argument names: by id, name,
// abbreviated id or [cli.LastRef].
type lookup[T any] struct {
	cli.Noun
	advice string // the hint for an empty list
	get    func(*client.Client, context.Context, string) (T, error)
	list   func(*client.Client, context.Context) ([]T, error)
	id     func(T) string
	name   func(T) *string
	target func(T) string // where events or messages go
}

// find returns the one that an argument names. Exit status 3 means that there is
// none, 5 that there are several.
func (l lookup[T]) find(ctx context.Context, a *cli.App, c *client.Client, ref string) (v T, err error) {
	if ref == cli.LastRef {
		if ref, err = a.LastID(l.Noun); err != nil {
			return v, err
		}
	}
	if l.isID(ref) {
		v, err = l.get(c, ctx, ref)
		return v, l.unknown(ref, err)
	}
	all, err := l.list(c, ctx)
	if err != nil {
		return v, err
	}
	return l.pick(all, ref)
}

// findID is find for callers that need only the id: it does not ask the daemon
// about a whole id.
func (l lookup[T]) findID(ctx context.Context, a *cli.App, c *client.Client, ref string) (string, error) {
	if l.isID(ref) {
		return ref, nil
	}
	v, err := l.find(ctx, a, c, ref)
	if err != nil {
		return "", err
	}
	return l.id(v), nil
}

func (l lookup[T]) isID(ref string) bool {
	_, ok := schedctl.ParseID(l.Prefix, ref)
	return ok
}

// unknown adds ref to an error with the code not_found.
func (l lookup[T]) unknown(ref string, err error) error {
	if schedctl.CodeOf(err) != schedctl.NotFound {
		return err
	}
	return cli.WithMessage(err, fmt.Sprintf("there is no %s %q; see: schedctl %s list", l.Word, ref, l.Command))
}

// pick returns the one of all that ref names: an exact name, else a name in another
// case, else an abbreviated id.
func (l lookup[T]) pick(all []T, ref string) (none T, err error) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		var found []T
		for _, v := range all {
			if name := l.name(v); name != nil && same(*name, ref) {
				found = append(found, v)
			}
		}
		if len(found) > 0 {
			return l.only(found, ref)
		}
	}
	if found := cli.MatchShortID(all, l.Prefix, ref, l.id); len(found) > 0 {
		return l.only(found, ref)
	}
	f := &cli.Failure{Status: cli.ExitNotFound, Code: schedctl.NotFound, Message: fmt.Sprintf("there is no %s %q", l.Word, ref)}
	if f.Hint = l.advice; len(all) > 0 {
		f.Hint = "the " + l.Word + "s are " + l.candidates(all)
	}
	return none, f
}

// only returns the single match, or an error for several.
func (l lookup[T]) only(found []T, ref string) (none T, err error) {
	if len(found) > 1 {
		return none, cli.AmbiguousIDError(ref, l.Word+"s", []string{l.candidates(found)})
	}
	return found[0], nil
}

// label returns the name and the id of v.
func (l lookup[T]) label(v T) string {
	if name := l.name(v); name != nil {
		return fmt.Sprintf("%s (%s)", cli.OneLine(*name), l.id(v))
	}
	return l.id(v)
}

func (l lookup[T]) candidates(all []T) string {
	var labels []string
	for i, v := range all {
		if i == cli.MaxCandidates {
			labels = append(labels, fmt.Sprintf("%d more", len(all)-i))
			break
		}
		labels = append(labels, l.label(v))
	}
	return strings.Join(labels, ", ")
}

// complete offers the ids for an argument.
func (l lookup[T]) complete(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) (out []string, _ cobra.ShellCompDirective) {
		a.AskDaemon(cmd, func(ctx context.Context, c *client.Client) {
			all, err := l.list(c, ctx)
			if err != nil {
				return
			}
			for _, v := range all {
				out = append(out, l.id(v)+"\t"+cli.Clip(cli.OneLine(cli.FirstNonEmpty(cli.Deref(l.name(v)), l.target(v))), 50))
			}
		})
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeFirst offers the ids for the first argument only.
func (l lookup[T]) completeFirst(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, text string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return l.complete(a)(cmd, args, text)
	}
}
