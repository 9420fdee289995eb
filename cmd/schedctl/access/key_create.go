package access

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type keyCreate struct {
	cli.OneTimeSecret
	name, expires    string
	scopes, accounts []string
	agent            bool
	approval         string
	zone             cli.WhenFlags
}

func newKeyCreate(a *cli.App) *cobra.Command {
	o := &keyCreate{OneTimeSecret: cli.OneTimeSecret{App: a}}
	cmd := cli.DeclareJSON[keyWithSecret](&cobra.Command{
		Use:   "create",
		Short: "Create an API key",
		Long: `Create an API key of the workspace. The scopes are

` + strings.TrimSuffix(cli.WrapText("  ", scopeNames()), "\n") + `

Without --scope the key gets posts:read, posts:write and accounts:read. You can only
give scopes that your own key has. posts:draft writes drafts and cannot publish.
Commands need accounts:read to find accounts by name.

--agent makes the key of an agent, for "schedctl mcp": it has posts:read, posts:draft and
accounts:read unless --scope says otherwise, and expires after 90 days or earlier. It
can never approve posts. With --approval required, all posts that the key creates, edits
or starts need an approval. posts:approve approves posts of other keys; a key cannot
have it together with posts:draft.

With --account the key is limited to these accounts and the posts to them. With
--expires it expires after a duration such as 90d, or at a time. If your own key
expires, the new one expires at the same time or earlier.

` + cli.SecretHelp("secret"),
		Example: `  schedctl key create --name ci --scope posts:read --scope posts:write --expires 90d --secret-out ci.key
  schedctl key create --name writer --scope posts:read,posts:draft,accounts:read --account blog
  schedctl key create --agent --name agent --secret-out agent.key
  schedctl key create --name bot --expires "2027-12-31 18:00" --json=id,secret`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	f := cmd.Flags()
	f.StringVar(&o.name, "name", "", "a `name` that says what the key is for")
	f.StringArrayVar(&o.scopes, "scope", nil, "what the key may do: a `scope` (repeatable)")
	f.BoolVar(&o.agent, "agent", false, "make the key of an agent: it drafts, and expires after 90 days")
	f.StringVar(&o.approval, "approval", "", "required: posts of this key need an approval (the only `choice`)")
	f.StringVar(&o.expires, "expires", "", "when the key ends: a `duration` from now, 90d, or a time")
	f.StringArrayVar(&o.accounts, "account", nil, "limit the key to this `account`: an id, a name or platform:name (repeatable)")
	o.zone.AddZone(cmd)
	o.OneTimeSecret.Add(cmd)
	cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions(scopeNames(), cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("approval", cobra.FixedCompletions([]string{apiv1.ApprovalRequired}, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("account", account.Complete(a))
	return cmd
}

func scopeNames() []string { return cli.Strings(schedctl.Scopes()) }

func (o *keyCreate) run(ctx context.Context) error {
	request, err := o.request()
	if err != nil {
		return err
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	if request.SocialAccountIDs, err = account.Recipients(ctx, o.App, c, o.accounts); err != nil {
		return err
	}
	end, err := o.Open()
	if err != nil {
		return err
	}
	defer end()
	made, err := c.CreateAPIKey(ctx, request)
	if err != nil {
		return err
	}
	return printKey(&o.OneTimeSecret, made)
}

// request returns the request that the flags describe, without the accounts.
func (o *keyCreate) request() (r apiv1.CreateAPIKey, err error) {
	if o.name == "" {
		return r, cli.UsageError("schedctl key create needs --name, which says what the key is for").WithHint("give it with --name ci")
	}
	r.Name = o.name
	if o.agent {
		r.Kind = apiv1.KeyAgent
	}
	switch o.approval {
	case "", apiv1.ApprovalRequired:
		r.Approval = o.approval
	default:
		return r, cli.UnknownValueError("--approval", o.approval, []string{apiv1.ApprovalRequired})
	}
	if r.Scopes, err = scopesOf(o.scopes); err != nil {
		return r, err
	}
	r.ExpiresAt, err = o.zone.Expiry(o.App, o.expires, 0)
	return r, err
}

// scopesOf returns the scopes that are named, each once; nil for none.
func scopesOf(lists []string) (scopes []schedctl.Scope, err error) {
	for _, list := range lists {
		for _, name := range strings.Split(list, ",") {
			scope := schedctl.Scope(name)
			switch {
			case !slices.Contains(schedctl.Scopes(), scope):
				return nil, cli.UnknownValueError("--scope", name, scopeNames())
			case !slices.Contains(scopes, scope):
				scopes = append(scopes, scope)
			}
		}
	}
	return scopes, nil
}
