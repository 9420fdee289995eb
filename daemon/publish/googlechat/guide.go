package googlechat

import "github.com/schedctl/schedctl/daemon/publish"

// Guide implements [publish.Guided].
func (p *Publisher) Guide() publish.Guide {
	return publish.Guide{Account: "a space of Google Chat", Text: `Connect a space of Google Chat through an incoming webhook. You need a Google
Workspace account that may add webhooks to the space.

  1. Open the space in https://chat.google.com in a browser.
  2. Click the name of the space, then "Apps & integrations", then "Webhooks".
  3. Enter a name and save it. The name is shown as the author of the posts.
  4. Copy the URL of the webhook. It contains a key and a token: keep it secret.
  5. Connect the account, and paste the URL when you are asked for it:

       schedctl account add googlechat --name team

     In a script: schedctl account add googlechat --name team --secret-file url.txt

A webhook can only post, so schedctl cannot check it before the first post.

<users/all> in a post notifies no one, unless the option mentions is true: schedctl
account edit ACCOUNT --set mentions=true

Text has at most 32,000 bytes. Google fetches pictures from the daemon, which needs
"daemon run --public-url https://…". Their addresses expire after seven days.
Videos and documents are not possible. The parts of a thread are messages in one
thread of the space.

If the outcome of a request is unknown, schedctl repeats it with the same requestId.
The documentation of Google says that this returns the first message. No one has
confirmed that it also applies to webhooks. In the worst case a message is posted
twice.`}
}
