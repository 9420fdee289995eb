package wordpress

import "github.com/schedctl/schedctl/daemon/publish"

// Guide implements [publish.Guided].
func (p *Publisher) Guide() publish.Guide {
	return publish.Guide{Account: "a site with WordPress", Text: `Connect a site with WordPress 5.6 or later. You need a user with the role Author,
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
contains a key that only this post has.`}
}
