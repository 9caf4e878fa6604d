package gardens

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

var (
	environment *envtest.Environment
	config      *rest.Config
	api         client.Client
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	code, err := runIn(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runIn(m *testing.M) (code int, err error) {
	environment = &envtest.Environment{
		CRDs:                  []*apiextensionsv1.CustomResourceDefinition{gardenDefinition()},
		WebhookInstallOptions: webhooks(),
	}
	started := time.Now()
	if config, err = environment.Start(); err != nil {
		return 1, fmt.Errorf("the environment did not start: %w", err)
	}
	fmt.Printf("started in %d ms\n", time.Since(started).Milliseconds())
	defer func() {
		stopping := time.Now()
		if stopped := environment.Stop(); stopped != nil {
			code, err = 1, stopped
		}
		fmt.Printf("stopped in %d ms\n", time.Since(stopping).Milliseconds())
	}()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	manager, err := newManager()
	if err != nil {
		cancel()
		return 1, err
	}
	go func() { ended <- manager.Start(ctx) }()
	defer func() {
		cancel()
		if failed := <-ended; failed != nil {
			code, err = 1, failed
		}
	}()
	if api, err = client.New(config, client.Options{Scheme: manager.GetScheme()}); err != nil {
		return 1, err
	}
	return m.Run(), nil
}

func newManager() (ctrl.Manager, error) {
	options := environment.WebhookInstallOptions
	hooks := webhook.NewServer(webhook.Options{
		Host: options.LocalServingHost, Port: options.LocalServingPort, CertDir: options.LocalServingCertDir,
	})
	manager, err := ctrl.NewManager(config, ctrl.Options{WebhookServer: hooks, Metrics: metrics.Options{BindAddress: "0"}})
	if err != nil {
		return nil, err
	}
	// Only a server that is asked for is started.
	server := manager.GetWebhookServer()
	server.Register("/name-owner", &webhook.Admission{Handler: handler(nameOwner)})
	server.Register("/keep-weeds-out", &webhook.Admission{Handler: handler(keepWeedsOut)})
	return manager, gardener{manager.GetClient()}.start(manager)
}

func webhooks() envtest.WebhookInstallOptions {
	none, fail, exact := admissionv1.SideEffectClassNone, admissionv1.Fail, admissionv1.Equivalent
	rules := []admissionv1.RuleWithOperations{{
		Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
		Rule:       admissionv1.Rule{APIGroups: []string{"example.org"}, APIVersions: []string{"v1"}, Resources: []string{"gardens"}},
	}}
	at := func(path string) admissionv1.WebhookClientConfig {
		return admissionv1.WebhookClientConfig{Service: &admissionv1.ServiceReference{Namespace: "default", Name: "gardens", Path: &path}}
	}
	return envtest.WebhookInstallOptions{
		MutatingWebhooks: []*admissionv1.MutatingWebhookConfiguration{{
			ObjectMeta: metav1.ObjectMeta{Name: "gardens"},
			Webhooks: []admissionv1.MutatingWebhook{{
				Name: "owner.example.org", ClientConfig: at("name-owner"), Rules: rules, SideEffects: &none,
				FailurePolicy: &fail, MatchPolicy: &exact, AdmissionReviewVersions: []string{"v1"},
			}},
		}},
		ValidatingWebhooks: []*admissionv1.ValidatingWebhookConfiguration{{
			ObjectMeta: metav1.ObjectMeta{Name: "gardens"},
			Webhooks: []admissionv1.ValidatingWebhook{{
				Name: "weeds.example.org", ClientConfig: at("keep-weeds-out"), Rules: rules, SideEffects: &none,
				FailurePolicy: &fail, MatchPolicy: &exact, AdmissionReviewVersions: []string{"v1"},
			}},
		}},
	}
}

func eventually(t *testing.T, what string, check func() error) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if err = check(); err == nil {
			return
		}
	}
	t.Fatalf("%s: %v", what, err)
}

func plant(t *testing.T, name string, spec map[string]any) *unstructured.Unstructured {
	t.Helper()
	garden := newGarden()
	garden.SetNamespace("default")
	garden.SetName(name)
	garden.Object["spec"] = spec
	eventually(t, "the webhooks answer", func() error {
		err := api.Create(t.Context(), garden)
		if errors.IsInternalError(err) {
			return err
		}
		if err != nil {
			t.Fatal(err)
		}
		return nil
	})
	return garden
}

func TestAGardenIsDefaultedOwnedAndReconciled(t *testing.T) {
	garden := plant(t, "roses", map[string]any{})
	beds, _, _ := unstructured.NestedInt64(garden.Object, "spec", "beds")
	owner, _, _ := unstructured.NestedString(garden.Object, "spec", "owner")
	if beds != 2 || owner != "admin" {
		t.Errorf("got %d beds of %q, want 2 of the user that the environment runs as", beds, owner)
	}
	plan := &corev1.ConfigMap{}
	eventually(t, "the controller writes a plan", func() error {
		return api.Get(t.Context(), client.ObjectKeyFromObject(garden), plan)
	})
	if !metav1.IsControlledBy(plan, garden) || plan.Data["beds"] != "2" {
		t.Errorf("the plan is %v of %v", plan.Data, plan.OwnerReferences)
	}
	eventually(t, "the status is written", func() error {
		if err := api.Get(t.Context(), client.ObjectKeyFromObject(garden), garden); err != nil {
			return err
		}
		if planted, _, _ := unstructured.NestedInt64(garden.Object, "status", "planted"); planted != 2 {
			return fmt.Errorf("%d beds are planted", planted)
		}
		return nil
	})
	// Nothing collects garbage in a control plane without controllers.
	if err := api.Delete(t.Context(), garden); err != nil {
		t.Fatal(err)
	}
	if err := api.Get(t.Context(), client.ObjectKeyFromObject(plan), plan); err != nil {
		t.Errorf("the plan is gone: %v", err)
	}
}

