package server

import (
	"fmt"
	"net"
	"net/url"
	"strings"
)

// DefaultHost is where an Ollama server listens when nothing else is said.
const DefaultHost = "127.0.0.1:11434"

// ParseHost reads the value of OLLAMA_HOST as Ollama does: the scheme, the host and the port may each be left out. An
// address to listen on (0.0.0.0, ::) becomes the loopback address, since that is how a client reaches it.
func ParseHost(value string) (*url.URL, error) {
	value = strings.Trim(strings.TrimSpace(value), `"'`)
	scheme, port := "http", "11434"
	if before, after, ok := strings.Cut(value, "://"); ok {
		scheme, value = before, after
		switch scheme {
		case "http":
			port = "80"
		case "https":
			port = "443"
		default:
			return nil, fmt.Errorf("server: OLLAMA_HOST has scheme %q, want http or https", scheme)
		}
	}
	value, path, _ := strings.Cut(value, "/")
	host := value
	if h, p, err := net.SplitHostPort(value); err == nil {
		host = h
		if p != "" {
			port = p
		}
	}
	if n, err := net.LookupPort("tcp", port); err != nil || n == 0 {
		return nil, fmt.Errorf("server: OLLAMA_HOST has port %q, want a number from 1 to 65535", port)
	}
	host = strings.Trim(host, "[]")
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	u := &url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port)}
	if path = strings.Trim(path, "/"); path != "" {
		u.Path = "/" + path
	}
	return u, nil
}

// isLocal reports whether u points at this machine, so that starting a server here stands for the same thing.
func isLocal(u *url.URL) bool {
	host := u.Hostname()
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// freePort asks the system for a port that nothing listens on. Another process may take it before it is used: the
// caller tries again then.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("server: looking for a free port: %w", err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		return "", fmt.Errorf("server: looking for a free port: %w", err)
	}
	return addr, nil
}
