import { ageColumn, customResourceDefinition, type KubeObject, textColumn } from '@slipway/kube';
import { NodePullQueue } from './node-pull-queue.js';
import { PullLimit } from './pull-limit.js';
import { nodePullQueueSpec, pullLimitSpec } from './pull-schemas.js';

/** The CustomResourceDefinitions of this group, ready to be created. */
export function pullCrds(): readonly KubeObject[] {
  return [
    customResourceDefinition({
      resource: PullLimit,
      shortNames: ['pll'],
      categories: ['slipway'],
      columns: [
        numberColumn('Limit', '.spec.maxParallelImagePulling', 'Images at once; 0 means unlimited.'),
        numberColumn('Priority', '.spec.priority', 'The highest counts.'),
        ageColumn,
      ],
      spec: pullLimitSpec,
    }),
    customResourceDefinition({
      resource: NodePullQueue,
      shortNames: ['npq'],
      categories: ['slipway'],
      columns: [
        numberColumn('Limit', '.spec.limit', 'Pulls at once; 0 means unlimited.'),
        textColumn('Source', '.spec.limitSource', 'Where the limit comes from.'),
        textColumn('PullLimit', '.spec.pullLimit.name', 'The PullLimit that counts for the node.'),
        numberColumn('Running', '.spec.runningCount', 'Pulls that run.'),
        numberColumn('Waiting', '.spec.waitingCount', 'Pulls that wait.'),
        { name: 'Reported', type: 'date', jsonPath: '.spec.renewTime', description: 'When the agent confirmed it.' },
      ],
      spec: nodePullQueueSpec,
    }),
  ];
}

function numberColumn(name: string, jsonPath: string, description: string) {
  return { name, type: 'integer', jsonPath, description } as const;
}
