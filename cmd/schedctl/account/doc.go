// Package account holds the commands that connect accounts of networks and show
// them, and finds accounts by id or name for other commands.
package account
