package matrix

import "github.com/schedctl/schedctl/daemon/publish"

// Guide implements [publish.Guided].
func (p *Publisher) Guide() publish.Guide {
	return publish.Guide{Account: "a room of Matrix", Text: `Connect a room of Matrix with a user of your own or of a bot. The room must not be
encrypted, because schedctl cannot encrypt.

  1. Create a user on your homeserver, or use your own. Invite the user to the room, and
     join the room with it in a client such as Element. The user needs the right to send
     messages.
  2. Find the room: its address, such as #news:example.org, or its id, which starts with
     an exclamation mark. In Element, it is in "Room settings", "Advanced".
  3. Find the address of the homeserver: in Element, "Settings", "Help & About".
  4. In Element, the same page shows the access token of the user.
  5. Connect the account, and paste the token when you are asked for it:

       schedctl account add matrix --set homeserver_url=https://matrix.example.org \
         --set room_id='#news:example.org'

     In a script, add --secret-file token.txt.

If the outcome of a request is unknown, schedctl searches the room for the key that each
of its messages has, and repeats the request with the same transaction id.`}
}
