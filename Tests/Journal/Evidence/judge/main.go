// Judge looks at evidence with the tools of others: golang.org/x/mod/sumdb/note opens checkpoints, and .../tlog checks
// proofs and tiles. It knows nothing of Carillon but how files are named.
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go build -o judge Tests/Journal/Evidence/judge/main.go
//	judge DIRECTORY
//
// (Debian: golang-go, golang-golang-x-mod-dev.) The directory has
//
//	vkeys.txt                  verifier keys, one in a line: of logs (kind 1) and of witnesses (kind 4)
//	checkpoints/*.txt          signed notes; every line of signature is to be by one of the keys
//	proofs/*.tlog-proof        proofs of one record each; extra is its salt, 16 bytes, and its body
//	consistency/*.txt          old <size> <root> LF new <size> <root> LF, then the hashes, one in a line
//	tile/<level>/<n>[.p/<w>]   tiles of all the trees, which are beginnings of one another; may be missing
//	refused/*.txt, *.tlog-proof   what has to be refused
//
// It prints what it has counted, or the first thing that it does not agree with, and ends with 1 then.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// A witness verifies cosignatures (C2SP tlog-cosignature, kind 4), of which the package note knows nothing.
type witness struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

func (w *witness) Name() string    { return w.name }
func (w *witness) KeyHash() uint32 { return w.hash }
func (w *witness) Verify(msg, sig []byte) bool {
	if len(sig) != 8+ed25519.SignatureSize {
		return false
	}
	time := binary.BigEndian.Uint64(sig)
	message := append([]byte(fmt.Sprintf("cosignature/v1\ntime %d\n", time)), msg...)
	return ed25519.Verify(w.key, message, sig[8:])
}

// Go's own decoder passes over line ends and the last, unused bits.
func decode(text string) ([]byte, error) {
	data, err := base64.StdEncoding.DecodeString(text)
	if err == nil && base64.StdEncoding.EncodeToString(data) != text {
		err = errors.New("Base64 that is written otherwise: " + text)
	}
	return data, err
}

func newWitness(vkey string) (note.Verifier, error) {
	parts := strings.SplitN(vkey, "+", 3)
	if len(parts) != 3 {
		return nil, errors.New("not a verifier key")
	}
	key, err := decode(parts[2])
	if err != nil || len(key) != 1+ed25519.PublicKeySize || key[0] != 4 {
		return nil, errors.New("not a witness's key")
	}
	sum := sha256.Sum256(append([]byte(parts[0]+"\n"), key...))
	hash := binary.BigEndian.Uint32(sum[:])
	if fmt.Sprintf("%08x", hash) != parts[1] {
		return nil, errors.New("wrong id of a key")
	}
	return &witness{parts[0], hash, key[1:]}, nil
}

func readKeys(path string) (note.Verifiers, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var keys []note.Verifier
	for _, line := range strings.Fields(string(text)) {
		key, err := note.NewVerifier(line)
		if err != nil {
			key, err = newWitness(line)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %v", line, err)
		}
		keys = append(keys, key)
	}
	return note.VerifierList(keys...), nil
}

type counts struct{ checkpoints, signatures, proofs, consistency, tiles, refused int }

type judge struct {
	directory string
	keys      note.Verifiers
	tiles     map[string][]byte
	counts    counts
}

// Opens a checkpoint: the log has signed it, and no line of signature is of an unknown key.
func (j *judge) open(msg []byte) (tlog.Tree, error) {
	opened, err := note.Open(msg, j.keys)
	if err != nil {
		return tlog.Tree{}, err
	}
	if len(opened.UnverifiedSigs) > 0 {
		return tlog.Tree{}, fmt.Errorf("signed by %s, whom nobody knows", opened.UnverifiedSigs[0].Name)
	}
	for _, sig := range opened.Sigs {
		if _, err := decode(sig.Base64); err != nil {
			return tlog.Tree{}, err
		}
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) < 4 || opened.Sigs[0].Name != lines[0] {
		return tlog.Tree{}, errors.New("not signed by the log that it is of")
	}
	j.counts.signatures += len(opened.Sigs)
	return tree(lines[1], lines[2])
}

func tree(size, root string) (tlog.Tree, error) {
	n, err := number(size)
	if err != nil {
		return tlog.Tree{}, err
	}
	all, err := hashes([]string{root})
	if err != nil {
		return tlog.Tree{}, err
	}
	return tlog.Tree{N: n, Hash: all[0]}, nil
}

func number(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || strconv.FormatInt(n, 10) != text {
		return 0, errors.New("not a number: " + text)
	}
	return n, nil
}

// Height, ReadTiles and SaveTiles make it a tlog.TileReader.
func (j *judge) Height() int { return 8 }

// ReadTiles maps Go's names, tile/8/L/N, to those of C2SP, tile/L/N. A partial tile may have made way for a wider one.
func (j *judge) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, t := range tiles {
		full := t
		full.W = 256
		data, err := j.tile(t)
		if err != nil && t.W < 256 {
			data, err = j.tile(full)
		}
		if err != nil {
			return nil, err
		}
		if len(data) < t.W*tlog.HashSize {
			return nil, fmt.Errorf("%s is too short", t.Path())
		}
		all = append(all, data[:t.W*tlog.HashSize])
	}
	return all, nil
}

func (j *judge) SaveTiles(tiles []tlog.Tile, data [][]byte) {}

