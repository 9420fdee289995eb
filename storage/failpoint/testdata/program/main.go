// Command program passes a point.
package main

import "github.com/schedctl/schedctl/storage/failpoint"

func main() {
	if err := failpoint.Hit(failpoint.DeliverCalled); err != nil {
		panic(err)
	}
}
