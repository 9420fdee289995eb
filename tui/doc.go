// Package tui is the queue browser: a terminal program that shows scheduled,
// published and failed posts and lets the user change them.
//
// Commands call [Run]. [New] returns only the model, for tests.
//
//	unsaved, err := tui.Run(ctx, tui.Config{Client: c, Zone: time.Local, Now: time.Now})
//
// # Design
//
// There is one [tea.Model]. Update does no I/O: work that needs the daemon is a
// command that ends in a message. View is a pure function of state, size and theme.
// It is composed of functions that return lines, so every view can be compared with
// a golden file.
//
// The daemon is reached only through [Client]. Lists consist of pages. Pages far
// from the selection are dropped and read again when needed, so memory use does not
// grow with the number of posts.
//
// Slots of queues are read only while a view shows them, and again after events about
// posts. The daemon decides which slot a post gets; the browser reports if it is another
// one than the selected one.
//
// A change is shown immediately and reverted with the daemon's message if it is
// refused. Each change carries the version that the user has seen.
package tui
