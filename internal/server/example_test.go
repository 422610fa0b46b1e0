package server_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"almanac/internal/server"
)

// A command asks for a server and a model, and reports what is missing by the command that brings it.
func Example() {
	fake := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/version" {
			fmt.Fprint(w, `{"version":"0.17.4"}`)
			return
		}
		fmt.Fprint(w, `{"models":[]}`)
	}))
	defer fake.Close()

	ctx := context.Background()
	s, err := server.Ensure(ctx, &server.Options{Host: fake.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	_, err = s.Resolve(ctx, "qwen2.5-coder:0.5b")
	var missing *server.MissingError
	if errors.As(err, &missing) {
		fmt.Println(missing.Kind, "- run:", missing.Fix())
	}
	// Output: model not on the server - run: make model MODEL=qwen2.5-coder:0.5b
}
