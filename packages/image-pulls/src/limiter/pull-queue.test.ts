import { expect, test } from 'vitest';
import { step } from './pull-queue.js';
import { type Caller, counted, emptyQueue, type Presence, type QueueEvent, type QueueSettings } from './queue-state.js';

/** A queue that is told things in turn. Callers are named; the image, key and pull have the name of the first letters. */
function story(limit: number, settings: Partial<QueueSettings> = {}) {
  let queue = emptyQueue(limit, settings);
  let lastId = 0;
  const names = new Map<number, string>();
  const log: string[] = [];
  const nameOf = (id: number) => names.get(id) ?? '?';
  const happen = (happened: QueueEvent, atMs: number) => {
    const did = step(queue, happened, atMs);
    queue = did.queue;
    for (const { kind, caller } of did.answer) if (kind === 'ended') log.push(`ok ${nameOf(caller.id)}`);
    for (const pull of did.forced) log.push(`forced ${pull.image}`);
    for (const pull of did.abort) log.push(`abort ${pull.image}`);
    for (const pull of did.start) log.push(`${pull.lane === 'present' ? 'verify' : 'start'} ${pull.image}`);
    for (const answer of did.answer) {
      if (answer.kind === 'refused') log.push(`${answer.reason} ${nameOf(answer.caller.id)}`);
    }
    return api;
  };
  const idOf = (name: string) => [...names].find(([, known]) => known === name)?.[0] ?? 0;
  const api = {
    ask(name: string, atMs: number, more: Partial<Caller> & { presence?: Presence; registry?: string } = {}) {
      const { presence = 'absent', registry = 'r', ...caller } = more;
      lastId += 1;
      names.set(lastId, name);
      const image = name.replace(/[0-9]+$/, '');
      const patient = { giveUpAtMs: Infinity, limit: 0, lookEveryMs: 0, nextLookAtMs: atMs };
      const asking = { id: lastId, askedAtMs: atMs, ...patient, ...caller };
      return happen({ kind: 'asked', key: image, image, registry, presence, caller: asking }, atMs);
    },
    end(image: string, atMs: number) {
      const pullId = queue.running.find((pull) => pull.image === image)?.id ?? 0;
      return happen({ kind: 'ended', pullId }, atMs);
    },
    hangUp: (name: string, atMs: number, withWhat: 'call' | 'session' = 'call') =>
      happen({ kind: 'hungUp', callerId: idOf(name), with: withWhat }, atMs),
    happen,
    tick: (atMs: number) => happen({ kind: 'ticked' }, atMs),
    log: () => log.splice(0),
    waiting: () => queue.waiting.map(({ image }) => image).join(' '),
    counted: () => counted(queue),
    nextAtMs: () => queue.nextAtMs,
  };
  return api;
}

const retry = (atMs: number): Partial<Caller> => ({ giveUpAtMs: atMs + 30_000 });
const fail = (atMs: number): Partial<Caller> => ({ giveUpAtMs: atMs });

test('free slot: starts in the same step', () => {
  expect(story(2).ask('a', 0).ask('b', 0).ask('c', 0).log()).toEqual(['start a', 'start b']);
});

test('limit 0: everything starts at once', () => {
  expect(story(0).ask('a', 0).ask('b', 0).ask('c', 0).log()).toEqual(['start a', 'start b', 'start c']);
});

test('a slot that gets free goes to the one that waits longest', () => {
  const told = story(1).ask('a', 0).ask('b', 1).ask('c', 2).end('a', 5);
  expect(told.log()).toEqual(['start a', 'ok a', 'start b']);
});

test('a call with an equal key joins, and everybody gets the answer', () => {
  const told = story(1).ask('a1', 0).ask('a2', 1).ask('b1', 2).ask('b2', 3).ask('c', 4);
  expect(told.waiting()).toBe('b c');
  expect(told.end('a', 9).log()).toEqual(['start a', 'ok a1', 'ok a2', 'start b']);
});

test('a hung-up leader does not end the pull while others remain', () => {
  const told = story(1).ask('a1', 0).ask('a2', 1).hangUp('a1', 2);
  expect(told.log()).toEqual(['start a']);
  expect(told.hangUp('a2', 3).log()).toEqual(['abort a']);
});

test('a slot is held until an abandoned pull has ended', () => {
  const told = story(1).ask('a', 0).ask('b', 1).hangUp('a', 2);
  expect(told.log()).toEqual(['start a', 'abort a']);
  expect(told.end('a', 3).log()).toEqual(['start b']);
});

