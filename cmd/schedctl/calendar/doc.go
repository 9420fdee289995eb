// Package calendar holds the command that shows planned posts by day and account.
package calendar
