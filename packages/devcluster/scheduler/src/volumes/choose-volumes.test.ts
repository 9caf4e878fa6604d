import { compareQuantity, parseQuantity } from '@slipway/kube';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@slipway/kube-objects/kinds/api/volumes';
import { isReachable } from '@slipway/kube-objects/rules/match-volume';
import { selectedNode } from '@slipway/kube-objects/rules/well-known';
import { aNode } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseVolumes } from './choose-volumes.js';

type Its = Pick<StorageClass, 'provisioner' | 'allowedTopologies'>;
const aClass = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'c' } };
const n1 = aNode('n1', { labels: { zone: 'a' } });
const local: Its = { provisioner: 'kubernetes.io/no-provisioner' };
const made: Its = { provisioner: 'example.com/disks' };

function aClaim(name: string, storage: string, annotations: Record<string, string> = {}): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default', uid: name, annotations },
    spec: { storageClassName: 'c', resources: { requests: { storage } } },
  };
}

function aVolume(name: string, storage: string, node?: string, of?: string): PersistentVolume {
  const nodeSelectorTerms = [
    { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In' as const, values: [node ?? ''] }] },
  ];
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      storageClassName: 'c',
      capacity: { storage },
      ...(node && { nodeAffinity: { required: { nodeSelectorTerms } } }),
      ...(of && { claimRef: { name: of, namespace: 'default' } }),
    },
    status: { phase: 'Available' },
  };
}

/** `claim=volume` for each that is bound, the names of claims whose volume is made, or `none`. */
function chosen(claims: PersistentVolumeClaim[], volumes: PersistentVolume[], its: Its = local): string {
  const storageClass = { ...aClass, ...its };
  const choice = chooseVolumes(claims, n1, { ofClass: () => volumes, storageClass: () => storageClass });
  if (!choice) return 'none';
  const bound = choice.bindings.map(({ claim, volume }) => `${claim.metadata.name}=${volume.metadata.name}`);
  return [...bound, ...choice.provisions.map(({ metadata }) => metadata.name)].join(' ');
}

const inZone = (zone: string) => ({ matchLabelExpressions: [{ key: 'zone', values: [zone] }] });
const small = aClaim('small', '1Gi');
const large = aClaim('large', '5Gi');
const forN1 = aClaim('small', '1Gi', { [selectedNode]: 'n1' });
const forN2 = aClaim('small', '1Gi', { [selectedNode]: 'n2' });

// what | claims | volumes | their class | what they get on n1
const cases: [string, PersistentVolumeClaim[], PersistentVolume[], Its, string][] = [
  ['a volume of the node', [small], [aVolume('v', '1Gi', 'n1')], local, 'small=v'],
  ['a volume of another node', [small], [aVolume('v', '1Gi', 'n2')], local, 'none'],
  ['a volume that is too small', [large], [aVolume('v', '1Gi', 'n1')], local, 'none'],
  ['the smallest of several', [small], [aVolume('w', '9Gi'), aVolume('v', '2Gi')], local, 'small=v'],
  ['each its own', [large, small], [aVolume('v', '5Gi'), aVolume('w', '6Gi')], local, 'small=v large=w'],
  ['one volume for two', [small, large], [aVolume('v', '9Gi')], local, 'none'],
  ['a volume kept for the claim', [small], [aVolume('v', '1Gi'), aVolume('w', '9Gi', 'n1', 'small')], local, 'small=w'],
  ['one kept for it elsewhere', [small], [aVolume('v', '1Gi'), aVolume('w', '9Gi', 'n2', 'small')], local, 'none'],
  ['one kept for another', [small], [aVolume('v', '1Gi', 'n1', 'large')], local, 'none'],
  ['one that is made', [small], [], made, 'small'],
  ['one that is there, and one that is made', [small, large], [aVolume('v', '1Gi')], made, 'small=v large'],
  ['one that is being made for the node', [forN1], [aVolume('v', '1Gi')], made, 'small'],
  ['one that is being made for another', [forN2], [aVolume('v', '1Gi')], made, 'none'],
  ['one made in its zone', [small], [], { ...made, allowedTopologies: [inZone('b'), inZone('a')] }, 'small'],
  ['one made in another zone', [small], [], { ...made, allowedTopologies: [inZone('b')] }, 'none'],
  ['one made nowhere', [small], [], { ...made, allowedTopologies: [{}] }, 'none'],
];

test.each(cases)('chooseVolumes() with %s', (_what, claims, volumes, its, expected) => {
  expect(chosen(claims, volumes, its)).toBe(expected);
});

test('any claims and volumes: each claim gets a volume of its own that the node reaches and that is large enough', () => {
  const size = fc.integer({ min: 1, max: 6 }).map((gi) => `${gi}Gi`);
  const volume = fc.record({ size, node: fc.constantFrom(undefined, 'n1', 'n2') });
  fc.assert(
    fc.property(fc.array(size, { maxLength: 5 }), fc.array(volume, { maxLength: 8 }), (sizes, drawn) => {
      const volumes = drawn.map((one, index) => aVolume(`v${index}`, one.size, one.node));
      const claims = sizes.map((one, index) => aClaim(`c${index}`, one));
      const storageClass = { ...aClass, ...made };
      const choice = chooseVolumes(claims, n1, { ofClass: () => volumes, storageClass: () => storageClass });
      const { bindings = [], provisions = [] } = choice ?? {};
      expect(new Set(bindings.map(({ volume: one }) => one)).size).toBe(bindings.length);
      expect([...bindings.map(({ claim }) => claim), ...provisions]).toHaveLength(claims.length);
      for (const { claim, volume: one } of bindings) {
        expect(isReachable(one, n1)).toBe(true);
        const [has, wants] = [one.spec.capacity?.storage ?? '0', claim.spec.resources?.requests?.storage ?? '0'];
        expect(compareQuantity(parseQuantity(has), parseQuantity(wants))).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});
