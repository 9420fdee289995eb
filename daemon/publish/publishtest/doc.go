// Package publishtest tests publishers and the code that calls them.
//
// [Run] is the conformance suite that each publisher must pass. It plays every kind
// of response, breaks connections, and checks that the publisher reports the right
// outcome. [MediaSuite] adds tests for publishers that send files. [Fake] is an in-memory network for tests of code that calls publishers.
// [StartSnac] starts a real server of the Mastodon API, [StartPDS] one of Bluesky,
// [StartRelay] a Nostr relay, and [StartWordPress] a site with WordPress.
package publishtest