test('a slot of an abandoned pull that never ends is freed after 5 s', () => {
  const told = story(1).ask('a', 0).ask('b', 1).hangUp('a', 2).tick(5_001);
  expect(told.log()).toEqual(['start a', 'abort a']);
  expect(told.tick(5_002).log()).toEqual(['forced a', 'start b']);
});

test('a caller that asks for an abandoned pull gets its own', () => {
  const told = story(2).ask('a1', 0).hangUp('a1', 1).ask('a2', 2);
  expect(told.log()).toEqual(['start a', 'abort a', 'start a']);
});

test('retry: refused at the last look, 30 s after asking', () => {
  const told = story(1).ask('a', 0).ask('b', 0, retry(0)).tick(10_000).tick(20_000).tick(29_999);
  expect(told.log()).toEqual(['start a']);
  expect(told.tick(30_000).log()).toEqual(['TooManyPullingInParallel b']);
});

test('retry: a slot that is free at the last look is taken', () => {
  const told = story(1).ask('a', 0).ask('b', 0, retry(0)).end('a', 30_000);
  expect(told.log()).toEqual(['start a', 'ok a', 'start b']);
});

test('retry: looks at 0, 10, 20, 30 s when it may not start in between', () => {
  const looking: Partial<Caller> = { ...retry(0), lookEveryMs: 10_000, nextLookAtMs: 0 };
  const told = story(1).ask('a', 0).ask('b', 0, looking).tick(10_000).end('a', 12_000);
  expect(told.log()).toEqual(['start a', 'ok a']);
  expect(told.nextAtMs()).toBeLessThanOrEqual(20_000);
  expect(told.ask('c', 13_000).end('c', 19_000).tick(20_000).log()).toEqual(['start c', 'ok c', 'start b']);
});

test('fail: refused at once, or started at once', () => {
  expect(story(1).ask('a', 0, fail(0)).ask('b', 0, fail(0)).log()).toEqual(['start a', 'TooManyPullingInParallel b']);
});

test('callers with less patience are refused, and the pull stays for the others', () => {
  const told = story(1).ask('a', 0).ask('b1', 0, retry(0)).ask('b2', 1).tick(30_000).end('a', 40_000);
  expect(told.log()).toEqual(['start a', 'TooManyPullingInParallel b1', 'ok a', 'start b']);
});

test('a refusal is remembered for 5 s, so that trying credentials in turn waits once', () => {
  const told = story(1)
    .ask('a', 0)
    .ask('b', 0, { ...retry(0), podUid: 'p' })
    .tick(30_000)
    .log();
  expect(told).toEqual(['start a', 'TooManyPullingInParallel b']);
  const again = story(1)
    .ask('a', 0)
    .ask('b1', 0, { ...retry(0), podUid: 'p' })
    .tick(30_000);
  again.ask('b2', 30_001, { ...retry(30_001), podUid: 'p' }).ask('b3', 30_001, { ...retry(30_001), podUid: 'q' });
  expect(again.log()).toEqual(['start a', 'TooManyPullingInParallel b1', 'TooManyPullingInParallel b2']);
  again.ask('b4', 35_000, { ...retry(35_000), podUid: 'p' });
  expect(again.log()).toEqual([]);
});

test('a remembered refusal does not refuse while a slot is free', () => {
  const told = story(1)
    .ask('a', 0)
    .ask('b1', 0, { ...retry(0), podUid: 'p' })
    .tick(30_000)
    .end('a', 30_001);
  told.ask('b2', 30_002, { ...retry(30_002), podUid: 'p' });
  expect(told.log()).toEqual(['start a', 'TooManyPullingInParallel b1', 'ok a', 'start b']);
});

test('option: tightens and never widens', () => {
  const told = story(2).ask('a', 0).ask('b', 0, { limit: 1 }).ask('c', 0, { limit: 8 }).ask('d', 0, { limit: 8 });
  expect(told.log()).toEqual(['start a', 'start c']);
  expect(told.end('a', 1).log()).toEqual(['ok a', 'start d']);
  expect(told.end('c', 2).end('d', 3).log()).toEqual(['ok c', 'ok d', 'start b']);
});

test('option: applies without a limit of the daemon too', () => {
  const told = story(0).ask('a', 0).ask('b', 0, { limit: 1 }).ask('c', 0);
  expect(told.log()).toEqual(['start a', 'start c']);
});

test('raising the limit starts as many, to 0 all', () => {
  const told = story(1).ask('a', 0).ask('b', 0).ask('c', 0).ask('d', 0);
  expect(told.happen({ kind: 'limitSet', limit: 2 }, 1).log()).toEqual(['start a', 'start b']);
  expect(told.happen({ kind: 'limitSet', limit: 0 }, 2).log()).toEqual(['start c', 'start d']);
});

