// Package printable keeps text from outside from controlling a terminal.
//
// [Clean] replaces everything in a text that a terminal would obey. A program that styles
// its output uses [Paint], or [Own] for text that a library styled, and sends everything
// through [Finish] last. Finish keeps these styles and replaces all other control
// characters, so no text has to be cleaned before it is laid out or styled.
//
// [Reveal] shows people the characters of a text that do not show.
//
// The styles of the program are recognized by a random mark, which each process draws
// once. Text from outside cannot contain it.
package printable
