package main

import (
	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/access"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/agent"
	"github.com/schedctl/schedctl/cmd/schedctl/blackout"
	"github.com/schedctl/schedctl/cmd/schedctl/browse"
	"github.com/schedctl/schedctl/cmd/schedctl/calendar"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/collection"
	"github.com/schedctl/schedctl/cmd/schedctl/files"
	"github.com/schedctl/schedctl/cmd/schedctl/forecast"
	"github.com/schedctl/schedctl/cmd/schedctl/mcp"
	"github.com/schedctl/schedctl/cmd/schedctl/media"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
	"github.com/schedctl/schedctl/cmd/schedctl/queue"
	"github.com/schedctl/schedctl/cmd/schedctl/series"
	"github.com/schedctl/schedctl/cmd/schedctl/server"
	"github.com/schedctl/schedctl/cmd/schedctl/share"
	"github.com/schedctl/schedctl/cmd/schedctl/snippet"
	"github.com/schedctl/schedctl/cmd/schedctl/source"
	"github.com/schedctl/schedctl/cmd/schedctl/webhook"
)

// branches are the commands below schedctl, in the order of the help.
var branches = []cli.Branch{
	{Group: cli.GroupWork, Name: "post", Make: func(a *cli.App) *cobra.Command { return post.New(a, files.PostBranches...) }},
	{Group: cli.GroupWork, Name: "review", Make: post.NewReview},
	{Group: cli.GroupWork, Name: "label", Make: post.NewLabel},
	{Group: cli.GroupWork, Name: "queue", Make: queue.New},
	{Group: cli.GroupWork, Name: "series", Make: func(a *cli.App) *cobra.Command { return series.New(a, post.NewSeriesCreate, post.NewSeriesEdit) }},
	{Group: cli.GroupWork, Name: "source", Make: source.New},
	{Group: cli.GroupWork, Name: "blackout", Make: blackout.New},
	{Group: cli.GroupWork, Name: "pause", Make: blackout.NewPause},
	{Group: cli.GroupWork, Name: "resume", Make: blackout.NewResume},
	{Group: cli.GroupWork, Name: "account", Make: account.New},
	{Group: cli.GroupWork, Name: "snippet", Make: snippet.New},
	{Group: cli.GroupWork, Name: "media", Make: media.New},
	{Group: cli.GroupWork, Name: "calendar", Make: calendar.New},
	{Group: cli.GroupWork, Name: "share", Make: share.New},
	{Group: cli.GroupWork, Name: "results", Make: post.NewResults},
	{Group: cli.GroupWork, Name: "forecast", Make: forecast.New},
	{Group: cli.GroupWork, Name: "tui", Make: browse.New},
	{Group: cli.GroupWork, Name: "me", Make: access.NewMe},
	{Group: cli.GroupWork, Name: "lint", Make: files.NewLint},
	{Group: cli.GroupWork, Name: "plan", Make: files.NewPlan},
	{Group: cli.GroupWork, Name: "apply", Make: files.NewApply},
	{Group: cli.GroupWork, Name: "collection", Make: collection.New},
	{Group: cli.GroupEvents, Name: "notify", Make: webhook.NewNotify},
	{Group: cli.GroupEvents, Name: "webhook", Make: webhook.New},
	{Group: cli.GroupEvents, Name: "listen", Make: webhook.NewListen},
	{Group: cli.GroupEvents, Name: "trigger", Make: webhook.NewTrigger},
	{Group: cli.GroupEvents, Name: "key", Make: access.NewKey},
	{Group: cli.GroupEvents, Name: "workspace", Make: access.NewWorkspace},
	{Group: cli.GroupEvents, Name: "audit", Make: access.NewAudit},
	{Group: cli.GroupEvents, Name: "agent", Make: agent.New},
	{Group: cli.GroupEvents, Name: "mcp", Make: mcp.New},
	{Group: cli.GroupDaemon, Name: "daemon", Make: server.NewDaemon},
	{Group: cli.GroupDaemon, Name: "backup", Make: server.NewBackup},
	{Group: cli.GroupDaemon, Name: "restore", Make: server.NewRestore},
	{Group: cli.GroupDaemon, Name: "store", Make: server.NewStore},
	{Group: cli.GroupOther, Name: "time", Make: post.NewTime},
	{Group: cli.GroupOther, Name: "version", Make: cli.NewVersion},
	{Group: cli.GroupOther, Name: "completion", Make: cli.NewCompletion, Rest: true},
	{Group: cli.GroupOther, Name: "context", Make: access.NewContext},
	{Group: cli.GroupOther, Name: "login", Make: access.NewLogin},
	{Group: cli.GroupOther, Name: "capabilities", Make: account.NewCapabilities},
	{Group: cli.GroupOther, Name: "doctor", Make: server.NewDoctor},
	{Group: cli.GroupOther, Name: "api", Make: server.NewAPI},
	{Name: "man", Make: cli.NewMan, Rest: true},
}
