// Package tui is the queue browser: a terminal program that shows what is
// scheduled, what went out and what did not, and lets a person change it.
//
// [Run] is all that a command needs; [New] returns the model alone, for tests.
//
//	unsaved, err := tui.Run(ctx, tui.Config{Client: c, Zone: time.Local, Now: time.Now})
//
// # How it is made
//
// There is one [tea.Model]. Update reads and writes nothing outside of it: what
// needs the daemon is a command that ends in a message. View is a function of
// the state, the size and the theme, made of functions that return lines and
// nothing else, so that every view can be compared with a golden file.
//
// The daemon is reached through [Client] alone. Lists are kept as pages: those
// far from the selection are forgotten and read again when they are needed, so
// that memory does not grow with the number of posts.
//
// A change shows at once and is taken back, with the daemon's words, when it is
// refused. Each carries the version that the person has seen.
package tui
