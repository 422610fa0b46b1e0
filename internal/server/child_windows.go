package server

import (
	"os"
	"syscall"
)

// processAttributes keep the console's Ctrl-C away from the server.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminate ends the process: Windows has no signal that asks for it.
func terminate(p *os.Process) { _ = p.Kill() }
