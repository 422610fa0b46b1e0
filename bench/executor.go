package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/compose"
	"golang.org/x/sync/errgroup"

	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/orchestrator/executor"
	"almanac/orchestrator/schedule"
	"almanac/toolkits"
	"almanac/toolkits/artifact"
)

// The graph: ten chains of a hundred steps that do nothing but hand on a number.
const chains, links = 10, 100

type stepIn struct {
	X     float64 `arg:"x" unit:"1" doc:"a number"`
	Chain int     `arg:"chain" doc:"which chain"`
}

type stepOut struct {
	Value float64 `out:"value" unit:"1" doc:"the number and one"`
}

func step(_ context.Context, in stepIn) (stepOut, error) { return stepOut{Value: in.X + 1}, nil }

func chainProgram() string {
	var b strings.Builder
	for c := range chains {
		fmt.Fprintf(&b, "s%d_0 = lab.step(x=1, chain=%d)\n", c, c)
		for l := 1; l < links; l++ {
			fmt.Fprintf(&b, "s%d_%d = lab.step(x=s%d_%d.value, chain=%d)\n", c, l, c, l-1, c)
		}
	}
	fmt.Fprintf(&b, "answer(last=s0_%d.value)\n", links-1)
	return b.String()
}

type nowhere struct{}

func (nowhere) Emit(event.Event) (int64, error) { return 1, nil }

// executorRows measures what the engine adds to a step: binding, keys, memo, events, provenance. "Memo" finds every
// result already made; "stored" makes and stores each. The peers hand on a number and do none of that.
func executorRows(ctx context.Context, _ config) ([]row, error) {
	reg, err := toolkits.NewRegistry(toolkits.New("lab.step", step, toolkits.Doc{Group: "Computation", Purpose: "Add one."}))
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	store, err := artifact.Open(dir, nil)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	program, problems := schedule.Parse(chainProgram())
	if len(problems) > 0 {
		return nil, fmt.Errorf("the program: %v", problems[0])
	}
	newEpisode := func() *episode.Episode {
		return episode.New(episode.Request{Task: "t"}, reg, &toolkits.Env{Store: store}, nowhere{}, episode.Options{ID: "e"})
	}
	once := func(ep *episode.Episode) error {
		res, err := executor.Run(ctx, ep, program, nil, nil)
		if err == nil && (len(res.Failures) > 0 || res.Answer[0].Value != float64(links+1)) {
			err = fmt.Errorf("the run went wrong: %+v", res.Answer)
		}
		return err
	}
	ep := newEpisode()
	before := runtime.NumGoroutine()
	if err := once(ep); err != nil {
		return nil, err
	}
	left := runtime.NumGoroutine() - before
	memo, err := bench(func() error { return once(ep) })
	if err != nil {
		return nil, err
	}
	stored, err := bench(func() error { return once(newEpisode()) })
	if err != nil {
		return nil, err
	}
	peers, err := peerTimes(ctx)
	if err != nil {
		return nil, err
	}
	return []row{
		timed("executor, a step of 1,000, memo", per(memo, chains*links), 50*time.Microsecond, peers),
		timed("executor, a step of 1,000, result stored", per(stored, chains*links), 0, ""),
		{what: "goroutines left over", measured: strconv.Itoa(left), limit: "0", within: left <= 0},
	}, nil
}

// rounds are how often each figure is measured; the best stands, since whatever else runs on the machine only adds.
const rounds = 3

// bench measures f and keeps its first error.
func bench(f func() error) (testing.BenchmarkResult, error) {
	var failed error
	var best testing.BenchmarkResult
	for i := range rounds {
		r := testing.Benchmark(func(b *testing.B) {
			for b.Loop() {
				if err := f(); err != nil && failed == nil {
					failed = err
				}
			}
		})
		if i == 0 || per(r, 1) < per(best, 1) {
			best = r
		}
	}
	return best, failed
}

func peerTimes(ctx context.Context) (string, error) {
	group, err := bench(func() error { return errgroupChains(ctx) })
	if err != nil {
		return "", err
	}
	graph, err := einoChains(ctx)
	if err != nil {
		return "", fmt.Errorf("eino: %w", err)
	}
	eino, err := bench(func() error {
		_, err := graph.Invoke(ctx, 1)
		return err
	})
	return fmt.Sprintf("errgroup %s, eino graph %s", short(per(group, chains*links)), short(per(eino, chains*links))), err
}

// errgroupChains does the work with a goroutine a step, each waiting for the one before it.
func errgroupChains(ctx context.Context) error {
	g, _ := errgroup.WithContext(ctx)
	for range chains {
		before := make(chan float64, 1)
		before <- 1
		for range links {
			in, out := before, make(chan float64, 1)
			g.Go(func() error {
				out <- <-in + 1
				return nil
			})
			before = out
		}
	}
	return g.Wait()
}

func einoChains(ctx context.Context) (compose.Runnable[float64, map[string]any], error) {
	g := compose.NewGraph[float64, map[string]any]()
	for c := range chains {
		last := compose.START
		for l := range links {
			name := fmt.Sprintf("s%d_%d", c, l)
			var opts []compose.GraphAddNodeOpt
			if l == links-1 {
				opts = append(opts, compose.WithOutputKey(name))
			}
			node := compose.InvokableLambda(func(_ context.Context, x float64) (float64, error) { return x + 1, nil })
			if err := g.AddLambdaNode(name, node, opts...); err != nil {
				return nil, err
			}
			if err := g.AddEdge(last, name); err != nil {
				return nil, err
			}
			last = name
		}
		if err := g.AddEdge(last, compose.END); err != nil {
			return nil, err
		}
	}
	return g.Compile(ctx, compose.WithNodeTriggerMode(compose.AllPredecessor))
}
