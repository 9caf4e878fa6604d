import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findKubectl, needs } from '../../tools/real-parts.js';
import { type RunningCluster, run, up } from '../support/slipway.js';

const launcher = fileURLToPath(new URL('../../slipway', import.meta.url));
const cli = fileURLToPath(new URL('../../packages/cli/', import.meta.url));
let folder = '';
let cluster: RunningCluster;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-launcher-'));
  mkdirSync(join(folder, 'bin'));
  for (const name of ['slipway', 'kubectl-slipway', 'kubectl_complete-slipway'])
    symlinkSync(launcher, join(folder, 'bin', name));
  const { bin } = JSON.parse(readFileSync(join(cli, 'package.json'), 'utf8'));
  mkdirSync(join(folder, 'npm'));
  for (const [name, file] of Object.entries<string>(bin)) symlinkSync(join(cli, file), join(folder, 'npm', name));
  cluster = await up({ args: ['--ephemeral'] });
}, 60_000);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** The environment of a user who has put the launcher on the PATH, or the programs of the package as npm links them. */
function withPath(bin = 'bin'): NodeJS.ProcessEnv {
  return { PATH: `${join(folder, bin)}${delimiter}${process.env.PATH}`, KUBECONFIG: cluster.kubeconfig };
}

test('./slipway runs from any folder and through links, and says how it was called', async () => {
  const far = await run(launcher, ['help', 'feature', 'on'], { cwd: folder });
  expect(far, far.stderr).toMatchObject({ code: 0 });
  expect(far.stdout).toContain(`Usage: ${launcher} feature on [options] <gate>`);
  const linked = await run('./bin/slipway', ['nonsense'], { cwd: folder });
  expect(linked).toMatchObject({ code: 2, stdout: '' });
  const onPath = await run('sh', ['-c', 'slipway down --name none'], { cwd: folder, env: withPath() });
  expect(onPath).toMatchObject({ code: 1, stderr: expect.stringMatching(/\nTo fix: (slipway up|name one of: .*)\n$/) });
  const version = await run(launcher, ['--version'], { cwd: folder });
  expect(version.stdout).toMatch(/^slipway \d+\.\d+\.\d+\n$/);
});

test('./slipway passes words, stdin, signals and the exit code through', async () => {
  const words = await run(launcher, ['kep', 'check', '-', '--stdin-filename', 'a b "c" $d.md'], {
    cwd: folder,
    stdin: '# no KEP\n',
  });
  expect(words.stdout).toContain('a b "c" $d.md');
  expect(words.code).toBe(1);
  const child = spawn(launcher, ['feature', 'watch'], { env: { ...process.env, ...withPath() } });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.kill('SIGINT');
  expect(await ended).toBe(0);
});

const completions = [
  ['slipway feat', 'feature'],
  ['slipway feature get MaxUn', 'MaxUnavailableStatefulSet'],
  ['slipway node size n', 'n1'],
  ['slipway feature list -o js', 'json'],
] as const;

