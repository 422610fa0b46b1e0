package server

import (
	"os"
	"syscall"
)

// processAttributes keep the terminal's Ctrl-C away from the server, so that the reply being written can be finished,
// and have the kernel end it when this process is killed.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

func terminate(p *os.Process) { _ = p.Signal(syscall.SIGTERM) }
