import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../packages/cli/src/testing/test-folder.js';
import { repository, run, slipwayProgram } from '../support/slipway.js';

/** Runs the command in a process of its own, as the command line of users does. */
const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  run(process.execPath, [slipwayProgram, ...args], { env });

test('slipway kep begins with code that the build compiled, and which this engine accepts', async () => {
  const loader = join(repository, 'packages/cli/dist/runtime/compiled-program.js');
  const program = join(repository, 'packages/cli/dist/lib/kep.cjs');
  const script =
    `import { runCompiled } from ${JSON.stringify(loader)};` +
    `process.stdout.write(String(runCompiled(${JSON.stringify(program)})?.script.cachedDataRejected))`;
  const accepted = await run(process.execPath, ['--input-type=module', '--eval', script]);
  expect(accepted).toMatchObject({ code: 0, stdout: 'false', stderr: '' });
  // Under a flag of V8 neither this code counts nor that of Node's own modules.
  expect(readFileSync(slipwayProgram, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect(readFileSync(join(repository, 'slipway'), 'utf8')).toContain('\nexec node "$program" "$@"\n');

  const { stderr } = await start(['kep', 'check', '99999', '--verbose']);
  expect(stderr).toContain('slipway: there is no KEP 99999');
  expect(stderr).toContain('dist/lib/kep.cjs');
});

test.each([
  [['kep', 'verify', '99999', '--verbose'], 'there is no KEP 99999'],
  [['feature', 'list', '--kubeconfig', '/nowhere', '--verbose'], '/nowhere'],
])('slipway %j does not run from the compiled program', async (args, message) => {
  const { stderr } = await start(args);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('dist/lib/kep.cjs');
});

test('words of slipway kep are completed, and its help and errors name the command as it was typed', async () => {
  const completed = await start(['kep', 'che'], { SLIPWAY_CALLED_AS: '/bin/kubectl_complete-slipway' });
  expect(completed.stdout).toMatch(/^check\t/);
  const wrong = await start(['kep', 'check', '99999'], { SLIPWAY_CALLED_AS: '../slipway' });
  expect(wrong).toMatchObject({ code: 2 });
  expect(wrong.stderr).toContain('; ../slipway kep list shows all');
});

test('results that another build kept are not taken', async () => {
  const folder = testFolder();
  const names = ['kep.cjs', `kep.cjs-${process.version}-${process.arch}.code`];
  const parts = ['package.json', 'bin', 'templates', 'dist/lib/start.cjs', ...names.map((name) => `dist/lib/${name}`)];
  for (const part of parts)
    cpSync(join(repository, 'packages/cli', part), join(folder, 'cli', part), { recursive: true });
  const keyOfResults = async () => {
    const words = ['kep', 'check', '--root', join(repository, 'packages/kep/testdata/rules'), '--fail-on', 'never'];
    const env = { XDG_CACHE_HOME: folder };
    expect(await run(process.execPath, [join(folder, 'cli/bin/slipway.js'), ...words], { env })).toMatchObject({
      code: 0,
    });
    const [results = ''] = readdirSync(join(folder, 'slipway/kep-results'));
    return readFileSync(join(folder, 'slipway/kep-results', results), 'latin1').split(' ')[0];
  };
  const key = await keyOfResults();
  expect(await keyOfResults()).toBe(key);
  for (const name of names) {
    const path = join(folder, 'cli/dist/lib', name);
    const bytes = readFileSync(path);
    bytes.write('another program', 2, 'latin1');
    writeFileSync(path, bytes);
  }
  expect(await keyOfResults()).not.toBe(key);
});
