// Package apiv1test has one post and one series with every field that a client can set,
// for tests that follow all fields through a surface: a command, a file format, a
// request, a screen. Each text is distinctive, so that a test finds the field by it.
package apiv1test
