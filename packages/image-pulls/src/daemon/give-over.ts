import type { Duplex } from 'node:stream';
import type { PullClock } from '../limiter/clock.js';
import type { PullLimiter } from '../limiter/pull-limiter.js';
import { isRefusalReason } from '../limiter/pull-refused-error.js';
import type { Presence, Pull, PullQueue } from '../limiter/queue-state.js';
import type { OpenPulls } from '../proxy/open-pulls.js';
import type { UnaryAnswer } from '../runtime/unary-call.js';
import {
  type FromNew,
  type FromOld,
  type HandedPull,
  messageLine,
  type RuntimeSettings,
} from './hand-over-messages.js';

export interface Giving {
  readonly limiter: PullLimiter<UnaryAnswer>;
  /** Calls that are open here; one may not be in the queue yet. */
  readonly openPulls: OpenPulls;
  readonly clock: PullClock;
  byHand(): RuntimeSettings;
  /** Frees what only one process can listen at. */
  release(): void;
  /** The new daemon serves: stops listening and lets clients move there. */
  leave(): void;
  /**
   * Listens again, by force in place of a new daemon that did not get as far as serving. Resolves with whether calls
   * come here again.
   */
  restore(byForce: boolean): Promise<boolean>;
}

/** How long a new daemon may take until it serves. Nothing new starts in that time. */
const takeTimeoutMs = 30_000;

/**
 * Lets another daemon take over through this connection. From `take` on the new one alone decides what starts: what runs
 * here counts there, and who waits here is queued there in the same order. From `commit` on clients come to the new one;
 * calls that are open stay here until they are answered. If the new one dies, gives up or takes too long, this one goes on
 * as before; it listens again only when the new one has let go of its addresses, which closing the connection says.
 * @returns whether everything has moved and ended, so that this daemon is not needed any more.
 */
export function giveOver(socket: Duplex, giving: Giving): Promise<boolean> {
  const { limiter, openPulls, clock } = giving;
  const told = new Map<string, number | undefined>();
  let phase: 'idle' | 'taken' | 'committed' | 'withdrawn' | 'orphaned' | 'ended' = 'idle';
  let last: PullQueue | undefined;
  return new Promise((resolve) => {
    const line = messageLine<FromOld, FromNew>(socket, hear, () => void closed());
    const timeout = clock.after(takeTimeoutMs, () => {
      phase = 'withdrawn';
      limiter.setGoverned(false);
      line.say({ say: 'withdrawn' });
    });
    const end = (isOver: boolean) => {
      phase = 'ended';
      limiter.watch(() => {});
      line.close();
      resolve(isOver);
    };
    limiter.watch((queue) => {
      last = queue;
      changed(queue);
    });

    function changed(queue: PullQueue): void {
      const { waiting, running, adopted } = queue;
      if (phase === 'taken' || phase === 'committed') {
        for (const pull of waiting) {
          if (told.has(nameOf(pull))) continue;
          told.set(nameOf(pull), pull.id);
          line.say({ say: 'waiting', id: nameOf(pull), pull: { ...handed(pull), callers: limiter.callersOf(pull) } });
        }
        const open = new Set([...waiting, ...running].map(nameOf).concat(adopted.map(adoptedName)));
        for (const id of told.keys()) {
          if (open.has(id)) continue;
          told.delete(id);
          line.say({ say: 'over', id });
        }
      }
      const isEmpty = waiting.length + running.length + adopted.length === 0;
      if (!isEmpty || (phase !== 'committed' && phase !== 'orphaned')) return;
      if (openPulls.isNone) end(true);
      else void openPulls.whenNone().then(() => last && changed(last));
    }

    function hear(message: FromNew): void {
      const pullId = 'id' in message ? told.get(message.id) : undefined;
      if (message.say === 'take' && phase === 'idle') take();
      else if (message.say === 'release' && phase !== 'withdrawn') {
        giving.release();
        line.say({ say: 'released' });
      } else if (message.say === 'commit' && phase === 'taken') commit();
      else if (message.say === 'start' && pullId !== undefined) limiter.grant(pullId);
      else if (message.say === 'deny' && pullId !== undefined) {
        // A later version may have reasons that this one does not know.
        limiter.deny(pullId, isRefusalReason(message.reason) ? message.reason : 'Dropped');
      }
    }

    function take(): void {
      limiter.setGoverned(true);
      const { running = [], adopted = [] } = last ?? {};
      // What runs beside the slots takes none there either.
      const ids = running.filter(({ lane }) => lane === 'place').map(nameOf);
      ids.push(...adopted.map(adoptedName));
      for (const id of ids) told.set(id, undefined);
      phase = 'taken';
      line.say({ say: 'state', nowMs: clock.monotonicMs(), byHand: giving.byHand() });
      line.say({ say: 'running', ids });
      if (last) changed(last);
      line.say({ say: 'told' });
    }

    function commit(): void {
      timeout.cancel();
      phase = 'committed';
      giving.leave();
      line.say({ say: 'yours' });
      if (last) changed(last);
    }

    async function closed(): Promise<void> {
      timeout.cancel();
      if (phase === 'ended') return;
      const wasCommitted = phase === 'committed';
      phase = 'idle';
      limiter.setGoverned(false);
      if ((await giving.restore(!wasCommitted)) || !wasCommitted) {
        end(false);
        return;
      }
      // Another process serves by now. Whatever is still open here goes on until it has ended.
      phase = 'orphaned';
      if (last) changed(last);
    }
  });
}

function nameOf({ id }: Pull): string {
  return `pull ${id}`;
}

function adoptedName(id: string): string {
  return `adopted ${id}`;
}

function handed({ image, registry, presence, callers, askedAtMs }: Pull): HandedPull {
  const options = callers.map(({ limit }) => limit);
  const limit = options.includes(0) ? 0 : Math.max(0, ...options);
  return { image, registry, presence: handedPresence(presence), limit, askedAtMs };
}

/** Only this process could stop a verification of a tag that moved, so for the new one it takes a slot. */
function handedPresence(presence: Presence): Presence {
  return presence === 'sure' ? presence : 'absent';
}
