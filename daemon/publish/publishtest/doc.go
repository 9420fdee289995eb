// Package publishtest tests publishers and what calls them.
//
// [Fake] is a network in memory for tests of the code that calls publishers.
package publishtest
