// @ts-check
import { arch } from 'node:process';

/**
 * Operators of others that are tried on a cluster of `slipway up`. Each has a sample in e2e/support/foreign, NAME.yaml;
 * the objects of NAME.refused.yaml must be refused.
 */

/**
 * What an operator is started with: the kubeconfig of its cluster, the folder with the certificate of its servers
 * (`ca.crt`, `tls.crt`, `tls.key`), a port of loopback for its webhooks, one for its API server, and a folder for its files.
 * @typedef {{ kubeconfig: string, certificates: string, port: number, apiPort: number, folder: string }} Surroundings
 */

/**
 * @typedef {object} Software
 * @property {string} name
 * @property {string} module
 * @property {string} version
 * @property {string} [program] a package in the module, or a Go file in e2e/support/foreign that starts what it has; absent
 *   where only the definitions are tried
 */

/**
 * @typedef {object} OperatorParts
 * @property {readonly string[]} manifests files, folders and kustomizations of the module
 * @property {{ namespace: string, name: string }} [account] whose rights it has. Default: the administrator's
 * @property {{ namespace: string, name: string }} [webhookSecret] in which it keeps certificates of its servers that it makes itself
 * @property {Software & Pick<OperatorParts, 'args' | 'env'>} [beside] a second program; its APIServices lead to it
 * @property {readonly string[]} [emptyFiles] that it looks for in the folder for its files
 * @property {(given: Surroundings) => object} [config] content of config.yaml in the folder for its files
 * @property {(given: Surroundings) => readonly string[]} [args]
 * @property {(given: Surroundings) => Readonly<Record<string, string>>} [env] variables beside KUBECONFIG and TMPDIR
 * @property {readonly string[]} steps commands of kubectl behind the sample, each repeated until it succeeds
 * @typedef {Software & OperatorParts} Operator
 */