test('lowering the limit ends nothing and starts nothing until counted is below', () => {
  const told = story(3).ask('a', 0).ask('b', 0).ask('c', 0).ask('d', 0).happen({ kind: 'limitSet', limit: 1 }, 1);
  expect(told.log()).toEqual(['start a', 'start b', 'start c']);
  expect(told.end('a', 2).end('b', 3).log()).toEqual(['ok a', 'ok b']);
  expect(told.end('c', 4).log()).toEqual(['ok c', 'start d']);
});

test('the queue is never longer than maxWaiting, and joining is not longer', () => {
  const told = story(1, { maxWaiting: 1 }).ask('a', 0).ask('b1', 0).ask('c', 0).ask('b2', 0);
  expect(told.log()).toEqual(['start a', 'QueueFull c']);
});

test('present: does not wait, and does not count', () => {
  const told = story(1).ask('a', 0).ask('b', 0, { presence: 'sure' }).ask('c', 0, { presence: 'likely' });
  expect(told.log()).toEqual(['start a', 'verify b', 'verify c']);
  expect(told.counted()).toBe(1);
});

test('present: a tag that is there takes a free slot first, and goes beside them when there is none', () => {
  const told = story(1).ask('a', 0, { presence: 'likely' });
  expect(told.counted()).toBe(1);
  expect(told.ask('b', 0, { presence: 'likely' }).log()).toEqual(['start a', 'verify b']);
});

test('present: tags are verified one at a time', () => {
  const told = story(1).ask('a', 0).ask('b', 0, { presence: 'likely' }).ask('c', 0, { presence: 'likely' });
  expect(told.log()).toEqual(['start a', 'verify b']);
  expect(told.end('b', 10).log()).toEqual(['ok b', 'verify c']);
});

test.each(['seen to download', 'slow'])(
  'present: a moved tag (%s) is stopped and waits for a slot, in its turn',
  (how) => {
    const told = story(1).ask('a', 0).ask('b', 1, { presence: 'likely' }).ask('c', 2);
    if (how === 'slow') told.tick(2_001);
    else told.happen({ kind: 'downloads', pullId: 2 }, 5);
    expect(told.log()).toEqual(['start a', 'verify b', 'abort b']);
    expect(told.waiting()).toBe('b c');
    // The stopped verification counts until the runtime has let go of it.
    expect([told.counted(), told.end('a', 1_010).log()]).toEqual([2, ['ok a']]);
    expect(told.end('b', 1_020).log()).toEqual(['start b']);
    expect(told.end('b', 1_030).log()).toEqual(['ok b', 'start c']);
  },
);

test('present: a digest that takes long is still no download', () => {
  const told = story(1).ask('a', 0).ask('b', 0, { presence: 'sure' }).tick(60_000);
  expect([told.counted(), told.log()]).toEqual([1, ['start a', 'verify b']]);
});

test('stall: report shows it, release gives its slot on until it moves, cancel refuses', () => {
  const reported = story(1).ask('a', 0).ask('b', 0).happen({ kind: 'stalled', pullId: 1, idleMs: 60_000 }, 60_000);
  expect([reported.counted(), reported.log()]).toEqual([1, ['start a']]);
  const released = story(1, { onStall: 'release' }).ask('a', 0).ask('b', 0).ask('c', 0);
  released.happen({ kind: 'stalled', pullId: 1, idleMs: 60_000 }, 60_000);
  expect([released.counted(), released.log()]).toEqual([1, ['start a', 'start b']]);
  released.happen({ kind: 'moved', pullId: 1 }, 61_000).end('b', 62_000);
  expect([released.counted(), released.log()]).toEqual([1, ['ok b']]);
  const cancelled = story(1, { onStall: 'cancel' }).ask('a1', 0).ask('a2', 0).ask('b', 0);
  cancelled.happen({ kind: 'stalled', pullId: 1, idleMs: 60_000 }, 60_000);
  expect(cancelled.log()).toEqual(['start a', 'abort a', 'Stalled a1', 'Stalled a2']);
  expect(cancelled.end('a', 60_001).log()).toEqual(['start b']);
});

test('a runtime that is away starts nothing; waiting callers are answered after 30 s', () => {
  const told = story(1).happen({ kind: 'runtimeLost' }, 0).ask('a', 0).ask('b', 10_000);
  expect(told.tick(30_000).log()).toEqual(['RuntimeAway a']);
  expect(told.happen({ kind: 'runtimeBack' }, 31_000).log()).toEqual(['start b']);
});

