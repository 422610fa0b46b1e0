// Command bench measures what the specification sets limits for, beside other libraries where there are any, all in
// one run, and prints one table. It is a module of its own, so that Almanac itself does not depend on the peers.
//
//	make bench
//
// The figures are measured and never tested: a busy machine must not fail a build.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"testing"
	"time"
)

// row is one line of the table.
type row struct {
	what     string
	measured string
	limit    string
	within   bool   // the limit is kept; true where there is none
	peers    string // what others take for the same work
}

// section measures rows. One that cannot be measured is an error that says what is missing.
type section struct {
	name    string
	measure func(context.Context, config) ([]row, error)
}

type config struct {
	almanac string // the program
	python  string // interpreter with exactextract and rasterstats; "" leaves them out
	root    string // of the project
	// evaluators is the folder of Earth-Agent's evaluators; "" looks beside the project.
	evaluators string
}

var sections = []section{
	{"schedule", scheduleRows}, {"executor", executorRows}, {"search", searchRows}, {"lexical", lexicalRows},
	{"log", logRows}, {"artifacts", artifactRows}, {"zonal", zonalRows}, {"program", programRows}, {"episodes", episodeRows}, {"scale", scaleRows}, {"selection", selectionRows}, {"earthbench", earthbenchRows},
}

func main() {
	testing.Init()
	var c config
	benchtime := flag.String("time", "0.2s", "time for each of the three rounds of a measurement")
	only := flag.String("only", "", "one part: schedule, executor, search, lexical, log, artifacts, zonal, program, episodes, scale, selection, earthbench")
	flag.StringVar(&c.almanac, "almanac", "../bin/almanac", "the program to measure")
	flag.StringVar(&c.python, "python", os.Getenv("ALMANAC_ORACLES"), "Python with exactextract and rasterstats")
	flag.StringVar(&c.root, "root", "..", "folder of the project")
	flag.StringVar(&c.evaluators, "evaluators", "", "folder of Earth-Agent's step_by_step.py and end_to_end.py")
	flag.Parse()
	if err := flag.Set("test.benchtime", *benchtime); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, c, *only))
}

func run(ctx context.Context, c config, only string) int {
	code := 0
	var rows []row
	for _, s := range sections {
		if only != "" && s.name != only {
			continue
		}
		fmt.Fprintf(os.Stderr, "measuring: %s\n", s.name)
		r, err := s.measure(ctx, c)
		if err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", s.name, err)
			code = 1
		}
		rows = append(rows, r...)
	}
	fmt.Printf("%s, %s/%s, %d cores, %s\n\n", time.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	fmt.Print(table(rows))
	return code
}

// table aligns the rows as Markdown.
func table(rows []row) string {
	lines := [][]string{{"what (best of three rounds)", "measured", "limit", "", "peers, same run"}}
	for _, r := range rows {
		kept := ""
		if r.limit != "" {
			kept = "over"
			if r.within {
				kept = "kept"
			}
		}
		lines = append(lines, []string{r.what, r.measured, r.limit, kept, r.peers})
	}
	width := make([]int, len(lines[0]))
	for _, l := range lines {
		for i, cell := range l {
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	var b strings.Builder
	for n, l := range lines {
		for i, cell := range l {
			fmt.Fprintf(&b, "| %s%s ", cell, strings.Repeat(" ", width[i]-len([]rune(cell))))
		}
		b.WriteString("|\n")
		if n == 0 {
			for _, w := range width {
				b.WriteString("|" + strings.Repeat("-", w+2))
			}
			b.WriteString("|\n")
		}
	}
	return b.String()
}

// per is the time of one of n parts of a benchmark's operation.
func per(r testing.BenchmarkResult, n int) time.Duration {
	return time.Duration(float64(r.T.Nanoseconds()) / float64(r.N) / float64(n))
}

// timed makes the row of a duration with its limit.
func timed(what string, took, limit time.Duration, peers string) row {
	r := row{what: what, measured: short(took), within: took <= limit, peers: peers}
	if limit > 0 {
		r.limit = short(limit)
	}
	return r
}

func short(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
	case d >= 10*time.Microsecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	}
	return fmt.Sprintf("%.2f µs", float64(d.Nanoseconds())/1000)
}
