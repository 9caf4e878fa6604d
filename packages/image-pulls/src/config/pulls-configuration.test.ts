import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml } from '@slipway/safe-yaml';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../testing/test-folder.js';
import { durationMs } from './configuration-section.js';
import { kubeletPullRate } from './kubelet-limit.js';
import { pullsSettings, readPullsConfiguration, socketPath } from './pulls-configuration.js';
import { readConfigurationFile } from './settings-files.js';

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

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
front: both
stall: {after: 2m, do: cancel}
errors: precise
journal: {dir: /var/lib/slipway/pulls/journal, size: 64Mi}
pullLike: [/runtime.v1.ImageService/PullImageWithProfile]
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
      onStall: 'cancel',
      abortTimeoutMs: 1_000,
      sessionGraceMs: 0,
      runtimeLostGraceMs: 500,
    },
    drainTimeoutMs: 3_600_000,
    metrics: '127.0.0.1:9427',
    front: 'both',
    stallAfterMs: 120_000,
    errors: 'precise',
    journal: { dir: '/var/lib/slipway/pulls/journal', sizeBytes: 64 << 20 },
    pullLike: ['/runtime.v1.ImageService/PullImageWithProfile'],
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
  ['maxparallel: 3', 'unknown key maxparallel; is limit meant?'],
  ['maxParallelImagePulls: 3', 'unknown key maxParallelImagePulls; is limit meant?'],
  ['stall: {after: 0s}', 'a time above 0'],
  ['stall: {do: explode}', 'stall.do is "explode", and can be report or release or cancel'],
  ['journal: {dir: /x, size: 64}', 'journal.size is 64, and can be a size such as 64Mi'],
  ['listen: fd:7', '"fd:7" is not a passed socket: write fd:3'],
  ['present: {mode: succeed}', 'write present.iAcceptStaleTags: true as well'],
  ['front: all', 'front is "all", and can be images or both'],
  ['limits: 3', 'unknown key limits; is limit meant?'],
  ['onFull: {mod: wait}', 'unknown key onFull.mod; is onFull.mode meant?'],
  ['onFull: {interval: 0s}', 'write mode: fail'],
  ['onFull: {attempts: 0}', 'onFull.attempts is 0'],
  ['onFull: {mode: explode}', 'wait or retry or fail'],
  ['runtime: tcp://127.0.0.1:1', 'is not a unix socket'],
  ['perRegistry: {a: -1}', 'perRegistry.a is -1'],
  ['sessionGrace: 10', 'sessionGrace is 10, and can be a time such as 30s'],
  ['kind: Pod', 'kind is "Pod"'],
  ['[1]', 'the file holds no settings'],
  ['limit: [', 'line 1'],
])('%s is refused with the key', (text, message) => {
  expect(() => read(text)).toThrow(message);
});

test.each([
  ['limit: 2\nonFull:\n  interval: 0s\n', 'line 3, column 13: onFull.interval is "0s"'],
  ['# all of it\nlimit: -1\n', 'line 2, column 8: limit is -1, and can be 0 to 10000'],
  ['perRegistry: {a: 1, b: -1}\n', 'line 1, column 24: perRegistry.b is -1'],
  ['limit: 2\nmaxparallel: 3\n', 'line 2, column 14: unknown key maxparallel'],
  ['listen: /run/a.sock\nruntime: unix:/run/a.sock\n', 'line 1, column 9: listen and runtime are the same socket'],
  ['runtime: tcp://127.0.0.1:1\n', 'line 1, column 10: runtime: "tcp://127.0.0.1:1" is not a unix socket'],
  ['limit: [\n', 'line 2, column 1'],
])('readConfigurationFile() says where %j is wrong', (text, message) => {
  const file = join(folder, 'pulls.yaml');
  writeFileSync(file, text);
  expect(() => readConfigurationFile(file)).toThrow(`${file}: ${message}`);
});

test('present: succeed is taken with consent', () => {
  const settings = pullsSettings(read('present: {mode: succeed, iAcceptStaleTags: true}'));
  expect(settings.present.mode).toBe('succeed');
});

test('CRI-O is fronted as a whole only under its own name', () => {
  const text = 'front: both\nruntime: unix:///run/crio/crio.sock\nlisten: ';
  expect(() => pullsSettings(read(`${text}/run/slipway/pulls/image.sock`))).toThrow('ends with run/crio/crio.sock');
  expect(pullsSettings(read(`${text}/run/slipway/run/crio/crio.sock`)).front).toBe('both');
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

test.each([
  [{}, { qps: 5, burst: 10 }],
  [
    { registryPullQPS: 0, registryBurst: 1 },
    { qps: 0, burst: 1 },
  ],
  [{ registryPullQPS: -1 }, undefined],
  [{ registryBurst: 'ten' }, undefined],
])('kubeletPullRate() reads %j', (fields, expected) => {
  expect(kubeletPullRate(fields)).toEqual(expected);
});