test('slipway completion bash completes commands, flags and names', async (context) => {
  needs(context, 'completing shells');
  for (const [line, word] of [...completions, ['slipway kep check --output=sa', 'sarif'] as const]) {
    const script = `source <(slipway completion bash)
      COMP_WORDS=(); read -ra parts <<< "\${1//=/ = }"; COMP_WORDS=("\${parts[@]}"); COMP_CWORD=$((\${#parts[@]} - 1))
      _slipway; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const done = await run('bash', ['--norc', '-c', script, 'bash', line], { cwd: folder, env: withPath() });
    expect(done.stdout.split('\n'), done.stderr).toContain(word);
  }
});

test('slipway completion fish completes commands, flags and names', async (context) => {
  needs(context, 'completing shells');
  for (const [line, word] of [...completions, ['slipway kep check --output=sa', '--output=sarif'] as const]) {
    const script = 'slipway completion fish | source; complete -C $argv[1]';
    const env = { ...withPath(), HOME: folder };
    const done = await run('fish', ['--no-config', '-c', script, line], { cwd: folder, env });
    const words = done.stdout.split('\n').map((found) => found.split('\t')[0]);
    expect(words, done.stderr).toContain(word);
  }
});

test('slipway completion zsh completes commands, flags and names', async (context) => {
  needs(context, 'completing shells');
  // The completion system calls the function with `words` and `CURRENT`; what it passes on to `_describe` is printed.
  const script = `compdef() { }; _files() { print files }; _describe() { print -l -- "\${(@P)4}" }
    source <(slipway completion zsh); words=(\${(z)1}); CURRENT=$#words; _slipway`;
  for (const [line, word] of [...completions, ['slipway kep check --output=sa', '--output=sarif'] as const]) {
    const done = await run('zsh', ['-f', '-c', script, 'zsh', line], { cwd: folder, env: withPath() });
    expect(
      done.stdout.split('\n').map((each) => each.split(':')[0]),
      done.stderr,
    ).toContain(word);
  }
});

test.for([
  ['of a clone', 'bin'],
  ['of the npm package', 'npm'],
])(
  'kubectl slipway runs the programs %s as a plugin, with completion, and says how it was called',
  async ([, bin], context) => {
    const kubectl = findKubectl() ?? '';
    needs(context, 'kubectl');
    const options = { cwd: folder, env: withPath(bin) };
    const listed = await run(kubectl, ['slipway', 'feature', 'list', '-o', 'name'], options);
    expect(listed, listed.stderr).toMatchObject({ code: 0 });
    expect(listed.stdout).toContain('feature/maxunavailablestatefulset\n');
    const wrong = await run(kubectl, ['slipway', 'node', 'size'], options);
    expect(wrong).toMatchObject({ code: 2 });
    expect(wrong.stderr).toContain('name one from kubectl slipway node list');
    const completed = await run(kubectl, ['__complete', 'slipway', 'feature', 'get', 'MaxUn'], options);
    expect(completed.stdout, completed.stderr).toMatch(/^MaxUnavailableStatefulSet\n:4\n$/);
    const status = await run(kubectl, ['slipway', 'feature', 'get', 'ImageVolume'], options);
    expect(status.stdout).not.toMatch(/(?<!kubectl )\bslipway (feature|upgrade|node) /);
  },
);

test('./slipway builds when a source is newer than the build, and not again', async () => {
  const clone = join(folder, 'clone');
  mkdirSync(join(clone, 'tools'), { recursive: true });
  for (const part of ['packages/cli/bin', 'packages/cli/dist/lib', 'packages/cli/src', 'node_modules', 'other'])
    mkdirSync(join(clone, part), { recursive: true });
  symlinkSync(launcher, join(folder, 'launcher'));
  const copy = join(clone, 'slipway');
  await run('cp', [launcher, copy]);
  chmodSync(copy, 0o755);
  writeFileSync(
    join(clone, 'packages/cli/bin/slipway.js'),
    'console.log("ran", ...process.argv.slice(2)); process.exit(7)',
  );
  writeFileSync(join(clone, 'packages/cli/dist/lib/main.js'), '');
  writeFileSync(
    join(clone, 'tools/build.mjs'),
    "import { writeFileSync } from 'node:fs'; console.log('built'); writeFileSync('node_modules/.built', '');",
  );
  const call = () => run('../slipway', ['x'], { cwd: join(clone, 'other') });
  // The stand-in for the build writes its stamp below the folder it runs in.
  const first = await run('./slipway', ['x'], { cwd: clone });
  expect(first).toMatchObject({ code: 7, stdout: 'ran x\n' });
  expect(first.stderr).toContain('built');
  expect(await call()).toMatchObject({ code: 7, stdout: 'ran x\n', stderr: '' });
  writeFileSync(join(clone, 'packages/cli/src/new.ts'), '');
  expect((await run('./slipway', [], { cwd: clone })).stderr).toContain('built');
  rmSync(join(clone, 'packages/cli/src/new.ts'));
  expect((await run('./slipway', [], { cwd: clone })).stderr).toContain('built');
  writeFileSync(join(clone, 'tools/build.mjs'), 'process.exit(3)');
  writeFileSync(join(clone, 'packages/cli/src/broken.ts'), '');
  expect(await call()).toMatchObject({ code: 3, stdout: '' });
});