func TestBadGardensAreRejected(t *testing.T) {
	plant(t, "first", map[string]any{})
	for name, want := range map[string]string{"weeds": "weeds are not a garden", "field": "a garden has fewer than 100 beds"} {
		garden := newGarden()
		garden.SetNamespace("default")
		garden.SetName(name)
		garden.Object["spec"] = map[string]any{"beds": int64(200)}
		if name == "weeds" {
			garden.Object["spec"] = map[string]any{}
		}
		if err := api.Create(t.Context(), garden); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
}

func TestUsersHaveTheRightsOfTheirRoles(t *testing.T) {
	user, err := environment.AddUser(envtest.User{Name: "jane", Groups: []string{"visitors"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	visitor, err := client.New(user.Config(), client.Options{Scheme: api.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	who := &authenticationv1.SelfSubjectReview{}
	if err := visitor.Create(t.Context(), who); err != nil {
		t.Fatal(err)
	}
	if got := who.Status.UserInfo; got.Username != "jane" || strings.Join(got.Groups, " ") != "visitors system:authenticated" {
		t.Errorf("the server sees %v", got)
	}
	list := &corev1.ConfigMapList{}
	if err := visitor.List(t.Context(), list); !errors.IsForbidden(err) {
		t.Errorf("without a role: %v", err)
	}
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "look"},
		Rules:      []rbacv1.PolicyRule{{Verbs: []string{"list"}, APIGroups: []string{""}, Resources: []string{"configmaps"}}},
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "look"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "look"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "Group", Name: "visitors"}},
	}
	for _, object := range []client.Object{role, binding} {
		if err := api.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the role counts", func() error { return visitor.List(t.Context(), list) })
}

func TestKubectlOfTheEnvironment(t *testing.T) {
	user, err := environment.AddUser(envtest.User{Name: "admin", Groups: []string{"system:masters"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	kubectl, err := user.Kubectl()
	if err != nil {
		t.Fatal(err)
	}
	out, problems, err := kubectl.Run("get", "--raw", "/readyz")
	if err != nil {
		text, _ := io.ReadAll(problems)
		t.Fatalf("%v: %s", err, text)
	}
	if text, _ := io.ReadAll(out); string(text) != "ok" {
		t.Errorf("kubectl says %s", text)
	}
	out, _, err = kubectl.Run("get", "namespaces", "--output", "name")
	text, _ := io.ReadAll(out)
	want := "namespace/default namespace/kube-node-lease namespace/kube-public namespace/kube-system"
	if got := strings.Join(strings.Fields(string(text)), " "); err != nil || got != want {
		t.Errorf("kubectl lists %s (%v)", got, err)
	}
}

func TestTokensOfServiceAccounts(t *testing.T) {
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "robot"}}
	if err := api.Create(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	request := &authenticationv1.TokenRequest{}
	if err := api.SubResource("token").Create(t.Context(), account, request); err != nil {
		t.Fatal(err)
	}
	bearer := rest.AnonymousClientConfig(config)
	bearer.BearerToken = request.Status.Token
	robot, err := client.New(bearer, client.Options{Scheme: api.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	who := &authenticationv1.SelfSubjectReview{}
	if err := robot.Create(t.Context(), who); err != nil {
		t.Fatal(err)
	}
	if got := who.Status.UserInfo.Username; got != "system:serviceaccount:default:robot" {
		t.Errorf("the server sees %s", got)
	}
}

func TestNoControllersRun(t *testing.T) {
	labels := map[string]string{"app": "web"}
	one := int32(1)
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &one,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: podSpec()},
		},
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "leaving"}}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "bare"}, Spec: podSpec()}
	for _, object := range []client.Object{deployment, namespace, pod} {
		if err := api.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	if pod.Spec.ServiceAccountName != "" || len(pod.Spec.Volumes) != 0 {
		t.Errorf("without the ServiceAccount plugin a pod has account %q and volumes %v", pod.Spec.ServiceAccountName, pod.Spec.Volumes)
	}
	if err := api.Delete(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	if err := api.Get(t.Context(), client.ObjectKeyFromObject(namespace), namespace); err != nil || namespace.Status.Phase != corev1.NamespaceTerminating {
		t.Errorf("the namespace is %s (%v)", namespace.Status.Phase, err)
	}
	service := &corev1.Service{}
	if err := api.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "kubernetes"}, service); err != nil || service.Spec.ClusterIP != "10.0.0.1" {
		t.Errorf("the API server has the service address %s (%v)", service.Spec.ClusterIP, err)
	}
	sets := &appsv1.ReplicaSetList{}
	if err := api.List(t.Context(), sets); err != nil || len(sets.Items) != 0 {
		t.Errorf("there are %d replica sets (%v)", len(sets.Items), err)
	}
}

func podSpec() corev1.PodSpec {
	requests := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m")}
	return corev1.PodSpec{Containers: []corev1.Container{{
		Name: "main", Image: "registry.example.org/web:1", Resources: corev1.ResourceRequirements{Requests: requests},
	}}}
}

type handler func(context.Context, webhook.AdmissionRequest) webhook.AdmissionResponse

func (h handler) Handle(ctx context.Context, request webhook.AdmissionRequest) webhook.AdmissionResponse {
	return h(ctx, request)
}
