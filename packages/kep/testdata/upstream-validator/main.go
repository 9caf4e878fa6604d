// Asks the validators of kubernetes/enhancements about metadata: reads a JSON list of {"kep", "approval"} texts from stdin, and
// writes a JSON list with the errors of each.
package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/sirupsen/logrus"

	"k8s.io/enhancements/api"
	"k8s.io/enhancements/pkg/kepval"
)

type metadata struct {
	Kep      string `json:"kep"`
	Approval string `json:"approval"`
}

var groups = []string{"sig-demo", "sig-node", "committee-security-response"}

func main() {
	logrus.SetOutput(io.Discard)
	var cases []metadata
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	folder, err := os.MkdirTemp("", "approvals")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	if err := os.MkdirAll(filepath.Join(folder, "sig-demo"), 0o755); err != nil {
		panic(err)
	}
	file := filepath.Join(folder, "sig-demo", "42.yaml")
	answers := [][]string{}
	for _, each := range cases {
		if err := os.WriteFile(file, []byte(each.Approval), 0o644); err != nil {
			panic(err)
		}
		answers = append(answers, errorsOf(each.Kep, folder))
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}

func errorsOf(text, approvals string) (found []string) {
	found = []string{}
	defer func() {
		if recover() != nil {
			found = append(found, "panic")
		}
	}()
	proposals := &api.KEPHandler{Groups: groups}
	proposal, err := proposals.Parse(strings.NewReader(text))
	if err != nil {
		return append(found, err.Error())
	}
	for _, err := range proposals.Validate(proposal) {
		found = append(found, err.Error())
	}
	readiness := &api.PRRHandler{PRRApprovers: []string{"prr"}}
	if err := kepval.ValidatePRR(proposal, readiness, approvals); err != nil {
		found = append(found, err.Error())
	}
	return found
}
