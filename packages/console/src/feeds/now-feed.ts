import type { NodeSize } from '@slipway/balloons';
import type { Feature } from '@slipway/features';
import { serverProblem, serverRemedy } from '@slipway/features';
import { nextStepOf } from '@slipway/features/views';
import { type Clock, findCondition } from '@slipway/kube';
import type { Feed } from './feed.js';
import { gatherUntil } from './gather.js';
import type { Limiter } from './limiter.js';
import type { NodeSources } from './node-sources.js';
import type { Proposals } from './proposals.js';
import type { ServerWatch } from './server-watch.js';
import type { Source } from './source.js';
import { followSources } from './table-feed.js';

/** Something that does not go on without a person. */
export interface Matter {
  readonly key: string;
  readonly system: 'features' | 'nodes' | 'pulls' | 'keps';
  /** What it is about, such as a gate or a node. */
  readonly about: string;
  /** Path of its page. */
  readonly path: string;
  readonly why: string;
  /** The one thing to do next, mostly a command to copy. */
  readonly step: string;
  /** RFC 3339 */
  readonly since?: string | undefined;
}

const everyMs = 250;

/** The sources of matters. */
export interface NowSources {
  readonly features: Source<Feature>;
  readonly servers: ServerWatch;
  readonly nodes: NodeSources;
  readonly limiters: readonly Limiter[];
  readonly proposals: Proposals;
}

type LimiterView = Pick<Limiter, 'address' | 'state' | 'problem'>;

/**
 * Sends all matters that need a person now, the oldest first. A system that is not installed, or that the user may not
 * see, has none; that features cannot be seen is said.
 */
export function nowFeed({ features, servers, nodes, limiters, proposals }: NowSources, clock: Clock): Feed {
  return (send, signal) => {
    const { sizes } = nodes;
    let sent = '';
    let following: { close(): void } | undefined;
    const flush = (ask: () => void) => {
      const isSettled = (source: Pick<Source<Feature>, 'isKnown' | 'problem'>) => source.isKnown || source.problem;
      if (!features.isKnown || !isSettled(sizes as never)) return false;
      const matters = [
        ...featureMatters(features.informer.lister.list(), servers),
        ...nodeMatters(sizes.informer.lister.list()),
        ...limiters.flatMap(limiterMatters),
        ...proposalMatters(proposals),
      ];
      matters.sort(longestFirst);
      const text = JSON.stringify(matters);
      if (text !== sent) send({ type: 'document', document: matters });
      sent = text;
      // To read proposals takes longer than all the rest, and the first view does not wait for it.
      following ??= proposals.onChange(ask);
      return true;
    };
    sizes.start();
    gatherUntil(signal, clock, everyMs, flush, (ask) => [
      followSources([features], send, ask),
      servers.onChange(ask),
      features.informer.onChange(ask),
      sizes.informer.onChange(ask),
      sizes.onProblem(ask),
      ...limiters.map((limiter) => limiter.onAnswer(ask)),
      { close: () => following?.close() },
    ]);
  };
}

/** Nodes that do not get the size they should have. */
export function nodeMatters(sizes: readonly NodeSize[]): Matter[] {
  return sizes.flatMap((size) => {
    const { conditions, resize, lastResize } = size.status ?? {};
    const degraded = findCondition(conditions, 'Degraded');
    const ready = findCondition(conditions, 'Ready');
    const isStuck = !resize && lastResize?.result === 'DoesNotFit' && ready?.status === 'False';
    const told = degraded?.status === 'True' ? degraded : isStuck ? ready : undefined;
    if (!told) return [];
    const { name = '' } = size.metadata;
    const step = `slipway node explain ${name}`;
    const since = told.lastTransitionTime;
    return [
      { key: name, system: 'nodes' as const, about: name, path: `/nodes/${name}`, why: told.message, step, since },
    ];
  });
}

/** Proposals that their reviewers would send back: one matter, however many they are. */
export function proposalMatters({ lines, root }: Pick<Proposals, 'lines' | 'root'>): Matter[] {
  const blocked = lines.filter(({ readiness }) => readiness === 'blocked');
  const [first] = blocked;
  if (!first) return [];
  const isOne = blocked.length === 1;
  return [
    {
      key: 'blocked',
      system: 'keps',
      about: isOne ? first.title : `${blocked.length} proposals`,
      path: isOne ? `/keps/${encodeURIComponent(first.key)}` : '/keps?is=blocked',
      why: isOne ? 'It has errors.' : 'They have errors.',
      step: `slipway kep check --root ${root}`,
    },
  ];
}

/** A limiter that holds pulls up, or that does not limit. */
export function limiterMatters({ address: { name, socket }, state, problem }: LimiterView): Matter[] {
  if (!state || problem) return [];
  const stalled = state.running.filter((pull) => pull.state === 'stalled');
  const found: readonly (readonly [boolean, string, string])[] = [
    [state.paused && state.waiting.length > 0, `Paused, and ${state.waiting.length} pulls wait.`, 'resume'],
    [stalled.length > 0, `No byte arrives of ${stalled.map(({ image }) => image).join(', ')}.`, 'list'],
    [state.bypassed, 'It is bypassed: nothing is limited.', 'bypass --off'],
  ];
  return found
    .filter(([applies]) => applies)
    .map(([, why, verb]) => {
      const step = `slipway pulls ${verb} --admin ${socket}`;
      return { key: `${name} ${verb}`, system: 'pulls', about: name, path: '/pulls', why, step };
    });
}

/** Features that wait for a person; only that no server runs, where that is so. */
export function featureMatters(features: readonly Feature[], { liveness }: Pick<ServerWatch, 'liveness'>): Matter[] {
  const problem = features.length > 0 ? serverProblem(liveness) : undefined;
  if (problem !== undefined) {
    return [
      {
        key: 'server',
        system: 'features',
        about: 'Feature server',
        path: '/features',
        why: problem,
        step: serverRemedy,
      },
    ];
  }
  return features.flatMap((feature) => {
    const { sentence, fix } = nextStepOf(feature, liveness);
    if (fix === undefined) return [];
    const { namespace = '', name = '' } = feature.metadata;
    return [
      {
        key: `${namespace}/${name}`,
        system: 'features' as const,
        about: feature.spec.gate,
        path: `/features/${namespace}/${name}`,
        why: sentence,
        step: fix,
        since: waitingSince(feature),
      },
    ];
  });
}

function waitingSince({ status }: Feature): string | undefined {
  const conditions = status?.conditions;
  const of = (type: string) => findCondition(conditions, type);
  const blocked = of('Blocked');
  return (blocked?.status === 'True' ? blocked : (of('Progressing') ?? of('UsesConsistent')))?.lastTransitionTime;
}

function longestFirst(one: Matter, other: Matter): number {
  return (one.since ?? '').localeCompare(other.since ?? '') || one.key.localeCompare(other.key);
}