test('callers lost with their connection have 10 s to come back to the same pull or place', () => {
  const told = story(1).ask('a1', 0).ask('b1', 0).ask('c', 0).hangUp('a1', 1, 'session').hangUp('b1', 1, 'session');
  told.ask('a2', 3_000).ask('b2', 3_000).end('a', 4_000);
  expect(told.log()).toEqual(['start a', 'ok a2', 'start b']);
  told.hangUp('b2', 5_000, 'session').tick(14_999);
  expect(told.log()).toEqual([]);
  expect(told.tick(15_000).log()).toEqual(['abort b']);
});

test('nothing is pulled while all callers that want it are away', () => {
  const told = story(1).ask('a', 0).ask('b', 0).ask('c', 0).hangUp('b', 1, 'session').end('a', 2);
  expect(told.log()).toEqual(['start a', 'ok a', 'start c']);
  expect(told.tick(10_001).waiting()).toBe('');
});

test('waiting callers of pods that are gone are dropped, running pulls go on', () => {
  const told = story(1).ask('a', 0, { podUid: 'p' }).ask('b', 0, { podUid: 'p' }).ask('c', 0, { podUid: 'q' });
  told.happen({ kind: 'podsGone', uids: ['p'] }, 1);
  expect(told.log()).toEqual(['start a', 'PodGone b']);
  expect(told.waiting()).toBe('c');
});

test('pausing starts nothing, resuming starts in order', () => {
  const told = story(2).happen({ kind: 'pausedSet', paused: true }, 0).ask('a', 0).ask('b', 0);
  expect(told.log()).toEqual([]);
  expect(told.happen({ kind: 'pausedSet', paused: false }, 1).log()).toEqual(['start a', 'start b']);
});

test('draining answers who comes, and lets what runs and waits end', () => {
  const told = story(1).ask('a', 0).ask('b', 0).happen({ kind: 'drained' }, 1).ask('c', 2).end('a', 3).end('b', 4);
  expect(told.log()).toEqual(['start a', 'Draining c', 'ok a', 'start b', 'ok b']);
});

test('hand-over: adopted pulls count, and earlier askers go first', () => {
  const told = story(2).happen({ kind: 'adopted', ids: ['x', 'y'] }, 100);
  told.ask('late', 101, { askedAtMs: 101 }).ask('early', 102, { askedAtMs: 50 });
  expect(told.log()).toEqual([]);
  expect(told.happen({ kind: 'adoptedEnded', id: 'x' }, 103).log()).toEqual(['start early']);
});

test('hand-over: a governed queue starts and refuses only what it is told, paused or not', () => {
  const told = story(1).ask('a', 0).ask('b', 0).ask('c', 0).happen({ kind: 'pausedSet', paused: true }, 1);
  told.happen({ kind: 'governedSet', governed: true }, 1).end('a', 2);
  expect(told.log()).toEqual(['start a', 'ok a']);
  expect(told.happen({ kind: 'granted', pullId: 3 }, 3).log()).toEqual(['start c']);
  expect(told.happen({ kind: 'granted', pullId: 3 }, 4).waiting()).toBe('b');
  expect(told.happen({ kind: 'denied', pullId: 2, reason: 'Dropped' }, 5).log()).toEqual(['Dropped b']);
});

test('hand-over: when it is no longer governed, a queue is as paused as it was before', () => {
  for (const paused of [true, false]) {
    const told = story(1).happen({ kind: 'pausedSet', paused }, 0).happen({ kind: 'governedSet', governed: true }, 0);
    expect(told.ask('a', 1).log()).toEqual([]);
    expect(told.happen({ kind: 'governedSet', governed: false }, 2).log()).toEqual(paused ? [] : ['start a']);
  }
});

test('a registry at its cap is passed, and first come first served holds within it', () => {
  const told = story(3, { perRegistry: { slow: 1 } });
  told.ask('a', 0, { registry: 'slow' }).ask('b', 0, { registry: 'slow' }).ask('c', 0, { registry: 'slow' });
  told.ask('d', 0, { registry: 'fast' });
  expect(told.log()).toEqual(['start a', 'start d']);
  expect(told.end('a', 1).log()).toEqual(['ok a', 'start b']);
});

test('dropping an image refuses those who wait for it', () => {
  const told = story(1).ask('a', 0).ask('b', 0).happen({ kind: 'dropped', image: 'b' }, 1);
  expect(told.log()).toEqual(['start a', 'Dropped b']);
});
