import { ordinaryInstallation } from '@slipway/balloons';
import { serverAccount } from '@slipway/features';
import { type KubeObject, slipwayLabels } from '@slipway/kube';
import { agentAccount } from '@slipway/node-agent/install';

const healthPort = 8080;

/** Describes a process that runs in a pod. */
interface Process {
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
  /** Words after `slipway run`. */
  readonly args: readonly string[];
  readonly account: string;
  readonly resources: { readonly cpu: string; readonly memory: string };
}

/** Two feature servers, so that one can be away; each leads some of the features. */
export function serverWorkload(image: string): readonly KubeObject[] {
  const { name, namespace } = serverAccount;
  const args = ['feature-server', ...listening];
  const resources = { cpu: '50m', memory: '256Mi' };
  return replicated({ name, namespace, image, args, account: name, resources });
}

/** Two balloon controllers, one of which is active. */
export function balloonWorkload(image: string): readonly KubeObject[] {
  const { namespace, serviceAccount } = ordinaryInstallation;
  const args = ['balloon-controller', ...listening];
  const resources = { cpu: '50m', memory: '256Mi' };
  return replicated({ name: 'slipway-balloon-controller', namespace, image, args, account: serviceAccount, resources });
}

const pullsFolder = '/run/slipway/pulls';

/** Lets a pod use the admin socket of the pull limiter of its node, which belongs to root. */
function withPulls<T extends ReturnType<typeof podOf>>({ spec, ...pod }: T) {
  const volumes = [{ name: 'pulls', hostPath: { path: pullsFolder, type: 'DirectoryOrCreate' } }];
  const volumeMounts = [{ name: 'pulls', mountPath: pullsFolder, readOnly: true }];
  const args = [`--pulls-socket=${pullsFolder}/image.sock.admin`];
  const containers = spec.containers.map((one) => ({ ...one, args: [...one.args, ...args], volumeMounts }));
  const { seccompProfile } = spec.securityContext;
  return {
    ...pod,
    spec: { ...spec, securityContext: { runAsUser: 0, runAsGroup: 0, seccompProfile }, containers, volumes },
  };
}

/**
 * One agent on every node, whatever its taints. It reads the pages of components at 127.0.0.1 of the node.
 * @param pulls Whether it also connects the pull limiter of the node to the cluster, for which it runs as root
 */
export function nodeAgentWorkload(image: string, pulls: boolean): readonly KubeObject[] {
  const { name, namespace } = agentAccount;
  const args = ['node-agent', '--listen=127.0.0.1:9808'];
  const plain = podOf({ name, namespace, image, args, account: name, resources: { cpu: '10m', memory: '96Mi' } }, 9808);
  const pod = pulls ? withPulls(plain) : plain;
  const daemonSet = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace },
    spec: {
      selector: { matchLabels: labelsOf(name) },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%' } },
      template: {
        ...pod,
        spec: {
          ...pod.spec,
          hostNetwork: true,
          priorityClassName: 'system-node-critical',
          tolerations: [{ operator: 'Exists' }],
        },
      },
    },
  };
  return [daemonSet];
}

const listening = ['--identity=$(POD_NAME)', `--listen=0.0.0.0:${healthPort}`];

/** A Deployment of two pods on different nodes where possible, of which a drain takes one at a time. */
function replicated(process: Process): readonly KubeObject[] {
  const { name, namespace } = process;
  const pod = podOf(process, healthPort);
  const selector = { matchLabels: labelsOf(name) };
  const spread = {
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: selector,
  };
  return [
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name, namespace },
      spec: { maxUnavailable: 1, selector },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace },
      spec: {
        replicas: 2,
        selector,
        template: { ...pod, spec: { ...pod.spec, topologySpreadConstraints: [spread] } },
      },
    },
  ];
}

function podOf({ name, image, args, account, resources }: Process, port: number) {
  const env = (variable: string, fieldPath: string) => ({ name: variable, valueFrom: { fieldRef: { fieldPath } } });
  const host = port === healthPort ? {} : { host: '127.0.0.1' };
  const probe = (path: string) => ({ httpGet: { path, port, ...host }, periodSeconds: 10 });
  return {
    metadata: { labels: { ...labelsOf(name), ...slipwayLabels() } },
    spec: {
      serviceAccountName: account,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 65_532,
        runAsGroup: 65_532,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name: 'slipway',
          image,
          command: ['slipway', 'run'],
          args,
          env: [
            env('POD_NAME', 'metadata.name'),
            env('POD_NAMESPACE', 'metadata.namespace'),
            env('NODE_NAME', 'spec.nodeName'),
          ],
          ports: [{ name: 'health', containerPort: port }],
          livenessProbe: probe('/healthz'),
          readinessProbe: probe('/readyz'),
          resources: { requests: resources, limits: { memory: resources.memory } },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        },
      ],
    },
  };
}

function labelsOf(name: string): Record<string, string> {
  return { 'app.kubernetes.io/name': name };
}
