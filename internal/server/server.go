package server

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/ollama/ollama/api"
)

// Options change where a server is looked for. The zero value is what a person expects.
type Options struct {
	// Host overrides OLLAMA_HOST.
	Host string
	// Cache overrides [CacheDir].
	Cache string
	// Models is the model folder of a server that is started here. Default: OLLAMA_MODELS, else "models" in the cache.
	Models string
	// Binary is the program to start, instead of the one on PATH or in the cache.
	Binary string
	// StartTimeout bounds the wait for a started server to answer. Default: 30 s.
	StartTimeout time.Duration
	// NoStart makes [Ensure] the same as [Find].
	NoStart bool
	// Prune lets a server that is started here remove files that no model uses from its model folder, as Ollama does
	// by itself. Only a caller that keeps others from importing at the same time may ask for it: what is being
	// imported is not used yet.
	Prune bool
}

// Server is an Ollama server that answers.
type Server struct {
	// URL is its address.
	URL *url.URL
	// Version is what /api/version says.
	Version string
	// Started tells whether this process started it, and so will stop it.
	Started bool
	// Binary is the program that was started; empty for a server that was found running.
	Binary string
	// Origin says in a line how it was chosen.
	Origin string

	client *api.Client
	child  *child
}

// Client returns the API client of the server. It has no time-out of its own: bound each call by its context.
func (s *Server) Client() *api.Client { return s.client }

// Host returns the address in the form of OLLAMA_HOST.
func (s *Server) Host() string { return s.URL.Host }

// Close stops a server that was started here and waits for its end; it leaves any other alone. It may be called more
// than once.
func (s *Server) Close() error {
	if s.child == nil {
		return nil
	}
	return s.child.stop()
}

// Slots is the number of requests that the server answers at the same time, 0 where that is not known: no server tells.
// OLLAMA_NUM_PARALLEL says it, and one that was started here without it has a single slot.
func (s *Server) Slots() int {
	if n, err := strconv.Atoi(os.Getenv("OLLAMA_NUM_PARALLEL")); err == nil && n > 0 {
		return n
	}
	if s.Started {
		return 1
	}
	return 0
}

// Find returns the running server: OLLAMA_HOST, or 127.0.0.1:11434. Where none answers the error is a [MissingError]
// of kind [ErrNoServer].
func Find(ctx context.Context, o *Options) (*Server, error) {
	o = o.orDefault()
	asked, named := o.host()
	u, err := ParseHost(asked)
	if err != nil {
		return nil, err
	}
	s, err := answering(ctx, u)
	if err != nil {
		return nil, &MissingError{
			What: u.Host, Kind: ErrNoServer, Command: "make model",
			Tried: []string{fmt.Sprintf("%s does not answer: %v", named, err)},
		}
	}
	s.Origin = fmt.Sprintf("running server at %s (%s), version %s", u.Host, named, s.Version)
	return s, nil
}

// Ensure returns the running server, or starts one in the order of the package comment. The caller closes it.
func Ensure(ctx context.Context, o *Options) (*Server, error) {
	o = o.orDefault()
	s, err := Find(ctx, o)
	if err == nil || o.NoStart || ctx.Err() != nil {
		return s, err
	}
	asked, _ := o.host()
	u, parseErr := ParseHost(asked)
	if parseErr != nil {
		return nil, parseErr
	}
	if !isLocal(u) {
		return nil, &MissingError{
			What: u.Host, Kind: ErrNoServer, Tried: []string{"it is not on this machine, so none is started in its place"},
			Command: "unset OLLAMA_HOST, or start the server there",
		}
	}
	return o.start(ctx)
}

// start runs the first binary there is.
func (o *Options) start(ctx context.Context) (*Server, error) {
	cache, err := o.cache()
	if err != nil {
		return nil, err
	}
	binary, tried := o.binary(cache)
	if binary == "" {
		asked, _ := o.host()
		return nil, &MissingError{
			What: asked + " does not answer", Kind: ErrNoServer, Tried: tried, Command: "make model",
		}
	}
	models := o.Models
	if models == "" {
		models = os.Getenv("OLLAMA_MODELS")
	}
	if models == "" {
		models = filepath.Join(cache, "models")
	}
	return startServer(ctx, launch{
		binary: binary, cache: cache, models: models, timeout: o.StartTimeout, prune: o.Prune,
	})
}

// binary returns the program to start, and where it was looked for when there is none.
func (o *Options) binary(cache string) (string, []string) {
	if o.Binary != "" {
		return o.Binary, nil
	}
	if path, err := exec.LookPath("ollama"); err == nil {
		return path, nil
	}
	built := BuiltBinary(cache)
	if info, err := os.Stat(built); err == nil && info.Mode().IsRegular() {
		return built, nil
	}
	return "", []string{"no ollama on PATH", "no build at " + built}
}

func (o *Options) orDefault() *Options {
	if o == nil {
		o = &Options{}
	}
	c := *o
	if c.StartTimeout <= 0 {
		c.StartTimeout = 30 * time.Second
	}
	return &c
}

func (o *Options) cache() (string, error) {
	if o.Cache != "" {
		return o.Cache, nil
	}
	return CacheDir()
}

// host returns the address that was asked for, and what to call it.
func (o *Options) host() (value, name string) {
	if o.Host != "" {
		return o.Host, "the host that was given"
	}
	if v := os.Getenv("OLLAMA_HOST"); v != "" {
		return v, "OLLAMA_HOST"
	}
	return DefaultHost, "the default address"
}

// answering asks u for its version, for at most two seconds.
func answering(ctx context.Context, u *url.URL) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	client := api.NewClient(u, &http.Client{})
	version, err := client.Version(ctx)
	if err != nil {
		return nil, err
	}
	if version == "" {
		return nil, fmt.Errorf("something answers at %s that is not an Ollama server", u.Host)
	}
	return &Server{URL: u, Version: version, client: client}, nil
}
