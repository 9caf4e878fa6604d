import { type DiscoveredResource, type KubeObject, sleep, TokenBucket } from '@slipway/kube';
import type { TaskArgs } from '../api/feature.js';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import type { MatchRequirement } from '../api/match-requirement.js';
import { reachOf } from '../api/scope.js';
import { backupAtWork } from '../lifecycle/maintenance.js';
import type { TaskOutcome } from '../lifecycle/task-outcome.js';
import { objectName, waivedObjects } from '../lifecycle/waived-uses.js';
import { readPage, resourceInReach } from '../references/collection.js';
import { danglingObjects, maxSamples } from '../references/dangling-objects.js';
import { referencesOf } from '../references/embedding.js';
import { FieldPathError, parseFieldPath } from '../references/field-path.js';
import { riskOf } from '../references/path-safety.js';
import { declaredDefault, isSameField } from '../references/used-field.js';
import { Backup, BackupTooLargeError, retentionMs } from './backup.js';
import { type Cleared, type Clearing, clearObject, entriesOf } from './clear-object.js';
import { countObjects } from './extent.js';
import { inParallel } from './in-parallel.js';
import { paceOf } from './pace.js';
import type { Task } from './task.js';
import type { TaskContext } from './task-context.js';

/** Which field of which objects is cleared. */
export interface ClearFieldArgs {
  readonly group: string;
  readonly resource: string;
  readonly path: string;
  /** Only of objects that fit, as the reference says. */
  readonly match?: readonly MatchRequirement[];
  /** Parents to be taken out as well when that leaves them empty. */
  readonly pruneEmpty?: readonly string[];
  /** `None` gives up the way back. */
  readonly backup?: 'Secret' | 'None';
  /** Accepts that clearing a field of a pod template replaces running pods. */
  readonly allowRollout?: boolean;
}

/** How far it is. Small: it is written with every page. */
interface Checkpoint {
  readonly next?: string;
  readonly seen: number;
  readonly cleared: number;
  readonly refused: number;
  readonly example?: string;
}

/**
 * Takes a field out of every object of a resource, page by page. A page is: keep
 * the values in a backup, take them out, write down where the next page begins.
 * So a crash repeats at most one page, and no value is lost.
 *
 * Only the version of an object that was looked at is changed; who writes in
 * between is not overwritten. Objects that the API server refuses to change are
 * counted, the others go on, and a person is asked at the end.
 */
export const clearFieldTask: Task = {
  kind: 'ClearField',
  destructive: true,
  check: checkClearField,
  extent: {
    async count(input) {
      const args = input.args as unknown as ClearFieldArgs;
      const reach = reachOf(input.definition, input.feature.metadata.namespace);
      const resource = resourceInReach(await input.kube.discover(input.signal), args, reach);
      return resource
        ? countObjects(input, resource, isHit(input, args, clearingOf(input, args, resource)))
        : { count: 0 };
    },
    changed: (checkpoint) => readCheckpoint(checkpoint).cleared,
  },
  async run(context) {
    const args = context.task.args as unknown as ClearFieldArgs;
    const reach = reachOf(context.definition, context.feature.metadata.namespace);
    const resource = resourceInReach(await context.kube.discover(context.signal), args, reach);
    if (!resource) return { kind: 'done', result: 'Skipped', objects: 0 };
    try {
      return await clearPages(context, args, resource);
    } catch (error) {
      if (!(error instanceof BackupTooLargeError)) throw error;
      return { kind: 'blocked', reason: 'BackupTooLarge', message: `${error.message}; backup: None gives it up` };
    }
  },
};

