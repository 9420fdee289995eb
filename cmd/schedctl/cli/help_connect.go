package cli

import (
	"fmt"
	"strings"
)

// connectStep starts the step of a page "schedctl help connect-…" that uses schedctl. The
// steps before it say where to click in a developer portal.
const connectStep = ". Connect the account"

// loginSteps are the steps of a login with a browser, which the pages contain as well. They
// end with the redirect address.
var loginSteps = map[string]string{"linkedin": loginLinkedIn, "x": loginX}

// ConnectGuide returns the steps that a person takes on the website of a platform before
// schedctl can connect an account, or the empty string. The help pages have the same text.
// login is for a login with a browser, whose redirect address has the port.
func ConnectGuide(platform string, login bool, port int) string {
	text := ""
	for _, t := range Topics {
		if t.Name == "connect-"+platform {
			text = t.text(nil)
		}
	}
	if login {
		return strings.ReplaceAll(loginSteps[platform], "127.0.0.1:21847", fmt.Sprint("127.0.0.1:", port))
	}
	before, _, found := strings.Cut(text, connectStep)
	if !found {
		return ""
	}
	end := strings.LastIndex(before, "\n")
	return strings.TrimRight(before[:end], "\n")
}

// connectTopic returns a help topic that explains step by step how to connect an account
// of a platform.
func connectTopic(platform, network, text string) topic {
	return topic{"connect-" + platform, "How to connect " + network, staticTopic(func() string { return text })}
}

// connectGoogleChat is "schedctl help connect-googlechat".
const connectGoogleChat = `Connect a space of Google Chat through an incoming webhook. You need a Google
Workspace account that may add webhooks to the space.

  1. Open the space in https://chat.google.com in a browser.
  2. Click the name of the space, then "Apps & integrations", then "Webhooks".
  3. Enter a name and save it. The name is shown as the author of the posts.
  4. Copy the URL of the webhook. It contains a key and a token: keep it secret.
  5. Connect the account, and paste the URL when you are asked for it:

       schedctl account add googlechat --name team

     In a script: schedctl account add googlechat --name team --secret-file url.txt

A webhook can only post, so schedctl cannot check it before the first post.

Text has at most 32,000 bytes. Google fetches pictures from the daemon, which needs
"daemon run --public-url https://…". Their addresses expire after seven days.
Videos and documents are not possible. The parts of a thread are messages in one
thread of the space.

If the outcome of a request is unknown, schedctl repeats it with the same requestId.
The documentation of Google says that this returns the first message. No one has
confirmed that it also applies to webhooks. In the worst case a message is posted
twice.`

// connectNostr is "schedctl help connect-nostr".
const connectNostr = `Connect a key of Nostr. You need its secret key and the addresses of some relays.

  1. Open the settings of your Nostr app and find its keys. Copy the secret key,
     which starts with nsec1. A key that starts with npub1 is the public one.
  2. In the settings, find the relays to which the app writes, such as
     wss://relay.example.org.
  3. Connect the account, and paste the secret key when you are asked for it:

       schedctl account add nostr \
         --set relays=wss://relay.example.org,wss://relay.example.net

     In a script, add --secret-file key.txt.

Anyone who has the secret key can post as you, and it cannot be changed. schedctl
encrypts it before it is stored, and never shows it. Consider a key of its own for
scheduled posts.

A post is published when one relay has accepted it. To require more:

  schedctl account edit ACCOUNT --set relays_required=2

Relays store no files. For posts with pictures, videos or documents, name a Blossom
server that accepts your key:

  schedctl account edit ACCOUNT --set media_server=https://blossom.example.org

If the outcome of a request is unknown, schedctl sends the same event again. Relays
ignore an event that they have, so the post never appears twice.`

// connectWordPress is "schedctl help connect-wordpress".
const connectWordPress = `Connect a site with WordPress 5.6 or later. You need a user with the role Author,
Editor or Administrator.

  1. Log in to the site and open "Users", then "Profile".
  2. Under "Application Passwords", enter a name such as schedctl, and click "Add New
     Application Password". If the section is missing, the site has no https, or a
     plugin turns application passwords off.
  3. Copy the password that is shown. Its spaces do not matter.
  4. Connect the account, and paste the password when you are asked for it:

       schedctl account add wordpress --set username=alice \
         --set site_url=https://blog.example.org

     In a script, add --secret-file password.txt.

schedctl checks the password and what the user may do. A contributor, who may not
publish, can be connected with --set status=draft.

The first line of a post is its title, and the rest is its text. Options of the
account, which a post can override:

  title=TEXT              the title; the whole post is then the text
  status=draft            or pending, private; the default is publish
  categories=news,7       slugs or numbers of existing categories

Pictures, videos and documents go to the media library. WordPress has no threads.

If the outcome of a request is unknown, schedctl asks the site: the slug of each post
contains a key that only this post has.`
