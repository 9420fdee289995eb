package agent

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon"
)

// checked is what a check has found.
type checked struct {
	CanPublish bool       `json:"can_publish"`
	Reason     string     `json:"reason"`
	APIKey     checkedKey `json:"api_key"`
	Warnings   []string   `json:"warnings"`
}

type checkedKey struct {
	ID        string           `json:"id"`
	Name      string           `json:"name"`
	Scopes    []schedctl.Scope `json:"scopes"`
	ExpiresAt *apiv1.Time      `json:"expires_at"`
}

func newCheck(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[checked](&cobra.Command{
		Use:   "check",
		Short: "Check that a key cannot publish unless a person has seen the post",
		Long: `Check that an API key cannot publish anything unless a person has approved it. It asks the
daemon to publish a post that does not exist, which it must refuse for lack of a scope;
nothing is changed.

The key is that of --api-key-file, SCHEDCTL_API_KEY_FILE, SCHEDCTL_API_KEY or the context;
never the admin key of the daemon. The exit status is 0 if the key cannot publish, and 1
if it can.`,
		Example: `  schedctl agent check --api-key-file agent.key`,
		Args:    cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := a.EndpointWithOwnKey()
			if err != nil {
				return err
			}
			if e.Key == "" {
				return cli.NewFailure(cli.ExitAuth, schedctl.AuthenticationRequired, "there is no API key to check").
					WithHint("give it with --api-key-file agent.key; a person makes one, outside agent mode, with: schedctl agent setup generic")
			}
			return checkKey(cmd.Context(), a, e)
		},
	})
}

// checkKey checks the key of an endpoint and prints the result. It returns an error if the key
// can publish.
func checkKey(ctx context.Context, a *cli.App, e cli.Endpoint) error {
	c, err := a.ConnectTo(e)
	if err != nil {
		return err
	}
	defer c.Close()
	found, err := check(ctx, c)
	if err != nil {
		return err
	}
	found.Warnings = warnings(a, e)
	if err := report(a, found); err != nil {
		return err
	}
	if found.CanPublish {
		return cli.OtherError("the key %q can publish: %s", cli.OneLine(found.APIKey.Name), found.Reason).
			WithHint("give the agent another key; make one with: schedctl agent setup generic")
	}
	return nil
}

// powers are the scopes with which a key can publish what no other person has seen, and how.
var powers = []struct {
	scope schedctl.Scope
	how   string
}{
	{schedctl.ScopeKeysWrite, "it can make keys that publish"},
	{schedctl.ScopeWorkspacesWrite, "it can end the need for approvals"},
	{schedctl.ScopePostsApprove, "it can approve posts of others"},
}

// check says whether the key of a client can publish unless a person has seen the post.
func check(ctx context.Context, c *client.Client) (checked, error) {
	me, err := c.Me(ctx)
	if err != nil {
		return checked{}, err
	}
	k := me.APIKey
	out := checked{APIKey: checkedKey{ID: k.ID, Name: k.Name, Scopes: k.Scopes, ExpiresAt: k.ExpiresAt}, Warnings: []string{}}
	for _, p := range powers {
		if slices.Contains(k.Scopes, p.scope) {
			out.CanPublish, out.Reason = true, p.how+" ("+string(p.scope)+")"
			return out, nil
		}
	}
	if slices.Contains(k.Scopes, schedctl.ScopePostsWrite) {
		out.CanPublish, out.Reason = mayStart(me)
		switch {
		case !out.CanPublish || !accountsGuard(ctx, c, k.SocialAccountIDs):
		case slices.Contains(k.Scopes, schedctl.ScopeAccountsWrite):
			out.Reason = "it can end the need for approvals of its accounts (" + string(schedctl.ScopeAccountsWrite) + ")"
		default:
			out.CanPublish, out.Reason = false, "all accounts that it may use need an approval"
		}
		return out, nil
	}
	// The daemon checks the scope before it looks for the post.
	switch _, err = c.PublishPost(ctx, absentPost, apiv1.PublishPost{}); schedctl.CodeOf(err) {
	case schedctl.InsufficientScope:
		out.Reason = "it has no scope that publishes, and the daemon refuses to publish with it"
	case schedctl.NotFound:
		out.CanPublish, out.Reason = true, "the daemon would publish with it"
	default:
		return out, err
	}
	return out, nil
}

// absentPost is the id of no post.
const absentPost = "post_00000000000000000000000000"

// mayStart says whether a key with posts:write can publish without an approval.
func mayStart(me apiv1.Me) (bool, string) {
	switch {
	case me.APIKey.Approval != nil:
		return false, "all posts that it writes or starts need an approval"
	case me.Workspace.Approvals == apiv1.FormatPolicy(schedctl.ApprovalsAll):
		return false, "all posts of the workspace need an approval"
	case me.Workspace.Approvals == apiv1.FormatPolicy(schedctl.ApprovalsAgents) && me.APIKey.Kind == apiv1.KeyAgent:
		return false, "posts that agents of the workspace write or start need an approval"
	}
	return true, "it has posts:write, and no post of it needs an approval"
}

// accountsGuard reports whether a key is limited to accounts that all need an approval. A key
// that may use all accounts may use those that are added later, too.
func accountsGuard(ctx context.Context, c *client.Client, ids []string) bool {
	for _, id := range ids {
		account, err := c.Account(ctx, id)
		if err != nil || account.Options[schedctl.OptionApproval] != schedctl.ApprovalRequired {
			return false
		}
	}
	return len(ids) > 0
}

// warnings says what an agent with a shell of this user could do without its key.
func warnings(a *cli.App, e cli.Endpoint) []string {
	path := filepath.Join(a.DataDir(), daemon.AdminKeyFile)
	file, err := os.Open(path)
	if err != nil || !cli.IsOnThisMachine(e.URL) {
		return []string{}
	}
	file.Close()
	return []string{"this user can read the admin key " + path + ", so an agent that runs commands as this user can use it; docs/agents.md says how to prevent that"}
}

// report prints the result of a check.
func report(a *cli.App, found checked) error {
	answer := "no"
	if found.CanPublish {
		answer = "yes"
	}
	for _, w := range found.Warnings {
		a.Messagef("%s", cli.OneLine(w))
	}
	return a.PrintObject(found, found.APIKey.ID, []cli.Property{
		{Name: "Can publish", Value: answer + ": " + found.Reason},
		{Name: "Key", Value: found.APIKey.Name},
		{Name: "Key id", Value: found.APIKey.ID},
		{Name: "Scopes", Value: cli.JoinStrings(found.APIKey.Scopes, " ")},
		{Name: "Expires", Value: cli.FirstNonEmpty(a.TimeText(found.APIKey.ExpiresAt), "never")},
	})
}
