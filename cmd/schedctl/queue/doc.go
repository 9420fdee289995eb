// Package queue holds the commands about queues: the weekly timetables whose slots posts
// take.
package queue
