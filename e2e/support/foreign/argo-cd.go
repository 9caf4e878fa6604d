package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"

	"github.com/alicebob/miniredis/v2"
	"github.com/argoproj/argo-cd/v3/cmd/argocd-application-controller/commands"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/reposerver/apiclient"
	"github.com/argoproj/argo-cd/v3/util/argo"
	"google.golang.org/grpc"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Starts the controller of Argo CD beside what it asks: a cache, and a server that has one repository, whose manifests do
// not lie in git. Its own needs git, helm and kustomize.
func main() {
	cache, err := miniredis.Run()
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	apiclient.RegisterRepoServerServiceServer(server, &repository{})
	go func() { log.Fatal(server.Serve(listener)) }()
	controller := commands.NewCommand()
	controller.SetArgs(append(
		[]string{"--redis", cache.Addr(), "--repo-server", listener.Addr().String(), "--repo-server-plaintext"},
		os.Args[1:]...,
	))
	if err := controller.Execute(); err != nil {
		log.Fatal(err)
	}
}

type repository struct {
	apiclient.UnimplementedRepoServerServiceServer
}

// The path of the source tells how large the garden is.
func (*repository) GenerateManifest(
	_ context.Context, wanted *apiclient.ManifestRequest,
) (*apiclient.ManifestResponse, error) {
	manifests := []string{service, deploymentOf(1), hook, beds}
	if wanted.ApplicationSource.Path == "large" {
		manifests = []string{service, deploymentOf(2), hook}
	}
	method := v1alpha1.TrackingMethod(wanted.TrackingMethod)
	for index, manifest := range manifests {
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON([]byte(manifest)); err != nil {
			return nil, err
		}
		if err := argo.NewResourceTracking().SetAppInstance(
			object, wanted.AppLabelKey, wanted.AppName, wanted.Namespace, method, wanted.InstallationID,
		); err != nil {
			return nil, err
		}
		tracked, err := object.MarshalJSON()
		if err != nil {
			return nil, err
		}
		manifests[index] = string(tracked)
	}
	return &apiclient.ManifestResponse{
		Manifests: manifests, Revision: wanted.ApplicationSource.Path, SourceType: "Directory",
	}, nil
}

const beds = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"beds"},"data":{"rows":"3"}}`

const service = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"garden"},
	"spec":{"selector":{"app":"garden"},"ports":[{"port":80}]}}`

// It runs before each round.
const hook = `{"apiVersion":"batch/v1","kind":"Job",
	"metadata":{"name":"dig","annotations":{"argocd.argoproj.io/hook":"PreSync"}},
	"spec":{"template":{"spec":{"restartPolicy":"Never",
	"containers":[{"name":"main","image":"registry.example/spade:1","command":["true"]}]}}}}`

func deploymentOf(gardeners int) string {
	return fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"garden"},
		"spec":{"replicas":%d,"selector":{"matchLabels":{"app":"garden"}},
		"template":{"metadata":{"labels":{"app":"garden"}},
		"spec":{"containers":[{"name":"main","image":"registry.example/garden:1"}]}}}}`, gardeners)
}
