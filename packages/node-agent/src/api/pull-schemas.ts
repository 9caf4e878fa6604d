import { flag, integer, list, object, oneOf, type Schema, text, time } from '@slipway/kube/schema';
import { maxListed, maxPods } from './node-pull-queue.js';

const requirement = object(
  {
    key: text('Label.', { minLength: 1, maxLength: 317 }),
    operator: oneOf(['In', 'NotIn', 'Exists', 'DoesNotExist'], 'How the label compares with the values.'),
    values: list(text('Value.', { maxLength: 63 }), 'Values; for In and NotIn.', { maxItems: 32 }),
  },
  'One requirement.',
  ['key', 'operator'],
  {
    'x-kubernetes-validations': [
      {
        rule: "(self.operator in ['In', 'NotIn']) == (has(self.values) && size(self.values) > 0)",
        message: 'In and NotIn need values, Exists and DoesNotExist have none',
      },
    ],
  },
);

/** `spec` of a PullLimit. */
export const pullLimitSpec: Schema = object(
  {
    nodeSelector: object(
      {
        matchLabels: {
          type: 'object',
          additionalProperties: { type: 'string', maxLength: 63 },
          description: 'Labels and their values.',
        },
        matchExpressions: list(requirement, 'Requirements, all of which hold.', { maxItems: 16 }),
      },
      'Which nodes; all of them when absent or empty.',
    ),
    priority: integer('Of several PullLimits for one node, the highest counts, then the oldest, then the name.', {
      format: 'int32',
      default: 0,
    }),
    maxParallelImagePulling: integer('Images that a node pulls at once; 0 means unlimited.', {
      minimum: 0,
      maximum: 10_000,
    }),
  },
  'How many images nodes pull at once.',
  ['maxParallelImagePulling'],
);

const pull = {
  image: text('Image as the kubelet requested it.', { maxLength: 4096 }),
  pods: list(text('Namespace and name.', { maxLength: 317 }), 'The first pods that wait for it.', {
    maxItems: maxPods,
  }),
  callers: integer('Calls that wait for it.', { minimum: 0 }),
  since: time('When it began to run, or to wait.'),
};
const running = {
  ...pull,
  state: oneOf(['running', 'verifying', 'stalled', 'stopping'], 'State of the pull.'),
  bytes: integer('Bytes that arrived; absent where the container runtime does not show them.', { format: 'int64' }),
  totalBytes: integer('Bytes in total.', { format: 'int64' }),
};

/** `spec` of a NodePullQueue. */
export const nodePullQueueSpec: Schema = object(
  {
    limit: integer('Pulls at once; 0 means unlimited.', { minimum: 0 }),
    limitSource: text('bypass, manual, cluster, configuration or the path of the configuration of a kubelet.', {
      maxLength: 4096,
    }),
    pullLimit: object(
      { name: text('Name.', { maxLength: 253 }), generation: integer('Generation.', { format: 'int64' }) },
      'The PullLimit that counts for the node. Its limit applies while limitSource is cluster.',
      ['name', 'generation'],
    ),
    paused: flag('Whether pulls are paused.'),
    runtimeUp: flag('Whether the container runtime answers.'),
    running: list(object(running, 'A pull.', ['image', 'pods', 'callers', 'since', 'state']), 'The oldest first.', {
      maxItems: maxListed,
    }),
    runningCount: integer('How many run.', { minimum: 0 }),
    waiting: list(object(pull, 'A pull.', ['image', 'pods', 'callers', 'since']), 'In the order in which they start.', {
      maxItems: maxListed,
    }),
    waitingCount: integer('How many wait.', { minimum: 0 }),
    renewTime: time('When the agent last confirmed it.'),
    leaseDurationSeconds: integer('How long it counts after that.', { minimum: 1 }),
  },
  'Image pulls of one node.',
  [
    'limit',
    'limitSource',
    'paused',
    'runtimeUp',
    'running',
    'runningCount',
    'waiting',
    'waitingCount',
    'renewTime',
    'leaseDurationSeconds',
  ],
);
