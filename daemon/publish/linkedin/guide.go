package linkedin

import "github.com/schedctl/schedctl/daemon/publish"

// notice is what LinkedIn does not let every app do.
const notice = `LinkedIn lets only approved apps comment, and few get that approval: without it, the
parts of a thread after the first one and the first comment fail, and the post itself is
published. An app for organizations is reviewed for some days or weeks.`

// loginGuide are the steps of a login with a browser.
const loginGuide = `To log in with a browser instead of the token generator:

  1. Do the steps 1 and 2 of "schedctl help connect-linkedin".
  2. Open the tab "Auth" of the app. Under "Authorized redirect URLs for your app" add
     exactly

       http://127.0.0.1:21847/callback

  3. On the same tab, copy the client id and the client secret.`

// Guide implements [publish.Guided].
func (p *Publisher) Guide() publish.Guide {
	return publish.Guide{Account: "a person or an organization on LinkedIn", Login: loginGuide, Notice: notice, Text: `Connect LinkedIn, to post as yourself or as an organization that you administer. You
need an app of your own, which is free. An app for organizations can have no other
products: create two if you need both.

` + notice + `

  1. Open https://www.linkedin.com/developers/apps and click "Create app". Enter a name,
     a logo and the page of your company. Anyone may create a page. On the tab
     "Settings", click "Verify", and open the link as an administrator of the page.
  2. On the tab "Products", request access:
     to post as yourself, "Share on LinkedIn" and "Sign In with LinkedIn using OpenID
     Connect", which are granted at once;
     to post as an organization, "Community Management API", which is reviewed.
  3. Open https://www.linkedin.com/developers/tools/oauth/token-generator, choose the
     app, and tick the permissions:
     for yourself openid, profile and w_member_social;
     for an organization w_organization_social and r_organization_social, and, for
     comments, w_organization_social_feed and r_organization_social_feed.
     To read the numbers of posts, also r_member_postAnalytics for yourself, or
     rw_organization_admin for an organization, if your app has it.
     Click "Request access token", allow it, and copy the token.
  4. Connect the account, and paste the token when you are asked for it:

       schedctl account add linkedin --name me
       schedctl account add linkedin --name company --set organization=5515715

     The number of an organization is in the address of the page when you administer
     it: https://www.linkedin.com/company/5515715/admin/. You can paste that address.

     In a script, write it into a file: {"access_token": "…"}, and add
     --secret-file token.json.

` + loginGuide + `
  4. Log in. schedctl opens a browser, or shows the address to open:

       schedctl account add linkedin --login

     LinkedIn refuses the whole login if it asks for a permission that the app does not
     have, so schedctl does not ask for those of comments. If LinkedIn has approved your
     app for them, add "--set comments=approved", also to "account reconnect". That asks
     for w_member_social_feed, or, for an organization, for w_organization_social_feed
     and r_organization_social_feed. In the same way, "--set analytics=approved" asks for
     the permission to read the numbers of posts: r_member_postAnalytics, or
     rw_organization_admin for an organization.

     If the browser runs on another machine, its last page does not load: copy its
     address and paste it. For a port other than 21847 add --login-port.

The token ends after 60 days, and schedctl announces that 14, 3 and 1 days before.
Create a new one, and then use "schedctl account reconnect ACCOUNT"; with --login,
that command creates it. After the end, schedctl holds the posts until you do.

To have schedctl ask LinkedIn when a pasted token ends, give client_id and
client_secret from the tab "Auth" of the app as well. For another account of the
same app, add "--app-of ACCOUNT" instead.

A post has at most 3000 characters, and 20 pictures, one video or one PDF. LinkedIn has
no threads: the further parts and the first comment are comments on the post, with at
most 1250 characters and without files.

If the outcome of a request is unknown, schedctl reads the posts of an organization and
compares their text. LinkedIn lets no app read the posts of a person, so you have to
look, and use "schedctl post retry --force" if the post is missing.

LinkedIn ends each version of its API after about a year. schedctl steps to the next
one. To try another version first: schedctl account edit ACCOUNT --set api_version=202610`}
}
