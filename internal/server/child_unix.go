//go:build unix && !linux

package server

import (
	"os"
	"syscall"
)

// processAttributes keep the terminal's Ctrl-C away from the server. A kill -9 of this process leaves the server
// running here: the next run finds its port free or not, and takes another.
func processAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func terminate(p *os.Process) { _ = p.Signal(syscall.SIGTERM) }
