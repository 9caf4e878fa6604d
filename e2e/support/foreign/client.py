"""Asks a cluster for what programs in Python ask it for, and prints what it answered, a line each.

Takes the path of a kubeconfig. Ends with an exception when a call fails.
"""

import sys

from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.rest import ApiException
from kubernetes.stream import portforward, stream

NAMESPACE = "default"


def main(kubeconfig):
    config.load_kube_config(kubeconfig)
    core, apps = client.CoreV1Api(), client.AppsV1Api()
    deploy(apps)
    pod = core.list_namespaced_pod(NAMESPACE, label_selector="app=stall").items[0].metadata.name
    run_in(core, pod)
    say("forwarded", forwarded_error(core, pod))
    say("custom", custom_kind())
    say("job", run_job())
    core.create_namespaced_pod_eviction(
        pod, NAMESPACE, {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod}}
    )
    say("deleted", core.delete_collection_namespaced_pod(NAMESPACE, label_selector="app=stall").kind)
    say("conflict", conflict_of(lambda: core.create_namespace({"metadata": {"name": NAMESPACE}})))


def deploy(apps):
    """Waits for a deployment by a watch, and scales it."""
    labels = {"app": "stall"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "till", "image": "till"}]}}
    spec = {"replicas": 2, "selector": {"matchLabels": labels}, "template": template}
    apps.create_namespaced_deployment(NAMESPACE, {"metadata": {"name": "stall"}, "spec": spec})
    events = watch.Watch()
    for event in events.stream(apps.list_namespaced_deployment, NAMESPACE, timeout_seconds=60):
        if event["object"].status.ready_replicas == 2:
            events.stop()
    apps.patch_namespaced_deployment_scale("stall", NAMESPACE, {"spec": {"replicas": 3}})
    say("scaled", apps.read_namespaced_deployment_scale("stall", NAMESPACE).spec.replicas)


def run_in(core, pod):
    """Runs commands in a container, one of which answers while its input is open."""
    script = ["sh", "-c", "echo out; echo err >&2; exit 3"]
    ended = open_exec(core, pod, script, stdin=False)
    ended.run_forever(timeout=30)
    say("exec", ended.read_stdout(), ended.read_stderr(), ended.returncode)
    echo = open_exec(core, pod, ["cat"], stdin=True)
    echo.write_stdin("typed")
    said = ""
    while said != "typed":
        said += echo.read_stdout(timeout=10)
    say("echo", said)
    echo.close()


def open_exec(core, pod, command, stdin):
    return stream(
        core.connect_get_namespaced_pod_exec,
        pod,
        NAMESPACE,
        command=command,
        stdin=stdin,
        stdout=True,
        stderr=True,
        tty=False,
        _preload_content=False,
    )


def forwarded_error(core, pod):
    """What is said of a port on which nothing listens."""
    forwarded = portforward(core.connect_get_namespaced_pod_portforward, pod, NAMESPACE, ports="81")
    socket = forwarded.socket(81)
    socket.setblocking(True)
    socket.recv(1)
    return forwarded.error(81).rsplit(": ", 1)[-1]


def custom_kind():
    """Defines a kind, and reads an object of it by what the server says it has."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    names = {"plural": "loaves", "singular": "loaf", "kind": "Loaf"}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    group = "bakery.example.org"
    spec = {"group": group, "scope": "Namespaced", "names": names, "versions": [version]}
    api = client.ApiextensionsV1Api()
    api.create_custom_resource_definition({"metadata": {"name": f"loaves.{group}"}, "spec": spec})
    for event in watch.Watch().stream(api.list_custom_resource_definition, timeout_seconds=60):
        conditions = event["object"].status.conditions or []
        if any(one.type == "Established" and one.status == "True" for one in conditions):
            break
    loaves = dynamic.DynamicClient(client.ApiClient()).resources.get(api_version=f"{group}/v1", kind="Loaf")
    rye = {"apiVersion": f"{group}/v1", "kind": "Loaf", "metadata": {"name": "rye"}, "spec": {"grams": 500}}
    loaves.create(body=rye, namespace=NAMESPACE)
    return loaves.get(name="rye", namespace=NAMESPACE).spec.grams


def run_job():
    """Applies a Job as a file has it, and waits until it is complete."""
    container = {"name": "count", "image": "count", "command": ["sh", "-c", "echo done"]}
    spec = {"template": {"spec": {"restartPolicy": "Never", "containers": [container]}}}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "count"}, "spec": spec}
    utils.create_from_dict(client.ApiClient(), job, namespace=NAMESPACE)
    for event in watch.Watch().stream(client.BatchV1Api().list_namespaced_job, NAMESPACE, timeout_seconds=60):
        if event["object"].status.succeeded:
            return event["object"].status.conditions[-1].type
    return "not complete"


def conflict_of(act):
    try:
        act()
    except ApiException as error:
        return f"{error.status} {error.reason}"
    return "none"


def say(*words):
    print(*(repr(word) for word in words))


main(sys.argv[1])
