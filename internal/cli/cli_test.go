package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain builds the program once and puts it on the path: scripts and the documentation run it as users do. It is
// built without the race detector, whose start alone would take most of the scripts' time; what the commands do at the
// same time is tested with it in the packages that do it.
func TestMain(m *testing.M) { os.Exit(withProgram(m)) }

func withProgram(m *testing.M) int {
	dir, err := os.MkdirTemp("", "almanac-cli-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	build := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "almanac/cmd/almanac")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the program: %v\n%s", err, out)
		return 1
	}
	if err := os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// params are those of every script: no server, no configuration of the user's, and a few commands of our own.
func params(dir string) testscript.Params {
	return testscript.Params{
		Dir: dir,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_DATA_HOME", filepath.Join(e.WorkDir, ".data"))
			e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, ".cache"))
			e.Setenv("OLLAMA_HOST", "127.0.0.1:9") // nothing listens there
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"almanac": almanac, "exits": exits, "isjson": isJSON, "killed": killed, "interrupted": interrupted,
		},
	}
}

func TestScripts(t *testing.T) { testscript.Run(t, params("testdata/script")) }

// almanac COMMAND… runs almanac and wants it to succeed.
func almanac(ts *testscript.TestScript, neg bool, args []string) {
	if err := ts.Exec("almanac", args...); (err != nil) != neg {
		ts.Fatalf("almanac %v: %v", args, err)
	}
}

// exits CODE COMMAND… runs almanac and wants this exit code. Its output can be looked at by the script's own stdout
// and stderr commands only through files: out and err in the work folder.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	cmd := command(ts, args[1:])
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // the exit code is looked at
	ts.Check(os.WriteFile(ts.MkAbs("out"), out.Bytes(), 0o644))
	ts.Check(os.WriteFile(ts.MkAbs("err"), errs.Bytes(), 0o644))
	if got := cmd.ProcessState.ExitCode(); got != want || neg {
		ts.Fatalf("exit code %d, want %d\n%s%s", got, want, out.Bytes(), errs.Bytes())
	}
}

func command(ts *testscript.TestScript, args []string) *exec.Cmd {
	path, err := exec.LookPath("almanac")
	ts.Check(err)
	cmd := exec.Command(path, args...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"HOME", "PATH", "XDG_DATA_HOME", "XDG_CACHE_HOME", "OLLAMA_HOST", "TMPDIR", "ALMANAC_MODEL"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	return cmd
}

// isjson FILE wants exactly one JSON document with something in it.
func isJSON(ts *testscript.TestScript, neg bool, args []string) {
	dec := json.NewDecoder(bytes.NewReader([]byte(ts.ReadFile(args[0]))))
	var v any
	err := dec.Decode(&v)
	if ok := err == nil && v != nil && !dec.More(); ok == neg {
		ts.Fatalf("%s: one JSON document is %v (%v)", args[0], ok, err)
	}
}

// killed N LOG COMMAND… starts almanac and kills it, with no chance to save anything, once its log has the ends of N
// episodes.
func killed(ts *testscript.TestScript, _ bool, args []string) {
	cmd := begun(ts, args)
	ts.Check(cmd.Process.Kill())
	if err := cmd.Wait(); err == nil {
		ts.Fatalf("it was done before it could be killed")
	}
}

// interrupted is killed with an interrupt from the keyboard: almanac saves what is finished and says so by its exit code.
func interrupted(ts *testscript.TestScript, _ bool, args []string) {
	cmd := begun(ts, args)
	ts.Check(cmd.Process.Signal(os.Interrupt))
	_ = cmd.Wait() // the exit code is looked at
	if got := cmd.ProcessState.ExitCode(); got != 130 {
		ts.Fatalf("exit code %d, want 130", got)
	}
	ts.Check(os.WriteFile(ts.MkAbs("err"), cmd.Stderr.(*bytes.Buffer).Bytes(), 0o644))
}

// begun starts almanac and waits until its log has the ends of so many episodes.
func begun(ts *testscript.TestScript, args []string) *exec.Cmd {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	cmd := command(ts, args[2:])
	errs := &bytes.Buffer{}
	cmd.Stderr = errs
	ts.Check(cmd.Start())
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for {
		select {
		case <-tick.C:
		case <-deadline:
			_ = cmd.Process.Kill()
			ts.Fatalf("the log never had the ends of %d episodes", want)
		}
		data, err := os.ReadFile(ts.MkAbs(args[1]))
		if err == nil && bytes.Count(data, []byte(`"type":"episode_end"`)) >= want {
			return cmd
		}
	}
}
