import type { KubeObject } from '@slipway/kube';
import { balloonContainer, group } from '../api/group.js';

/** Label of everything that a canary makes. */
export const canaryLabel = `${group}/canary`;

/** What a canary pod stands for. */
type CanaryRole = 'bystander' | 'balloon' | 'newcomer' | 'rival';

export interface CanaryPod {
  readonly role: CanaryRole;
  /** None: the least important pods there are. */
  readonly priorityClassName?: string;
  readonly milliCpu: bigint;
  /** `kubelet`: handed to the kubelet of its node as it is. `scheduler`: by the usual way. */
  readonly placedBy: 'kubelet' | 'scheduler';
}

/** Where canary pods are made. A node has one canary at a time, so that the next one finds what a killed one left. */
export interface CanaryPlace {
  readonly node: string;
  readonly namespace: string;
  readonly image: string;
}

/** A pod that asks for cpu and does nothing. It tolerates every taint, so that a cordon keeps others away and not it. */
export function canaryPod(place: CanaryPlace, { role, priorityClassName, milliCpu, placedBy }: CanaryPod): KubeObject {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [place.node] }];
  const onlyThere = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: canaryName(role, place),
      namespace: place.namespace,
      labels: { [canaryLabel]: 'true', 'app.kubernetes.io/name': 'slipway-canary' },
    },
    spec: {
      ...(placedBy === 'kubelet' ? { nodeName: place.node } : { affinity: { nodeAffinity: onlyThere } }),
      ...(priorityClassName !== undefined && { priorityClassName }),
      tolerations: [{ operator: 'Exists' }],
      hostNetwork: true,
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      containers: [
        {
          name: balloonContainer,
          image: place.image,
          resources: { requests: { cpu: `${milliCpu}m`, memory: '8Mi' } },
          resizePolicy: ['cpu', 'memory'].map((resourceName) => ({ resourceName, restartPolicy: 'NotRequired' })),
        },
      ],
    },
  };
}

/** The highest class that users may have; its pods preempt. */
export function rivalClass(place: Pick<CanaryPlace, 'node'>): KubeObject {
  return {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: canaryName('rival', place), labels: { [canaryLabel]: 'true' } },
    value: 1_000_000_000,
    preemptionPolicy: 'PreemptLowerPriority',
    description: 'Made by slipway node verify-priority, which takes it away again.',
  };
}

function canaryName(role: CanaryRole, { node }: Pick<CanaryPlace, 'node'>): string {
  return `slipway-canary-${role}-${node}`.slice(0, 253);
}
