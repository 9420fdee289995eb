package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

func TestLoadSendsEachRequestOnce(t *testing.T) {
	var seen [50]atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		var i int
		if _, err := fmt.Sscanf(string(body), "number %d", &i); err != nil {
			t.Errorf("%q: %v", body, err)
		}
		seen[i].Add(1)
		fmt.Fprintf(w, "response %d", i)
	}))
	defer srv.Close()
	s := server{strings.TrimPrefix(srv.URL, "http://"), "key"}
	took, err := runLoad(t.Context(), s, load{
		connections: 4, count: len(seen),
		request: func(i int) []byte { return s.post("/posts", "key", fmt.Sprintf("number %d", i)) },
		checkBody: func(i int, body []byte) error {
			if want := fmt.Sprintf("response %d", i); string(body) != want {
				return fmt.Errorf("%q, want %q", body, want)
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range seen {
		if n := seen[i].Load(); n != 1 || took[i] <= 0 {
			t.Errorf("request %d arrived %d times and took %s", i, n, took[i])
		}
	}
}

func TestLoadEndsWithTheFirstError(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "not today", http.StatusServiceUnavailable)
	}))
	defer srv.Close()
	s := server{strings.TrimPrefix(srv.URL, "http://"), "key"}
	_, err := runLoad(t.Context(), s, load{connections: 2, count: 10, request: func(int) []byte { return s.get("/posts") }})
	if err == nil || !strings.Contains(err.Error(), "503: not today") {
		t.Errorf("error %v", err)
	}
}
