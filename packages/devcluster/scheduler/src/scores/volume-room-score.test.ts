import type {
  CSIStorageCapacity,
  PersistentVolume,
  PersistentVolumeClaim,
} from '@slipway/kube-objects/kinds/api/volumes';
import { versionProfiles } from '@slipway/kube-objects/rules/version-profile';
import { aNode } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { demandOf } from '../demand/demand.js';
import { asking, aView, claiming, outcome } from '../testing/a-view.js';
import type { VolumeView } from '../view/cluster-view.js';
import { noVolumes } from '../view/view-of.js';
import { volumeRoomScore } from './volume-room-score.js';

const driver = 'disks.example.com';

/** `class/3Gi`: a claim of a class for so much. */
const claimOf = (namespace: string, name: string): PersistentVolumeClaim => {
  const [storageClassName = '', storage = ''] = name.split('/');
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace, name, uid: name },
    spec: { storageClassName, resources: { requests: { storage } } },
    status: { phase: 'Pending' },
  };
};

/** `n1/class/3Gi`: a free volume of a class that one node reaches. */
function volumeOf(text: string): PersistentVolume {
  const [node = '', storageClassName = '', storage = ''] = text.split('/');
  const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In' as const, values: [node] }];
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: text, uid: text },
    spec: {
      storageClassName,
      capacity: { storage },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
    },
    status: { phase: 'Available' },
  };
}

/** `n1/class/10Gi`: so much can be made for one node. */
function roomOf(text: string): CSIStorageCapacity {
  const [node = '', storageClassName = '', capacity = ''] = text.split('/');
  const nodeTopology = { matchLabels: { 'kubernetes.io/hostname': node } };
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIStorageCapacity',
    metadata: {},
    storageClassName,
    nodeTopology,
    capacity,
  };
}

function storage(volumes: readonly string[], rooms: readonly string[] = []): VolumeView {
  const free = volumes.map(volumeOf);
  return {
    ...noVolumes,
    claim: claimOf,
    ofClass: (name) => free.filter(({ spec }) => spec.storageClassName === name),
    storageClass: (name) => ({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name },
      provisioner: driver,
      volumeBindingMode: 'WaitForFirstConsumer',
    }),
    driver: (name) => ({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name },
      spec: { storageCapacity: rooms.length > 0 },
    }),
    capacities: () => rooms.map(roomOf),
  };
}

const nodes = ['n1', 'n2'].map((name) => aNode(name, { labels: { 'kubernetes.io/hostname': name } }));

// what | claims | volumes that are there | room for others | points of both nodes
const cases: [string, string[], string[], string[], number[]][] = [
  ['the larger volume keeps more free', ['a/3Gi'], ['n1/a/3Gi', 'n2/a/6Gi'], [], [0, 50]],
  ['parts of a point do not count', ['a/1Gi'], ['n1/a/3Gi', 'n2/a/7Gi'], [], [67, 86]],
  [
    'volumes of a class count together',
    ['a/1Gi', 'a/2Gi'],
    ['n1/a/2Gi', 'n1/a/10Gi', 'n2/a/1Gi', 'n2/a/2Gi'],
    [],
    [75, 0],
  ],
  ['classes count alike', ['a/1Gi', 'b/1Gi'], ['n1/a/1Gi', 'n1/b/4Gi', 'n2/a/2Gi', 'n2/b/100Gi'], [], [38, 75]],
  ['room where volumes are made', ['a/5Gi'], [], ['n1/a/10Gi', 'n2/a/50Gi'], [50, 90]],
  ['two are made in the same room', ['a/2Gi', 'a/3Gi'], [], ['n1/a/10Gi', 'n2/a/50Gi'], [50, 90]],
  ['more than there is room for', ['a/8Gi', 'a/9Gi'], [], ['n1/a/10Gi', 'n2/a/17Gi'], [0, 0]],
  [
    'what is made does not count beside what is there',
    ['a/5Gi', 'b/1Gi'],
    ['n1/b/4Gi', 'n2/b/2Gi'],
    ['n1/a/5Gi', 'n2/a/50Gi'],
    [75, 50],
  ],
  ['drivers that do not say where there is room', ['a/5Gi'], [], [], [0, 0]],
];

test.each(cases)('nodes are rated by the room that volumes keep free: %s', (_what, names, volumes, rooms, points) => {
  const view = aView(nodes, [], { volumes: storage(volumes, rooms) });
  expect(volumeRoomScore.rate(demandOf(claiming(...names)), view.nodes, view)).toEqual(points);
});

test('pods whose volumes are there already are at home on all nodes alike', () => {
  const view = aView(nodes, [], { volumes: storage([]) });
  expect(volumeRoomScore.rate(demandOf(asking({})), view.nodes, view)).toBeUndefined();
});

test('the room that volumes keep free counts since 1.37', () => {
  const view = aView(nodes, [], { volumes: storage(['n1/a/3Gi', 'n2/a/6Gi']) });
  const where = (profile: 'v1.36' | 'v1.37') => outcome(claiming('a/3Gi'), view, versionProfiles[profile]);
  expect([where('v1.36'), where('v1.37')]).toEqual(['n1', 'n2']);
});
