import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../packages/cli/src/testing/test-folder.js';
import { run, slipway, slipwayProgram, up } from '../support/slipway.js';

test('a disk that refuses to be written ends the cluster, and the next start has what was acknowledged', async () => {
  const folder = testFolder();
  // No file may grow beyond 3 MiB, which no program can tell from a disk that fails.
  const args = ['up', '--nodes', '1', '--port', '0', '-o', 'json', '--data-dir', join(folder, 'data')];
  const kubeconfig = join(folder, 'kubeconfig');
  const limited = `ulimit -f 6144; exec "$0" "$@"`;
  const words = [process.execPath, slipwayProgram, ...args, '--kubeconfig', kubeconfig];
  const child = spawn('sh', ['-c', limited, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await Promise.race([new Promise((resolve) => child.stdout.once('data', resolve)), ended]);
  expect(child.exitCode, errors).toBeNull();

  const acknowledged: string[] = [];
  for (let at = 0; at < 60; at += 1) {
    const file = join(folder, `${at}.json`);
    const metadata = { name: `c${at}`, namespace: 'default' };
    writeFileSync(
      file,
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { x: 'x'.repeat(200_000) } }),
    );
    const made = await run('kubectl', ['create', '--validate=ignore', '-f', file], {
      env: { KUBECONFIG: kubeconfig },
    });
    if (made.code !== 0) break;
    acknowledged.push(`c${at}`);
  }
  // LMDB's memory is not in order after a write that failed: it may end the process by a signal when all is said.
  expect([1, null]).toContain(await ended);
  expect(errors).toContain('the data could not be written');
  expect(errors).toContain('To fix: see to the disk');
  expect(acknowledged.length).toBeGreaterThan(0);
  expect(acknowledged.length).toBeLessThan(60);

  expect(await slipway(['dev', 'data', 'verify', '--data-dir', join(folder, 'data')])).toMatchObject({ code: 0 });
  await using again = await up({ dataDir: folder, nodes: 1 });
  const listed = await again.kubectl(['get', 'configmaps', '-o', 'jsonpath={.items[*].metadata.name}']);
  expect(listed.stdout.split(' ')).toEqual(expect.arrayContaining(acknowledged));
});
