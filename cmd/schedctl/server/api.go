package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type apiCall struct {
	*cli.App
	file, idempotencyKey string
}

// apiMethods has the methods of the API, and whether requests with them have a body.
var apiMethods = map[string]bool{"GET": false, "HEAD": false, "POST": true, "PUT": true, "PATCH": true, "DELETE": false}

func NewAPI(a *cli.App) *cobra.Command {
	o := &apiCall{App: a}
	cmd := cli.DeclareJSONDocument(&cobra.Command{
		Use:   "api METHOD PATH",
		Short: "Send a request to the API",
		Long: `Send a request to the API and print the response unchanged; on a terminal, JSON is
indented. /posts and /api/v1/posts are the same path. Paths outside the API, such as
/readyz, /metrics and /openapi.json, work too.

The exit status is the same as for other commands. The body of an error response is
printed as well. Requests that change something carry an idempotency key.`,
		Example: `  schedctl api GET /posts
  schedctl api GET "/posts?status=failed&limit=5" --jq '.results[].id'
  echo '{"content":"Hello"}' | schedctl api POST /posts -F -
  schedctl api GET /openapi.json > openapi.json`,
		Args:              cli.Args(2, 2, "a method and a path"),
		ValidArgsFunction: completeMethod,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), strings.ToUpper(args[0]), args[1])
		},
	})
	cmd.Flags().StringVarP(&o.file, "file", "F", "", "`file` that holds the body, - for standard input")
	cmd.Flags().StringVar(&o.idempotencyKey, "idempotency-key", "", "the idempotency `key` of the request (see: schedctl help idempotency)")
	return cmd
}

func (o *apiCall) run(ctx context.Context, method, path string) error {
	takesBody, known := apiMethods[method]
	switch {
	case !known:
		return cli.UnknownValueError("method", method, apiMethodNames())
	case o.file != "" && !takesBody:
		return cli.UsageError("%s has no body, and --file is given", method)
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	body, err := o.readBody(ctx)
	if err != nil {
		return err
	}
	var options []client.Option
	if o.idempotencyKey != "" {
		options = append(options, client.IdempotencyKey(o.idempotencyKey))
	}
	answer, failed := c.Raw(ctx, method, path, body, options...)
	if errors.Is(failed, client.ErrPath) {
		return cli.UsageError("%v", failed)
	}
	if err := o.printAnswer(answer, failed); err != nil {
		return err
	}
	return failed
}

// maxBody is more than the API accepts, so that the daemon reports its limit.
const maxBody = 8 << 20

func (o *apiCall) readBody(ctx context.Context) ([]byte, error) {
	source := o.In
	switch o.file {
	case "":
		return nil, nil
	case "-":
		if err := o.MayType(); err != nil {
			return nil, err
		}
	default:
		file, err := os.Open(o.file)
		if err != nil {
			return nil, fmt.Errorf("read the body: %w", err)
		}
		defer file.Close()
		source = file
	}
	body, err := cli.ReadInterruptibly(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(source, maxBody)) })
	if err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}
	if body == nil {
		body = []byte{}
	}
	return body, nil
}

// printAnswer prints a body. With a filter or --json, errors go to standard error
// only, as with every command.
func (o *apiCall) printAnswer(answer client.Response, failed error) error {
	switch {
	case len(answer.Body) == 0 || failed != nil && o.JSON.Given:
		return nil
	case o.Filter != nil:
		return o.PrintDocument(answer.Body)
	case !o.OutTerminal:
		_, err := o.Out().Write(answer.Body)
		return err
	}
	return o.WriteList(append(o.ForReader(bytes.TrimSpace(answer.Body)), '\n'))
}

func apiMethodNames() []string {
	return slices.Sorted(maps.Keys(apiMethods))
}

func completeMethod(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return apiMethodNames(), cobra.ShellCompDirectiveNoFileComp
}
