package matrix

import "github.com/schedctl/schedctl/daemon/publish"

// loginGuide are the steps of a login with a browser.
const loginGuide = `To log in with a browser:

  1. Invite the user to the room, and join the room with it in a client such as Element.
     The room must not be encrypted.
  2. Find the address of the homeserver and of the room in the settings of the client.`

// Guide implements [publish.Guided].
func (p *Publisher) Guide() publish.Guide {
	return publish.Guide{Account: "a room of Matrix", Login: loginGuide, Text: `Connect a room of Matrix with a user of your own or of a bot. The room must not be
encrypted, because schedctl cannot encrypt.

  1. Create a user on your homeserver, or use your own. Invite the user to the room, and
     join the room with it in a client such as Element. The user needs the right to send
     messages.
  2. Find the room: its address, such as #news:example.org, or its id, which starts with
     an exclamation mark. In Element, both are in "Room settings": the address under
     "General", the id under "Advanced".
  3. Find the address of the homeserver: in Element, "Settings", "Help & About".
  4. Choose how to connect:
     with a browser, if the homeserver has an authorization server, as matrix.org has;
     with the user and the password, which schedctl exchanges for a session and does
     not store;
     with an access token. That of Element ends when Element renews it, within hours on
     a homeserver with an authorization server. There, an administrator can create
     one that does not end: mas-cli manage issue-compatibility-token USER
  5. Connect the account, and enter the password or the token when you are asked for it:

       schedctl account add matrix --set homeserver_url=https://matrix.example.org \
         --set room_id='#news:example.org' --login
       schedctl account add matrix --set homeserver_url=https://matrix.example.org \
         --set room_id='#news:example.org' --set user=news
       schedctl account add matrix --set homeserver_url=https://matrix.example.org \
         --set room_id='#news:example.org'

     In a script, write the password or the token into a file, and add
     --secret-file secret.txt.

With --login, schedctl shows an address to open in a browser, on any machine. If the
homeserver does not allow that, the browser has to run on this machine, or you copy the
address of its last page and paste it.

schedctl renews the session a minute before it ends. If the homeserver refuses that, for
example because you have ended the session, schedctl holds the posts: use
"schedctl account reconnect ACCOUNT" with one of the three ways.

If the outcome of a request is unknown, schedctl searches the room for the key that each
of its messages has, and repeats the request with the same transaction id.`}
}
