import type { KubeObject, ResourceRef } from '@slipway/kube';
import { balloonContainer, keys } from '../api/group.js';
import { formatAmounts } from '../planner/amounts.js';
import type { PolicySettings } from '../settings/policy-settings.js';
import { daemonSetName } from './balloon-pod.js';

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
  const labels = {
    [keys.balloon]: 'true',
    'app.kubernetes.io/name': 'slipway-balloon',
    'app.kubernetes.io/component': 'balloon',
    'app.kubernetes.io/instance': policy.name,
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
    metadata: { namespace, name: daemonSetName(policy.name), labels },
    spec: {
      selector: { matchLabels: { [keys.balloon]: 'true', 'app.kubernetes.io/instance': policy.name } },
      // A template that changed must not make a thousand nodes full size for a moment.
      updateStrategy: { type: 'OnDelete' },
      template: {
        metadata: {
          labels,
          annotations: {
            [keys.accounting]: 'nonexistent',
            'cluster-autoscaler.kubernetes.io/daemonset-pod': 'true',
          },
        },
        spec: {
          nodeSelector: { 'kubernetes.io/os': 'linux', [keys.managed]: policy.name },
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
