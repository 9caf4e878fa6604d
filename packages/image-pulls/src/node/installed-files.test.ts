import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { readConfigurationFile } from '../config/settings-files.js';
import { testFolder } from '../testing/test-folder.js';
import { type InstallOptions, installedPaths, planInstall } from './install-plan.js';
import { InstalledFiles, installRecord } from './installed-files.js';

let root: string;
let files: InstalledFiles;
beforeEach(() => {
  root = testFolder();
  files = new InstalledFiles(root);
});

const kubeletConfig = '/var/lib/kubelet/config.yaml';
const kubelet = '# ours since 2019\nkind: KubeletConfiguration\nserializeImagePulls: false # see the wiki\n';
const options: InstallOptions = {
  command: ['/usr/bin/slipway'],
  limit: 4,
  runtime: 'unix:///run/containerd/containerd.sock',
  front: 'images',
  kubeletConfig,
  kubeletConfigDir: '',
};

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text, { mode: 0o640 });
}
const at = (path: string) => readFileSync(join(root, path), 'utf8');
const install = (more: Partial<InstallOptions> = {}) => files.apply(planInstall({ ...options, ...more }, files));

test('install points the kubelet and crictl here and keeps every other character, and undo restores all of it', () => {
  put(kubeletConfig, kubelet);
  put(installedPaths.crictl, 'runtime-endpoint: unix:///run/containerd/containerd.sock\ntimeout: 10\n');
  const crictl = at(installedPaths.crictl);
  install();
  expect(at(kubeletConfig)).toBe(`${kubelet}imageServiceEndpoint: unix:///run/slipway/pulls/image.sock\n`);
  expect(at(installedPaths.crictl)).toBe(`${crictl}image-endpoint: unix:///run/slipway/pulls/image.sock\n`);
  expect(at(installedPaths.service)).toContain(
    'ExecStart=/usr/bin/slipway pulls serve --config /etc/slipway/pulls.yaml',
  );
  expect(at(installedPaths.socket)).toContain('ListenStream=/run/slipway/pulls/image.sock');
  expect(readConfigurationFile(join(root, installedPaths.config))).toMatchObject({
    listen: 'fd:3',
    limit: 4,
    runtime: '/run/containerd/containerd.sock',
  });
  files.undo();
  expect([at(kubeletConfig), at(installedPaths.crictl)]).toEqual([kubelet, crictl]);
  for (const path of [installedPaths.service, installedPaths.socket, installedPaths.config, installRecord]) {
    expect(files.read(path)).toBeUndefined();
  }
});

test('an image proxy that is there already stays behind the limiter, and comes back', () => {
  const proxied = `${kubelet}imageServiceEndpoint: "unix:///run/containerd-stargz-grpc/containerd-stargz-grpc.sock"\n`;
  put(kubeletConfig, proxied);
  install();
  expect(at(installedPaths.config)).toContain(
    'runtime: unix:///run/containerd-stargz-grpc/containerd-stargz-grpc.sock',
  );
  files.undo();
  expect(at(kubeletConfig)).toBe(proxied);
});

test('installing again brings the units up to date and forgets nothing of what was before', () => {
  put(kubeletConfig, kubelet);
  install();
  install({ command: ['/opt/node', '/opt/my slipway.js'] });
  expect(at(installedPaths.service)).toContain('ExecStart=/opt/node "/opt/my slipway.js" pulls serve');
  files.undo();
  expect(at(kubeletConfig)).toBe(kubelet);
});

test('what another user changed in the kubelet file since stays; a changed unit is not thrown away, and settings stay', () => {
  put(kubeletConfig, kubelet);
  install();
  put(kubeletConfig, `maxPods: 50\n${at(kubeletConfig)}`);
  put(installedPaths.config, 'limit: 2\n');
  put(installedPaths.service, '[Unit]\nDescription=mine\n');
  expect(() => files.undo()).toThrow(`${installedPaths.service} was changed after it was installed`);
  rmSync(join(root, installedPaths.service));
  files.undo();
  expect([at(kubeletConfig), at(installedPaths.config)]).toEqual([`maxPods: 50\n${kubelet}`, 'limit: 2\n']);
});

test('a crash between two files leaves what can be undone and done again', () => {
  put(kubeletConfig, kubelet);
  install();
  // As if it had been cut off before the kubelet’s file was written.
  put(kubeletConfig, kubelet);
  install();
  expect(at(kubeletConfig)).toContain('imageServiceEndpoint');
  put(kubeletConfig, kubelet);
  files.undo();
  expect(at(kubeletConfig)).toBe(kubelet);
});

