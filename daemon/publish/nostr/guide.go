package nostr

import "github.com/schedctl/schedctl/daemon/publish"

// Guide implements [publish.Guided].
func (p *Publisher) Guide() publish.Guide {
	return publish.Guide{Account: "a key of Nostr", Text: `Connect a key of Nostr. You need its secret key and the addresses of some relays.

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
ignore an event that they have, so the post never appears twice.`}
}
