"""Reports the gate FastPath of one process with Python's standard library alone, by docs/reference/reporting-protocol.md."""
import base64, datetime, hashlib, json, os, random, signal, ssl, threading, time, urllib.error, urllib.request, uuid
POD = "/var/run/secrets/kubernetes.io/serviceaccount"
FOLDER = os.environ.get("SLIPWAY_CREDENTIALS", POD)
SERVER = os.environ.get("SLIPWAY_API_SERVER") or "https://{KUBERNETES_SERVICE_HOST}:{KUBERNETES_SERVICE_PORT}".format(**os.environ)
NAMESPACE = os.environ.get("SLIPWAY_NAMESPACE") or open(POD + "/namespace").read()
INSTANCE = os.environ.get("SLIPWAY_INSTANCE") or os.environ["HOSTNAME"]
RENEW = float(os.environ.get("SLIPWAY_RENEW_SECONDS", "300"))
COMPONENT, VERSION, GATE = "acme-worker", "1.0", "FastPath"
API = f"/apis/features.slipway.dev/v1alpha1/namespaces/{NAMESPACE}"
USE = f"{COMPONENT}.{INSTANCE}"
TLS = ssl.create_default_context(cafile=FOLDER + "/ca.crt") if SERVER.startswith("https") else None
INCARNATION = str(uuid.uuid4())
state, changed = {"enabled": False, "pending": False, "epoch": 0, "due": 0.0}, threading.Condition()
def call(method, path, body=None, kind="application/json", timeout=15):
    headers = {"Authorization": "Bearer " + open(FOLDER + "/token").read().strip(), "Content-Type": kind}
    request = urllib.request.Request(SERVER + path, body and json.dumps(body).encode(), headers, method=method)
    return urllib.request.urlopen(request, timeout=timeout, context=TLS)
def create(plural, kind, name, spec):
    body = {"apiVersion": "features.slipway.dev/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec}
    try:
        return call("POST", f"{API}/{plural}", body)
    except urllib.error.HTTPError as error:
        if error.code != 409:  # a vector of that name is the same
            raise
def report():
    gate = {"name": GATE, "enabled": state["enabled"], "default": False, "stage": "Alpha", "follows": True}
    if state["pending"]:
        gate["pendingRestart"] = True
    spec = {"component": COMPONENT, "binaryVersion": VERSION, "gates": [gate]}
    text = json.dumps(spec, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    vector = "v-" + hashlib.sha256(text.encode()).hexdigest()[:32]
    create("featurevectors", "FeatureVector", vector, spec)
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    use = {"component": COMPONENT, "instance": INSTANCE, "incarnation": INCARNATION, "binaryVersion": VERSION, "source": "Library",
           "vector": vector, "queried": base64.b64encode(b"\x01").decode(), "epoch": state["epoch"], "renewTime": now,
           "leaseDurationSeconds": int(RENEW * 3)}
    try:
        call("PATCH", f"{API}/featureuses/{USE}", {"spec": use}, "application/merge-patch+json")
    except urllib.error.HTTPError as error:
        if error.code != 404:
            raise
        create("featureuses", "FeatureUse", USE, use)
def follow(collection, name, heard):
    """Lists one object and watches it from there, again and again."""
    while True:
        try:
            found = json.load(call("GET", f"{collection}?fieldSelector=metadata.name%3D{name}"))
            for item in found["items"]:
                heard(item)
            version = found["metadata"]["resourceVersion"]
            watch = f"?fieldSelector=metadata.name%3D{name}&watch=true&timeoutSeconds=540&resourceVersion={version}"
            for line in call("GET", collection + watch, timeout=570):
                event = json.loads(line)
                if event["type"] in ("ADDED", "MODIFIED"):
                    heard(event["object"])
        except (OSError, ValueError, KeyError):
            pass
        time.sleep(random.uniform(0.5, 2))
def heard_epoch(config_map):
    data = config_map.get("data", {})
    if data.get("epoch", "").isdigit() and int(data["epoch"]) > state["epoch"]:
        with changed:
            state["epoch"] = int(data["epoch"])
            state["due"] = min(state["due"], time.monotonic() + random.uniform(0, float(data.get("spreadSeconds") or 10)))
            changed.notify()
def heard_feature(feature):
    published = feature.get("status", {}).get("published")
    if published is None or published.get("rules"):  # rules name single processes: this program knows none
        return
    own, live = published.get("authority") == COMPONENT, "authority" not in published
    with changed:
        state["pending"] = not own and not live and published["value"] != state["enabled"]
        state["enabled"] = published["value"] if live else state["enabled"]
        state["due"] = time.monotonic()
        changed.notify()
def stop(*_):
    try:  # a write may be under way, so that only the API server knows the last one
        use = json.load(call("GET", f"{API}/featureuses/{USE}", timeout=2))
        if use["spec"]["incarnation"] == INCARNATION:
            call("DELETE", f"{API}/featureuses/{USE}", {"preconditions": {"resourceVersion": use["metadata"]["resourceVersion"]}})
    except OSError:
        pass
    os._exit(0)
signal.signal(signal.SIGTERM, stop)
for each in (("/api/v1/namespaces/" + NAMESPACE + "/configmaps", "slipway-use-epoch", heard_epoch), (API + "/features", GATE.lower(), heard_feature)):
    threading.Thread(target=follow, args=each, daemon=True).start()
failures = 0
while True:
    with changed:
        while time.monotonic() < state["due"]:
            changed.wait(state["due"] - time.monotonic())
        state["due"] = time.monotonic() + RENEW * random.uniform(0.9, 1.1)
    try:
        report()
        failures = 0
    except (OSError, ValueError) as error:
        failures += 1
        after = float(getattr(error, "headers", {}).get("Retry-After") or 0)
        state["due"] = time.monotonic() + max(0.05, after, random.uniform(0, min(300, 2**failures / 2)))