async function clearPages(
  context: TaskContext,
  args: ClearFieldArgs,
  resource: DiscoveredResource,
): Promise<TaskOutcome> {
  const { kube, clock, feature, transition, task, signal } = context;
  const pace = paceOf(feature.spec);
  const bucket = new TokenBucket({ clock, perSecond: pace.qps, burst: pace.burst });
  const clearing = clearingOf(context, args, resource);
  const { namespace = '', name = '' } = feature.metadata;
  const reach = reachOf(context.definition, namespace);
  const backupName = {
    namespace,
    feature: name,
    transition: backupAtWork(feature.status ?? {}) ?? transition.id,
    // Values of other namespaces, or of objects of none, are not for those who read Secrets next to the Feature.
    storedIn: reach === undefined ? context.home : undefined,
  };
  const backup = args.backup === 'None' ? undefined : new Backup(kube, backupName, retentionMs(feature.spec));
  const keep = async (entries: Parameters<Backup['keep']>[0]) => backup?.keep(entries, signal);

  const isCleared = isHit(context, args, clearing);
  const stuck: KubeObject[] = [];
  let at = readCheckpoint(task.checkpoint);
  do {
    const page = await readPage(kube, resource, pace.pageSize, at.next, signal, reach);
    const hits = page.items.filter(isCleared);
    context.claim(hits, at.cleared);
    await keep(hits.flatMap((object) => entriesOf(object, clearing)));
    const before = at.cleared;
    const results = await inParallel(hits, pace.inFlight, async (object, index): Promise<Cleared> => {
      const waitMs = bucket.reserve();
      if (waitMs > 0) await sleep(clock, waitMs, signal);
      signal.throwIfAborted();
      context.claim([object], before + index);
      return clearObject(kube, clearing, object, keep, signal);
    });
    const refused = results.flatMap((result) => (result.kind === 'refused' ? [result.message] : []));
    stuck.push(...hits.filter((_, index) => results[index]?.kind === 'refused').slice(0, maxSamples - stuck.length));
    const example = at.example ?? refused[0]?.slice(0, 200);
    at = {
      ...(page.continue !== undefined && { next: page.continue }),
      seen: at.seen + page.items.length,
      cleared: at.cleared + results.filter(({ kind }) => kind === 'cleared').length,
      refused: at.refused + refused.length,
      ...(example !== undefined && { example }),
    };
    const total = page.remaining === undefined ? {} : { total: at.seen + page.remaining };
    // The last page needs no checkpoint: it is written down as the end of the task.
    if (at.next !== undefined) await context.save(writeCheckpoint(at), { done: at.seen, ...total, unit: 'objects' });
  } while (at.next !== undefined);

  if (at.refused === 0) return { kind: 'done', objects: at.cleared };
  const message = `${at.refused} objects of ${resource.plural} could not be changed, for example: ${at.example}`;
  // From the first page again; what was cleared stays counted.
  return {
    kind: 'blocked',
    reason: 'Refused',
    message,
    checkpoint: writeCheckpoint({ ...start, cleared: at.cleared }),
    dangling: danglingObjects(resource, stuck, { count: at.refused, path: args.path, nowMs: clock.now() }),
  };
}

function clearingOf(
  { definition }: Pick<TaskContext, 'definition'>,
  args: ClearFieldArgs,
  resource: DiscoveredResource,
): Clearing {
  return {
    resource,
    field: { path: parseFieldPath(args.path), defaultValue: declaredDefault(definition, args) },
    pruneEmpty: (args.pruneEmpty ?? []).map(parseFieldPath),
    match: args.match ?? [],
  };
}

/** Whether an object uses the field, and no waiver lets it be. */
function isHit({ feature, clock }: Pick<TaskContext, 'feature' | 'clock'>, args: ClearFieldArgs, clearing: Clearing) {
  const waived = waivedObjects(feature.spec.waivers, clock.now());
  const kind = args.group === '' ? args.resource : `${args.resource}.${args.group}`;
  return (object: KubeObject) =>
    entriesOf(object, clearing).length > 0 && !waived.has(objectName(kind, object.metadata));
}

/** What speaks against clearing, known when the definition is loaded. */
function checkClearField(raw: TaskArgs, definition: FeatureDefinitionSpec): readonly string[] {
  const {
    group,
    resource,
    path,
    match,
    pruneEmpty = [],
    backup = 'Secret',
    allowRollout,
  } = raw as Partial<ClearFieldArgs>;
  if (typeof group !== 'string' || typeof resource !== 'string' || typeof path !== 'string') {
    return ['ClearField needs the arguments group, resource and path'];
  }
  const unknown = Object.keys(raw).filter((name) => !argNames.includes(name));
  const problems = unknown.map((name) => `ClearField has no argument ${name}`);
  if (backup !== 'Secret' && backup !== 'None')
    problems.push(`backup is Secret or None, not ${JSON.stringify(backup)}`);
  const isProved = referencesOf(definition).some((reference) =>
    isSameField(reference, { group, resource, path, ...(match && { match }) }),
  );
  if (!isProved) {
    problems.push(`ClearField clears ${path} of ${resource}, which is not among the references with the same match`);
  }
  try {
    const parsed = parseFieldPath(path);
    for (const parent of pruneEmpty) parseFieldPath(parent);
    const risk = riskOf({ group, resource }, parsed);
    if (risk?.kind === 'immutable' || (risk?.kind === 'rollout' && allowRollout !== true)) problems.push(risk.message);
  } catch (error) {
    if (!(error instanceof FieldPathError)) throw error;
    problems.push(error.message);
  }
  return problems;
}

const argNames = ['group', 'resource', 'path', 'match', 'pruneEmpty', 'backup', 'allowRollout'];

const start: Checkpoint = { seen: 0, cleared: 0, refused: 0 };

function readCheckpoint(text: string | undefined): Checkpoint {
  if (!text) return start;
  try {
    return { ...start, ...(JSON.parse(text) as Partial<Checkpoint>) };
  } catch {
    // Written by another version: starting over repeats work and breaks nothing.
    return start;
  }
}

/** At most 1 KiB. A token that does not fit is left out: then a crash starts from the first page. */
function writeCheckpoint(at: Checkpoint): string {
  const text = JSON.stringify(at);
  if (Buffer.byteLength(text) <= 1024) return text;
  return JSON.stringify({ seen: 0, cleared: at.cleared, refused: at.refused });
}
