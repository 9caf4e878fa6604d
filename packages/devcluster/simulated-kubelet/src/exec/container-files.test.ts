import { ManualClock } from '@slipway/kube/testing';
import type { ContainerFields } from '@slipway/kube-objects/kinds/pod-spec';
import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { ContainerFiles } from './container-files.js';
import { diskBytes, FileError, PodDisk } from './pod-disk.js';

const clock = new ManualClock();
const volumes = [
  { name: 'shared', emptyDir: {} },
  { name: 'settings', configMap: { name: 'settings' } },
];
const disk = new PodDisk();

/** What a container of one and the same pod sees in one of its runs. */
function filesOf(container: ContainerFields, run = '1', on = disk): ContainerFiles {
  const pod = aPod('web', { spec: { containers: [{ name: container.name ?? '' }], volumes }, status: {} } as never);
  const lookUp = () => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data: { key: 'value' } });
  const view = { pod, container, run, disk: on, clock, lookUp, services: () => [], token: async () => '' };
  return new ContainerFiles(view);
}
const mounts = (mountPath: string) => [{ name: 'shared', mountPath }];

test('what is written in an emptyDir is seen by every container that mounts it, and outlives a restart', async () => {
  filesOf({ name: 'a', volumeMounts: mounts('/data') }).write('/data/f', Buffer.from('text'));
  const other = filesOf({ name: 'b', volumeMounts: mounts('/elsewhere') }, '2');
  expect(String(await other.read('/elsewhere/f'))).toBe('text');
  expect(other.list('/elsewhere')).toEqual(['f']);
  expect(other.isFile('/data/f')).toBe(false);
});

test('what is written elsewhere is gone when its container starts anew', () => {
  const own = { name: 'c' };
  filesOf(own).write('/tmp/f', Buffer.from('text'));
  expect(filesOf(own).isFile('/tmp/f')).toBe(true);
  expect(filesOf({ name: 'd' }).isFile('/tmp/f')).toBe(false);
  expect(filesOf(own, '2').isFile('/tmp/f')).toBe(false);
});

test('a file of an image can be moved away, and is there again when its container starts anew', async () => {
  const tests = { name: 'e', image: 'registry.k8s.io/e2e-test-images/agnhost:2.59' };
  const text = await filesOf(tests).read('/localhost.crt');
  expect(text?.length).toBeGreaterThan(0);
  filesOf(tests).remove('/localhost.crt');
  expect(filesOf(tests).isFile('/localhost.crt')).toBe(false);
  expect(filesOf(tests, '2').isFile('/localhost.crt')).toBe(true);
  expect(filesOf({ name: 'f', image: 'busybox' }).isFile('/localhost.crt')).toBe(false);
});

// what is done | why it cannot be
const refused: [string, (files: ContainerFiles) => void, string][] = [
  ['writing what an object brings', (files) => files.write('/etc/app/key', Buffer.of()), 'Read-only file system'],
  ['removing what an object brings', (files) => files.remove('/etc/app/key'), 'Read-only file system'],
  ['removing what the kubelet brings', (files) => files.remove('/etc/hosts'), 'Device or resource busy'],
  ['writing in no folder', (files) => files.write('/none/f', Buffer.of()), 'No such file or directory'],
  ['writing below a file', (files) => files.write('/etc/hosts/f', Buffer.of()), 'Not a directory'],
  ['writing a folder', (files) => files.write('/tmp', Buffer.of()), 'Is a directory'],
  ['a folder in place of a file', (files) => files.makeFolder('/etc/hosts'), 'File exists'],
];
test.each(refused)('%s is refused', (_, act, why) => {
  const files = filesOf({ name: 'e', volumeMounts: [{ name: 'settings', mountPath: '/etc/app' }] });
  expect(() => act(files)).toThrow(new FileError(why));
});

test('a container with a root that is read-only writes in its volumes only', () => {
  const securityContext = { readOnlyRootFilesystem: true };
  const files = filesOf({ name: 'f', securityContext, volumeMounts: mounts('/tmp') });
  files.write('/tmp/g', Buffer.from('text'));
  expect(() => files.write('/root/g', Buffer.of())).toThrow(new FileError('Read-only file system'));
});

test('a disk that is full takes no more, and what is removed makes room', () => {
  const files = filesOf({ name: 'g' }, '1', new PodDisk());
  files.makeFolder('/tmp/d');
  files.write('/tmp/d/f', Buffer.alloc(diskBytes - 4096));
  expect(() => files.write('/tmp/g', Buffer.alloc(4096))).toThrow(new FileError('No space left on device'));
  expect(files.isFile('/tmp/g')).toBe(false);
  files.remove('/tmp/d');
  files.write('/tmp/g', Buffer.alloc(4096));
  expect(files.list('/tmp')).toEqual(['g']);
});
