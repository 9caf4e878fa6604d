import type { User } from '@slipway/api-machinery/identity/user';
import { bootstrapFlows } from '@slipway/devcluster/bootstrap-flows';
import { admin, named, replyOf } from '@slipway/devcluster/testing/a-server';
import { Kube } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { builtInDefinitions } from '@slipway/kubernetes-kinds/kinds/catalogue';
import { memoryStore } from '@slipway/object-store/memory-store';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listingPods } from '../auth/testing/ask-as.js';
import { createApiServer } from '../server.js';
import { inprocTransport } from '../transport/inproc-transport.js';
import { FlowControl } from './flow-control.js';
import { PriorityLevel } from './priority-level.js';
import { shareSeats } from './share-seats.js';
import { dealHand } from './shuffle-sharding.js';

const group = '/apis/flowcontrol.apiserver.k8s.io/v1';
const someone: User = { name: 'jane', groups: ['system:authenticated'] };

/** A server with the flows that every cluster has, and few seats. */
async function aServerWithFlows(maxInFlight = 100) {
  const clock = new ManualClock();
  const store = memoryStore({ clock });
  const everything = { authorize: () => ({ allowed: true, reason: '' }), rulesFor: () => never() };
  const options = { store, clock, definitions: builtInDefinitions(), maxInFlight, authorizer: everything };
  const api = createApiServer(options);
  const ask = async (user: User, method: string, path: string, value?: unknown) =>
    replyOf(await api.handle({ method, path, headers: {}, user, ...(value === undefined ? {} : { body: { value } }) }));
  await ask(admin, 'POST', '/api/v1/namespaces', named('Namespace', 'default'));
  const kube = new Kube(inprocTransport(api, admin), { clock });
  await bootstrapFlows(kube);
  return { api, ask, clock, store, kube };
}

function never(): never {
  throw new Error('nobody asks');
}

// who | method | path | the FlowSchema that the first match by precedence gives
const classified: [string, string[], string, string, string][] = [
  ['admin', ['system:masters'], 'GET', '/api/v1/pods', 'exempt'],
  ['jane', [], 'GET', '/readyz', 'probes'],
  ['jane', [], 'GET', '/readyz/etcd', 'probes'],
  ['jane', [], 'POST', '/readyz', 'global-default'],
  ['system:kube-scheduler', [], 'PUT', '/apis/coordination.k8s.io/v1/namespaces/x/leases/y', 'system-leader-election'],
  ['system:kube-scheduler', [], 'DELETE', '/apis/coordination.k8s.io/v1/namespaces/x/leases/y', 'kube-scheduler'],
  ['system:kube-controller-manager', [], 'GET', '/api/v1/pods', 'kube-controller-manager'],
  ['system:node:a', ['system:nodes'], 'PATCH', '/api/v1/nodes/a/status', 'system-node-high'],
  ['system:node:a', ['system:nodes'], 'GET', '/api/v1/namespaces/x/pods', 'system-nodes'],
  ['system:node:a', ['system:nodes'], 'GET', '/version', 'system-nodes'],
  ['system:serviceaccount:kube-system:a', [], 'GET', '/api/v1/pods', 'kube-system-service-accounts'],
  ['system:serviceaccount:kube-systems:a', ['system:serviceaccounts'], 'GET', '/api/v1/pods', 'service-accounts'],
  ['jane', [], 'GET', '/apis', 'global-default'],
];

test.each(classified)('%s %j %s %s belongs to %s', async (name, groups, method, path, expected) => {
  const { ask } = await aServerWithFlows();
  const user = { name, groups: [...groups, 'system:authenticated'] };
  const { headers } = await ask(user, method, path, method === 'GET' ? undefined : {});
  const { body } = await ask(admin, 'GET', `${group}/flowschemas/${expected}`);
  expect(headers['x-kubernetes-pf-flowschema-uid']).toBe(body.metadata.uid);
  const level = await ask(
    admin,
    'GET',
    `${group}/prioritylevelconfigurations/${body.spec.priorityLevelConfiguration.name}`,
  );
  expect(headers['x-kubernetes-pf-prioritylevel-uid']).toBe(level.body.metadata.uid);
});

test('a refusal says whose flow it was, and so does an answer about nobody in no store', async () => {
  const store = memoryStore({ clock: new ManualClock() });
  const api = createApiServer({ store, clock: new ManualClock(), definitions: builtInDefinitions() });
  const { status, headers } = await api.handle({ method: 'GET', path: '/api/v1/pods', headers: {}, user: someone });
  expect(status).toBe(403);
  // Mandatory objects count before anybody made them, and have no UID then.
  expect(headers).toMatchObject({ 'x-kubernetes-pf-flowschema-uid': '', 'x-kubernetes-pf-prioritylevel-uid': '' });
});

