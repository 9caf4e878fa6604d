import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseYaml } from '@slipway/safe-yaml';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readKubeletFiles } from './kubelet-files.js';
import { kubeletLimit } from './kubelet-limit.js';
import { durationMs, pullsSettings, readPullsConfiguration, socketPath } from './pulls-configuration.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pulls-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const read = (text: string) => readPullsConfiguration(parseYaml(text));

const whole = `
apiVersion: pulls.slipway.dev/v1alpha1
kind: PullsConfiguration
listen: /run/slipway/pulls/image.sock
runtime: unix:///run/containerd/containerd.sock
limit: 4
kubelet: {config: /var/lib/kubelet/config.yaml, configDir: ""}
onFull: {mode: retry, maxWait: 0s, attempts: 2, interval: 1m30s, wakeEarly: false}
maxWaiting: 50
present: {mode: place, recent: 5s, lane: 3}
coalesce: {scope: node, annotations: [a.example/b]}
perRegistry: {default: 0, slow.example: 2}
abortTimeout: 1s
sessionGrace: 0s
runtimeLostGrace: 500ms
drainTimeout: 1h
metrics: 127.0.0.1:9427
`;

test('readPullsConfiguration() reads every key', () => {
  expect(pullsSettings(read(whole))).toMatchObject({
    listen: '/run/slipway/pulls/image.sock',
    runtime: '/run/containerd/containerd.sock',
    admin: '/run/slipway/pulls/image.sock.admin',
    limit: 4,
    onFull: { mode: 'retry', attempts: 2, intervalMs: 90_000, wakeEarly: false },
    present: { mode: 'place', recentMs: 5_000 },
    sharing: { scope: 'node', annotations: ['a.example/b'] },
    queue: {
      maxWaiting: 50,
      presentLane: 3,
      perRegistry: { default: 0, 'slow.example': 2 },
      abortTimeoutMs: 1_000,
      sessionGraceMs: 0,
      runtimeLostGraceMs: 500,
    },
    drainTimeoutMs: 3_600_000,
    metrics: '127.0.0.1:9427',
  });
});

test('an empty file is the defaults, which limit nothing', () => {
  expect(pullsSettings(read(''))).toMatchObject({ limit: 0, onFull: { mode: 'wait' } });
});

test.each([
  ['limit: -1', 'limit is -1, and can be 0 to 10000'],
  ['limit: 2.5', 'limit is 2.5'],
  ['limit: "four"', 'limit is "four", and can be 0 to 10000 or fromKubelet'],
  ['limit: 10001', 'limit is 10001'],
  ['maxparallel: 3', 'unknown key maxparallel'],
  ['limits: 3', 'unknown key limits; is limit meant?'],
  ['onFull: {mod: wait}', 'unknown key onFull.mod; is onFull.mode meant?'],
  ['onFull: {interval: 0s}', 'write mode: fail'],
  ['onFull: {attempts: 0}', 'onFull.attempts is 0'],
  ['onFull: {mode: explode}', 'wait or retry or fail'],
  ['runtime: tcp://127.0.0.1:1', 'is no unix socket'],
  ['perRegistry: {a: -1}', 'perRegistry.a is -1'],
  ['sessionGrace: 10', 'sessionGrace is 10, and can be a time such as 30s'],
  ['kind: Pod', 'kind is "Pod"'],
  ['[1]', 'the file holds no settings'],
  ['limit: [', 'line 1'],
])('%s is refused with the key', (text, message) => {
  expect(() => read(text)).toThrow(message);
});

test('a daemon cannot be its own runtime', () => {
  const text = 'listen: /run/a.sock\nruntime: unix:/run/a.sock\n';
  expect(() => pullsSettings(read(text))).toThrow('the same socket');
});

test.each(['unix:///run/x.sock', 'unix:/run/x.sock', '/run/x.sock'])('socketPath(%s)', (written) => {
  expect(socketPath(written)).toBe('/run/x.sock');
});

test.each([
  ['10s', 10_000],
  ['1h2m3.5s', 3_723_500],
  ['0', 0],
  ['10', undefined],
  ['-1s', undefined],
])('durationMs(%s) is %s', (written, expected) => {
  expect(durationMs(written)).toBe(expected);
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

test('readKubeletFiles() names the file that is wrong', () => {
  expect(() => readKubeletFiles({ config: join(folder, 'none'), configDir: '' })).toThrow(join(folder, 'none'));
  writeFileSync(join(folder, 'pod.yaml'), 'kind: Pod\n');
  expect(() => readKubeletFiles({ config: join(folder, 'pod.yaml'), configDir: '' })).toThrow('is a Pod');
});
