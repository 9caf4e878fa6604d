import type { Resumable } from '../event-loop/resumable.js';
import { type FieldSet, noFields, unionOf } from './field-set.js';
import { identityOf, type Managers, type Owned, secondsOf } from './managers.js';

/** As many managers as an object keeps that did not apply. */
const most = 10;
const ancient = { name: 'ancient-changes', operation: 'Update', subresource: '' } as const;

/** Puts the oldest updaters of a version together when there are too many; appliers are never lost. */
export function* capUpdaters(managers: Managers): Resumable<Managers> {
  if (managers.size <= most) return managers;
  const updaters = oldestFirst(managers);
  if (updaters.length <= most) return managers;
  yield;
  const capped = new Map<string, Owned>(managers);
  const buckets = new Map<string, Bucket>();
  let left = updaters.length;
  for (const { identity, owned } of updaters) {
    if (left <= most) break;
    const bucket = buckets.get(owned.apiVersion);
    if (!bucket) {
      buckets.set(owned.apiVersion, { first: identity, last: owned, gathered: [] });
      continue;
    }
    bucket.last = owned;
    bucket.gathered.push(owned.fields);
    capped.delete(identity);
    left--;
  }
  yield;
  for (const { first, last, gathered } of buckets.values()) {
    if (gathered.length === 0) continue;
    const identity = identityOf(ancient, last.apiVersion);
    // What was put together before goes on growing, and then the oldest of the others stays what it is.
    const before = managers.get(identity) ?? managers.get(first);
    if (!managers.has(identity)) capped.delete(first);
    const fields = unionOf([before?.fields ?? noFields, ...gathered]);
    capped.set(identity, { ...ancient, apiVersion: last.apiVersion, fields, ...(last.time && { time: last.time }) });
  }
  return capped;
}

/** Updaters of one version that are put together: all but the oldest one, which they may join. */
interface Bucket {
  readonly first: string;
  readonly gathered: FieldSet[];
  last: Owned;
}

function oldestFirst(managers: Managers) {
  const updaters: { identity: string; owned: Owned; seconds: number }[] = [];
  for (const [identity, owned] of managers) {
    if (owned.operation === 'Update') updaters.push({ identity, owned, seconds: secondsOf(owned) });
  }
  return updaters.sort((a, b) => a.seconds - b.seconds || (a.identity < b.identity ? -1 : 1));
}
