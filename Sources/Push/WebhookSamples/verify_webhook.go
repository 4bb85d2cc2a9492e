// Is a webhook genuine? Standard Webhooks, with Go's own packages alone.
//
//	go run verify_webhook.go SECRET ID TIMESTAMP SIGNATURE < BODY
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

const tolerance = 5 * time.Minute

// isGenuine wants the bytes of the body as they came, before anything has read them as JSON.
func isGenuine(secret, id, timestamp, signatures string, body []byte) bool {
	seconds, err := strconv.ParseUint(timestamp, 10, 40)
	if err != nil {
		return false
	}
	if age := time.Since(time.Unix(int64(seconds), 0)); age > tolerance || age < -tolerance {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	code := hmac.New(sha256.New, key)
	fmt.Fprintf(code, "%s.%s.", id, timestamp)
	code.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(code.Sum(nil))
	for _, each := range strings.Split(signatures, " ") {
		if hmac.Equal([]byte(expected), []byte(each)) {
			return true
		}
	}
	return false
}

func main() {
	body, err := io.ReadAll(os.Stdin)
	if err != nil || len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: verify_webhook SECRET ID TIMESTAMP SIGNATURE < BODY")
		os.Exit(2)
	}
	if isGenuine(os.Args[1], os.Args[2], os.Args[3], os.Args[4], body) {
		fmt.Println("genuine")
		return
	}
	fmt.Println("not genuine")
	os.Exit(1)
}
