import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Kube } from '../client/client.js';
import { sleep } from '../clock/clock.js';
import { silentLog } from '../log/logger.js';
import { type InMemoryApi, inMemoryApi } from '../testing/in-memory-api.js';
import { ManualClock } from '../testing/manual-clock.js';
import { aWidget, type Widget, Widgets } from '../testing/widgets.js';
import { FrameError } from '../transport/frame-error.js';
import { type KubeObject, keyOf } from '../transport/objects.js';
import { UnreachableError } from '../transport/responses.js';
import { failureStatus, StatusError } from '../transport/status.js';
import type { Transport, WatchFrame } from '../transport/transport.js';
import { createInformer } from './informer.js';
import { Reflector } from './reflector.js';

/** What goes wrong with the next thing a client asks, or with the next frame of its watch. */
type Fault =
  | 'connection refused'
  | 'connection reset'
  | 'stream ends'
  | 'frame garbled'
  | 'error frame'
  | 'history lost'
  | 'overloaded'
  | 'slow';

type Step =
  | { readonly kind: 'write'; readonly name: string; readonly size: number }
  | { readonly kind: 'delete'; readonly name: string }
  | { readonly kind: 'fault'; readonly fault: Fault }
  | { readonly kind: 'restart'; readonly downMs: number }
  | { readonly kind: 'endWatches' | 'breakWatches' | 'compact' | 'bookmark' }
  | { readonly kind: 'pass'; readonly ms: number };

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('write' as const), name, size: fc.nat({ max: 9 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), name }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('fault' as const),
      fault: fc.constantFrom<Fault>(
        'connection refused',
        'connection reset',
        'stream ends',
        'frame garbled',
        'error frame',
        'history lost',
        'overloaded',
        'slow',
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const), downMs: fc.nat({ max: 20_000 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('endWatches' as const, 'breakWatches' as const, 'compact' as const, 'bookmark' as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat({ max: 5000 }) }) },
);

test('whatever goes wrong on the way, the cache ends up equal to the store and handlers saw every final state', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 80, size: 'max' }),
      fc.infiniteStream(fc.nat({ max: 999 })),
      async (story, chance) => {
        const clock = new ManualClock();
        const api = inMemoryApi({ clock });
        const faults: Fault[] = [];
        const random = () => (chance.next().value ?? 0) / 1000;
        const reading = new Kube(faulty(api, faults, clock), { clock }).resource(Widgets);
        const writing = new Kube(api, { clock }).resource(Widgets);
        /** Handlers that failed: their expectations among them. */
        const broken: unknown[] = [];
        const informer = createInformer<Widget>({
          log: { ...silentLog, error: (message, fields) => broken.push([message, fields]) },
          reflect: (sink, signal) => new Reflector({ client: reading, sink, clock, random, pageSize: 2 }).run(signal),
        });
        const seen = new Map<string, Widget>();
        informer.onChange(({ type, object, previous }) => {
          const key = keyOf(object);
          // What handlers are told is one gapless story of each object.
          expect(type === 'added').toBe(!seen.has(key));
          if (type === 'updated') {
            expect(previous).toBe(seen.get(key));
            expect(previous?.metadata.uid).toBe(object.metadata.uid);
          }
          if (type === 'deleted') expect(object.metadata.uid).toBe(seen.get(key)?.metadata.uid);
          if (type === 'deleted') seen.delete(key);
          else seen.set(key, object);
          expect(
            informer.lister.get({ name: object.metadata.name ?? '', namespace: 'default' }) !== undefined ||
              type === 'deleted',
          ).toBe(true);
        });
        informer.start();

        for (const each of story) {
          await play(each);
          if (random() < 0.5) await clock.advance(0);
        }
        faults.length = 0;
        api.intercept(undefined);
        // The longest wait between two tries, more than once.
        await clock.advance(100_000);

        const stored = Object.fromEntries(api.stored(Widgets).map((object) => [keyOf(object), object]));
        expect(broken).toEqual([]);
        expect(informer.synced()).toBe(true);
        expect(Object.fromEntries(informer.lister.list().map((object) => [keyOf(object), object]))).toEqual(stored);
        expect(Object.fromEntries(seen)).toEqual(stored);
        await informer.stop();

        async function play(each: Step): Promise<void> {
          switch (each.kind) {
            case 'write': {
              const ref = { name: each.name, namespace: 'default' };
              const present = await writing.find(ref);
              if (present) await writing.replace({ ...present, spec: { size: each.size } });
              else await writing.create(aWidget(each.name, { size: each.size }));
              return;
            }
            case 'delete':
              return await writing.delete({ name: each.name, namespace: 'default' });
            case 'fault':
              faults.push(each.fault);
              return;
            case 'restart': {
              const upAtMs = clock.monotonicMs() + each.downMs;
              api.intercept(({ path }) => {
                if (path.includes('limit=') || path.includes('watch=true')) {
                  if (clock.monotonicMs() < upAtMs) throw new UnreachableError('the server restarts');
                }
              });
              api.endWatches(new Error('socket hang up'));
              return;
            }
            case 'endWatches':
              return api.endWatches();
            case 'breakWatches':
              return api.endWatches(new UnreachableError('read ECONNRESET'));
            case 'compact':
              return api.compact();
            case 'bookmark':
              return api.bookmark();
            case 'pass':
              return await clock.advance(each.ms);
          }
        }
      },
    ),
    { numRuns: 300 },
  );
});

/** A way to the API on which each fault in the list happens once, to whatever comes next. */
function faulty(api: InMemoryApi, faults: Fault[], clock: ManualClock): Transport {
  const spoil = async (fault: Fault | undefined): Promise<void> => {
    switch (fault) {
      case 'connection refused':
      case 'connection reset':
        throw new UnreachableError(fault);
      case 'frame garbled':
        throw new FrameError(fault);
      case 'history lost':
        throw new StatusError(expired);
      case 'overloaded':
        throw new StatusError({ ...expired, code: 429, reason: 'TooManyRequests' });
      case 'slow':
        await sleep(clock, 3000);
    }
  };
  return {
    async request(request) {
      await spoil(faults.shift());
      return await api.request(request);
    },
    async *stream(request, signal) {
      await spoil(faults.shift());
      for await (const frame of api.stream(request, signal)) {
        const fault = faults.shift();
        // What is read is lost with the fault: nothing of it may count as seen.
        if (fault === 'stream ends') return;
        if (fault === 'error frame') {
          yield {
            type: 'ERROR',
            object: { ...expired, code: 500, reason: 'InternalError' } as unknown as KubeObject,
          } satisfies WatchFrame;
          return;
        }
        await spoil(fault);
        yield frame;
      }
    },
  };
}

const expired = failureStatus({ message: 'too old resource version', reason: 'Expired', code: 410 });
