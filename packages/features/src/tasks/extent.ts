import type { DiscoveredResource, KubeObject } from '@slipway/kube';
import type { TaskArgs } from '../api/feature.js';
import { reachOf } from '../api/scope.js';
import type { Extent } from '../lifecycle/consent.js';
import { readPage } from '../references/collection.js';
import { paceOf } from './pace.js';
import type { TaskContext } from './task-context.js';

/** What the objects of a task are counted with: a server has it, and so has a command. */
export interface ExtentInput extends Pick<TaskContext, 'kube' | 'clock' | 'signal' | 'feature' | 'definition'> {
  readonly args: TaskArgs;
}

/** How the objects that a task changes are counted. */
export interface Countable {
  /** Those that a run would change now. Writes nothing. */
  count(input: ExtentInput): Promise<Extent>;
  /** How many it has changed already, by its checkpoint. */
  changed(checkpoint: string | undefined): number;
}

/** Counts the objects of a resource that a task would change, page by page. */
export async function countObjects(
  { kube, feature, definition, signal }: ExtentInput,
  resource: DiscoveredResource,
  isChanged: (object: KubeObject) => boolean,
): Promise<Extent> {
  const { pageSize } = paceOf(feature.spec);
  const reach = reachOf(definition, feature.metadata.namespace);
  // By uid, because a list that expired half-way is read again.
  const created = new Map<string, string | undefined>();
  let token: string | undefined;
  do {
    const page = await readPage(kube, resource, pageSize, token, signal, reach);
    for (const { metadata } of page.items.filter(isChanged))
      created.set(metadata.uid ?? '', metadata.creationTimestamp);
    token = page.continue;
  } while (token !== undefined);
  const newest = newestOf([...created.values()]);
  return { count: created.size, ...(newest !== undefined && { newest }) };
}

/** The extent of objects that are about to be changed. */
export function extentOf(objects: readonly Pick<KubeObject, 'metadata'>[]): Extent {
  const newest = newestOf(objects.map(({ metadata }) => metadata.creationTimestamp));
  return { count: objects.length, ...(newest !== undefined && { newest }) };
}

/** Of times that the API server wrote, which are all of the same form. */
function newestOf(times: readonly (string | undefined)[]): string | undefined {
  return times.reduce((newest, time) => (newest === undefined || (time ?? '') > newest ? time : newest), undefined);
}
