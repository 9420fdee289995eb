// Package cli holds what all commands share: the run and its exit codes, output,
// filters, prompts, the connection to the daemon, contexts and help.
//
// # Streams
//
// The result of a command is everything that is written to standard output.
// Messages, progress, questions and errors go to standard error. On a terminal,
// results are aligned and colored. Elsewhere they are tab-separated, without a
// header, and commands never prompt.
//
// # Commands
//
// A command has a file named after its verb, with a struct of its options, a
// constructor that describes it, and a run method. It prints through the methods
// of [App] and returns an error. [Run] turns errors into exit codes.
package cli
