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
type meta struct{ ResourceVersion, Incarnation string }
type stored struct {
	Metadata, Spec meta
	Data           round
}

var ( // In a pod: https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT, a client that trusts ca.crt, the mounted folder, 300 s.
	server, folder, namespace = os.Getenv("SLIPWAY_API_SERVER"), os.Getenv("SLIPWAY_CREDENTIALS"), os.Getenv("SLIPWAY_NAMESPACE")
	instance, incarnation     = os.Getenv("SLIPWAY_INSTANCE"), fmt.Sprint(time.Now().UnixNano())
	renew, _                  = strconv.ParseFloat(os.Getenv("SLIPWAY_RENEW_SECONDS"), 64)
	version1, name, api       = "features.slipway.dev/v1alpha1", "acme-agent." + instance, "/apis/" + version1 + "/namespaces/" + namespace
	vectors, uses, use        = api + "/featurevectors", api + "/featureuses", api + "/featureuses/" + name
)

func open(method, path, contentType string, body any) *http.Response {
	token, _ := os.ReadFile(folder + "/token") // replaced while the process runs
	text, _ := json.Marshal(body)
	request, _ := http.NewRequest(method, server+path, strings.NewReader(string(text)))
	request.Header = http.Header{"Authorization": {"Bearer " + strings.TrimSpace(string(token))}, "Content-Type": {contentType}}
	answer, err := http.DefaultClient.Do(request)
	return map[bool]*http.Response{true: answer, false: {Body: http.NoBody}}[err == nil] // status 0: no answer came
}
func send(method, path, contentType string, body any) (status int, got stored, waitSeconds float64) {
	answer := open(method, path, contentType, body)
	defer answer.Body.Close()
	_ = json.NewDecoder(answer.Body).Decode(&got)
	waitSeconds, _ = strconv.ParseFloat(answer.Header.Get("Retry-After"), 64)
	return answer.StatusCode, got, waitSeconds
}
func report(epoch int64, last object) (status int, got stored, waitSeconds float64) {
	gate := object{"name": "FastPath", "enabled": true, "default": false, "stage": "Alpha", "set": true} // several are sorted by name
	vector := object{"component": "acme-agent", "binaryVersion": "1.0", "gates": []object{gate}}
	text, _ := json.Marshal(vector) // keys are sorted; strings with <, > or & need an encoder without HTML escapes
	spec := object{"component": "acme-agent", "binaryVersion": "1.0", "instance": instance, "incarnation": incarnation, "source": "Library",
		"vector": fmt.Sprintf("v-%x", sha256.Sum256(text))[:34], "queried": "AQ==", "epoch": epoch, // base64 of one bit: it was read
		"renewTime": time.Now().UTC().Format(time.RFC3339Nano), "leaseDurationSeconds": int(renew * 3)}
	status, got, waitSeconds = send("POST", vectors, "application/json", object{"apiVersion": version1, "kind": "FeatureVector", "metadata": object{"name": spec["vector"]}, "spec": vector})
	if status == 201 || status == 409 { // a vector of that name is the same
		status, got, waitSeconds = send("PATCH", use, "application/merge-patch+json", object{"metadata": last, "spec": spec})
	}
	if status == 404 {
		return send("POST", uses, "application/json", object{"apiVersion": version1, "kind": "FeatureUse", "metadata": object{"name": name}, "spec": spec})
	}
	return status, got, waitSeconds
}
func follow(rounds chan<- round) { // watches the ConfigMap of the rounds, from what is there now, again and again
	for ; ; time.Sleep(time.Second) {
		answer := open("GET", "/api/v1/namespaces/"+namespace+"/configmaps?watch=true&fieldSelector=metadata.name%3Dslipway-use-epoch", "", nil)
		events, event := json.NewDecoder(answer.Body), struct{ Object stored }{}
		for events.Decode(&event) == nil {
			rounds <- event.Object.Data
		}
		answer.Body.Close()
	}
}
func main() {
	stop, rounds, due, epoch, failures, last := make(chan os.Signal, 1), make(chan round), time.After(0), int64(0), 0, object{}
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
			status, got, wait := report(epoch, last)
			pause, failed := renew*(0.9+0.2*rand.Float64()), failures+1
			if last, failures = (object{"resourceVersion": got.Metadata.ResourceVersion}), 0; status < 200 || status > 299 {
				last, pause, failures = object{}, max(0.05, wait, rand.Float64()*float64(int(1)<<min(failed, 9))/2), failed
				_, got, _ = send("GET", use, "", nil)
			}
			if due = time.After(time.Duration(pause * 1e9)); got.Spec.Incarnation != "" && got.Spec.Incarnation != incarnation {
				due = nil // the next process of this instance reports now
			}
		case <-stop:
			if len(last) > 0 { // deleted only if the next process of this instance has not written it
				send("DELETE", use, "application/json", object{"preconditions": last})
			}
			return
		}
	}
}
