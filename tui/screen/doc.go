// Package screen is what the screens and dialogs of the terminal UI share: the theme and
// text that fits into columns, the keys, the client, the building blocks of dialogs, and
// the [Frame] in which they are shown.
//
// A dialog implements [Dialog] in a package of its own and is shown with Frame.Open. It
// reads time, zone, theme, keys and the names of accounts from Frame.Current, calls the
// daemon in the commands of Frame.Call, and gets their messages from the frame.
package screen
