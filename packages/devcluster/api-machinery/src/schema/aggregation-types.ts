import type { CompactTable } from './message-table.js';

const prefix = 'apiregistration.v1';

/**
 * Facts of apiregistration.k8s.io/v1, which the data facts do not cover.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/api-service-v1/
 */
export const aggregation: Pick<CompactTable, 'packages' | 'kinds' | 'messages'> = {
  packages: { [prefix]: 'k8s.io.kube_aggregator.pkg.apis.apiregistration.v1' },
  kinds: {
    [`${prefix}.APIService`]: ['apiregistration.k8s.io', 'v1', 'APIService'],
    [`${prefix}.APIServiceList`]: ['apiregistration.k8s.io', 'v1', 'APIServiceList'],
  },
  messages: {
    [`${prefix}.APIService`]: {
      typeMeta: true,
      fields: [
        [1, 'metadata', 'meta.v1.ObjectMeta', 'o'],
        [2, 'spec', `${prefix}.APIServiceSpec`, 'o'],
        [3, 'status', `${prefix}.APIServiceStatus`, 'o'],
      ],
    },
    [`${prefix}.APIServiceCondition`]: {
      fields: [
        [1, 'type', 'string', 'q'],
        [2, 'status', 'string', 'q'],
        [3, 'lastTransitionTime', 'meta.v1.Time', 'o'],
        [4, 'reason', 'string', 'o'],
        [5, 'message', 'string', 'o'],
      ],
    },
    [`${prefix}.APIServiceList`]: {
      typeMeta: true,
      fields: [
        [1, 'metadata', 'meta.v1.ListMeta', 'o'],
        [2, 'items', `${prefix}.APIService`, 'rq'],
      ],
    },
    [`${prefix}.APIServiceSpec`]: {
      fields: [
        [1, 'service', `${prefix}.ServiceReference`, 'po'],
        [2, 'group', 'string', 'o'],
        [3, 'version', 'string', 'o'],
        [4, 'insecureSkipTLSVerify', 'bool', 'o'],
        [5, 'caBundle', 'bytes', 'o', { listType: 'atomic' }],
        [7, 'groupPriorityMinimum', 'int32', 'q'],
        [8, 'versionPriority', 'int32', 'q'],
      ],
    },
    [`${prefix}.APIServiceStatus`]: {
      fields: [
        [
          1,
          'conditions',
          `${prefix}.APIServiceCondition`,
          'ro',
          { listType: 'map', listMapKeys: ['type'], patchStrategy: 'merge', patchMergeKey: 'type' },
        ],
      ],
    },
    [`${prefix}.ServiceReference`]: {
      fields: [
        [1, 'namespace', 'string', 'o'],
        [2, 'name', 'string', 'o'],
        [3, 'port', 'int32', 'po'],
      ],
    },
  },
};