test('logs are served without a seat', async () => {
  const { ask } = await aServerWithFlows();
  const { headers } = await ask(someone, 'GET', '/api/v1/namespaces/default/pods/p/log');
  expect(headers).not.toHaveProperty('x-kubernetes-pf-flowschema-uid');
});

test('a FlowSchema counts when its write is answered, and one whose level is missing does not count', async () => {
  const { ask } = await aServerWithFlows();
  const schema = (name: string, level: string, matchingPrecedence: number) => ({
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence,
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: 'jane' } }],
          resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['pods'], namespaces: ['*'] }],
        },
      ],
    },
  });
  const made = await ask(admin, 'POST', `${group}/flowschemas`, schema('janes', 'workload-low', 50));
  expect(made.status).toBe(201);
  const before = await ask(someone, 'GET', '/api/v1/namespaces/default/pods');
  expect(before.headers['x-kubernetes-pf-flowschema-uid']).toBe(made.body.metadata.uid);
  // Not at the cluster scope: the rule does not say so.
  const wide = await ask(someone, 'GET', '/api/v1/pods');
  expect(wide.headers['x-kubernetes-pf-flowschema-uid']).not.toBe(made.body.metadata.uid);
  await ask(admin, 'POST', `${group}/flowschemas`, schema('lost', 'nowhere', 40));
  const after = await ask(someone, 'GET', '/api/v1/namespaces/default/pods');
  expect(after.headers['x-kubernetes-pf-flowschema-uid']).toBe(made.body.metadata.uid);
});

test('a level that is full refuses at once or queues, and takes turns between flows', async () => {
  const { clock, store } = await aServerWithFlows();
  const flows = new FlowControl({ store, clock, seats: 20 });
  const noisy = { name: 'noisy', groups: ['system:authenticated'] };
  const flow = flows.flowOf(noisy, listingPods());
  expect(flow.schema).toBe('global-default');
  const order: string[] = [];
  const ask = (user: User) => {
    const begun = flows.begin(flow, user, listingPods(), clock, clock.monotonicMs());
    if (!(begun instanceof Promise)) return begun ?? 'runs';
    void begun.then((refusal) => order.push(refusal ?? user.name));
    return 'waits';
  };
  const seats = flow.level.limits.current;
  const answers = Array.from({ length: seats + 400 }, () => ask(noisy));
  expect(answers.filter((one) => one === 'runs')).toHaveLength(seats);
  // Six queues of fifty are all that one flow has.
  expect(answers.filter((one) => one === 'waits')).toHaveLength(300);
  expect(answers.filter((one) => one === 'queue-full')).toHaveLength(100);
  expect(ask(someone)).toBe('waits');
  for (let ended = 0; ended < 14; ended++) flows.end(flow, clock.monotonicMs());
  await Promise.resolve().then(() => Promise.resolve());
  expect(order).toContain('jane');
  await clock.advance(15_000);
  expect(order.filter((one) => one === 'time-out')).toHaveLength(301 - 14);
  const page = flows.page();
  expect(page).toContain(
    'apiserver_flowcontrol_rejected_requests_total{flow_schema="global-default",priority_level="global-default",reason="queue-full"} 100',
  );
  expect(page).toContain(
    'apiserver_flowcontrol_current_inqueue_requests{flow_schema="global-default",priority_level="global-default"} 0',
  );
});

test('who is refused hears when to come back; administrators always get in', async () => {
  const { api, ask } = await aServerWithFlows(7);
  const flood = await Promise.all(
    Array.from({ length: 400 }, () => api.handle({ method: 'GET', path: '/api/v1/pods', headers: {}, user: someone })),
  );
  const refused = flood.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]?.headers['retry-after']).toBe('1');
  expect(refused[0]?.payload).toEqual({ kind: 'text', text: 'Too many requests, please try again later.\n' });
  expect((await ask(admin, 'GET', '/api/v1/pods')).status).toBe(200);
  const { body } = await ask(admin, 'GET', '/metrics');
  expect(body).toMatch(
    /apiserver_flowcontrol_dispatched_requests_total\{flow_schema="exempt",priority_level="exempt"\} \d+/,
  );
});

test('bootstrapFlows() gives back what was deleted or changed, unless it is marked to be left alone', async () => {
  const { ask, kube } = await aServerWithFlows();
  const path = `${group}/prioritylevelconfigurations`;
  const seats = async (name: string) =>
    (await ask(admin, 'GET', `${path}/${name}`)).body.spec?.limited?.nominalConcurrencyShares;
  await ask(admin, 'DELETE', `${path}/workload-low`);
  const { body: system } = await ask(admin, 'GET', `${path}/system`);
  system.spec.limited.nominalConcurrencyShares = 1;
  await ask(admin, 'PUT', `${path}/system`, system);
  const { body: high } = await ask(admin, 'GET', `${path}/node-high`);
  high.spec.limited.nominalConcurrencyShares = 1;
  high.metadata.annotations['apf.kubernetes.io/autoupdate-spec'] = 'false';
  await ask(admin, 'PUT', `${path}/node-high`, high);
  await bootstrapFlows(kube);
  expect(await Promise.all(['workload-low', 'system', 'node-high'].map(seats))).toEqual([100, 30, 1]);
});

