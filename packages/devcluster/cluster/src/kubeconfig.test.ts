import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { aFolder } from '@slipway/kube-objects/testing/a-folder';
import { parseYaml } from '@slipway/safe-yaml';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Access, type Kubeconfig, kubeconfigText, withAccess, withoutAccess } from './kubeconfig.js';
import { addAccess, removeAccess, requireKubeconfig, userKubeconfig } from './kubeconfig-file.js';

const access: Access = {
  context: 'slipway-dev',
  server: 'https://127.0.0.1:6443',
  servers: [],
  authority: 'CA',
  certificate: 'CERT',
  key: 'KEY',
};

function aPath(content?: string): string {
  const path = join(aFolder(), 'config');
  if (content !== undefined) writeFileSync(path, content);
  return path;
}

const others = `apiVersion: v1
kind: Config
current-context: work
clusters: [{name: work, cluster: {server: 'https://work', x: 'on'}}]
users: [{name: work, user: {token: '0123'}}]
contexts: [{name: work, context: {cluster: work, user: work}}]
extensions: [{name: mine, extension: {a: [1, null, true]}}]
`;

test('kubeconfigText() is what withAccess() makes of nothing', () => {
  expect(parseYaml(kubeconfigText(access))).toEqual(withAccess({}, access));
  const encoded = Buffer.from('KEY').toString('base64');
  expect(kubeconfigText(access)).toContain(`client-key-data: ${encoded}\n`);
});

test('withAccess() and withoutAccess() leave other entries and the selection as they found them', () => {
  const name = fc.constantFrom('a', 'b', 'slipway-prod');
  const list = fc.uniqueArray(fc.record({ name, payload: fc.jsonValue() }), { selector: (entry) => entry.name });
  fc.assert(
    fc.property(list, list, list, name, (clusters, users, contexts, selected) => {
      const selectable = contexts.some((context) => context.name === selected) ? selected : '';
      const config: Kubeconfig = { apiVersion: 'v1', kind: 'Config', clusters, users, contexts };
      const before = { ...config, 'current-context': selectable };
      const added = withAccess(withAccess(before, { ...access, server: 'https://old' }), access);
      expect(added['current-context']).toBe('slipway-dev');
      expect(added.clusters?.filter((entry) => entry.name === 'slipway-dev').length).toBe(1);
      expect(withoutAccess(added, ['slipway-dev'], selectable)).toEqual(before);
    }),
  );
});

test('withoutAccess() keeps a selection that somebody changed, and never selects what is gone', () => {
  const added = withAccess(parseYaml(others) as Kubeconfig, access);
  expect(withoutAccess({ ...added, 'current-context': 'other' }, ['slipway-dev'], 'work')['current-context']).toBe(
    'other',
  );
  expect(withoutAccess(added, ['slipway-dev'], 'removed')['current-context']).toBe('');
});

test('addAccess() makes a file for its owner only, and removeAccess() takes it away again', async () => {
  const path = join(dirname(aPath()), 'deep', 'config');
  const change = await addAccess(path, access, systemClock);
  expect(readFileSync(path, 'utf8')).toBe(kubeconfigText(access));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(dirname(path))).toEqual(['config']);
  await removeAccess(change, systemClock);
  expect(existsSync(path)).toBe(false);
});

test('addAccess() adds to what is there, through a link, and removeAccess() gives it back', async () => {
  const real = aPath(others);
  const path = join(dirname(real), 'link');
  symlinkSync(real, path);
  const change = await addAccess(path, access, systemClock);
  const config = parseYaml(readFileSync(real, 'utf8')) as Kubeconfig;
  expect(config['current-context']).toBe('slipway-dev');
  expect(config.clusters?.map(({ name }) => name)).toEqual(['work', 'slipway-dev']);
  expect(statSync(real).mode & 0o777).toBe(0o600);
  expect(change.previous).toBe('work');
  await removeAccess(change, systemClock);
  expect(parseYaml(readFileSync(path, 'utf8'))).toEqual(parseYaml(others));
});

const unusable: [string, string][] = [
  ['clusters: [', 'line 1'],
  ['just text', 'it is not a mapping'],
  ['- a\n- b', 'it is not a mapping'],
  ['kind: Pod', 'its kind is "Pod", not Config'],
  ['clusters: {a: b}', '"clusters" is not a list of named entries'],
  ['users: [{user: x}]', '"users" is not a list of named entries'],
];
test.each(unusable)('addAccess() refuses %j and leaves it as it is', async (content, why) => {
  const path = aPath(content);
  const expected = { reason: 'KubeconfigUnreadable', exitCode: 2, message: expect.stringContaining(why) };
  await expect(requireKubeconfig(path)).rejects.toMatchObject(expected);
  await expect(addAccess(path, access, systemClock)).rejects.toMatchObject(expected);
  expect([readFileSync(path, 'utf8'), readdirSync(dirname(path))]).toEqual([content, ['config']]);
});

test('addAccess() takes an empty file, and refuses a folder', async () => {
  const path = aPath('\n');
  await addAccess(path, access, systemClock);
  expect(readFileSync(path, 'utf8')).toBe(kubeconfigText(access));
  await expect(addAccess(dirname(path), access, systemClock)).rejects.toMatchObject({ exitCode: 2 });
});

test('addAccess() waits for the lock of another program, and gives up after two seconds', async () => {
  const path = aPath(others);
  mkdirSync(`${path}.lock`);
  const clock = new ManualClock();
  const added = addAccess(path, access, clock);
  const refused = expect(added).rejects.toThrow(`another program holds ${path}.lock`);
  await clock.advance(2_000);
  await refused;
  const second = addAccess(path, access, clock);
  await clock.advance(500);
  rmSync(`${path}.lock`, { recursive: true });
  await clock.advance(500);
  expect((await second).previous).toBe('work');
  expect(parseYaml(readFileSync(path, 'utf8'))).toEqual(
    JSON.parse(JSON.stringify(withAccess(parseYaml(others) as Kubeconfig, access))),
  );
});

test('userKubeconfig() is the first entry of KUBECONFIG, or the one in the home folder', () => {
  expect(userKubeconfig({ KUBECONFIG: ':/a/b:/c' })).toBe('/a/b');
  expect(userKubeconfig({ KUBECONFIG: '', HOME: '/h' })).toBe('/h/.kube/config');
});
