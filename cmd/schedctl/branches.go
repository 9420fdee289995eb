package main

import (
	"github.com/spf13/cobra"
)

// branches are the commands below schedctl, in the order of the help.
var branches = []branch{
	{group: groupWork, name: "post", make: func(a *app) *cobra.Command { return newPost(a, exportFiles) }},
	{group: groupWork, name: "account", make: newAccount},
	{group: groupWork, name: "calendar", make: newCalendar},
	{group: groupWork, name: "tui", make: newTUI},
	{group: groupWork, name: "me", make: newMe},
	{group: groupWork, name: "lint", make: newLint},
	{group: groupWork, name: "plan", make: newPlan},
	{group: groupWork, name: "apply", make: newApply},
	{group: groupEvents, name: "notify", make: newNotify},
	{group: groupEvents, name: "webhook", make: newWebhook},
	{group: groupEvents, name: "listen", make: newListen},
	{group: groupEvents, name: "trigger", make: newTrigger},
	{group: groupEvents, name: "key", make: newKey},
	{group: groupEvents, name: "workspace", make: newWorkspace},
	{group: groupEvents, name: "audit", make: newAudit},
	{group: groupDaemon, name: "daemon", make: newDaemon},
	{group: groupDaemon, name: "backup", make: newBackup},
	{group: groupDaemon, name: "restore", make: newRestore},
	{group: groupDaemon, name: "store", make: newStore},
	{group: groupOther, name: "time", make: newTime},
	{group: groupOther, name: "version", make: newVersion},
	{group: groupOther, name: "completion", make: newCompletion, rest: true},
	{group: groupOther, name: "context", make: newContext},
	{group: groupOther, name: "login", make: newLogin},
	{group: groupOther, name: "capabilities", make: newCapabilities},
	{group: groupOther, name: "doctor", make: newDoctor},
	{group: groupOther, name: "api", make: newAPI},
	{name: "man", make: newMan, rest: true},
}
