import type { DaemonSet } from '@slipway/kube-objects/kinds/api/daemon-sets';
import { aTemplate } from '@slipway/kube-objects/testing/objects';

/** A DaemonSet that replaces one pod after the other, unless told otherwise. */
export function aDaemonSet(
  spec: Partial<DaemonSet['spec']> = {},
  overrides: { metadata?: Partial<DaemonSet['metadata']>; status?: DaemonSet['status'] } = {},
): DaemonSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent', namespace: 'default', uid: 'uid-of-agent', generation: 1, ...overrides.metadata },
    spec: {
      selector: { matchLabels: { app: 'a' } },
      template: aTemplate(),
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      revisionHistoryLimit: 10,
      ...spec,
    },
    ...(overrides.status && { status: overrides.status }),
  };
}
