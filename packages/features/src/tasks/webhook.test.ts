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

/** A failure after so many of which a person is told. */
function failed(blocksAfter: number, message: string) {
  return { kind: 'failed', blocksAfter, message: expect.stringContaining(message) };
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
  ['Running, without what it need not say', ok({ phase: 'Running', progress: null }), { kind: 'waiting' }],
  ['something else', ok({ phase: 'Perhaps' }), failed(3, 'phase must be Done, Running or Blocked, not "Perhaps"')],
  ['no JSON', ok(undefined), failed(3, 'must be a JSON object, not undefined')],
  ['a list', ok([{ phase: 'Done' }]), failed(3, 'must be a JSON object, not [{"phase":"Done"}]')],
  ['progress of another type', ok({ phase: 'Running', progress: 'half' }), failed(3, 'progress must be { done')],
  [
    'progress with a word for a number',
    ok({ phase: 'Running', progress: { done: 'many', unit: 'queues' } }),
    failed(3, 'not {"done":"many","unit":"queues"}'),
  ],
  ['half an object', ok({ phase: 'Running', progress: { done: 0.5, unit: 'x' } }), failed(3, 'progress must be')],
  ['progress without unit', ok({ phase: 'Running', progress: { done: 1 } }), failed(3, 'progress must be')],
  ['a message that is none', ok({ phase: 'Blocked', message: {} }), failed(3, 'message must be a string, not {}')],
  [
    'a checkpoint that is too long',
    ok({ phase: 'Running', checkpoint: 'ä'.repeat(513) }),
    failed(3, 'checkpoint must be a string of at most 1 KiB'),
  ],
  ['an error', { status: 503, body: {} }, failed(8, 'webhook drain answered with HTTP 503')],
  ['too many requests', { status: 429, body: {} }, failed(8, 'HTTP 429')],
  ['not found', { status: 404, body: {} }, failed(3, 'HTTP 404; see to the webhook, or to its url')],
  ['a redirect', { status: 302, body: {} }, failed(3, 'HTTP 302')],
  ['nothing at all', new Error('connect ECONNREFUSED'), failed(8, 'webhook drain: connect ECONNREFUSED')],
  [
    'a certificate that is not trusted',
    Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
    failed(1, 'name the CA in caBundle'),
  ],
  [
    'a certificate that is over',
    Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' }),
    failed(1, 'certificate has expired (CERT_HAS_EXPIRED)'),
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

test('webhookTask() calls only hosts that its own configuration names', async () => {
  const { outcome, sent } = await called(ok({ phase: 'Done' }), { name: 'toString' });
  expect(outcome).toMatchObject({
    kind: 'blocked',
    reason: 'NotConfigured',
    message: expect.stringContaining('it has drain'),
  });
  expect(sent).toEqual([]);
});
