import type { KubeObject, ResourceRef } from '@slipway/kube';
import { balloonContainer, keys } from '../api/group.js';
import { formatAmounts } from '../planner/amounts.js';
import type { PolicySettings } from '../settings/policy-settings.js';
import { daemonSetName, yieldingClassName, yieldingSetName } from './balloon-pod.js';

/** The resource of apps/v1 daemon sets. */
export const DaemonSet: ResourceRef = {
  group: 'apps',
  version: 'v1',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  namespaced: true,
};

/**
 * The DaemonSet that gives every node of a policy its balloon pod.
 *
 * One container that asks for cpu and memory and has no limits: Burstable from the
 * first day, because the QoS class of a pod may not change and a key once there may not
 * go. Its pods are gated, so that each gets its size before it takes a node.
 */
export function balloonDaemonSet(policy: PolicySettings, namespace: string, priorityClassName: string): KubeObject {
  const instance = { 'app.kubernetes.io/instance': policy.name };
  const onOthers = { matchExpressions: [{ key: keys.yielding, operator: 'DoesNotExist' }] };
  const set = { name: daemonSetName(policy.name), selected: instance, priorityClassName };
  return daemonSet(policy, namespace, {
    ...set,
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [onOthers] } } },
  });
}

/** The same for the nodes of a policy whose size the autosizer determines: their balloons make room for any pod. */
export function yieldingDaemonSet(policy: PolicySettings, namespace: string): KubeObject {
  return daemonSet(policy, namespace, {
    name: yieldingSetName(policy.name),
    selected: { [keys.yielding]: policy.name },
    nodeSelector: { [keys.yielding]: 'true' },
    priorityClassName: yieldingClassName,
  });
}

interface SetOptions {
  readonly name: string;
  /** Labels of its pods, which no other DaemonSet selects. */
  readonly selected: Readonly<Record<string, string>>;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: object;
  readonly priorityClassName: string;
}

function daemonSet(
  policy: PolicySettings,
  namespace: string,
  { name, selected, nodeSelector, affinity, priorityClassName }: SetOptions,
): KubeObject {
  const labels = {
    [keys.balloon]: 'true',
    'app.kubernetes.io/name': 'slipway-balloon',
    'app.kubernetes.io/component': 'balloon',
  };
  const requests = formatAmounts(policy.limits.minBalloon);
  const container = {
    name: balloonContainer,
    image: policy.pod.image,
    resources: { requests, ...(policy.pod.memoryLimit === 'MatchRequest' && { limits: { memory: requests.memory } }) },
    resizePolicy: ['cpu', 'memory'].map((resourceName) => ({ resourceName, restartPolicy: 'NotRequired' })),
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      runAsUser: 65_535,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    },
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { namespace, name, labels: { ...labels, 'app.kubernetes.io/instance': policy.name } },
    spec: {
      selector: { matchLabels: { [keys.balloon]: 'true', ...selected } },
      // A template that changed must not make a thousand nodes full size for a moment.
      updateStrategy: { type: 'OnDelete' },
      template: {
        metadata: {
          labels: { ...labels, ...selected },
          annotations: {
            [keys.accounting]: 'nonexistent',
            'cluster-autoscaler.kubernetes.io/daemonset-pod': 'true',
          },
        },
        spec: {
          nodeSelector: { 'kubernetes.io/os': 'linux', [keys.managed]: policy.name, ...nodeSelector },
          ...(affinity && { affinity }),
          schedulingGates: [{ name: keys.sizeGate }],
          priorityClassName,
          tolerations: [{ operator: 'Exists' }],
          hostNetwork: policy.pod.hostNetwork,
          terminationGracePeriodSeconds: 1,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          containers: [container],
        },
      },
    },
  };
}
