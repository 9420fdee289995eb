package facebook

import "github.com/schedctl/schedctl/daemon/publish"

// notice is what can keep a Page from posting although the token is right.
const notice = `Facebook can demand two-factor authentication of the people who manage a Page, and for
some Pages a "Page publishing authorization". Until they have both, it refuses the posts.`

// Guide implements [publish.Guided].
func (p *Publisher) Guide() publish.Guide {
	return publish.Guide{Account: "a Page on Facebook", Notice: notice, Text: `Connect a Page on Facebook through a developer app of your own. It costs nothing, and
your app needs no review, because it publishes only to Pages that you manage. Facebook
lets no app publish to the profile of a person.

` + notice + `

  1. Open https://developers.facebook.com/apps and click "Create app". Enter a name,
     and choose the use case "Manage everything on your Page".
  2. In the app, open "Use cases", "Customize", and add the permissions
     pages_manage_posts, pages_read_engagement and pages_show_list, and read_insights
     for the views and clicks of posts.
  3. Open "App settings", "Basic", add a privacy policy URL, and publish the app. Other
     people do not see the posts of an app in development mode.
  4. Open https://developers.facebook.com/tools/explorer, choose the app, then "Get User
     Access Token", and tick the permissions. Click "Generate Access Token", and
     select the Page when Facebook asks for it. This token is valid for an hour or two.
  5. Click the "i" next to the token, "Open in Access Token Tool", and at the bottom
     "Extend Access Token". Copy the new token.
  6. Find the number of the Page: on the Page, "About", "Page transparency".
  7. Connect the account, and paste the token when you are asked for it:

       schedctl account add facebook --set page_id=102030405060708

     In a script: schedctl account add facebook --set page_id=… --secret-file token.txt

schedctl checks the permissions and fetches the token of the Page, which does not end as
long as yours was extended. Facebook ends it when you change your password, lose your
role on the Page or remove the app. schedctl then holds the posts of the account: repeat
the steps from 4, and use "schedctl account reconnect ACCOUNT". If you paste the token of
a Page instead of your own, schedctl uses that one.

If the token does end, "schedctl account list" shows when, and schedctl announces it 14,
3 and 1 days before. It renews the token of the Page if yours ends later.

A post has at most 63206 characters, and 10 pictures or one video. Facebook has no
threads: a comment is something else, so threads and first comments are refused.

Facebook has published posts in spite of an error. If the outcome of a request is
unknown, schedctl reads the posts of the Page and compares their text. If two posts may
be the one, you have to look, and use "schedctl post retry --force" if it is missing.`}
}
