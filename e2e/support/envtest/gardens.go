// Package gardens has a controller and a webhook for a custom kind, as small as they can be.
package gardens

import (
	"context"
	"encoding/json"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

var gardenKind = schema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Garden"}

func newGarden() *unstructured.Unstructured {
	garden := &unstructured.Unstructured{}
	garden.SetGroupVersionKind(gardenKind)
	return garden
}

// gardenDefinition has a default, a rule, and the status subresource.
func gardenDefinition() *apiextensionsv1.CustomResourceDefinition {
	one := int64(1)
	spec := apiextensionsv1.JSONSchemaProps{
		Type: "object",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"beds":  {Type: "integer", Default: &apiextensionsv1.JSON{Raw: []byte("2")}},
			"owner": {Type: "string", MinLength: &one},
		},
		XValidations: apiextensionsv1.ValidationRules{{Rule: "self.beds < 100", Message: "a garden has fewer than 100 beds"}},
	}
	status := apiextensionsv1.JSONSchemaProps{
		Type:       "object",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{"planted": {Type: "integer"}},
	}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "gardens.example.org"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: gardenKind.Group,
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: gardenKind.Kind, Plural: "gardens", Singular: "garden"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: gardenKind.Version, Served: true, Storage: true,
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type:       "object",
					Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": spec, "status": status},
				}},
			}},
		},
	}
}

// gardener keeps a ConfigMap for each garden, and says in the status how many beds are planted.
type gardener struct{ client.Client }

func (g gardener) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	garden := newGarden()
	if err := g.Get(ctx, request.NamespacedName, garden); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	beds, _, err := unstructured.NestedInt64(garden.Object, "spec", "beds")
	if err != nil {
		return ctrl.Result{}, err
	}
	plan := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: garden.GetNamespace(), Name: garden.GetName()}}
	_, err = controllerutil.CreateOrUpdate(ctx, g.Client, plan, func() error {
		text, err := json.Marshal(beds)
		plan.Data = map[string]string{"beds": string(text)}
		if err != nil {
			return err
		}
		return controllerutil.SetControllerReference(garden, plan, g.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := unstructured.SetNestedField(garden.Object, beds, "status", "planted"); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, g.Status().Update(ctx, garden)
}

func (g gardener) start(manager ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(manager).For(newGarden()).Owns(&corev1.ConfigMap{}).Complete(g)
}

// nameOwner is a mutating webhook: a garden without an owner belongs to whoever wrote it.
func nameOwner(_ context.Context, request admission.Request) admission.Response {
	garden := newGarden()
	if err := json.Unmarshal(request.Object.Raw, garden); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if _, found, _ := unstructured.NestedString(garden.Object, "spec", "owner"); !found {
		if err := unstructured.SetNestedField(garden.Object, request.UserInfo.Username, "spec", "owner"); err != nil {
			return admission.Errored(http.StatusBadRequest, err)
		}
	}
	changed, err := json.Marshal(garden)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	return admission.PatchResponseFromRaw(request.Object.Raw, changed)
}

// keepWeedsOut is a validating webhook.
func keepWeedsOut(_ context.Context, request admission.Request) admission.Response {
	if request.Name == "weeds" {
		return admission.Denied("weeds are not a garden")
	}
	return admission.Allowed("")
}
