import { conditions, integer, list, object, oneOf, type Schema, text, time } from '@slipway/kube/schema';

/**
 * A quantity such as `4`, `3750m` or `16Gi`; never negative. A pattern, because API servers reject CEL rules over
 * values that may be integer or string as too expensive.
 */
export function amount(description: string): Schema {
  return {
    description,
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    minimum: 0,
    pattern: '^[0-9]+([.][0-9]+)?([KMGTPE]i|[numkMGTPE]|[eE][0-9]+)?$',
    maxLength: 32,
  };
}

/** cpu and memory. */
export function amounts(description: string): Schema {
  return object({ cpu: amount('Cores.'), memory: amount('Bytes.') }, description);
}

/** cpu and memory in a status, without validation. */
export function found(description: string): Schema {
  return object({ cpu: text('Cores.'), memory: text('Bytes.') }, description);
}

/** The fields of a desired size; also the default of a policy. */
export const nodeSizeSpec: Schema = object(
  {
    mode: oneOf(
      ['Size', 'Balloon', 'Fraction', 'Full', 'External'],
      'Size: what pods may use is constant. Balloon: what is hidden is constant. Fraction: a part of the node. Full: nothing is hidden. External: another controller resizes the balloon pod.',
      { default: 'Full' },
    ),
    size: amounts('What pods may use. A resource that is not named stays full.'),
    balloon: amounts('What is hidden. A resource that is not named stays full.'),
    fraction: text('Part of the node, such as 1/4.', { pattern: '^[1-9][0-9]{0,3}/[1-9][0-9]{0,3}$' }),
    fit: oneOf(['Exact', 'BestEffort'], 'Whether what does not fit is refused, or done as far as it fits.', {
      default: 'Exact',
    }),
    fence: oneOf(['Auto', 'Always', 'Never'], 'Whether new pods are kept away meanwhile; the policy says when absent.'),
    deadlineSeconds: integer('For the whole resize, the work of an actuator apart. 30 when absent.', {
      minimum: 5,
      maximum: 600,
    }),
    requestID: text('Of the caller; comes back as status.observedRequestID.', { maxLength: 63 }),
    paused: { type: 'boolean', description: 'Finish the resize at work, then do nothing until this is gone.' },
  },
  'How large the node shall be.',
  [],
  {
    'x-kubernetes-validations': [
      union('Size', 'size'),
      union('Balloon', 'balloon'),
      union('Fraction', 'fraction'),
      {
        rule: "!has(self.fraction) || int(self.fraction.split('/')[0]) <= int(self.fraction.split('/')[1])",
        message: 'a fraction is at most the whole node',
      },
    ],
  },
);

function union(mode: string, field: string): Schema {
  return {
    rule: `has(self.${field}) == (self.mode == '${mode}')`,
    message: `${field} belongs to mode ${mode}, and to no other`,
  };
}

const finished = object(
  {
    id: text('Of its ticket.'),
    direction: text('Up, Down or Mixed.'),
    from: found('Balloon before.'),
    to: found('Balloon wanted.'),
    result: text('How it ended.'),
    reason: text('One word for why.'),
    message: text('The same for people.'),
    finishedAt: time('When it ended.'),
    durationMs: integer('How long it took, in milliseconds.'),
  },
  'A resize that ended.',
  ['id', 'result', 'finishedAt'],
);

const ticket = object(
  {
    id: text('Unique per resize.'),
    direction: text('Up, Down or Mixed.'),
    phase: text('What is being done.'),
    from: found('Balloon before.'),
    to: found('Balloon wanted.'),
    podUID: text('The balloon pod it is about.'),
    startedAt: time('When it began.'),
    deadline: time('When it is given up.'),
    generation: integer('Generation of the spec that it carries out.'),
    fenced: { type: 'boolean', description: 'New pods are kept away.' },
  },
  'The resize at work.',
  ['id', 'phase', 'podUID', 'startedAt', 'deadline'],
);

export const nodeSizeStatus: Schema = object(
  {
    observedGeneration: integer('Generation of the spec that this answers.'),
    observedRequestID: text('requestID of that spec.'),
    nodeUID: text('The node it was found on.'),
    policy: text('The policy that manages the node.'),
    kubeletVersion: text('Version of its kubelet.'),
    podRef: object({ namespace: text('Namespace.'), name: text('Name.'), uid: text('UID.') }, 'The balloon pod.'),
    hardware: found('status.capacity of the node.'),
    allocatable: found('status.allocatable of the node.'),
    size: found('allocatable without the balloon: what pods may use.'),
    requested: found('What other pods ask for.'),
    free: found('size without requested.'),
    balloon: object(
      {
        desired: found('What its spec asks for.'),
        allocated: found('What the kubelet has set aside.'),
        actual: found('What its container runs with, where that stays other than what is set aside.'),
      },
      'What does not exist for pods.',
    ),
    floor: found('The smallest size that can be reached now.'),
    recommended: found('The size that the autosizer would give it; absent where no policy asks for it.'),
    actuator: object(
      {
        name: text('Name in the configuration of the controller.'),
        phase: text('InSync, Growing, Shrinking, Unknown or Error.'),
        granted: found('What it says exists.'),
        operationID: text('What it is working on.'),
        message: text('What it says about it.'),
      },
      'What provides the hardware.',
    ),
    resize: ticket,
    lastResize: finished,
    history: list(finished, 'The last ten, newest first.'),
    conditions,
  },
  'How large the node is, and how it came to that.',
);
