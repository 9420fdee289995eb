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
// # Screens
//
// What people see is in packages of its own below this one: accounts, compose, feed,
// forecast, month, queues, review, share, webhooks and week. They import package screen
// (theme, text, dialogs) and package postlist (lists of posts and changes), and never each
// other or this package. A screen keeps its state to itself. It asks for everything else
// through an interface, its frame, which [Model] implements, and reads the shared state from
// the scene of the frame.
//
// The frame knows screens as [screen.Screen], those with posts as [postlist.Holder], and
// what only some can do by further interfaces of package postlist, such as
// [postlist.Calendar]. Only tab.go names the packages of screens: a new tab is a new package
// and one line there. The frame draws the details of the selected post, and has the marks,
// moved posts and undo, because they act on all screens with posts.
//
// The daemon is reached only through [screen.Client]. Lists consist of pages. Pages far
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
