// Package publishtest tests publishers and what calls them.
//
// [Run] is the conformance suite that each publisher passes: it plays every
// answer that a network can give, breaks calls off where they can be broken,
// and checks that the publisher tells the truth about what became of the post.
// [Fake] is a network in memory for tests of the code that calls publishers.
// [StartSnac] starts a real server of the Mastodon API, [StartPDS] one of Bluesky.
package publishtest
