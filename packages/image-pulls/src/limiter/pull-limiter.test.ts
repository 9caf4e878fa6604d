import { expect, test } from 'vitest';
import { StepClock, settled } from '../testing/step-clock.js';
import type { OnFull } from './on-full.js';
import { proposedRetry } from './on-full.js';
import { sessionLost } from './pull-ask.js';
import { PullLimiter, type PullLimiterOptions } from './pull-limiter.js';
import type { PullRecord } from './pull-record.js';
import { PullRefusedError } from './pull-refused-error.js';

/** A limiter over a runtime whose pulls end when the test says so. */
function limiter(options: Partial<PullLimiterOptions<string>> = {}) {
  const clock = new StepClock();
  const records: PullRecord[] = [];
  const limited = new PullLimiter<string>({ limit: 1, clock, onRecord: (one) => records.push(one), ...options });
  const running = new Map<string, { signal: AbortSignal; end(outcome: string | Error): void }>();
  const ask = (image: string, onFull: OnFull = { mode: 'wait' }, more: { podUid?: string; limit?: number } = {}) => {
    const hangUp = new AbortController();
    const what = { key: image, image, registry: 'r', presence: 'absent', onFull, limit: 0, ...more } as const;
    const answer = limited.pull(
      {
        ...what,
        run: (signal) =>
          new Promise((resolve, reject) => {
            running.set(image, { signal, end: (o) => (typeof o === 'string' ? resolve(o) : reject(o)) });
          }),
      },
      hangUp.signal,
    );
    answer.catch(() => {});
    return { answer, hangUp };
  };
  return { clock, records, limited, running, ask };
}

test('PullLimiter hands one outcome to all who asked for the same', async () => {
  const { ask, running } = limiter();
  const calls = [ask('a'), ask('a'), ask('a')];
  expect(running.size).toBe(1);
  running.get('a')?.end('pulled');
  expect(await Promise.all(calls.map(({ answer }) => answer))).toEqual(['pulled', 'pulled', 'pulled']);
});

test('PullLimiter gives its slot back when the runtime fails', async () => {
  const { ask, running } = limiter();
  const first = ask('a');
  ask('b');
  expect([...running.keys()]).toEqual(['a']);
  running.get('a')?.end(new Error('no such image'));
  await expect(first.answer).rejects.toThrow('no such image');
  expect([...running.keys()]).toEqual(['a', 'b']);
});

test('PullLimiter aborts a pull without callers, and starts the next when it ended', async () => {
  const { ask, running } = limiter();
  const first = ask('a');
  ask('b');
  first.hangUp.abort(new Error('gone'));
  expect(running.get('a')?.signal.aborted).toBe(true);
  expect(running.has('b')).toBe(false);
  running.get('a')?.end(new Error('cancelled'));
  await settled();
  expect(running.has('b')).toBe(true);
});

test('PullLimiter: retry as proposed refuses after 30 s with the error of the proposal', async () => {
  const { ask, clock } = limiter();
  ask('a');
  const { answer } = ask('b', proposedRetry);
  await clock.advance(29_999);
  let refused = false;
  answer.catch(() => {
    refused = true;
  });
  await settled();
  expect(refused).toBe(false);
  await clock.advance(1);
  await expect(answer).rejects.toThrow(/^TooManyPullingInParallelErr: 1 of 1 image pulls/);
  await expect(answer).rejects.toBeInstanceOf(PullRefusedError);
});

test('PullLimiter keeps the pull of a lost connection for its caller to come back to', async () => {
  const { ask, running, clock } = limiter();
  ask('a').hangUp.abort(sessionLost);
  await clock.advance(9_000);
  expect(running.get('a')?.signal.aborted).toBe(false);
  const { answer } = ask('a');
  running.get('a')?.end('pulled');
  expect(await answer).toBe('pulled');
});

test('PullLimiter.drain() refuses who comes, and whenIdle() resolves when what runs and waits has ended', async () => {
  const { ask, running, limited } = limiter();
  const pulls = [ask('a'), ask('b')];
  limited.drain();
  await expect(ask('c').answer).rejects.toMatchObject({ reason: 'Draining' });
  const idle = limited.whenIdle();
  running.get('a')?.end('pulled');
  await settled();
  running.get('b')?.end('pulled');
  await idle;
  expect(await Promise.all(pulls.map(({ answer }) => answer))).toEqual(['pulled', 'pulled']);
});

test('PullLimiter records how long a pull waited and how long it took', async () => {
  const { ask, running, records, clock } = limiter();
  ask('a');
  ask('b');
  await clock.advance(4_000);
  running.get('a')?.end('pulled');
  await clock.advance(2_000);
  running.get('b')?.end('pulled');
  await settled();
  expect(records.filter(({ what }) => what === 'ended')).toMatchObject([
    { image: 'a', outcome: 'ok', waitedMs: 0, pulledMs: 4_000 },
    { image: 'b', outcome: 'ok', waitedMs: 4_000, pulledMs: 2_000 },
  ]);
});

test('PullLimiter.state() shows slots and queue in order', async () => {
  const { ask, limited, clock } = limiter({ limit: 1 });
  ask('a', { mode: 'wait' }, { podUid: 'p' });
  ask('b');
  ask('c');
  await clock.advance(1_000);
  expect(limited.state()).toMatchObject({
    limit: 1,
    counted: 1,
    running: [{ image: 'a', podUids: ['p'], runningMs: 1_000, state: 'running' }],
    waiting: [
      { image: 'b', waitedMs: 1_000, state: 'waiting' },
      { image: 'c', waitedMs: 1_000 },
    ],
  });
});
