package main

// shownPost is a post as its network shows it. Ids are unique within a channel.
type shownPost struct {
	channel      string // where a fake shows it; empty for real servers
	id, text     string
	parent, root string // the posts to which it replies, as far as the network shows them; empty for none
	files        []shownFile
	poll         []string // the options; nil without a poll
}

// shownFile is a file of a post, as the network shows it.
type shownFile struct {
	sha256 string // hexadecimal
	alt    string // empty on a network without alt texts
}
