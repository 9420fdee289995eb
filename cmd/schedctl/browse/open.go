package browse

import (
	"context"
	"fmt"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// openAddress opens an address in the browser.
func openAddress(ctx context.Context, address string) error {
	if err := cli.OpenAddress(ctx, address); err != nil {
		return fmt.Errorf("%w; y copies it", err)
	}
	return nil
}
