package importlog_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"almanac/eval/importlog"
	"almanac/scenarios"
)

func ExampleAssign() {
	dir, err := os.MkdirTemp("", "log")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "chats.jsonl")
	chat := `{"messages": [{"role": "user", "content": "Which one?"}, {"role": "assistant", "content": "C"}]}`
	if err := os.WriteFile(path, []byte(chat+"\n"+chat+"\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	records, err := importlog.ReadOpenAI(path)
	if err != nil {
		log.Fatal(err)
	}
	logs, err := importlog.Assign(records, []scenarios.Task{{ID: "which", Question: "Which one?"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(logs[0].Count(), "conversations,", logs[0].Repeats, "repeats")
	// Output: 2 conversations, 2 repeats
}
