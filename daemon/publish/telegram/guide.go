package telegram

import "github.com/schedctl/schedctl/daemon/publish"

// Guide implements [publish.Guided].
func (p *Publisher) Guide() publish.Guide {
	return publish.Guide{Account: "a chat or a channel of Telegram", Text: `Connect a channel, a group or a chat of Telegram with a bot of your own. It costs
nothing.

  1. In Telegram, open a chat with @BotFather, send /newbot, and choose a name. Copy the
     token, such as 123456:ABC-DEF….
  2. Add the bot to the channel as an administrator, with the right "Post messages". In
     a group, a member is enough, and /setprivacy is not needed.
  3. A public channel or group has a @name. For a private one, find its number, which
     starts with -100: post something there, and open this address, with your token, in
     a browser. The number is the "id" of the "chat":

       https://api.telegram.org/bot123456:ABC-DEF…/getUpdates

  4. Connect the account, and paste the token when you are asked for it:

       schedctl account add telegram --set chat_id=@channel
       schedctl account add telegram --set chat_id=-1001234567890

     In a script, add --secret-file token.txt.

A message has at most 4096 characters, and one with files 1024.

Telegram neither recognizes a repeated request nor shows a bot its messages. If the
outcome of a request is unknown, schedctl reports the post. Look at the channel, and use
"schedctl post retry --force" if the post is missing.`}
}
