import { exec } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { stderrLog } from '@slipway/kube';
import { test } from 'vitest';
import { startCluster } from '../cluster/start-cluster.js';

test('try', async () => {
  const t0 = performance.now();
  const c = await startCluster({ log: stderrLog, writeKubeconfig: { path: '/tmp/sw-try/kc' } });
  console.log('up', performance.now() - t0);
  await c.ready();
  console.log('ready', performance.now() - t0, process.memoryUsage().rss / 1e6);
  const run = promisify(exec);
  for (const line of readFileSync('/tmp/sw-try/script.sh', 'utf8').split('\n').filter(Boolean)) {
    const t = performance.now();
    const r = await run(line, { env: { ...process.env, KUBECONFIG: '/tmp/sw-try/kc', PATH: '/tmp/sw-try/bin:' + process.env.PATH }, timeout: 30000, shell: '/bin/bash' }).catch((e) => e);
    process.stdout.write(`\n$ ${line}   [${Math.round(performance.now() - t)} ms]${r.code ? ' EXIT ' + r.code : ''}\n${r.stdout}${r.stderr}`);
  }
  await c.stop();
}, 300000);