const ready = JSON.stringify({
  type: 'Ready',
  status: 'True',
  reason: 'Ready',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

const recommendation = JSON.stringify({
  status: {
    conditions: [{ type: 'RecommendationProvided', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    recommendation: {
      containerRecommendations: [
        {
          containerName: 'mill',
          lowerBound: { cpu: '300m', memory: '150Mi' },
          target: { cpu: '350m', memory: '200Mi' },
          upperBound: { cpu: '400m', memory: '250Mi' },
        },
      ],
    },
  },
});

/**
 * A driver of volumes, for the programs that speak to drivers.
 * @type {OperatorParts['beside']}
 */
const csiDriver = {
  name: 'csi-driver',
  module: 'github.com/kubernetes-csi/external-provisioner/v6',
  version: '6.4.0',
  program: 'csi-driver.go',
  args: ({ folder }) => ['-socket', `${folder}/csi.sock`],
};

/** @type {readonly Operator[]} */
export const operators = [
  {
    name: 'cert-manager',
    module: 'github.com/cert-manager/cert-manager',
    version: '1.21.2',
    program: 'cert-manager.go',
    manifests: ['deploy/crds'],
    args: ({ kubeconfig }) => ['-kubeconfig', kubeconfig],
    steps: [
      'wait issuer/own --for=condition=Ready',
      'wait certificate/shop --for=condition=Ready',
      'wait secret/shop-tls --for=jsonpath={.data.tls\\.crt}',
    ],
  },
  {
    name: 'argo-rollouts',
    module: 'github.com/argoproj/argo-rollouts',
    version: '1.10.1',
    program: 'cmd/rollouts-controller',
    manifests: ['manifests/cluster-install'],
    account: { namespace: 'argo-rollouts', name: 'argo-rollouts' },
    args: () => ['--namespace', 'default', '--metricsPort', '0', '--healthzPort', '0'],
    steps: [
      'wait rollout/site --for=jsonpath={.status.phase}=Healthy',
      'patch rollout/site --type=merge -p {"spec":{"template":{"metadata":{"annotations":{"release":"2"}}}}}',
      'wait rollout/site --for=jsonpath={.status.phase}=Paused',
      'wait rollout/site --for=jsonpath={.status.updatedReplicas}=1',
      'patch rollout/site --subresource=status --type=merge -p {"status":{"pauseConditions":null}}',
      'wait rollout/site --for=jsonpath={.status.updatedReplicas}=2',
      'wait rollout/site --for=jsonpath={.status.phase}=Healthy',
    ],
  },
  {
    name: 'prometheus-operator',
    module: 'github.com/prometheus-operator/prometheus-operator',
    version: '0.85.0',
    program: 'cmd/operator',
    manifests: ['bundle.yaml'],
    account: { namespace: 'default', name: 'prometheus-operator' },
    args: () => ['--web.listen-address=127.0.0.1:0', '--kubelet-service=kube-system/kubelet'],
    steps: [
      'wait statefulset/prometheus-shop --for=jsonpath={.status.availableReplicas}=1',
      'wait prometheus/shop --for=condition=Available',
      'wait prometheus/shop --for=condition=Reconciled',
      'wait endpoints/kubelet -n kube-system --for=create',
    ],
  },
  {
    name: 'jobset',
    module: 'sigs.k8s.io/jobset',
    version: '0.11.1',
    program: '.',
    manifests: ['config/default'],
    account: { namespace: 'jobset-system', name: 'jobset-controller-manager' },
    config: ({ certificates, port }) => ({
      apiVersion: 'config.jobset.x-k8s.io/v1alpha1',
      kind: 'Configuration',
      // It reads the certificates that it makes itself from a folder in /tmp.
      internalCertManagement: { enable: false },
      leaderElection: { leaderElect: true, resourceNamespace: 'jobset-system' },
      webhook: { port, certDir: certificates },
      metrics: { bindAddress: '0', certDir: certificates },
      health: { healthProbeBindAddress: '0' },
    }),
    args: ({ folder }) => ['--config', `${folder}/config.yaml`],
    steps: ['wait jobset/rows --for=condition=Completed', 'wait job/rows-readers-1 --for=condition=Complete'],
  },
  {
    name: 'kueue',
    module: 'sigs.k8s.io/kueue',
    version: '0.17.0',
    program: 'cmd/kueue',
    manifests: ['config/default'],
    account: { namespace: 'kueue-system', name: 'kueue-controller-manager' },
    webhookSecret: { namespace: 'kueue-system', name: 'kueue-webhook-server-cert' },
    config: ({ certificates, port }) => ({
      apiVersion: 'config.kueue.x-k8s.io/v1beta2',
      kind: 'Configuration',
      leaderElection: { leaderElect: true, resourceName: 'kueue', resourceNamespace: 'kueue-system' },
      webhook: { port, certDir: certificates },
      metrics: { bindAddress: '0' },
      health: { healthProbeBindAddress: '0' },
      integrations: { frameworks: ['batch/job'] },
      // Another API server, which runs in a cluster only.
      featureGates: { VisibilityOnDemand: false },
    }),
    args: ({ folder }) => ['--config', `${folder}/config.yaml`],
    steps: ['wait job/first --for=condition=Complete', 'wait job/second --for=condition=Complete'],
  },
  {
    name: 'cluster-api',
    module: 'sigs.k8s.io/cluster-api',
    version: '1.14.2',
    program: 'core',
    manifests: ['core/config/default'],
    account: { namespace: 'capi-system', name: 'capi-manager' },
    args: ({ certificates, port }) => [
      `--webhook-cert-dir=${certificates}`,
      `--webhook-port=${port}`,
      '--diagnostics-address=127.0.0.1:0',
      '--health-addr=127.0.0.1:0',
    ],
    steps: [
      'wait cluster/field --for=jsonpath={.status.phase}=Provisioned',
      'wait machine/first --for=jsonpath={.status.phase}=Provisioned',
      'wait machineset -l cluster.x-k8s.io/deployment-name=hands --for=jsonpath={.status.replicas}=2',
      'wait forgemachine -l cluster.x-k8s.io/deployment-name=hands --for=jsonpath={.spec.cores}=2',
    ],
  },
  {
    name: 'gateway-api',
    module: 'sigs.k8s.io/gateway-api',
    version: '1.7.0',
    manifests: ['config/crd/standard'],
    steps: [
      'wait crd/gateways.gateway.networking.k8s.io --for=condition=KubernetesAPIApprovalPolicyConformant',
      'wait gateway/edge --for=condition=Accepted=Unknown',
      'wait httproute/shop --for=jsonpath={.spec.rules[0].matches[0].path.type}=PathPrefix',
    ],
  },
  {
    name: 'karpenter',
    module: 'sigs.k8s.io/karpenter',
    version: '1.14.1',
    program: 'kwok',
    manifests: ['kwok/charts/crds', 'kwok/apis/crds'],
    args: () => ['--leader-election-namespace=kube-system', '--metrics-port=0', '--health-probe-port=0'],
    steps: [
      // Its provider of simulated machines leaves this to whoever installs it.
      `patch kwoknodeclass/plain --subresource=status --type=merge -p {"status":{"conditions":[${ready}]}}`,
      'wait nodepool/batch --for=condition=Ready',
      'wait nodeclaim -l karpenter.sh/nodepool=batch --for=condition=Registered',
      'wait node -l karpenter.sh/nodepool=batch --for=jsonpath={.spec.providerID}',
      'wait pod -l app=crunch --for=condition=PodScheduled',
    ],
  },
  {
    name: 'keda',
    module: 'github.com/kedacore/keda/v2',
    version: '2.21.0',
    program: 'cmd/operator',
    manifests: ['config/default'],
    account: { namespace: 'keda', name: 'keda-operator' },
    webhookSecret: { namespace: 'keda', name: 'kedaorg-certs' },
    env: () => ({ WATCH_NAMESPACE: '', POD_NAMESPACE: 'keda', KEDA_CLUSTER_OBJECT_NAMESPACE: 'keda' }),
    args: ({ certificates, port }) => [
      `--cert-dir=${certificates}`,
      '--enable-cert-rotation',
      '--leader-elect',
      '--metrics-bind-address=0',
      '--health-probe-bind-address=0',
      `--metrics-service-bind-address=127.0.0.1:${port}`,
    ],
    beside: {
      name: 'keda-adapter',
      module: 'github.com/kedacore/keda/v2',
      version: '2.21.0',
      program: 'cmd/adapter',
      env: () => ({ WATCH_NAMESPACE: '', POD_NAMESPACE: 'keda' }),
      args: ({ kubeconfig, certificates, port, apiPort }) => [
        ...['lister', 'authentication', 'authorization'].map((purpose) => `--${purpose}-kubeconfig=${kubeconfig}`),
        '--bind-address=127.0.0.1',
        `--secure-port=${apiPort}`,
        `--cert-dir=${certificates}`,
        `--tls-cert-file=${certificates}/tls.crt`,
        `--tls-private-key-file=${certificates}/tls.key`,
        `--metrics-service-address=127.0.0.1:${port}`,
        '--metrics-service-grpc-authority=keda-operator.keda.svc',
        '--port=0',
      ],
    },
    steps: [
      'wait scaledobject/desk --for=condition=Ready',
      'wait horizontalpodautoscaler/keda-hpa-desk --for=jsonpath={.spec.maxReplicas}=3',
      'wait deployment/desk --for=jsonpath={.status.readyReplicas}=1',
      'wait apiservice/v1beta1.external.metrics.k8s.io --for=condition=Available',
      'scale deployment/callers --replicas=3',
      'wait deployment/desk --for=jsonpath={.status.readyReplicas}=3',
    ],
  },
  {
    name: 'gatekeeper',
    module: 'github.com/open-policy-agent/gatekeeper/v3',
    version: '3.23.1',
    program: '.',
    manifests: ['deploy/gatekeeper.yaml'],
    account: { namespace: 'gatekeeper-system', name: 'gatekeeper-admin' },
    webhookSecret: { namespace: 'gatekeeper-system', name: 'gatekeeper-webhook-server-cert' },
    args: ({ certificates, port }) => [
      `--cert-dir=${certificates}`,
      '--host=127.0.0.1',
      `--port=${port}`,
      '--health-addr=0',
      '--prometheus-port=0',
      '--shutdown-delay=0',
      '--debug-use-fake-pod',
    ],
    steps: [
      'wait crd/k8sneedsowner.constraints.gatekeeper.sh --for=condition=Established',
      'wait constrainttemplate/k8sneedsowner --for=jsonpath={.status.created}=true',
      'wait k8sneedsowner/shops-have-owners --for=jsonpath={.status.byPod[0].enforced}=true',
    ],
  },
  {
    name: 'lws',
    module: 'sigs.k8s.io/lws',
    version: '0.8.0',
    program: 'cmd',
    manifests: ['config/default'],
    account: { namespace: 'lws-system', name: 'lws-controller-manager' },
    webhookSecret: { namespace: 'lws-system', name: 'lws-webhook-server-cert' },
    config: ({ certificates, port }) => ({
      apiVersion: 'config.lws.x-k8s.io/v1alpha1',
      kind: 'Configuration',
      leaderElection: { leaderElect: true, resourceNamespace: 'lws-system' },
      webhook: { port, certDir: certificates },
      metrics: { bindAddress: '0' },
      health: { healthProbeBindAddress: '0' },
    }),
    args: ({ folder }) => ['--config', `${folder}/config.yaml`],
    steps: ['wait leaderworkerset/choir --for=condition=Available', 'wait pod/choir-1-2 --for=condition=Ready'],
  },
  {
    name: 'kuberay',
    module: 'github.com/ray-project/kuberay/ray-operator',
    version: '1.5.0',
    program: '.',
    manifests: ['config/default'],
    account: { namespace: 'default', name: 'kuberay-operator' },
    args: () => [
      '--enable-leader-election',
      '--leader-election-namespace=default',
      '--metrics-addr=0',
      '--health-probe-bind-address=0',
    ],
    steps: [
      'wait pod -l ray.io/cluster=beams --for=condition=Ready',
      'wait raycluster/beams --for=jsonpath={.status.state}=ready',
      'wait raycluster/beams --for=jsonpath={.status.readyWorkerReplicas}=2',
      'wait service/beams-head-svc --for=create',
    ],
  },
  {
    name: 'mpi-operator',
    module: 'github.com/kubeflow/mpi-operator',
    version: '0.8.0',
    program: 'cmd/mpi-operator',
    manifests: ['manifests/overlays/standalone'],
    account: { namespace: 'mpi-operator', name: 'mpi-operator' },
    args: ({ kubeconfig }) => ['--kubeConfig', kubeconfig, '--lock-namespace', 'mpi-operator'],
    steps: ['wait mpijob/sum --for=condition=Succeeded', 'wait job/sum-launcher --for=condition=Complete'],
  },
  {
    name: 'kruise',
    module: 'github.com/openkruise/kruise',
    version: '1.8.0',
    program: '.',
    manifests: ['config/default'],
    account: { namespace: 'kruise-system', name: 'kruise-manager' },
    env: ({ certificates, port }) => ({
      POD_NAMESPACE: 'kruise-system',
      WEBHOOK_HOST: '127.0.0.1',
      WEBHOOK_PORT: String(port),
      WEBHOOK_CERT_DIR: certificates,
    }),
    args: () => ['--metrics-addr=0', '--health-probe-addr=0', '--enable-pprof=false'],
    steps: [
      'wait cloneset/stalls --for=jsonpath={.status.readyReplicas}=3',
      'patch cloneset/stalls --type=merge -p {"spec":{"template":{"spec":{"containers":[{"name":"till","image":"registry.example/till:2"}]}}}}',
      'wait cloneset/stalls --for=jsonpath={.status.updatedReadyReplicas}=3',
      'wait pod -l app=stalls --for=jsonpath={.status.containerStatuses[1].restartCount}=1',
      'wait asts/shelves --for=jsonpath={.status.readyReplicas}=2',
      'wait sidecarset/scales --for=jsonpath={.status.matchedPods}=3',
      'wait broadcastjob/count --for=jsonpath={.status.phase}=completed',
    ],
  },
  {
    name: 'tekton',
    module: 'github.com/tektoncd/pipeline',
    version: '1.9.0',
    program: 'cmd/controller',
    manifests: ['config/100-namespace', 'config', 'config/300-crds'],
    account: { namespace: 'tekton-pipelines', name: 'tekton-pipelines-controller' },
    env: () => ({
      SYSTEM_NAMESPACE: 'tekton-pipelines',
      KUBERNETES_MIN_VERSION: 'v1.28.0',
      CONFIG_FEATURE_FLAGS_NAME: 'feature-flags',
      CONFIG_LEADERELECTION_NAME: 'config-leader-election-controller',
      METRICS_DOMAIN: 'tekton.dev/pipeline',
    }),
    args: () =>
      [
        'entrypoint-image',
        'nop-image',
        'sidecarlogresults-image',
        'workingdirinit-image',
        'shell-image',
        'shell-image-win',
      ].flatMap((flag) => [`-${flag}`, `registry.example/${flag}@sha256:${'0'.repeat(64)}`]),
    steps: [
      'wait taskrun/weigh --for=jsonpath={.status.podName}=weigh-pod',
      'wait pod/weigh-pod --for=create',
      'wait pipelinerun/evening --for=jsonpath={.status.childReferences[0].kind}=TaskRun',
      'wait taskrun -l tekton.dev/pipelineRun=evening --for=jsonpath={.status.podName}',
    ],
  },
  {
    name: 'argo-workflows',
    module: 'github.com/argoproj/argo-workflows/v4',
    version: '4.0.5',
    program: 'cmd/workflow-controller',
    manifests: ['manifests/cluster-install'],
    account: { namespace: 'argo', name: 'argo' },
    env: () => ({ LEADER_ELECTION_IDENTITY: 'argo-1' }),
    args: () => ['--namespace', 'argo', '--executor-image', 'registry.example/argoexec:1'],
    steps: [
      'wait workflow/evening --for=jsonpath={.status.phase}=Succeeded',
      'wait pod -l workflows.argoproj.io/workflow=bake --for=create',
    ],
  },
  {
    name: 'crossplane',
    module: 'github.com/crossplane/crossplane/v2',
    version: '2.1.0',
    program: 'cmd/crossplane',
    manifests: ['cluster/crds', 'cluster/webhookconfigurations/usage.yaml'],
    env: ({ certificates, port }) => ({
      TLS_SERVER_CERTS_DIR: certificates,
      TLS_CLIENT_CERTS_DIR: certificates,
      WEBHOOK_PORT: String(port),
      METRICS_PORT: '0',
      HEALTH_PROBE_PORT: '0',
    }),
    args: ({ folder }) => ['core', 'start', '--cache-dir', folder],
    steps: [
      'wait xrd/shelves.library.example --for=condition=Established',
      'wait crd/shelves.library.example --for=condition=Established',
      'wait mrd/planks.wood.example --for=condition=Established',
      'wait usages.protection.crossplane.io/keep-catalogue --for=condition=Ready',
      'wait configmap/catalogue --for=jsonpath={.metadata.labels.crossplane\\.io/in-use}=true',
      'get shelves,planks',
    ],
  },
  {
    name: 'eck',
    module: 'github.com/elastic/cloud-on-k8s/v3',
    version: '3.2.0',
    program: 'cmd',
    manifests: ['config/crds/v1/all-crds.yaml'],
    args: () => [
      'manager',
      '--operator-namespace=default',
      '--enable-leader-election=false',
      '--metrics-port=0',
      '--disable-telemetry',
    ],
    steps: [
      'wait elasticsearch/shelf --for=jsonpath={.status.phase}=ApplyingChanges',
      'wait statefulset/shelf-es-masters --for=jsonpath={.status.replicas}=2',
      'wait persistentvolumeclaim -l elasticsearch.k8s.elastic.co/cluster-name=shelf --for=jsonpath={.status.phase}=Bound',
      'wait deployment/desk-kb --for=jsonpath={.status.replicas}=1',
    ],
  },
  {
    name: 'cloudnative-pg',
    module: 'github.com/cloudnative-pg/cloudnative-pg',
    version: '1.28.0',
    program: 'cmd/manager',
    manifests: ['config/default'],
    account: { namespace: 'cnpg-system', name: 'cnpg-manager' },
    // The programs of its database pods, one for each architecture.
    emptyFiles: [`operator/manager_${arch === 'x64' ? 'amd64' : arch}`],
    env: ({ certificates }) => ({ OPERATOR_NAMESPACE: 'cnpg-system', WEBHOOK_CERT_DIR: certificates }),
    args: ({ port }) => ['controller', `--webhook-port=${port}`, '--metrics-bind-address=0'],
    steps: [
      'wait cluster/ledger --for=jsonpath={.spec.postgresql.syncReplicaElectionConstraint.enabled}=false',
      'wait persistentvolumeclaim/ledger-1 --for=jsonpath={.status.phase}=Bound',
      'wait job/ledger-1-initdb --for=jsonpath={.status.ready}=1',
      'wait deployment/door --for=condition=Available',
    ],
  },
  {
    name: 'vertical-pod-autoscaler',
    module: 'k8s.io/autoscaler/vertical-pod-autoscaler',
    version: '1.8.1',
    program: 'pkg/admission-controller',
    manifests: ['deploy/vpa-v1-crd-gen.yaml'],
    env: () => ({ NAMESPACE: 'kube-system' }),
    args: ({ kubeconfig, certificates, port }) => [
      `--kubeconfig=${kubeconfig}`,
      `--client-ca-file=${certificates}/ca.crt`,
      `--tls-cert-file=${certificates}/tls.crt`,
      `--tls-private-key=${certificates}/tls.key`,
      `--port=${port}`,
      '--register-by-url',
      '--webhook-address=https://localhost',
      `--webhook-port=${port}`,
      '--address=127.0.0.1:0',
    ],
    beside: {
      name: 'vertical-pod-autoscaler-updater',
      module: 'k8s.io/autoscaler/vertical-pod-autoscaler',
      version: '1.8.1',
      program: 'pkg/updater',
      env: () => ({ NAMESPACE: 'kube-system' }),
      args: ({ kubeconfig }) => [`--kubeconfig=${kubeconfig}`, '--updater-interval=5s', '--address=127.0.0.1:0'],
    },
    steps: [
      // The part that recommends is not run.
      `patch vpa/mill --subresource=status --type=merge -p ${recommendation}`,
      'wait pod -l app=mill --for=jsonpath={.status.containerStatuses[0].resources.requests.cpu}=350m',
      'wait pod -l app=mill --for=jsonpath={.metadata.annotations.vpaInPlaceUpdated}=true',
      'delete pod -l app=mill',
      'wait pod -l app=mill --for=jsonpath={.spec.containers[0].resources.requests.cpu}=350m',
      'wait pod -l app=mill --for=jsonpath={.metadata.annotations.vpaObservedContainers}=mill',
    ],
  },
  {
    name: 'argo-cd',
    module: 'github.com/argoproj/argo-cd/v3',
    version: '3.2.5',
    program: 'argo-cd.go',
    manifests: ['manifests/crds', 'manifests/base/config', 'manifests/cluster-rbac/application-controller'],
    account: { namespace: 'argocd', name: 'argocd-application-controller' },
    // With it the cluster that it runs in is the one of KUBECONFIG.
    env: () => ({ ARGOCD_FAKE_IN_CLUSTER: 'true' }),
    args: ({ kubeconfig }) => ['--kubeconfig', kubeconfig, '--namespace', 'default', '--metrics-port', '0'],
    steps: [
      'wait application/garden --for=jsonpath={.status.health.status}=Healthy',
      'wait application/garden --for=jsonpath={.status.sync.revision}=small',
      'wait job/dig -n gardens --for=condition=Complete',
      'scale deployment/garden -n gardens --replicas=3',
      'wait deployment/garden -n gardens --for=jsonpath={.spec.replicas}=1',
      'patch application/garden --type=merge -p {"spec":{"source":{"path":"large"}}}',
      'wait deployment/garden -n gardens --for=jsonpath={.status.readyReplicas}=2',
      'wait configmap/beds -n gardens --for=delete',
      'delete application/garden --timeout=20s',
      'wait deployment/garden -n gardens --for=delete',
    ],
  },
  {
    name: 'kro',
    module: 'github.com/kubernetes-sigs/kro',
    version: '0.9.4',
    program: 'cmd/controller',
    manifests: ['helm/crds'],
    args: () => [
      '--metrics-bind-address=0',
      '--health-probe-bind-address=0',
      '--leader-elect',
      '--leader-election-namespace=default',
      '--allow-crd-deletion',
    ],
    steps: [
      'wait resourcegraphdefinition/stall --for=condition=Ready',
      'wait stall/fair --for=jsonpath={.status.ready}=2',
      'wait configmap/fair-board --for=jsonpath={.data.goods}=apples',
      'patch stall/fair --type=merge -p {"spec":{"open":false,"helpers":1}}',
      'wait deployment/fair --for=jsonpath={.status.replicas}=1',
      'wait service/fair --for=delete',
    ],
  },
  {
    name: 'external-provisioner',
    module: 'github.com/kubernetes-csi/external-provisioner/v6',
    version: '6.4.0',
    program: 'cmd/csi-provisioner',
    manifests: ['deploy/kubernetes/rbac.yaml'],
    account: { namespace: 'default', name: 'csi-provisioner' },
    args: ({ folder }) => [`--csi-address=${folder}/csi.sock`],
    beside: csiDriver,
    steps: [
      'wait persistentvolumeclaim/tools --for=jsonpath={.status.phase}=Bound',
      'wait persistentvolumeclaim/seeds-gardener-0 --for=jsonpath={.status.phase}=Bound',
      'wait pod/gardener-0 --for=condition=Ready',
      'delete statefulset/gardener persistentvolumeclaim/tools',
      'wait persistentvolume --all --for=delete',
    ],
  },
  {
    name: 'external-attacher',
    module: 'github.com/kubernetes-csi/external-attacher/v4',
    version: '4.13.0',
    program: 'cmd/csi-attacher',
    manifests: ['deploy/kubernetes/rbac.yaml'],
    account: { namespace: 'default', name: 'csi-attacher' },
    args: ({ folder, kubeconfig }) => [`--csi-address=${folder}/csi.sock`, `--kubeconfig=${kubeconfig}`],
    beside: csiDriver,
    steps: [
      'wait volumeattachment --all --for=jsonpath={.status.attached}=true',
      'wait volumeattachment --all --for=jsonpath={.status.attachmentMetadata.door}=open',
      'delete pod/painter',
      'wait volumeattachment --all --for=delete',
    ],
  },
];
