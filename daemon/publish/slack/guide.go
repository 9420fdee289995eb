package slack

import "github.com/schedctl/schedctl/daemon/publish"

// notice is which scopes a bot needs besides the one that posts.
const notice = `With the scope chat:write alone, neither pictures nor look-ups work. An incoming webhook
has neither of them.`

// Guide implements [publish.Guided].
func (p *Publisher) Guide() publish.Guide {
	return publish.Guide{Account: "a channel of Slack", Notice: notice, Text: `Connect a channel of Slack with a bot of your own. It costs nothing, and you may need
the approval of an administrator of the workspace.

` + notice + `

  1. Open https://api.slack.com/apps, click "Create New App" and "From a manifest",
     choose the workspace, and paste this manifest (YAML):

_metadata: {major_version: 1}
display_information: {name: schedctl, description: Publishes scheduled posts}
features: {bot_user: {display_name: schedctl, always_online: false}}
oauth_config:
  scopes:
    bot: [chat:write, files:write, files:read, channels:history, channels:read,
      groups:history, groups:read]
settings: {org_deploy_enabled: false, socket_mode_enabled: false,
  token_rotation_enabled: false}

     Its scopes:

       chat:write                        posts messages
       files:write, files:read           pictures, videos and documents
       channels:history, groups:history  look for a post after an unknown outcome, in
                                         public and in private channels
       channels:read, groups:read        the name of the channel

  2. Click "Install to Workspace" and allow it. Then open "OAuth & Permissions", and
     copy the "Bot User OAuth Token", which starts with xoxb-.
  3. In Slack, open the channel and send: /invite @schedctl
  4. Click the name of the channel, then "About". At the bottom is the id of the
     channel, such as C0123456789.
  5. Connect the account, and paste the token when you are asked for it:

       schedctl account add slack --set channel=C0123456789

     In a script, write it into a file: {"bot_token": "xoxb-…"}, and add
     --secret-file token.json.

If the token lacks a scope, "schedctl account add" and "schedctl account show" say what
does not work. Add the scope on the page "OAuth & Permissions", click "Reinstall to
Workspace", and then use "schedctl account reconnect ACCOUNT" with the same token.

Instead of a bot, you can use an incoming webhook: {"webhook_url": "https://…"}. It has
neither pictures nor threads, and schedctl cannot look for its posts.

If the outcome of a request is unknown, schedctl searches the channel for the post. It
reports the post if it may not read the channel, or if the account is a webhook.`}
}