test.each([
  ['no kubelet file', () => {}, 'does not exist'],
  [
    'broken JSON',
    () => put(kubeletConfig, '{"kind": "KubeletConfiguration"'),
    'cannot be changed so that it can be undone',
  ],
  ['broken YAML', () => put(kubeletConfig, 'a: [\n'), 'cannot be changed so that it can be undone: line 2'],
  ['a list', () => put(kubeletConfig, '- a\n'), 'it holds no settings'],
  [
    'a link',
    () => {
      put('/elsewhere', kubelet);
      mkdirSync(dirname(join(root, kubeletConfig)), { recursive: true });
      symlinkSync(join(root, '/elsewhere'), join(root, kubeletConfig));
    },
    'is not a plain file',
  ],
])('install refuses %s and changes nothing', (_, prepare, message) => {
  prepare();
  expect(() => install()).toThrow(message);
  expect(files.read(installRecord)).toBeUndefined();
  expect(files.read(installedPaths.service)).toBeUndefined();
});

test('install fronts CRI-O for image calls only', () => {
  put(kubeletConfig, kubelet);
  const runtime = 'unix:///run/crio/crio.sock';
  expect(() => install({ runtime, front: 'both' })).toThrow('CRI-O is not fronted as a whole');
  install({ runtime });
  expect(at(installedPaths.config)).toContain('runtime: unix:///run/crio/crio.sock');
});

test('front: both sets both endpoints of the kubelet', () => {
  put(kubeletConfig, `${kubelet}containerRuntimeEndpoint: unix:///run/containerd/containerd.sock\n`);
  install({ front: 'both' });
  expect(at(kubeletConfig)).toContain('containerRuntimeEndpoint: unix:///run/slipway/pulls/image.sock\n');
  files.undo();
  expect(at(kubeletConfig)).toContain('containerRuntimeEndpoint: unix:///run/containerd/containerd.sock\n');
});

test.each(['{"kind":"KubeletConfiguration"}', '{\n\t"kind": "KubeletConfiguration"\n}\n', '{}'])(
  'install sets the endpoint in %j, and undo restores it, also when others changed it since',
  (json) => {
    put(kubeletConfig, json);
    install();
    expect(JSON.parse(at(kubeletConfig))).toEqual({
      ...JSON.parse(json),
      imageServiceEndpoint: `unix://${installedPaths.listen}`,
    });
    put(kubeletConfig, at(kubeletConfig).replace('{', '{"maxPods": 50, '));
    files.undo();
    expect(JSON.parse(at(kubeletConfig))).toEqual({ maxPods: 50, ...JSON.parse(json) });
  },
);

test('where a kubelet has drop-ins, install adds one that it reads last, and changes no other file', () => {
  const kubeletConfigDir = '/etc/kubernetes/kubelet.conf.d';
  const own = join(kubeletConfigDir, '99-slipway-pulls.conf');
  put(kubeletConfig, kubelet);
  expect(() => install({ kubeletConfigDir })).toThrow(
    `cannot read drop-ins of the kubelet: ${join(root, kubeletConfigDir)}`,
  );
  put(join(kubeletConfigDir, '10-proxy.conf'), 'imageServiceEndpoint: unix:///run/stargz.sock\n');
  install({ kubeletConfigDir, limit: 'fromKubelet' });
  expect(at(own)).toContain('imageServiceEndpoint: unix:///run/slipway/pulls/image.sock\n');
  expect(at(installedPaths.config)).toContain('runtime: unix:///run/stargz.sock\n');
  expect(readConfigurationFile(join(root, installedPaths.config)).kubelet).toEqual({
    config: kubeletConfig,
    configDir: kubeletConfigDir,
  });
  install({ kubeletConfigDir, limit: 'fromKubelet' });
  expect(at(kubeletConfig)).toBe(kubelet);
  files.undo();
  expect(files.read(own)).toBeUndefined();
  put(join(kubeletConfigDir, 'zz/late.conf'), 'imageServiceEndpoint: unix:///run/late.sock\n');
  expect(() => install({ kubeletConfigDir })).toThrow('zz/late.conf sets imageServiceEndpoint');
});

test.each([
  ['the command', { command: ['/usr/bin/node', '/home/ann/slipway.js'] }, '/home/ann/slipway.js'],
  ['the runtime', { runtime: 'unix:///tmp/containerd.sock' }, '/tmp/containerd.sock'],
  ['a file to follow', { limit: 'fromKubelet', kubeletConfig: '/root/kubelet.yaml' }, '/root/kubelet.yaml'],
] as const)('install refuses %s in a folder that the service cannot see', (_, more, path) => {
  put(kubeletConfig, kubelet);
  put('/root/kubelet.yaml', kubelet);
  expect(() => install(more)).toThrow(`the service cannot see ${path}`);
});

test('undo without an install says so', () => {
  expect(() => files.undo()).toThrow('nothing is installed here');
});
