import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installation, partNames } from 'slipway/installation';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { hasPart, needs } from '../../tools/real-parts.js';
import { bomOf, licenseList, lockedDependencies } from '../../tools/release/dependencies.js';
import { writeExecutable } from '../../tools/release/executable.js';
import { runtime } from '../../tools/release/image.js';
import { machineLibraries } from '../../tools/release/libraries.js';
import { runningNode } from '../../tools/release/node-binary.js';
import { type NpmPackage, npmPackages } from '../../tools/release/npm-packages.js';
import type { ReleaseFile } from '../../tools/release/release-file.js';
import { gzip, packTar } from '../../tools/release/tar.js';
import { type Containerd, startContainerd } from '../support/containerd.js';
import { freePort } from '../support/free-port.js';
import { releasedApp, releaseImage, releaseImageName, releaseTime } from '../support/release-image.js';
import { eventually, type Outcome, type RunningCluster, repository, run, up } from '../support/slipway.js';

/** Every artefact of `npm run release`, made with the Node of this machine and used from an empty folder. */
const folder = mkdtempSync(join(tmpdir(), 'slipway-release-'));
const time = releaseTime;
const node = runningNode();
let app: ReleaseFile[];
let packages: NpmPackage[];

beforeAll(async () => {
  app = releasedApp();
  packages = await npmPackages(repository, time);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function emptyFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

test('the parts of a release are the same, byte by byte, when they are made twice', async () => {
  const again = releasedApp();
  expect(again.map(({ path }) => path)).toEqual(app.map(({ path }) => path));
  expect((await packTar(again, time)).equals(await packTar([...app].reverse(), time))).toBe(true);
  const second = await npmPackages(repository, time);
  expect(second.map(({ tarball }) => tarball.toString('base64'))).toEqual(
    packages.map(({ tarball }) => tarball.toString('base64')),
  );
});

test('npm tarballs install into an empty folder, and each of their entry points can be imported', async () => {
  const at = emptyFolder('npm');
  const overrides: Record<string, string> = {};
  for (const { name, fileName, tarball } of packages) {
    writeFileSync(join(at, fileName), tarball);
    overrides[name] = `file:${join(at, fileName)}`;
  }
  for (const { name, version, isOptional } of lockedDependencies(repository)) {
    const path = join(at, `${name.replace('/', '-')}-${version}.tgz`);
    const source = join(repository, 'node_modules', name);
    if (isOptional && name !== `@lmdb/lmdb-linux-${process.arch}`) continue;
    spawnSync('tar', [
      ...['--use-compress-program', 'gzip --fast', '-cf', path],
      '-C',
      join(source, '..'),
      '--transform',
      's#^[^/]*#package#',
      name.split('/').at(-1) ?? '',
    ]);
    overrides[name] = `file:${path}`;
  }
  const ours = Object.fromEntries(packages.map(({ name }) => [name, overrides[name]]));
  const { '@openfeature/server-sdk': _, ...third } = overrides;
  writeFileSync(
    join(at, 'package.json'),
    JSON.stringify({ name: 'empty', private: true, dependencies: ours, overrides: third }),
  );
  const install = ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps'];
  const installed = await run('npm', [...install, '--cache', join(at, 'cache')], { cwd: at });
  expect(installed.code, installed.stderr).toBe(0);

  const entries: string[] = [];
  for (const { name } of packages) {
    const from = join(at, 'node_modules', name);
    const manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
    for (const field of ['license', 'description', 'keywords', 'repository', 'engines', 'exports']) {
      expect(manifest, `${name} ${field}`).toHaveProperty(field);
    }
    const files = readdirSync(from, { recursive: true, encoding: 'utf8' });
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md']));
    expect(files.filter((file) => /\.test\.|testdata|\.map$/.test(file) && !file.includes('node_modules'))).toEqual([]);
    for (const [path, entry] of Object.entries<Record<string, string>>(manifest.exports)) {
      if (typeof entry === 'string') continue;
      expect(files).toContain(entry.types?.slice(2));
      // A module of types has nothing to import.
      if (!/^export (?!interface |type )/m.test(readFileSync(join(from, entry.types ?? ''), 'utf8'))) continue;
      // These need a package that only their callers have.
      if (name === '@slipway/openfeature-provider' || name + path.slice(1) === '@slipway/image-pulls/testing') continue;
      entries.push(name + path.slice(1));
    }
  }
  const program = `for (const name of ${JSON.stringify(entries)}) if (Object.keys(await import(name)).length === 0) throw new Error(name);`;
  expect(await run(process.execPath, ['--input-type=module', '-e', program], { cwd: at })).toMatchObject({
    code: 0,
    stderr: '',
  });
  const help = await run(join(at, 'node_modules/.bin/slipway'), ['kep', '--help'], { cwd: at });
  expect(help).toMatchObject({ code: 0, stderr: '' });
  // Its bundle loads what reads files only when there is one.
  const limiter = await run(join(at, 'node_modules/.bin/slipway'), ['pulls', 'serve', '--config', 'none.yaml'], {
    cwd: at,
  });
  expect(limiter).toMatchObject({ code: 2, stderr: expect.stringContaining('none.yaml: ENOENT') });
  const plugin = await run(join(at, 'node_modules/.bin/kubectl-slipway'), ['kep', '--help'], { cwd: at });
  expect(plugin).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: kubectl slipway kep') });
  const completed = await run(join(at, 'node_modules/.bin/kubectl_complete-slipway'), ['kep', 'ch'], { cwd: at });
  expect(completed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^check\t.*\n:4\n$/) });
});

