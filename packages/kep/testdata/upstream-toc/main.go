// Asks mdtoc, which makes the tables of contents of kubernetes/enhancements, about documents: reads a JSON list of texts from stdin, and
// writes a JSON list with the table of each; null where it fails.
package main

import (
	"encoding/json"
	"os"
	"time"

	"sigs.k8s.io/mdtoc/pkg/mdtoc"
)

func main() {
	var texts []string
	if err := json.NewDecoder(os.Stdin).Decode(&texts); err != nil {
		panic(err)
	}
	tables := []*string{}
	for _, text := range texts {
		tables = append(tables, tableOf(text))
	}
	if err := json.NewEncoder(os.Stdout).Encode(tables); err != nil {
		panic(err)
	}
}

// The reader of mdtoc panics on some texts, and never ends on others.
func tableOf(text string) *string {
	answer := make(chan *string, 1)
	go func() {
		defer func() {
			if recover() != nil {
				answer <- nil
			}
		}()
		found, err := mdtoc.GenerateTOC([]byte(text), mdtoc.Options{MaxDepth: 5})
		if err != nil {
			answer <- nil
			return
		}
		answer <- &found
	}()
	select {
	case table := <-answer:
		return table
	case <-time.After(2 * time.Second):
		return nil
	}
}
