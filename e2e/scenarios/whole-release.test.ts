import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { unpackTar } from '../../tools/release/tar.js';
import { run } from '../support/slipway.js';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'slipway-whole-release-'));
const { version } = JSON.parse(readFileSync(join(repository, 'packages/cli/package.json'), 'utf8')) as {
  version: string;
};
/** On a busy machine; most of it is compression. */
const timeoutMs = 400_000;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('npm run release gives the same bytes in another folder, and its parts for arm64 run', {
  timeout: 900_000,
}, async (context) => {
  needs(context, 'a whole release');
  const first = join(folder, 'first');
  const fixed = { SOURCE_DATE_EPOCH: commitTime() };
  const command = ['run', '--silent', 'release', '--', '--output', first];
  const made = await run('npm', command, { cwd: repository, env: fixed, timeoutMs });
  expect(made, made.stderr).toMatchObject({ code: 0 });

  const elsewhere = copyOfSources();
  const second = join(elsewhere, 'release');
  const env = { ...fixed, TZ: 'Asia/Kathmandu', LANG: 'C', TMPDIR: join(folder, 'other-tmp') };
  mkdirSync(env.TMPDIR);
  const again = await run('sh', ['-c', 'umask 077; npm run --silent release'], { cwd: elsewhere, env, timeoutMs });
  expect(again, again.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining(' files in release/') });
  expect(filesOf(second)).toEqual(filesOf(first));
  expect(readFileSync(join(second, 'SHA256SUMS'), 'utf8')).toBe(readFileSync(join(first, 'SHA256SUMS'), 'utf8'));

  await everyFileHasItsChecksum(first);
  await armRuns(first);
});

async function everyFileHasItsChecksum(release: string): Promise<void> {
  expect(await run('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: release })).toMatchObject({
    code: 0,
    stdout: '',
  });
  const summed = readFileSync(join(release, 'SHA256SUMS'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.slice(66));
  expect([...summed, 'SHA256SUMS'].sort()).toEqual(filesOf(release));
}

/** Under emulation: the command from the image, and the single executable with the libraries of the image. */
async function armRuns(release: string): Promise<void> {
  const root = join(folder, 'arm64');
  for (const { path, content, isExecutable } of await rootOf(join(release, `slipway-${version}-image.tar`), 'arm64')) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content, { mode: isExecutable ? 0o755 : 0o644 });
  }
  const proposal = join(folder, 'kep.md');
  writeFileSync(proposal, '# KEP-1: A proposal\n');
  const env = { HOME: folder };
  const runArm = (...words: string[]) => run('qemu-aarch64', ['-L', root, ...words], { env });
  const executable = join(release, `slipway-${version}-linux-arm64`);
  const inImage = [join(root, 'usr/bin/node'), join(root, 'usr/lib/slipway/bin/slipway.js')];
  for (const command of [[executable], inImage]) {
    expect(await runArm(...command, '--version')).toMatchObject({ code: 0, stdout: `slipway ${version}\n` });
    expect((await runArm(...command, 'kep', 'check', proposal)).stdout).toContain('KEP');
  }
}

async function rootOf(archive: string, architecture: string) {
  const blobs = new Map((await unpackTar(readFileSync(archive), () => true)).map((file) => [file.path, file.content]));
  const read = (path: string) => blobs.get(path) ?? Buffer.alloc(0);
  const blob = ({ digest }: { digest: string }) => read(`blobs/${digest.replace(':', '/')}`);
  const [index] = JSON.parse(read('index.json').toString()).manifests;
  const { manifests } = JSON.parse(blob(index).toString());
  const ours = manifests.find((one: { platform: object }) => JSON.stringify(one.platform).includes(architecture));
  const { layers } = JSON.parse(blob(ours).toString());
  const files = [];
  for (const layer of layers) files.push(...(await unpackTar(gunzipSync(blob(layer)), () => true)));
  return files;
}

/** The working files as they are, without what they were built to. */
function copyOfSources(): string {
  const target = join(folder, 'a longer way/to the sources');
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: repository,
    encoding: 'utf8',
  });
  const deleted = execFileSync('git', ['ls-files', '-z', '--deleted'], { cwd: repository, encoding: 'utf8' }).split(
    '\0',
  );
  for (const path of listed.split('\0')) {
    if (path !== '' && !deleted.includes(path)) cpSync(join(repository, path), join(target, path));
  }
  cpSync(join(repository, 'node_modules'), join(target, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  return target;
}

function commitTime(): string {
  return execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: repository, encoding: 'utf8' }).trim();
}

function filesOf(release: string): string[] {
  return readdirSync(release, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(release, join(entry.parentPath, entry.name)))
    .sort();
}
