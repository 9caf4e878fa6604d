// Reports a gate of one process with Go's standard library alone, by docs/reference/reporting-protocol.md. It takes no live values.
package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

type object = map[string]any
type round struct{ Epoch, SpreadSeconds string }
type stored struct {
	Metadata struct{ ResourceVersion string }
	Spec     struct{ Incarnation string }
	Data     round
}

var (
	// In a pod: https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT, a client that trusts ca.crt, the mounted folder, 300 s.
	server, folder, namespace = os.Getenv("SLIPWAY_API_SERVER"), os.Getenv("SLIPWAY_CREDENTIALS"), os.Getenv("SLIPWAY_NAMESPACE")
	instance, incarnation     = os.Getenv("SLIPWAY_INSTANCE"), fmt.Sprint(time.Now().UnixNano())
	renew, _                  = strconv.ParseFloat(os.Getenv("SLIPWAY_RENEW_SECONDS"), 64)
	version1, use             = "features.slipway.dev/v1alpha1", "acme-agent." + instance
	api                       = "/apis/" + version1 + "/namespaces/" + namespace
)

func open(method, path, contentType string, body any) *http.Response {
	token, _ := os.ReadFile(folder + "/token") // replaced while the process runs
	text, _ := json.Marshal(body)
	request, _ := http.NewRequest(method, server+path, strings.NewReader(string(text)))
	request.Header = http.Header{"Authorization": {"Bearer " + strings.TrimSpace(string(token))}, "Content-Type": {contentType}}
	answer, err := http.DefaultClient.Do(request)
	return map[bool]*http.Response{true: answer, false: {Body: http.NoBody}}[err == nil] // status 0: no answer came
}

// send returns status, resourceVersion and Retry-After in seconds.
func send(method, path, contentType string, body any) (status int, version string, wait float64) {
	answer := open(method, path, contentType, body)
	defer answer.Body.Close()
	var written stored
	_ = json.NewDecoder(answer.Body).Decode(&written)
	wait, _ = strconv.ParseFloat(answer.Header.Get("Retry-After"), 64)
	return answer.StatusCode, written.Metadata.ResourceVersion, wait
}
func report(epoch int64, written string) (status int, version string, wait float64) {
	gates := []object{{"name": "FastPath", "enabled": true, "default": false, "stage": "Alpha", "set": true}} // sorted by name
	vector := object{"component": "acme-agent", "binaryVersion": "1.0", "gates": gates}
	text, _ := json.Marshal(vector) // keys are sorted; strings with <, > or & need an encoder without HTML escapes
	spec := object{"component": "acme-agent", "binaryVersion": "1.0", "instance": instance, "incarnation": incarnation, "source": "Library",
		"vector": fmt.Sprintf("v-%x", sha256.Sum256(text))[:34], "queried": "AQ==", "epoch": epoch, // base64 of one bit: it was read
		"renewTime": time.Now().UTC().Format(time.RFC3339Nano), "leaseDurationSeconds": int(renew * 3)}
	status, version, wait = send("POST", api+"/featurevectors", "application/json", object{"apiVersion": version1, "kind": "FeatureVector", "metadata": object{"name": spec["vector"]}, "spec": vector})
	if status == 201 || status == 409 { // a vector of that name is the same
		status, version, wait = send("PATCH", api+"/featureuses/"+use, "application/merge-patch+json", object{"metadata": at(written), "spec": spec})
	}
	if status == 404 {
		status, version, wait = send("POST", api+"/featureuses", "application/json", object{"apiVersion": version1, "kind": "FeatureUse", "metadata": object{"name": use}, "spec": spec})
	}
	return status, version, wait
}

// at is what a request holds for an object as it was last written by this process; nothing when that is not known.
func at(version string) object {
	return map[bool]object{true: {}, false: {"resourceVersion": version}}[version == ""]
}

// isReplaced tells whether the next process of this instance has written the report.
func isReplaced() bool {
	answer := open("GET", api+"/featureuses/"+use, "", nil)
	defer answer.Body.Close()
	var now stored
	return json.NewDecoder(answer.Body).Decode(&now) == nil && now.Spec.Incarnation != "" && now.Spec.Incarnation != incarnation
}

// follow watches the ConfigMap of the rounds, from what is there now, again and again.
func follow(rounds chan<- round) {
	for ; ; time.Sleep(time.Second) {
		answer := open("GET", "/api/v1/namespaces/"+namespace+"/configmaps?watch=true&fieldSelector=metadata.name%3Dslipway-use-epoch", "", nil)
		for events := json.NewDecoder(answer.Body); ; {
			var event struct{ Object stored }
			if events.Decode(&event) != nil {
				break
			}
			rounds <- event.Object.Data
		}
		answer.Body.Close()
	}
}
func main() {
	stop, rounds, due, epoch, failures, written := make(chan os.Signal, 1), make(chan round), time.After(0), int64(0), 0, ""
	signal.Notify(stop, syscall.SIGTERM)
	go follow(rounds)
	for {
		select {
		case data := <-rounds:
			spread, _ := strconv.ParseFloat(data.SpreadSeconds, 64)
			if asked, err := strconv.ParseInt(data.Epoch, 10, 64); err == nil && asked > epoch {
				epoch, due = asked, time.After(time.Duration(rand.Float64()*spread*1e9))
			}
		case <-due:
			status, version, wait := report(epoch, written)
			if status == 409 && isReplaced() {
				due = nil
				continue
			}
			pause, failed := renew*(0.9+0.2*rand.Float64()), failures+1
			if written, failures = version, 0; status < 200 || status > 299 {
				written, pause, failures = "", max(0.05, wait, rand.Float64()*float64(int(1)<<min(failed, 9))/2), failed
			}
			due = time.After(time.Duration(pause * 1e9))
		case <-stop: // deleted only if the next process of this instance has not written it
			if written != "" {
				send("DELETE", api+"/featureuses/"+use, "application/json", object{"preconditions": at(written)})
			}
			return
		}
	}
}
