import { conditions, flag, integer, list, object, oneOf, type Schema, text } from '@slipway/kube/schema';
import { amounts, found, nodeSizeSpec } from './node-size-schema.js';

const labelSelector = object(
  {
    matchLabels: { type: 'object', additionalProperties: { type: 'string' }, description: 'Labels and their values.' },
    matchExpressions: list(
      object(
        {
          key: text('Label.'),
          operator: text('In, NotIn, Exists or DoesNotExist.'),
          values: list({ type: 'string' }, 'Values.'),
        },
        'One requirement.',
        ['key', 'operator'],
      ),
      'Requirements, all of which hold.',
    ),
  },
  'Which nodes; all of them when empty.',
);

export const balloonPolicySpec: Schema = object(
  {
    enabled: flag('False gives every node back all it has and takes the balloons away.', { default: true }),
    nodeSelector: labelSelector,
    weight: integer('Of several policies for one node, the highest counts.', { default: 0 }),
    default: nodeSizeSpec,
    priorityMode: oneOf(
      ['Auto', 'Polite', 'Protected', 'Native'],
      'How it is made sure that a balloon neither preempts nor is preempted.',
      { default: 'Auto' },
    ),
    min: amounts('No size is below this.'),
    max: amounts('No size is above this.'),
    granularity: amounts('Balloons are whole multiples of this. 10m and 16Mi when absent.'),
    criticalReserve: amounts('A balloon never grows into this much free space.'),
    fence: object(
      {
        mode: oneOf(['Auto', 'Always', 'Never'], 'Whether new pods are kept away while a balloon grows.', {
          default: 'Auto',
        }),
        settleMillis: integer('How long a scheduler may still act on what it knew. 500 when absent.', {
          minimum: 0,
          maximum: 10_000,
        }),
        headroomPercent: integer('Auto fences when less of the node stays free. 10 when absent.', {
          minimum: 0,
          maximum: 100,
        }),
        maxSeconds: integer('No fence stands longer. 15 when absent.', { minimum: 1, maximum: 600 }),
      },
      'How new pods are kept away while a balloon grows.',
    ),
    timeouts: object(
      {
        patchSeconds: integer('For the patch of a pod. 7 when absent.', { minimum: 1, maximum: 60 }),
        verifySeconds: integer('For reading it back after that. 3 when absent.', { minimum: 1, maximum: 60 }),
        observeSeconds: integer('For the kubelet to take it. 10 when absent.', { minimum: 1, maximum: 120 }),
        rollbackSeconds: integer('For taking it back. 10 when absent.', { minimum: 1, maximum: 120 }),
      },
      'How long each step may take.',
    ),
    concurrency: object(
      {
        cluster: integer('Resizes at a time. 50 when absent.', { minimum: 1 }),
        perFailureDomain: integer('Of these, in one zone. 10 when absent.', { minimum: 1 }),
      },
      'How many resizes run at a time.',
    ),
    pod: object(
      {
        image: text('Image of the pod. registry.k8s.io/pause:3.10 when absent.'),
        hostNetwork: flag('True takes no address of the pod network. True when absent.'),
        memoryLimit: oneOf(['None', 'MatchRequest'], 'MatchRequest where nodes swap.', { default: 'None' }),
        minBalloon: amounts('What a balloon asks for that hides nothing. 0 and 8Mi when absent.'),
      },
      'What the balloon pods look like.',
    ),
    autosize: object(
      {
        mode: oneOf(['Recommend', 'Enforce'], 'Recommend only says what it would do.', { default: 'Recommend' }),
        headroomPercent: integer('On top of what pods ask for. 15 when absent.', { minimum: 0, maximum: 1000 }),
        headroom: amounts('On top of what pods ask for. 250m and 512Mi when absent.'),
        stabilizationSeconds: integer('A node shrinks to the largest size wanted in this time. 600 when absent.', {
          minimum: 0,
          maximum: 86_400,
        }),
      },
      'Sizes that follow what pods ask for; off when absent.',
    ),
    actuatorRef: object(
      { name: text('Name in the configuration of the controller.', { maxLength: 63 }) },
      'What provides the hardware. A name only: commands and addresses are not the business of the API.',
      ['name'],
    ),
    onDisable: oneOf(['Restore', 'Leave'], 'Whether nodes get back what they had when this is disabled.', {
      default: 'Restore',
    }),
    nodeSizeRetention: oneOf(['DeleteWithNode', 'Keep'], 'What becomes of a NodeSize whose node goes.', {
      default: 'DeleteWithNode',
    }),
  },
  'Which nodes have balloons, and how these behave.',
);

export const balloonPolicyStatus: Schema = object(
  {
    observedGeneration: integer('Generation of the spec that this answers.'),
    priorityMode: text('The mode in effect.'),
    nodes: integer('Nodes it manages.'),
    atSize: integer('Of these, how many have the size they should.'),
    conflicts: list(
      object({ node: text('Node.'), policy: text('Policy that manages it.') }, 'A node that another policy manages.'),
      'Nodes it selects and another policy manages; at most ten.',
    ),
    conditions,
  },
  'What it manages.',
);

export const hostPartitionSpec: Schema = object(
  {
    hostLabel: text('Label of the nodes on the machine. balloons.slipway.dev/host when absent.', { maxLength: 317 }),
    host: text('Value of that label.', { minLength: 1, maxLength: 63 }),
    reserve: amounts('Kept for the machine itself.'),
    members: list(
      object(
        {
          node: text('Name.'),
          weight: { type: 'number', minimum: 0.001, maximum: 10_000, description: '1 when absent.' },
        },
        'A node and its share.',
        ['node'],
      ),
      'Shares for these nodes only.',
      { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['node'] },
    ),
    equal: flag('The same for every node with the label.'),
  },
  'How a machine is split between its kubelets.',
  ['host'],
  {
    'x-kubernetes-validations': [
      {
        rule: 'has(self.members) != (has(self.equal) && self.equal)',
        message: 'give either members or equal: true',
      },
    ],
  },
);

export const hostPartitionStatus: Schema = object(
  {
    observedGeneration: integer('Generation of the spec that this answers.'),
    capacity: found('The least that a member says the machine has.'),
    shares: list(object({ node: text('Node.'), size: found('Its size.') }, 'A share.'), 'Who has what.'),
    others: list(
      object({ node: text('Node.'), size: found('Its size.') }, 'A node without a share.'),
      'Nodes on the machine that are no members, or no longer. What they have is not there for members.',
    ),
    conditions,
  },
  'How the machine is split.',
);
