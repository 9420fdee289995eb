package bluesky

import "github.com/schedctl/schedctl/daemon/publish"

// Guide implements [publish.Guided].
func (p *Publisher) Guide() publish.Guide {
	return publish.Guide{Account: "an account on Bluesky", Text: `Connect an account on Bluesky, or on a server of your own, with an app password.

  1. Log in to https://bsky.app and open "Settings", "Privacy and security", "App
     passwords".
  2. Click "Add App Password", enter a name such as schedctl, and leave "Allow access to
     your direct messages" off. Copy the password, such as abcd-efgh-ijkl-mnop. Do not
     use the password of the account itself.
  3. Find the handle: it is on your profile, below the name, after the @.
  4. Connect the account, and paste the app password when you are asked for it:

       schedctl account add bluesky --set identifier=alice.bsky.social

     In a script, add --secret-file password.txt.

If the account is on a server other than bsky.social, add its address:

       schedctl account add bluesky --set identifier=alice.example.org \
         --set service_url=https://pds.example.org

A post has at most 300 characters as people see them (graphemes).

If the outcome of a request is unknown, schedctl repeats it: each post has a key that
schedctl chose, and storing it again changes nothing.`}
}
