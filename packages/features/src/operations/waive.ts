import { hasReason, type Kube, type ResourceRef } from '@slipway/kube';
import { Feature, type FeatureStatus, type Waiver } from '../api/feature.js';
import { workOf } from '../lifecycle/maintenance.js';
import { longestWaiverMs } from '../lifecycle/waived-uses.js';
import { ownAuthor } from '../rbac/own-author.js';

const Node: ResourceRef = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };

/** The waiver cannot be given, or taken back, as it was asked. */
export class WaiverError extends Error {
  override readonly name = 'WaiverError';
}

/** What a waiver covers: exactly one of the four. */
export type WaivedThing = Pick<Waiver, 'process' | 'node' | 'task' | 'object'>;

export interface NewWaiver extends WaivedThing {
  readonly id: string;
  /** Why, in ten characters or more. */
  readonly reason: string;
  readonly by: string;
  /** For how long; at most 30 days. */
  readonly forMs: number;
}

const shortestReason = 10;
const mostWaivers = 32;

/**
 * Lets a process, a node, a task or an object be for a while. Waivers that are over make room.
 * @throws WaiverError before anything is written.
 */
export async function addWaiver(
  kube: Kube,
  { metadata, status }: Feature,
  asked: NewWaiver,
  signal?: AbortSignal,
): Promise<Feature> {
  const { id, reason, by, forMs, ...thing } = asked;
  const nowMs = kube.clock.now();
  if (Object.keys(thing).length !== 1) throw new WaiverError('a waiver is for one process, node, task or object');
  if (reason.trim().length < shortestReason) {
    throw new WaiverError(
      `the reason must have at least ${shortestReason} characters: whoever comes next has only that`,
    );
  }
  if (!(forMs > 0)) throw new WaiverError('a waiver holds for a time that is named, 30 days at most');
  if (forMs > longestWaiverMs) throw new WaiverError('a waiver holds for 30 days at most');
  if (thing.object !== undefined && !/^[a-z0-9.-]+\/([^/]+\/)?[^/]+$/.test(thing.object)) {
    throw new WaiverError(`${thing.object} is not RESOURCE.GROUP/NAMESPACE/NAME, as in statefulsets.apps/shop/web`);
  }
  if (thing.task !== undefined) requireTask(status, thing.task);
  if (thing.node !== undefined) await requireNode(kube, thing.node, signal);
  const waiver: Waiver = { id, ...thing, reason: reason.trim(), by, expires: new Date(nowMs + forMs).toISOString() };
  return change(kube, metadata, signal, (waivers) => {
    const kept = waivers.filter(({ expires }) => Date.parse(expires) > nowMs);
    if (kept.length >= mostWaivers) throw new WaiverError(`there are ${mostWaivers} waivers already`);
    return [...kept, waiver];
  });
}

/**
 * Takes a waiver back.
 * @throws WaiverError when there is none of this id.
 */
export async function removeWaiver(
  kube: Kube,
  { metadata }: Feature,
  id: string,
  signal?: AbortSignal,
): Promise<Feature> {
  return change(kube, metadata, signal, (waivers) => {
    if (!waivers.some((waiver) => waiver.id === id)) throw new WaiverError(`there is no waiver ${id}`);
    return waivers.filter((waiver) => waiver.id !== id);
  });
}

/** @throws WaiverError for a task that is not ahead: a waiver would wait for one of that name. */
function requireTask(status: FeatureStatus | undefined, name: string): void {
  const open = (workOf(status)?.tasks ?? []).map((task) => task.name);
  if (open.includes(name)) return;
  throw new WaiverError(`no task ${name} is ahead; ${open.length > 0 ? `these are: ${open.join(', ')}` : 'none is'}`);
}

/** @throws WaiverError for a node that does not exist. Callers without the right to read nodes are not held up. */
async function requireNode(kube: Kube, name: string, signal: AbortSignal | undefined): Promise<void> {
  try {
    if (await kube.resource(Node).find({ name }, signal)) return;
  } catch (error) {
    if (hasReason(error, 'Forbidden')) return;
    throw error;
  }
  throw new WaiverError(`there is no node ${name}`);
}

async function change(
  kube: Kube,
  { name = '', namespace }: Feature['metadata'],
  signal: AbortSignal | undefined,
  next: (waivers: readonly Waiver[]) => readonly Waiver[],
): Promise<Feature> {
  const author = await ownAuthor(kube, signal);
  return kube.resource(Feature).mutate(
    { name, namespace },
    (feature) => ({
      ...feature,
      ...(author && { author }),
      spec: { ...feature.spec, waivers: next(feature.spec.waivers ?? []) },
    }),
    { signal },
  );
}
