// Package notify sends messages about failures and reviews to people: through a connected
// account of a chat platform, or by e-mail.
//
// It sends one message and remembers nothing. Package webhook decides when a
// message is sent and which events it is about.
package notify
