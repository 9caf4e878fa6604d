import { admin, aPod, aServer, named, replyOf } from '@slipway/devcluster/testing/a-server';
import type { KubeObject } from '@slipway/kube';
import { expect, test } from 'vitest';

const podPath = '/api/v1/namespaces/default/pods/p';
const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const serving = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const eviction = (more: Record<string, unknown> = {}) => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name: 'p' },
  ...more,
});
const counts = { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2, expectedPods: 2 };

interface Setting {
  readonly status?: object;
  readonly budget?: object;
  readonly spec?: object;
  readonly deleteOptions?: object;
  readonly query?: string;
  readonly another?: boolean;
}

/** A pod `p` on a node, and a budget about it with this status. */
async function setUp({ status = serving, budget, spec = {}, another }: Setting) {
  const server = await aServer();
  const { ask } = server;
  await ask('POST', '/api/v1/namespaces/default/pods', aPod('p', { labels: { app: 'a' }, nodeName: 'n1' }));
  const merge = { 'content-type': 'application/merge-patch+json' };
  await ask('PATCH', `${podPath}/status`, { status }, merge);
  for (const name of another ? ['b', 'c'] : ['b']) {
    if (!budget) continue;
    const made: KubeObject = {
      ...named('PodDisruptionBudget', name, {
        spec: { selector: { matchLabels: { app: 'a' } }, minAvailable: 2, ...spec },
      }),
      apiVersion: 'policy/v1',
    };
    expect((await ask('POST', budgets, made)).status).toBe(201);
    await ask('PATCH', `${budgets}/${name}/status`, { status: { ...counts, ...budget } }, merge);
  }
  return server;
}

const violated = "Cannot evict pod as it would violate the pod's disruption budget.";
const needs = 'The disruption budget b needs 2 healthy pods and has 2 currently';
const unready = { phase: 'Running' };

// what | setting | code | message or cause | whether the pod goes
const cases: [string, Setting, number, string, boolean][] = [
  ['no budget', {}, 201, '', true],
  ['a budget that allows it', { budget: { disruptionsAllowed: 1 } }, 201, '', true],
  ['a budget that allows nothing', { budget: {} }, 429, needs, false],
  ['a budget not seen yet', { budget: { observedGeneration: 0 } }, 429, 'still being processed by the server', false],
  [
    'a budget that could not be counted',
    {
      budget: {
        conditions: [
          {
            type: 'DisruptionAllowed',
            status: 'False',
            reason: 'SyncFailed',
            message: 'why',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
      },
    },
    429,
    'does not allow evicting pods currently because it failed sync: why',
    false,
  ],
  [
    'two budgets',
    { budget: { disruptionsAllowed: 1 }, another: true },
    500,
    'more than one PodDisruptionBudget',
    false,
  ],
  ['a pod that has ended', { budget: {}, status: { phase: 'Failed' } }, 201, '', true],
  ['a pod that has not begun', { budget: {}, status: { phase: 'Pending' } }, 201, '', true],
  ['a pod not ready, budget satisfied', { budget: {}, status: unready }, 201, '', true],
  ['a pod not ready, budget broken', { budget: { currentHealthy: 1 }, status: unready }, 429, 'has 1 currently', false],
  [
    'a pod not ready that may always go',
    { budget: { currentHealthy: 1 }, status: unready, spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } },
    201,
    '',
    true,
  ],
  ['a dry run in the URL', { budget: { disruptionsAllowed: 1 }, query: '?dryRun=All' }, 201, '', false],
  ['a dry run in the body', { budget: {}, deleteOptions: { dryRun: ['All'] } }, 429, needs, false],
  [
    'another version of the pod',
    { deleteOptions: { preconditions: { resourceVersion: '1' } } },
    409,
    'the ResourceVersion in the precondition (1) does not match',
    false,
  ],
  [
    'another version of a pod that has not begun',
    { status: { phase: 'Pending' }, deleteOptions: { preconditions: { resourceVersion: '1' } } },
    409,
    'the ResourceVersion in the precondition (1) does not match',
    false,
  ],
  [
    'another pod of that name',
    { deleteOptions: { preconditions: { uid: 'other' } } },
    409,
    'the UID in the precondition (other) does not match',
    false,
  ],
];

test.each(cases)('an eviction with %s', async (_what, setting, code, text, goes) => {
  const { ask } = await setUp(setting);
  const { query = '', deleteOptions } = setting;
  const { status, body } = await ask('POST', `${podPath}/eviction${query}`, eviction({ deleteOptions }));
  expect(status, JSON.stringify(body)).toBe(code);
  if (code === 429) expect(body).toMatchObject({ reason: 'TooManyRequests', message: violated });
  const said: string = body.details?.causes?.[0]?.message ?? body.message ?? '';
  expect(said).toContain(text);
  const { body: pod } = await ask('GET', podPath);
  expect(pod.metadata.deletionTimestamp !== undefined || pod.code === 404).toBe(goes);
});

test('an eviction that is granted counts the budget down, names the pod there and marks it', async () => {
  const { ask } = await setUp({ budget: { disruptionsAllowed: 1, currentHealthy: 3 } });
  const done = await ask('POST', `${podPath}/eviction`, eviction({ deleteOptions: { gracePeriodSeconds: 7 } }));
  expect(done.body).toMatchObject({ kind: 'Status', status: 'Success', code: 201 });
  const { body: pod } = await ask('GET', podPath);
  expect(pod.metadata.deletionGracePeriodSeconds).toBe(7);
  expect(pod.status.conditions).toContainEqual(
    expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }),
  );
  const { body: budget } = await ask('GET', `${budgets}/b`);
  expect(budget.status).toMatchObject({
    disruptionsAllowed: 0,
    disruptedPods: { p: expect.any(String) },
    conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
  });
  const again = await ask('POST', `${podPath}/eviction`, eviction());
  expect(again.status, 'evicting a terminating pod does not disrupt again').toBe(201);
});

