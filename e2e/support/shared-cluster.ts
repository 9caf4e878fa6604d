import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { hasPart, needs } from '../../tools/real-parts.js';
import { eventually, type RunningCluster, type UpSettings, up } from './slipway.js';

/** kubectl against a cluster, for what must succeed: returns what it prints. */
export function kubectlOn(cluster: () => RunningCluster): (...args: string[]) => Promise<string> {
  return async (...args) => {
    const done = await cluster().kubectl(args);
    expect(done.code, `kubectl ${args.join(' ')}: ${done.stderr}`).toBe(0);
    return done.stdout;
  };
}

/** Starts a cluster for all tests of a `describe`, which are skipped without kubectl; waits for its nodes and for `ready`. */
export function sharedCluster(settings: UpSettings, ready?: () => Promise<unknown>) {
  let started: RunningCluster | undefined;
  const cluster = () => {
    if (!started) throw new Error('the cluster did not start');
    return started;
  };
  const kubectl = kubectlOn(cluster);
  beforeAll(async () => {
    if (!hasPart('kubectl')) return;
    started = await up(settings);
    const isReady = async () => (await kubectl('get', 'nodes')).match(/ Ready /g)?.length === (settings.nodes ?? 3);
    await eventually('all nodes are Ready', isReady);
    await ready?.();
  }, 60_000);
  afterAll(async () => {
    await started?.[Symbol.asyncDispose]();
  });
  beforeEach((context) => needs(context, 'kubectl'));
  return { cluster, kubectl };
}
