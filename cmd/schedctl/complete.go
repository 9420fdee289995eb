package main

import (
	"context"
	_ "embed"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
)

// completionTime is how long a shell waits at the press of a key.
const completionTime = 300 * time.Millisecond

// ask calls fn with a client and a context that ends with askTime, unless there
// is no daemon to ask.
func (a *app) ask(cmd *cobra.Command, fn func(context.Context, *client.Client)) {
	ctx, cancel := context.WithTimeout(cmd.Context(), a.askTime)
	defer cancel()
	if c := a.connectWithin(ctx); c != nil {
		fn(ctx, c)
	}
}

// connectWithin returns a client, or nil for none in time: a keyring may ask its
// user something. What is left behind ends with the process, and works on a copy
// of the command line.
func (a *app) connectWithin(ctx context.Context) *client.Client {
	own, connected := *a, make(chan *client.Client, 1)
	go func() {
		c, err := own.connect()
		if err != nil {
			c = nil
		}
		connected <- c
	}()
	select {
	case c := <-connected:
		return c
	case <-ctx.Done():
		return nil
	}
}

// completeAccount offers the names of accounts.
func (a *app) completeAccount(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 && cmd.ValidArgsFunction != nil && cmd.Parent().Name() == "account" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	a.ask(cmd, func(ctx context.Context, c *client.Client) {
		list, err := c.Accounts(ctx, client.AccountQuery{})
		if err != nil {
			return
		}
		for _, acct := range list {
			about := acct.Platform
			if acct.Status != schedctl.AccountConnected {
				about += ", " + string(acct.Status)
			}
			out = append(out, oneLine(acct.Name)+"\t"+about)
		}
	})
	return out, cobra.ShellCompDirectiveNoFileComp
}

// useful are the statuses of the posts that a command can do something with;
// every other command can with all.
var useful = map[string][]schedctl.Status{
	"schedctl post cancel":     {schedctl.Scheduled, schedctl.Publishing},
	"schedctl post delete":     {schedctl.Draft},
	"schedctl post edit":       {schedctl.Draft, schedctl.Scheduled},
	"schedctl post publish":    {schedctl.Draft, schedctl.Scheduled},
	"schedctl post retry":      {schedctl.Failed},
	"schedctl post schedule":   {schedctl.Draft},
	"schedctl post unschedule": {schedctl.Scheduled},
	"schedctl post wait":       {schedctl.Scheduled, schedctl.Publishing},
	"schedctl post watch":      {schedctl.Scheduled, schedctl.Publishing},
}

// completePost offers the ids of recent posts that are not on the command line
// yet, with their status, their time and their text.
func (a *app) completePost(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var out []string
	a.ask(cmd, func(ctx context.Context, c *client.Client) {
		page, err := c.Posts(ctx, client.PostQuery{Statuses: useful[cmd.CommandPath()], Limit: 50})
		if err != nil {
			return
		}
		for _, p := range page.Results {
			if !slices.Contains(args, p.ID) {
				out = append(out, p.ID+"\t"+a.postInShort(p))
			}
		}
	})
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// postInShort says which post it is.
func (a *app) postInShort(p apiv1.Post) string {
	about := string(p.Status)
	if p.PublishAt != nil {
		about += " " + p.PublishAt.In(a.local).Format("2 Jan 15:04") + ", " + when.Relative(p.PublishAt.Time, a.now())
	}
	return about + ": " + clip(oneLine(p.Content), 50)
}

// zoneNames are the names of time zones, a line each.
//
//go:embed zones.txt
var zoneNames string

// completeZone offers the zones whose name begins as typed, in whatever case.
func completeZone(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for name := range strings.Lines(zoneNames) {
		name = strings.TrimSpace(name)
		if len(name) >= len(typed) && strings.EqualFold(name[:len(typed)], typed) {
			out = append(out, name)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
