import { union } from './field-set.js';
import { identityOf, type Managers, type Owned, secondsOf } from './managers.js';

/** As many managers as an object keeps that did not apply. */
const most = 10;
const ancient = { name: 'ancient-changes', operation: 'Update', subresource: '' } as const;

/** Puts the oldest updaters of a version together when there are too many; appliers are never lost. */
export function capUpdaters(managers: Managers): Managers {
  if (managers.size <= most) return managers;
  const updaters = [...managers].filter(([, { operation }]) => operation === 'Update');
  if (updaters.length <= most) return managers;
  updaters.sort(([a, owned], [b, other]) => secondsOf(owned) - secondsOf(other) || (a < b ? -1 : 1));
  const capped = new Map<string, Owned>(managers);
  const oldest = new Map<string, string>();
  let left = updaters.length;
  for (const [identity, owned] of updaters) {
    if (left <= most) break;
    const first = oldest.get(owned.apiVersion);
    if (first === undefined) {
      oldest.set(owned.apiVersion, identity);
      continue;
    }
    const bucket = identityOf(ancient, owned.apiVersion);
    const gathered = capped.get(bucket) ?? capped.get(first);
    if (!capped.has(bucket)) capped.delete(first);
    capped.delete(identity);
    const fields = gathered ? union(owned.fields, gathered.fields) : owned.fields;
    capped.set(bucket, {
      ...ancient,
      apiVersion: owned.apiVersion,
      fields,
      ...(owned.time && { time: owned.time }),
    });
    left--;
  }
  return capped;
}