test('a dry run leaves the budget as it is', async () => {
  const { ask } = await setUp({ budget: { disruptionsAllowed: 1 } });
  await ask('POST', `${podPath}/eviction?dryRun=All`, eviction());
  const { body } = await ask('GET', `${budgets}/b`);
  expect(body.status).toMatchObject({ disruptionsAllowed: 1 });
  expect(body.status.disruptedPods).toBeUndefined();
});

// what | method | body | query | code | message
const refusals: [string, string, object | undefined, string, number, string][] = [
  [
    'another name',
    'POST',
    eviction({ metadata: { name: 'q' } }),
    '',
    400,
    'name in URL does not match name in Eviction',
  ],
  ['no such pod', 'POST', eviction({ metadata: { name: 'q' } }), 'q', 404, 'pods "q" not found'],
  ['a read', 'GET', undefined, '', 405, 'the server does not allow this method on the requested resource'],
  ['another kind', 'POST', { ...eviction(), kind: 'Binding' }, '', 400, 'Binding'],
];

test.each(refusals)('an eviction is refused: %s', async (_what, method, body, name, code, message) => {
  const { ask } = await setUp({});
  const path = `/api/v1/namespaces/default/pods/${name || 'p'}/eviction`;
  const answer = await ask(method, path, body);
  expect([answer.status, answer.body.message]).toEqual([code, expect.stringContaining(message)]);
});

test('an eviction may come as protobuf, and discovery tells that there is such a thing', async () => {
  const { api, ask } = await setUp({});
  const bytes = protobuf('policy/v1', 'Eviction', field(1, field(1, Buffer.from('p'))));
  const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' };
  const answer = await api.handle({
    method: 'POST',
    path: `${podPath}/eviction`,
    headers,
    user: admin,
    body: { bytes },
  });
  expect(replyOf(answer)).toMatchObject({ status: 201, body: { status: 'Success' } });
  const { body } = await ask('GET', '/api/v1');
  expect(body.resources).toContainEqual(
    expect.objectContaining({
      name: 'pods/eviction',
      kind: 'Eviction',
      group: 'policy',
      version: 'v1',
      verbs: ['create'],
    }),
  );
});

/** A field that is bytes, text or a message; shorter than 128 bytes. */
function field(number: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content]);
}

function protobuf(apiVersion: string, kind: string, raw: Uint8Array): Buffer {
  const type = Buffer.concat([field(1, Buffer.from(apiVersion)), field(2, Buffer.from(kind))]);
  return Buffer.concat([Buffer.from('k8s\0', 'latin1'), field(1, type), field(2, raw)]);
}
