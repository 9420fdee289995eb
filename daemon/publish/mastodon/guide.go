package mastodon

import "github.com/schedctl/schedctl/daemon/publish"

// Guide implements [publish.Guided].
func (p *Publisher) Guide() publish.Guide {
	return publish.Guide{Account: "an account on a server with the API of Mastodon", Text: `Connect an account on Mastodon, or on a server with the same API, such as GoToSocial,
Pleroma, Akkoma or Friendica. The simplest way is a login with a browser, which needs
only the address of the server. To use an access token instead:

  1. Log in to the server in a browser, and open "Preferences", "Development", "New
     application". On GoToSocial, it is "Settings", "User", "Applications".
  2. Enter a name, and tick exactly the scopes read:accounts, read:statuses,
     write:statuses and write:media. A server without them has read and write.
  3. Save, open the application, and copy "Your access token".
  4. Connect the account, with a login or with the token, for which schedctl asks:

       schedctl account add mastodon --set instance_url=mastodon.social --login
       schedctl account add mastodon --set instance_url=mastodon.social

     In a script, add --secret-file token.txt instead of --login.

The login shows a code in the browser, and you type it into schedctl. The token has no
end.

How many characters, files and options of a poll a post may have is up to the server.
schedctl asks for these limits when it connects or verifies the account.

If the outcome of a request is unknown, schedctl reads the account's own posts and
compares them. Mastodon recognizes a repeated request for an hour, but GoToSocial and
snac do not, so schedctl does not rely on it. If the posts do not decide it, for example
because two of them are equal, schedctl reports the post. Look at the account, and use
"schedctl post retry --force" if the post is missing.`}
}
