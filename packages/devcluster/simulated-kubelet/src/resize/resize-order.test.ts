import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { type PendingResize, resizeOrder } from './resize-order.js';

interface Told {
  readonly name: string;
  readonly cpu: string;
  readonly priority?: number;
  readonly qosClass?: string;
  readonly sinceMs?: number;
}

/** Each has 1 cpu. */
function pending({ name, cpu, priority = 0, qosClass = 'Burstable', sinceMs }: Told): PendingResize {
  const containers = [{ name: 'main', resources: { requests: { cpu } } }];
  const pod = aPod(name, { spec: { containers, priority }, status: { qosClass } });
  return { pod, allocation: new Map([['main', { requests: { cpu: '1' } }]]), sinceMs };
}

// K2: "order: non-increasing first, priority desc, Guaranteed > Burstable, oldest pending". Last to first | in order
const cases: [string, Told[], string][] = [
  [
    'less before more, whatever the priority',
    [
      { name: 'more', cpu: '2', priority: 9 },
      { name: 'less', cpu: '500m' },
    ],
    'less more',
  ],
  [
    'as much before more',
    [
      { name: 'more', cpu: '2' },
      { name: 'same', cpu: '1' },
    ],
    'same more',
  ],
  [
    'higher priority first',
    [
      { name: 'low', cpu: '2', priority: 1, qosClass: 'Guaranteed' },
      { name: 'high', cpu: '2', priority: 2 },
    ],
    'high low',
  ],
  [
    'guaranteed first',
    [
      { name: 'burstable', cpu: '2', sinceMs: 1 },
      { name: 'guaranteed', cpu: '2', qosClass: 'Guaranteed' },
    ],
    'guaranteed burstable',
  ],
  [
    'who waits longest first',
    [
      { name: 'new', cpu: '2' },
      { name: 'later', cpu: '2', sinceMs: 2 },
      { name: 'earlier', cpu: '2', sinceMs: 1 },
    ],
    'earlier later new',
  ],
];

test.each(cases)('resizeOrder(): %s', (_what, told, order) => {
  expect(
    resizeOrder(told.map(pending))
      .map(({ pod }) => pod.metadata.name)
      .join(' '),
  ).toBe(order);
});