test('a level lends seats that it does not need to one that does, within ten seconds', async () => {
  const { clock, store } = await aServerWithFlows();
  const flows = new FlowControl({ store, clock, seats: 600 });
  const access = { kind: 'path', verb: 'get', path: '/apis' } as const;
  const flow = flows.flowOf(someone, access);
  const before = flow.level.limits;
  expect(before).toMatchObject({ nominal: 49, lower: 24, upper: 649 });
  for (let asked = 0; asked < 200; asked++) flows.begin(flow, someone, access, clock, clock.monotonicMs());
  await clock.advance(10_000);
  flows.begin(flow, someone, access, clock, clock.monotonicMs());
  expect(flow.level.limits.current).toBeGreaterThan(before.current * 2);
});

test('shareSeats() keeps every level within its bounds and shares out everything there is', () => {
  const wish = fc
    .record({
      lower: fc.integer({ min: 0, max: 50 }),
      more: fc.integer({ min: 0, max: 500 }),
      want: fc.double({ min: 0, max: 600, noNaN: true }),
    })
    .map(({ lower, more, want }) => ({ lower, upper: lower + more, target: Math.max(lower, want) }));
  fc.assert(
    fc.property(fc.array(wish, { minLength: 1, maxLength: 8 }), fc.integer({ min: 0, max: 2_000 }), (wishes, seats) => {
      const shared = shareSeats(seats, wishes);
      const [least, most] = (['lower', 'upper'] as const).map((bound) =>
        wishes.reduce((sum, one) => sum + one[bound], 0),
      );
      for (const [index, { lower, upper }] of wishes.entries()) {
        expect(shared[index]).toBeGreaterThanOrEqual(lower);
        expect(shared[index]).toBeLessThanOrEqual(upper);
      }
      const wanted = Math.min(most ?? 0, Math.max(least ?? 0, seats));
      expect(Math.abs(shared.reduce((sum, one) => sum + one, 0) - wanted)).toBeLessThanOrEqual(wishes.length);
    }),
  );
});

test('dealHand() deals different queues, the same ones each time', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 128 }), fc.integer({ min: 1, max: 8 }), (flow, deck, size) => {
      const hand = dealHand(flow, deck, Math.min(deck, size));
      expect(new Set(hand).size).toBe(hand.length);
      expect(hand.every((card) => card >= 0 && card < deck)).toBe(true);
      expect(dealHand(flow, deck, Math.min(deck, size))).toEqual(hand);
    }),
  );
});

test('PriorityLevel: nobody waits while a seat is free, and nobody who waits is forgotten', async () => {
  const spec = {
    type: 'Limited',
    limited: { limitResponse: { type: 'Queue', queuing: { queues: 4, handSize: 2, queueLengthLimit: 3 } } },
  } as const;
  const story = fc.array(fc.oneof(fc.constantFrom('end', 'more', 'fewer', 'later'), fc.constantFrom('a', 'b', 'c')), {
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(story, async (words) => {
      const clock = new ManualClock();
      const level = new PriorityLevel('x', spec, 0);
      const settled = { in: 0, out: 0, asked: 0, ended: 0 };
      let current = 2;
      const limit = () => level.limit({ nominal: 2, lower: 0, upper: 9, current });
      limit();
      for (const word of words) {
        if (word === 'more') current = Math.min(9, current + 1);
        if (word === 'fewer') current = Math.max(1, current - 1);
        if (word === 'more' || word === 'fewer') limit();
        else if (word === 'later') await clock.advance(16_000);
        else if (word === 'end') {
          if (settled.in > settled.ended) {
            settled.ended++;
            level.leave(clock.monotonicMs());
          }
        } else {
          settled.asked++;
          const note = (refusal: string | undefined) => void (refusal ? settled.out++ : settled.in++);
          const entered = level.enter(() => word, clock, clock.monotonicMs());
          if (entered instanceof Promise) void entered.then(note);
          else note(entered);
        }
        await Promise.resolve();
        const waiting = settled.asked - settled.in - settled.out;
        if (waiting > 0) expect(settled.in - settled.ended).toBeGreaterThanOrEqual(current);
      }
      await clock.advance(16_000);
      await Promise.resolve();
      expect(settled.in + settled.out).toBe(settled.asked);
    }),
  );
});
