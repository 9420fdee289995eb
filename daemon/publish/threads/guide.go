package threads

import "github.com/schedctl/schedctl/daemon/publish"

// Guide implements [publish.Guided].
func (p *Publisher) Guide() publish.Guide {
	return publish.Guide{Account: "an account on Threads", Text: `Connect an account on Threads through a developer app of your own. It costs nothing,
and your app needs no review, because it publishes only to your account.

  1. Open https://developers.facebook.com/apps and click "Create app". Choose the use
     case "Access the Threads API".
  2. In the app, open "Use cases", "Customize", and add the permissions threads_basic
     and threads_content_publish. Threads and first comments also need
     threads_manage_replies, and threads_read_replies to look for them after a failure.
     The numbers of posts need threads_manage_insights.
  3. Under "App roles", "Roles", add your account as a Threads tester. Accept the
     invitation in Threads: "Settings", "Website permissions", "Invites".
  4. In the app, open "Use cases", "Customize", "Settings", and click "Generate access
     token" in the User Token Generator. Copy the token.
  5. Connect the account, and paste the token when you are asked for it:

       schedctl account add threads

     In a script: schedctl account add threads --secret-file token.txt

The token is valid for 60 days. The daemon renews it a week before that. If it cannot,
it says so 14, 3 and 1 days before the end; see "schedctl notify".

A text has at most 500 characters. Threads counts the bytes of an emoji, so a single one
counts as 4 or more. A post has at most 5 different links. An account can publish 250
posts in 24 hours; later posts wait.

Threads fetches pictures and videos from the daemon, which needs --public-url with
https://. A post has up to 20 pictures, or one video.

If the outcome of a request is unknown, schedctl asks Threads: each post is staged
before it is published, and the status of the staged post says whether it was.`}
}
