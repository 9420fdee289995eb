package x

import "github.com/schedctl/schedctl/daemon/publish"

// notice are the costs and the limits that no developer page of X shows together.
const notice = `X charges $0.015 for each post, $0.20 for a post with a link, and $0.005 for each file
with an alt text. The check of the account once a day costs $0.010, about $0.30 a month.
To look for a post after an unknown outcome costs $0.001 for each post that is read, or
$0.005 if another account owns the app, at most $4. Besides the credits, the developer
portal has a monthly spend cap, and X refuses all posts beyond it. A post has at most
one cashtag ($ABC). X has banned accounts for automated posting.`

// loginGuide are the steps of a login with a browser.
const loginGuide = `To log in with a browser (OAuth 2.0):

  1. Do the steps 1 to 3 of "schedctl help connect-x".
  2. Open the app, then "User authentication settings", and click "Set up". Choose
     "Read and write", the type "Web App, Automated App or Bot", any address of yours
     as the website, and as the callback exactly

       http://127.0.0.1:21847/callback

  3. Save, and copy the client id and the client secret. An app of the type "Native
     App" is public and has no secret.`

// Guide implements [publish.Guided].
func (p *Publisher) Guide() publish.Guide {
	return publish.Guide{Account: "an account of X", Login: loginGuide, Notice: notice, Text: `Connect an account of X. You need a developer account, which is free, and credits.

` + notice + `

  1. Log in to https://console.x.com with the account that will post, and accept the
     developer agreement.
  2. Open "Credits" and buy some. Without credits, X refuses every post, and
     schedctl holds the posts of the account.
  3. Open "Apps", then "Create app". Enter a name, and choose the environment
     "Production".
  4. Open the app, then "User authentication settings", and click "Set up". Choose
     "Read and write", the type "Web App, Automated App or Bot", and any address of
     yours as the callback and the website. Save. Ignore the client id and secret.
  5. Under "Keys and tokens", generate the "API Key and Secret", and copy both.
  6. On the same page, generate the "Access Token and Secret", and copy both. It must
     say "Created with Read and Write permissions". If not, repeat step 4, and
     generate the token again.
  7. Connect the account. On a terminal, schedctl asks for the four values:

       schedctl account add x

     In a script, write them into a file:

       schedctl account add x --secret-file secrets.json

       {"api_key": "…", "api_secret": "…",
        "access_token": "…", "access_token_secret": "…"}

These tokens (OAuth 1.0a) do not expire. For another account, let it generate its
tokens for the same app, and add "--app-of ACCOUNT" instead of the API key.

` + loginGuide + `
  4. Log in. schedctl opens a browser, or shows the address to open:

       schedctl account add x --login

     If the browser runs on another machine, its last page does not load: copy its
     address and paste it. For a port other than 21847 add --login-port.

With tokens of OAuth 2.0 that you have, give client_id, access_token and
refresh_token, and client_secret for a confidential app. The scopes are tweet.write,
tweet.read, users.read, offline.access and media.write. Such tokens expire after two
hours, and schedctl renews them. X accepts each refresh token once: use it nowhere
else.

A post has at most 280 characters, or 25,000 with Premium. X counts every link as 23
characters, and an emoji or a Chinese character as two. "schedctl post validate"
counts in the same way, and warns about a post with a link.

Reading the numbers of posts costs $0.005 for each reading, or $0.001 if the account
owns the app, so schedctl does not read them unless you switch that on:

       schedctl account edit ACCOUNT --set results=on

If the outcome of a request is unknown, schedctl reads the newest posts of the account
and compares their text. If two of them are equal, a person has to look. X refuses a
post with the same text as a recent one.`}
}
