package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// exampleDaemon returns the URL of a daemon that publishes a post while a client
// waits for it.
func exampleDaemon() (url string, stop func()) {
	post := func(status string, version int) string {
		return fmt.Sprintf(`{"id":"post_1","content":"Hello","status":%q,"version":%d}`, status, version)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/posts", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusCreated)
		io.WriteString(w, `{"post":`+post("publishing", 1)+`}`)
	})
	mux.HandleFunc("POST /api/v1/media", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusCreated)
		io.WriteString(w, `{"media_asset":{"id":"med_1","file_name":"cat.png","alt_text":"A cat on a chair","status":"ready"}}`)
	})
	mux.HandleFunc("GET /api/v1/posts/{id}", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == `"2"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		io.WriteString(w, `{"post":`+post("published", 2)+`}`)
	})
	mux.HandleFunc("GET /api/v1/posts", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("cursor") == "" {
			io.WriteString(w, `{"results":[`+post("scheduled", 1)+`],"count":1,"next_cursor":"next"}`)
			return
		}
		io.WriteString(w, `{"results":[{"id":"post_2","content":"Later","status":"scheduled"}],"count":1,"next_cursor":null}`)
	})
	mux.HandleFunc("GET /api/v1/events", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i, typ := range []schedctl.EventType{schedctl.EventPostPublished, schedctl.EventPostCompleted} {
			fmt.Fprintf(w, "id: evt_%d\nevent: %s\ndata: {\"id\":\"evt_%d\",\"type\":%q,\"data\":{\"post_id\":\"post_1\"}}\n\n", i+1, typ, i+1, typ)
		}
	})
	server := httptest.NewServer(mux)
	return server.URL, server.Close
}

// Create a post that is published now, and wait until the daemon has finished it.
func Example() {
	url, stop := exampleDaemon()
	defer stop()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	c, err := client.New(client.Config{URL: url, Key: "schedctl_live_..."})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	post, err := c.CreatePost(ctx, apiv1.CreatePost{
		Content: "Hello", SocialAccountIDs: []string{"acct_1"},
		PublishAt: apiv1.Now(), // or apiv1.At(time.Now().Add(2 * time.Hour))
	})
	if err != nil {
		log.Fatal(err)
	}
	for post.Status == schedctl.Scheduled || post.Status == schedctl.Publishing {
		newer, err := c.PostIfChanged(ctx, post.ID, post.Version)
		switch {
		case errors.Is(err, client.ErrNotModified):
			time.Sleep(time.Second)
		case err != nil:
			log.Fatal(err)
		default:
			post = newer
		}
	}
	fmt.Println(post.Content, "is", post.Status)
	// Output: Hello is published
}

// List all scheduled posts. The iterator reads the pages.
func ExampleClient_EachPost() {
	url, stop := exampleDaemon()
	defer stop()
	c, err := client.New(client.Config{URL: url})
	if err != nil {
		log.Fatal(err)
	}
	for post, err := range c.EachPost(context.Background(), client.PostQuery{Statuses: []schedctl.Status{schedctl.Scheduled}, Limit: 100}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(post.ID, post.Content)
	}
	// Output:
	// post_1 Hello
	// post_2 Later
}

// Watch what happens, until a post is completed.
func ExampleClient_Events() {
	url, stop := exampleDaemon()
	defer stop()
	c, err := client.New(client.Config{URL: url})
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range c.Events(context.Background(), "") {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(event.Type, event.Data.PostID)
		if event.Type == schedctl.EventPostCompleted {
			break
		}
	}
	// Output:
	// post.published post_1
	// post.completed post_1
}

// Read a post only if it has changed.
func ExampleClient_PostIfChanged() {
	url, stop := exampleDaemon()
	defer stop()
	c, err := client.New(client.Config{URL: url})
	if err != nil {
		log.Fatal(err)
	}
	post, err := c.Post(context.Background(), "post_1")
	if err != nil {
		log.Fatal(err)
	}
	_, err = c.PostIfChanged(context.Background(), post.ID, post.Version)
	fmt.Println(errors.Is(err, client.ErrNotModified))
	// Output: true
}

// Upload a picture, and publish a post with it. A program that uploads a file returns
// [os.Open] from Open.
func ExampleClient_UploadMedia() {
	url, stop := exampleDaemon()
	defer stop()
	c, err := client.New(client.Config{URL: url, Key: "schedctl_live_..."})
	if err != nil {
		log.Fatal(err)
	}
	picture := "the bytes of a PNG file"
	const alt = "A cat on a chair"
	uploaded, err := c.UploadMedia(context.Background(), client.UploadFile{
		Name: "cat.png", Size: int64(len(picture)), AltText: alt,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(picture)), nil },
	})
	if err != nil {
		log.Fatal(err)
	}
	id := uploaded.MediaAsset.ID
	fmt.Println(id, uploaded.Existing)
	post, err := c.CreatePost(context.Background(), apiv1.CreatePost{
		Content: "Hello", Media: []apiv1.PostMedia{{ID: id, AltText: new(alt)}}, SocialAccountIDs: []string{"acct_1"}, PublishAt: apiv1.Now(),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(post.ID)
	// Output:
	// med_1 false
	// post_1
}

// Receive events at a webhook, and refuse what the daemon did not sign.
func ExampleVerifyWebhook() {
	receive := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		event, err := client.VerifyWebhook(webhookSecret, r.Header, body, time.Now())
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		fmt.Println(event.Type, event.Data.PostID)
		w.WriteHeader(http.StatusNoContent)
	}

	const body = `{"id":"evt_1","type":"post.published","data":{"post_id":"post_1"}}`
	for _, sent := range []string{body, strings.Replace(body, "post_1", "post_2", 1)} {
		r := httptest.NewRequest(http.MethodPost, "/hook", strings.NewReader(sent))
		r.Header = signed("evt_1", time.Now(), body)
		w := httptest.NewRecorder()
		receive(w, r)
		fmt.Println(w.Code)
	}
	// Output:
	// post.published post_1
	// 204
	// 401
}