test('the single executable starts a cluster without Node, npm or anything else in reach', async () => {
  const at = emptyFolder('executable');
  const program = join(at, 'slipway');
  await writeExecutable(program, app, node.path);
  // A root with the executable, the libraries it needs, and nothing else.
  for (const { path, content } of machineLibraries(program).files) {
    mkdirSync(join(at, path, '..'), { recursive: true });
    writeFileSync(join(at, path), content, { mode: 0o755 });
  }
  for (const name of ['tmp', 'home', 'dev', 'proc']) mkdirSync(join(at, name));
  const isRoot = process.getuid?.() === 0;
  const [command, inside] = isRoot ? ['chroot', [at, '/slipway']] : [program, []];
  const home = isRoot ? '/home' : join(at, 'home');
  const flags = ['up', '--nodes', '1', '--port', '0', '--kubeconfig', `${home}/kubeconfig`];
  const child = spawn(command, [...inside, ...flags, '--data-dir', `${home}/data`, '-o', 'json'], {
    env: { HOME: home, PATH: isRoot ? process.env.PATH : '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  let log = '';
  child.stdout.on('data', (part) => {
    printed += String(part);
  });
  child.stderr.on('data', (part) => {
    log += String(part);
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await eventually(`the cluster answers`, async () => {
    if (child.exitCode !== null) throw new Error(log);
    return printed.includes('\n');
  });
  expect(JSON.parse(printed)).toMatchObject({ nodes: 1 });
  child.kill('SIGTERM');
  expect(await ended, log).toBe(0);
  // Unpacked once, where no other user can write.
  const cache = join(at, 'home/.cache/slipway');
  expect(spawnSync('stat', ['-c', '%a', cache]).stdout.toString()).toBe('700\n');
  expect(readdirSync(cache)).toHaveLength(1);
});

describe('the image, on a read-only root as uid 65532', () => {
  let cluster: RunningCluster;
  let containerd: Containerd | undefined;
  const given = join(folder, 'given');
  const ctr = (...words: string[]) => run('ctr', ['-a', containerd?.socket ?? '', '-n', 'slipway', ...words]);
  const mount = `type=bind,src=${given},dst=/etc/slipway,options=rbind:ro`;
  const home = join(folder, 'home');
  const writable = `type=bind,src=${home},dst=/home/slipway,options=rbind:rw`;
  const inImage = (container: string, ...words: string[]) =>
    ctr(
      ...['run', '--rm', '--read-only', '--net-host', '--snapshotter', 'native', '--mount', mount, '--mount', writable],
      ...[releaseImageName, container, ...words],
    );
  // Every containerd of a machine shares the names that runc knows.
  const named = (container: string) => `${container}-${process.pid}`;

  /** Starts a container, runs `use` with its process while it runs, and stops it with SIGTERM. */
  async function whileRunning(
    container: string,
    words: readonly string[],
    use: () => Promise<unknown>,
  ): Promise<Outcome> {
    const running = inImage(container, ...words);
    try {
      await Promise.race([
        use(),
        running.then((outcome) => {
          throw new Error(`it ended: ${JSON.stringify(outcome)}`);
        }),
      ]);
      const tasks = await ctr('tasks', 'list');
      const pid = new RegExp(`^${container}\\s+(\\d+)`, 'm').exec(tasks.stdout)?.[1];
      expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^Uid:\t65532\t65532/m);
      await ctr('tasks', 'kill', '--signal', 'SIGTERM', container);
      return await running;
    } finally {
      await ctr('tasks', 'kill', '--signal', 'SIGKILL', container);
      await ctr('tasks', 'delete', container);
    }
  }

  beforeAll(async () => {
    if (!hasPart('containerd') || !hasPart('kubectl')) return;
    cluster = await up({ nodes: 1, args: ['--ephemeral', '--feature-servers', '0'] });
    mkdirSync(given);
    mkdirSync(home);
    chownSync(home, 65_532, 65_532);
    cpSync(cluster.kubeconfig, join(given, 'kubeconfig'));
    chmodSync(join(given, 'kubeconfig'), 0o644);
    const at = emptyFolder('image');
    containerd = await startContainerd(at);
    writeFileSync(join(at, 'image.tar'), await releaseImage(app));
    expect(await ctr('images', 'import', '--snapshotter', 'native', join(at, 'image.tar'))).toMatchObject({ code: 0 });
  }, 120_000);
  afterAll(async () => {
    await containerd?.stop();
    await cluster?.[Symbol.asyncDispose]();
  });
  beforeEach((context) => {
    needs(context, 'containerd');
    needs(context, 'kubectl');
  });

  test('runs the feature server: it takes the lead and stops on SIGTERM', async () => {
    // Servers keep their leases there; `slipway install` makes it.
    await cluster.kubectl(['create', 'namespace', 'slipway-system']);
    // As the manifests have it, with the address of the cluster and a port that is free.
    const flags = ['--kubeconfig', '/etc/slipway/kubeconfig', '--identity', 'in-image', '--listen', '127.0.0.1:0'];
    const ended = await whileRunning(named('server'), [...(workloads()[0] ?? []), ...flags], () =>
      eventually('it takes the lead', async () => {
        const leases = await cluster.kubectl(['get', 'leases', '-A', '-o', 'json']);
        return leases.stdout.includes('"in-image_');
      }),
    );
    expect(ended).toMatchObject({ code: 0 });
  });

  test('runs a cluster that kubectl talks to by the kubeconfig in its home', async () => {
    const port = String(await freePort());
    const ended = await whileRunning(named('up'), ['slipway', 'up', '--ephemeral', '--port', port], () =>
      eventually('its nodes are ready', async () => {
        const outcome = await cluster.kubectl(['--kubeconfig', join(home, '.kube/config'), 'get', 'nodes']);
        return (outcome.stdout.match(/ Ready /g)?.length ?? 0) === 3 && outcome.stdout;
      }),
    );
    expect(ended).toMatchObject({ code: 0 });
  });

  test('has every other process of the manifests, and no shell', async () => {
    for (const [number, command] of workloads().slice(1).entries()) {
      const helped = await inImage(named(`help-${number}`), ...command, '--help');
      expect(helped, helped.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage') });
    }
    expect((await inImage(named('shell'), '/bin/sh', '-c', 'exit 0')).code).not.toBe(0);
  });

  test('serves the console as the Deployment of the guide has it, to who signs in with a token', async () => {
    const port = String(await freePort());
    const { kubeconfig, command } = consoleOfGuide();
    const { stdout } = await cluster.kubectl(['config', 'view', '--raw', '-o', 'json']);
    const [{ cluster: of }] = JSON.parse(stdout).clusters;
    writeFileSync(join(given, 'ca.crt'), Buffer.from(of['certificate-authority-data'], 'base64'));
    writeFileSync(join(given, 'cluster'), kubeconfig.replace('https://kubernetes.default.svc', cluster.url));
    const words = command.map((word) => word.replace('7420', port).replace('/kubeconfig', '/cluster'));
    const url = `http://127.0.0.1:${port}`;
    const headers = { origin: url, 'content-type': 'application/json' };
    const ended = await whileRunning(named('console'), words, async () => {
      await eventually('it serves its page', async () => (await fetch(url).catch(() => undefined))?.ok);
      const token = (await cluster.kubectl(['create', 'token', 'default'])).stdout.trim();
      const signIn = (body: object) =>
        fetch(`${url}/api/sign-in`, { method: 'POST', headers, body: JSON.stringify(body) });
      expect((await signIn({ token: 'another' })).status).toBe(401);
      expect((await signIn({ token })).status).toBe(200);
    });
    expect(ended).toMatchObject({ code: 0 });
  });
});

/** The configuration and the command of the Deployment in the guide of the console. */
function consoleOfGuide(): { readonly kubeconfig: string; readonly command: readonly string[] } {
  const guide = readFileSync(join(repository, 'docs/guides/console.md'), 'utf8');
  const manifest = /```yaml\n(# console\.yaml\n[\s\S]*?)```/.exec(guide)?.[1] ?? '';
  const objects = parseAllDocuments(manifest).map((document) => document.toJS());
  const [config, deployment] = ['ConfigMap', 'Deployment'].map((kind) => objects.find((one) => one.kind === kind));
  return { kubeconfig: config.data.kubeconfig, command: deployment.spec.template.spec.containers[0].command };
}

/** How the manifests start each process, the feature server first. */
function workloads(): string[][] {
  const objects = installation({ parts: partNames, image: 'any', guards: true });
  const containers = objects.flatMap(({ spec }) => spec?.template?.spec?.containers ?? []);
  return containers.map(({ command, args }) => [...command, ...args].filter((word) => !/=\$\(|^--listen=/.test(word)));
}

test('the Dockerfile says the same of how the image runs', () => {
  const text = readFileSync(join(repository, 'Dockerfile'), 'utf8');
  expect(text).toContain(`USER ${runtime.user}`);
  expect(text).toContain(`ENTRYPOINT ${JSON.stringify(runtime.entrypoint).replaceAll(',', ', ')}`);
  expect(text).toContain(`CMD ${JSON.stringify(runtime.command)}`);
  for (const variable of runtime.env) expect(text).toContain(`ENV ${variable}`);
});

test('the bill of materials has what CycloneDX 1.5 requires, and a licence for every dependency', () => {
  const dependencies = lockedDependencies(repository);
  const bom = JSON.parse(bomOf('0.0.1', dependencies, time).toString());
  expect(bom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1 });
  expect(bom.serialNumber).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  expect(bom.metadata.timestamp).toBe(time.toISOString());
  const names = new Set(bom.components.map(({ name }: { name: string }) => name));
  expect(names.has('lmdb') && names.has('yaml')).toBe(true);
  expect([...names].filter((name) => /client-node|vitest|typescript|^@slipway/.test(String(name)))).toEqual([]);
  for (const component of bom.components) {
    expect(component).toMatchObject({ type: 'library', name: expect.any(String), version: expect.any(String) });
    expect(component.purl).toMatch(/^pkg:npm\/\S+@\d/);
    expect(component.licenses).toHaveLength(1);
    expect(component.hashes[0].content).toMatch(/^[0-9a-f]{128}$/);
  }
  const refs = bom.components.map((component: Record<string, string>) => component['bom-ref']);
  expect(new Set(refs).size).toBe(refs.length);
  const list = licenseList(dependencies).toString();
  for (const { name, version, license } of dependencies) expect(list).toContain(`${name} ${version}: ${license}\n`);
  expect(gzip(Buffer.from('x')).subarray(4, 8)).toEqual(Buffer.alloc(4));
});
