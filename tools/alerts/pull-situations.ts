import { PullLimiter } from '../../packages/image-pulls/src/limiter/pull-limiter.js';
import { PullMetrics } from '../../packages/image-pulls/src/metrics/pull-metrics.js';
import { StepClock, settled } from '../../packages/image-pulls/src/testing/step-clock.js';
import type { Situation } from './situation.js';

const minuteMs = 60_000;

/** A limiter of one slot, and the page that it has. */
function aLimiter() {
  const clock = new StepClock();
  const metrics = new PullMetrics();
  const limiter = new PullLimiter<string>({ limit: 1, clock, onRecord: (record) => metrics.note(record) });
  const pull = (image: string) => {
    const run = () => new Promise<string>(() => {});
    const what = {
      key: image,
      image,
      registry: 'r',
      presence: 'absent',
      onFull: { mode: 'wait' },
      limit: 0,
      run,
    } as const;
    limiter.pull(what, new AbortController().signal).catch(() => {});
  };
  return { clock, limiter, pull, page: () => metrics.page(limiter.state()) };
}

export function healthyPulls(): string {
  return aLimiter().page();
}

export const pullSituations: Readonly<Record<string, () => Promise<Situation>>> = {
  async SlipwayPullsRuntimeAway() {
    const { limiter, page } = aLimiter();
    const before = page();
    limiter.runtimeLost();
    return {
      pages: {
        pulls: [
          [0, before],
          [5, page()],
        ],
      },
      quietUntil: 9,
      labels: { instance: 'pulls' },
    };
  },
  async SlipwayPullsStalled() {
    const { limiter, pull, page } = aLimiter();
    pull('web');
    await settled();
    const before = page();
    for (const { id } of limiter.state().running) limiter.stalled(id, minuteMs);
    return {
      pages: {
        pulls: [
          [0, before],
          [5, page()],
        ],
      },
      quietUntil: 14,
      labels: { instance: 'pulls' },
    };
  },
  async SlipwayPullsQueued() {
    const { clock, pull, page } = aLimiter();
    for (const image of ['large', 'web']) pull(image);
    const pages: [number, string][] = [];
    for (let minute = 0; minute <= 20; minute++) {
      pages.push([minute, page()]);
      await clock.advance(minuteMs);
    }
    return { pages: { pulls: pages }, quietUntil: 15, labels: { instance: 'pulls' } };
  },
};
