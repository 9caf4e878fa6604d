import { expect, test } from 'vitest';
import { aTaskContext } from '../testing/a-task-context.js';
import { type Post, type WebhookCall, webhookTask } from './webhook.js';

const endpoint = { url: 'https://hooks.acme.example/drain' };

/** Runs a webhook that answers like this. Resolves with the outcome and what it was sent. */
async function called(answer: Awaited<ReturnType<Post>> | Error, args: object = { name: 'drain' }) {
  const sent: { body: WebhookCall; headers: Readonly<Record<string, string>> }[] = [];
  const post: Post = async (_endpoint, body, headers) => {
    sent.push({ body, headers });
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const context = aTaskContext({ kind: 'Webhook', args: { ...args }, checkpoint: 'page 3', attempts: 2 });
  return { outcome: await webhookTask({ drain: endpoint }, post).run(context), sent };
}

const ok = (body: unknown) => ({ status: 200, body });
// what it answers | what comes of it
const answers: [string, Awaited<ReturnType<Post>> | Error, object][] = [
  ['Done', ok({ phase: 'Done' }), { kind: 'done' }],
  [
    'Running, with where it is',
    ok({ phase: 'Running', message: 'half', progress: { done: 1, unit: 'queues' }, checkpoint: 'page 4' }),
    {
      kind: 'waiting',
      message: 'half',
      progress: { done: 1, unit: 'queues' },
      checkpoint: 'page 4',
      retryAfterMs: 15_000,
    },
  ],
  [
    'Blocked',
    ok({ phase: 'Blocked', message: 'ask Ann' }),
    { kind: 'blocked', reason: 'TaskBlocked', message: 'ask Ann' },
  ],
  ['something else', ok({ phase: 'Perhaps' }), { kind: 'failed', message: expect.stringContaining('without a phase') }],
  ['no JSON', ok(undefined), { kind: 'failed' }],
  ['an error', { status: 503, body: {} }, { kind: 'failed', message: 'webhook drain answered with HTTP 503' }],
  [
    'nothing at all',
    new Error('connect ECONNREFUSED'),
    { kind: 'failed', message: 'webhook drain: connect ECONNREFUSED' },
  ],
];
test.each(answers)('webhookTask() takes an answer of %s for what it is', async (_what, answer, outcome) => {
  expect((await called(answer)).outcome).toMatchObject(outcome);
});

test('webhookTask() says what it is about, and the same key each time', async () => {
  const { sent } = await called(ok({ phase: 'Done' }), { name: 'drain', args: { queue: 'a' } });
  expect(sent).toEqual([
    {
      headers: { 'Idempotency-Key': '4-abcd/Webhook' },
      body: {
        feature: 'Widgets',
        namespace: 'acme',
        transition: '4-abcd',
        task: 'Webhook',
        to: 'Off',
        attempt: 3,
        checkpoint: 'page 3',
        args: { queue: 'a' },
      },
    },
  ]);
});

test('webhookTask() calls nobody that its own configuration does not name', async () => {
  const { outcome, sent } = await called(ok({ phase: 'Done' }), { name: 'toString' });
  expect(outcome).toMatchObject({
    kind: 'blocked',
    reason: 'NotConfigured',
    message: expect.stringContaining('it has drain'),
  });
  expect(sent).toEqual([]);
});
