package instagram

import "github.com/schedctl/schedctl/daemon/publish"

// Guide implements [publish.Guided].
func (p *Publisher) Guide() publish.Guide {
	return publish.Guide{Account: "an account on Instagram", Text: `Connect an account on Instagram through a developer app of your own. It costs nothing,
and your app needs no review, because it publishes only to your account.

You need a professional account: a business or a creator. Instagram lets no program
publish to a personal one. To switch, open the Instagram app: "Settings and activity",
"Account type and tools", "Switch to professional account".

You also need a daemon that the internet reaches under an https address, because
Instagram fetches pictures and videos from it:

       schedctl daemon run --public-url https://posts.example.org

  1. Open https://developers.facebook.com/apps and click "Create app". Choose the use
     case "Manage messaging & content on Instagram".
  2. In the app, open "Use cases", "Customize", then "API setup with Instagram business
     login". Under "Add required permissions", make sure that
     instagram_business_basic and instagram_business_content_publish are there. All
     numbers of posts need instagram_business_manage_insights as well.
  3. Open "App roles", "Roles", "Add people", "Instagram tester", and enter the name of
     your account. Accept the invitation on https://www.instagram.com: "Settings",
     "Website permissions", "Apps and websites", "Tester invites".
  4. Back on the page of step 2, under "Generate access tokens", click "Add account" and
     log in. Then click "Generate token", and copy the token.
  5. Connect the account, and paste the token when you are asked for it:

       schedctl account add instagram

     In a script: schedctl account add instagram --secret-file token.txt

The token is valid for 60 days. The daemon renews it a week before that. If it cannot,
it says so 14, 3 and 1 days before the end; see "schedctl notify".

A post needs a picture or a video, or 2 to 10 of them. Pictures are JPEG files of at most
8 MB, between 4:5 (upright) and 1.91:1 (wide). A single video becomes a reel. A caption
has at most 2,200 characters, 30 hashtags (Instagram's app allows 5) and 20 tags with @.
An account can publish 100 posts in 24 hours; later posts wait. Instagram has no threads.

If the outcome of a request is unknown, schedctl asks Instagram: each post is staged
before it is published, and the status of the staged post says whether it was.`}
}
