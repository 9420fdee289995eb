// Command oapicodegen does what a program does that knows the daemon by its OpenAPI document
// only: with a client that oapi-codegen makes of it, it creates and schedules a post. It
// prints the id of the post.
//
// usage: oapicodegen URL KEY
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, url, key string) error {
	authorize := func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+key)
		return nil
	}
	c, err := NewClientWithResponses(url, WithRequestEditorFn(authorize))
	if err != nil {
		return err
	}
	account, err := c.AddSocialAccountWithResponse(ctx, nil, AddAccount{Platform: "feed", Name: new("go")})
	if err != nil || account.JSON201 == nil {
		return fmt.Errorf("account: %v %s", err, account.Body)
	}
	var at PublishTime
	if err := at.FromPublishTime0(time.Now().UTC().Add(time.Hour)); err != nil {
		return err
	}
	post, err := c.CreatePostWithResponse(ctx, nil, CreatePost{
		Content: new("Written in Go"), SocialAccountIds: &[]string{account.JSON201.SocialAccount.Id}, PublishAt: &at,
	})
	if err != nil || post.JSON201 == nil {
		return fmt.Errorf("post: %v %s", err, post.Body)
	}
	fmt.Println(post.JSON201.Post.Id)
	return nil
}
