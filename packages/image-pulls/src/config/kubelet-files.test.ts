import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../testing/test-folder.js';
import { readKubeletFiles } from './kubelet-files.js';
import { kubeletLimit } from './kubelet-limit.js';

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

test('readKubeletFiles() lays drop-ins over the file in the order of their names', () => {
  const config = join(folder, 'config.yaml');
  const configDir = join(folder, 'config.d');
  mkdirSync(configDir);
  writeFileSync(config, 'kind: KubeletConfiguration\nserializeImagePulls: false\nmaxParallelImagePulls: 2\n');
  writeFileSync(join(configDir, '20-later.conf'), '{"maxParallelImagePulls": 7}');
  writeFileSync(join(configDir, '10-sooner.conf'), 'maxParallelImagePulls: 5\n');
  writeFileSync(join(configDir, '30-ignored.yaml'), 'maxParallelImagePulls: 9\n');
  expect(kubeletLimit(readKubeletFiles({ config, configDir }))).toMatchObject({ limit: 7 });
});

test('the deprecated flag of the kubelet wins over its files', () => {
  const config = join(folder, 'config.yaml');
  writeFileSync(config, 'serializeImagePulls: false\nmaxParallelImagePulling: 3\n');
  const files = { config, configDir: '', serializeImagePulls: true };
  expect(kubeletLimit(readKubeletFiles(files))).toMatchObject({ limit: undefined, kubeletRuns: 1 });
});

test('readKubeletFiles() names the file that is wrong', () => {
  expect(() => readKubeletFiles({ config: join(folder, 'none'), configDir: '' })).toThrow(join(folder, 'none'));
  writeFileSync(join(folder, 'pod.yaml'), 'kind: Pod\n');
  expect(() => readKubeletFiles({ config: join(folder, 'pod.yaml'), configDir: '' })).toThrow('is a Pod');
});

// What kubelet 1.37 came to with the same files.
test.each<[string, string, Record<string, string>, object]>([
  ['its default meets the drop-in', '', { '10.conf': 'maxParallelImagePulls: 5' }, { kubeletRuns: 'nothing' }],
  ['a file that sets both stands', 'maxParallelImagePulls: 5', { '10.conf': '{"registryBurst": 1}' }, { limit: 5 }],
  [
    'null goes back to the default',
    '',
    { '10.conf': 'maxParallelImagePulls: 5\nserializeImagePulls: null' },
    { limit: 5 },
  ],
  ['JSON with tabs', '{\n\t"serializeImagePulls": false\n}', {}, { limit: 0 }],
  [
    'folders count by their name',
    'serializeImagePulls: false',
    {
      '20/a.conf': 'maxParallelImagePulls: 7',
      '20.conf': 'maxParallelImagePulls: 8',
      '10.conf': 'maxParallelImagePulls: 6',
    },
    { limit: 8 },
  ],
])('readKubeletFiles() reads as a kubelet does: %s', (_, text, dropIns, expected) => {
  const config = join(folder, 'config.yaml');
  const configDir = join(folder, 'config.d');
  writeFileSync(config, text);
  mkdirSync(configDir);
  for (const [name, dropIn] of Object.entries(dropIns)) {
    mkdirSync(dirname(join(configDir, name)), { recursive: true });
    writeFileSync(join(configDir, name), dropIn);
  }
  expect(kubeletLimit(readKubeletFiles({ config, configDir }))).toMatchObject(expected);
});
