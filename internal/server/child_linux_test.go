package server

import (
	"bufio"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// A run that is killed outright must not leave a server with a loaded model behind.
func TestKilledParentLeavesNoServer(t *testing.T) {
	o := fakeOptions(t, "parent")
	parent := exec.Command(o.Binary)
	parent.Env = append(os.Environ(), "ALMANAC_CACHE="+o.Cache)
	parent.Stderr = os.Stderr
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.DialTimeout("tcp", strings.TrimSpace(line), 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	// The read ends when the server does, and not before: nothing was asked.
	if _, err := conn.Read(make([]byte, 1)); err == nil || os.IsTimeout(err) {
		t.Errorf("the server outlived its parent: %v", err)
	} else if err != io.EOF && !strings.Contains(err.Error(), "reset") {
		t.Errorf("the connection ended by %v", err)
	}
}
