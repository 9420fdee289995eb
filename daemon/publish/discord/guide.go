package discord

import "github.com/schedctl/schedctl/daemon/publish"

// Guide implements [publish.Guided].
func (p *Publisher) Guide() publish.Guide {
	return publish.Guide{Account: "a channel of Discord", Text: `Connect a channel of Discord through a webhook. You need the permission "Manage
Webhooks" in the channel.

  1. Next to the name of the channel, click "Edit Channel", then "Integrations" and
     "Webhooks".
  2. Click "New Webhook". Its name and its picture are shown as the author of the posts.
  3. Click "Copy Webhook URL". The URL is a password: whoever has it can post to the
     channel.
  4. Connect the account, and paste the URL when you are asked for it:

       schedctl account add discord --name news

     In a script: schedctl account add discord --name news --secret-file url.txt

To post into a thread of the channel, add ?thread_id= and the id of the thread to the
URL. For a forum, in which each post starts a thread:

  schedctl account edit ACCOUNT --set forum=true

A forum whose posts must have tags refuses the posts.

A message has at most 2000 characters and 10 files. A post mentions no one, unless its
account or the post itself has the option mentions=true.

Discord neither recognizes a repeated request nor shows a webhook its messages. If the
outcome of a request is unknown, schedctl reports the post. Look at the channel, and use
"schedctl post retry --force" if the post is missing.`}
}
