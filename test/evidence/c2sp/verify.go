// Checks checkpoints and consistency proofs with the packages of the Go project by which `go` itself checks sum.golang.org:
// golang.org/x/mod/sumdb/note and tlog. Nothing here knows the service. Input and use: check-c2sp.ts.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type proof struct {
	Name          string
	Older, Newer  string
	Consistency   []tlog.Hash
	IsToBeRefused bool
}

type input struct {
	Key    string
	Proofs []proof
}

// open returns the tree that a checkpoint signs: https://c2sp.org/tlog-checkpoint
func open(text string, verifier note.Verifier) (tlog.Tree, error) {
	opened, err := note.Open([]byte(text), note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, err
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || lines[0] != verifier.Name() || lines[3] != "" {
		return tlog.Tree{}, fmt.Errorf("not a checkpoint of %s", verifier.Name())
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, err
	}
	root, err := tlog.ParseHash(lines[2])
	return tlog.Tree{N: size, Hash: root}, err
}

func check(one proof, verifier note.Verifier) error {
	older, err := open(one.Older, verifier)
	if err != nil {
		return err
	}
	newer, err := open(one.Newer, verifier)
	if err != nil {
		return err
	}
	return tlog.CheckTree(one.Consistency, newer.N, newer.Hash, older.N, older.Hash)
}

func main() {
	var given input
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		panic(err)
	}
	verifier, err := note.NewVerifier(given.Key)
	if err != nil {
		panic(err)
	}
	accepted, refused := 0, 0
	for _, one := range given.Proofs {
		err := check(one, verifier)
		if (err != nil) != one.IsToBeRefused {
			fmt.Printf("%s: %v\n", one.Name, err)
			os.Exit(1)
		}
		if err == nil {
			accepted++
		} else {
			refused++
		}
	}
	fmt.Printf("golang.org/x/mod/sumdb accepts %d proofs and refuses %d forged ones\n", accepted, refused)
}
