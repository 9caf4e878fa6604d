import type { Kube, KubeObject } from '@slipway/kube';
import { ValidatingPolicy } from '../api/admission-kinds.js';
import { mayItself } from '../rbac/access-reviews.js';

/** Kinds of guards, bindings first: what is bound to nothing refuses nothing. */
const kinds = [
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicyBinding',
  'ValidatingAdmissionPolicy',
  'MutatingAdmissionPolicy',
];

/** Deletes the guards that a label selector names and `isOver` agrees to. Resolves with how many there were. */
export async function removeGuards(
  kube: Kube,
  labelSelector: string,
  isOver: (guard: KubeObject) => boolean,
  signal: AbortSignal,
): Promise<number> {
  const discovery = await kube.discover(signal);
  let removed = 0;
  for (const kind of kinds) {
    const resource = discovery.find({ group: ValidatingPolicy.group, kind });
    if (!resource) continue;
    const client = kube.resource(resource);
    // Few servers may make mutating policies, and those that may not have made none.
    const right = { verb: 'list', group: resource.group, resource: resource.plural };
    if (kind.startsWith('Mutating') && !(await mayItself(kube, right, signal))) continue;
    const { items } = await client.list({ labelSelector, signal });
    for (const guard of items.filter(isOver)) {
      const { name = '', uid } = guard.metadata;
      await client.delete({ name }, { signal, ...(uid !== undefined && { preconditions: { uid } }) });
      removed++;
    }
  }
  return removed;
}
