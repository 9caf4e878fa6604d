import { equalJson } from '@slipway/api-machinery/json/json-value';
import type { KubeObject, OwnerReference } from '@slipway/kube';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Call } from '../core/core.js';
import { removeRepeatedOwners } from './repeated-owners.js';

const few = fc.constantFrom('a', 'b');
const flag = fc.option(fc.boolean(), { nil: undefined });
const owner = fc.record(
  { apiVersion: few, kind: few, name: few, uid: few, controller: flag, blockOwnerDeletion: flag },
  { requiredKeys: ['apiVersion', 'kind', 'name', 'uid'] },
) as fc.Arbitrary<OwnerReference>;

test('removeRepeatedOwners() keeps the first of equal references, in their order, and warns of the others', () => {
  fc.assert(
    fc.property(fc.array(owner, { maxLength: 12 }), (owners) => {
      const warnings: string[] = [];
      const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ownerReferences: [...owners] } };
      removeRepeatedOwners({ warn: (text: string) => void warnings.push(text) } as unknown as Call, object, 'as sent');
      const isFirst = (one: OwnerReference, at: number) => owners.findIndex((other) => equalJson(other, one)) === at;
      expect(object.metadata.ownerReferences).toEqual(owners.filter(isFirst));
      const uids = owners.filter((one, at) => !isFirst(one, at)).map(({ uid }) => uid);
      expect(warnings).toEqual(uids.length === 0 ? [] : [expect.stringMatching(`observed: ${uids.join(', ')}$`)]);
    }),
  );
});
