package earthbench_test

import (
	"fmt"
	"log"
	"os"

	"almanac/eval/earthbench"
)

func ExampleParity() {
	gold, err := earthbench.ReadGold(earthbench.Embedded(), "earthbench")
	if err != nil {
		log.Fatal(err)
	}
	const dir = "data/runs/Kimik2_IF"
	run, err := earthbench.ReadRun(os.DirFS(dir), dir, gold)
	if err != nil {
		log.Fatal(err)
	}
	means := earthbench.Parity(gold, run).Means.Published
	fmt.Printf("%.4f of the gold tools, %.4f of the answers right\n", *means.AnyOrder, *means.Correct)
	// Output: 0.8062 of the gold tools, 0.6271 of the answers right
}