func (j *judge) tile(t tlog.Tile) ([]byte, error) {
	path := "tile/" + strings.TrimPrefix(t.Path(), "tile/8/")
	if data, ok := j.tiles[path]; ok {
		return data, nil
	}
	data, err := os.ReadFile(filepath.Join(j.directory, path))
	if err == nil {
		j.tiles[path] = data
		j.counts.tiles++
	}
	return data, err
}

// The hashes of a tree by its tiles, each of which is checked against the root first; nil if there are no tiles.
func (j *judge) reader(t tlog.Tree) tlog.HashReader {
	if _, err := os.Stat(filepath.Join(j.directory, "tile")); err != nil || t.N == 0 {
		return nil
	}
	return tlog.TileHashReader(t, j)
}

func (j *judge) checkpoint(data []byte) error {
	t, err := j.open(data)
	if err != nil {
		return err
	}
	j.counts.checkpoints++
	if t.N == 0 {
		if t.Hash != tlog.Hash(sha256.Sum256(nil)) {
			return errors.New("not the root of nothing")
		}
		return nil
	}
	if r := j.reader(t); r != nil {
		hash, err := tlog.TreeHash(t.N, r)
		if err != nil || hash != t.Hash {
			return fmt.Errorf("the tiles have another root: %v", err)
		}
	}
	return nil
}

func hashes(lines []string) ([]tlog.Hash, error) {
	var all []tlog.Hash
	for _, line := range lines {
		data, err := decode(line)
		if err != nil || len(data) != tlog.HashSize {
			return nil, fmt.Errorf("not a hash: %s", line)
		}
		var hash tlog.Hash
		copy(hash[:], data)
		all = append(all, hash)
	}
	return all, nil
}

func same(a, b []tlog.Hash) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func (j *judge) proof(data []byte) error {
	parts := bytes.SplitN(data, []byte("\n\n"), 2)
	lines := strings.Split(string(parts[0]), "\n")
	if len(parts) != 2 || len(lines) < 3 || lines[0] != "c2sp.org/tlog-proof@v1" {
		return errors.New("not a proof")
	}
	extra, err := decode(strings.TrimPrefix(lines[1], "extra "))
	if err != nil || !strings.HasPrefix(lines[1], "extra ") || len(extra) < 17 {
		return errors.New("no record")
	}
	n, err := number(strings.TrimPrefix(lines[2], "index "))
	if err != nil || !strings.HasPrefix(lines[2], "index ") {
		return errors.New("no index")
	}
	path, err := hashes(lines[3:])
	if err != nil {
		return err
	}
	t, err := j.open(parts[1])
	if err != nil {
		return err
	}
	entry := sha256.Sum256(extra)
	leaf := tlog.RecordHash(entry[:])
	if err := tlog.CheckRecord(path, t.N, t.Hash, n, leaf); err != nil {
		return err
	}
	j.counts.proofs++
	if r := j.reader(t); r != nil {
		found, err := r.ReadHashes([]int64{tlog.StoredHashIndex(0, n)})
		if err != nil || found[0] != leaf {
			return fmt.Errorf("the tiles have another leaf: %v", err)
		}
		made, err := tlog.ProveRecord(t.N, n, r)
		if err != nil || !same(made, path) {
			return fmt.Errorf("the tiles give another proof: %v", err)
		}
	}
	return nil
}

func (j *judge) consistency(data []byte) error {
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	var trees []tlog.Tree
	for i, word := range []string{"old", "new"} {
		if len(lines) < 2 {
			return errors.New("not two trees")
		}
		words := strings.Split(lines[i], " ")
		if len(words) != 3 || words[0] != word {
			return fmt.Errorf("line %d is not: %s <size> <root>", i+1, word)
		}
		t, err := tree(words[1], words[2])
		if err != nil {
			return err
		}
		trees = append(trees, t)
	}
	path, err := hashes(lines[2:])
	if err != nil {
		return err
	}
	j.counts.consistency++
	return tlog.CheckTree(path, trees[1].N, trees[1].Hash, trees[0].N, trees[0].Hash)
}

// Each looks at all files of a folder and a kind.
func (j *judge) each(pattern string, look func([]byte) error, isRefused bool) {
	paths, err := filepath.Glob(filepath.Join(j.directory, pattern))
	for _, path := range paths {
		if err != nil {
			break
		}
		var data []byte
		if data, err = os.ReadFile(path); err != nil {
			break
		}
		before := j.counts
		verdict := look(data)
		if isRefused && verdict == nil {
			err = fmt.Errorf("%s: should have been refused", path)
		} else if isRefused {
			j.counts = before
			j.counts.refused++
		} else if verdict != nil {
			err = fmt.Errorf("%s: %v", path, verdict)
		}
	}
	if err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func main() {
	if len(os.Args) != 2 {
		fail(errors.New("usage: judge DIRECTORY"))
	}
	keys, err := readKeys(filepath.Join(os.Args[1], "vkeys.txt"))
	if err != nil {
		fail(err)
	}
	j := &judge{directory: os.Args[1], keys: keys, tiles: map[string][]byte{}}
	j.each("checkpoints/*.txt", j.checkpoint, false)
	j.each("proofs/*.tlog-proof", j.proof, false)
	j.each("consistency/*.txt", j.consistency, false)
	j.each("refused/*.txt", j.checkpoint, true)
	j.each("refused/*.tlog-proof", j.proof, true)
	c := j.counts
	fmt.Printf("checkpoints %d\nsignatures %d\nproofs %d\nconsistency %d\ntiles %d\nrefused %d\n",
		c.checkpoints, c.signatures, c.proofs, c.consistency, c.tiles, c.refused)
}
