import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readRecord, recordOf } from '../../conformance/comparison-record.js';
import { conformanceCommand } from '../../conformance/conformance-command.js';
import { readCorpus, readKnownDifferences } from '../../conformance/corpus.js';
import type { ParityReport } from '../../conformance/report.js';
import { findKubectl, hasPart, needs } from '../../tools/real-parts.js';
import { type RunningCluster, up } from '../support/slipway.js';

const folder = fileURLToPath(new URL('../../conformance/', import.meta.url));

let cluster: RunningCluster;
beforeAll(async () => {
  if (!hasPart('kubectl')) return;
  cluster = await up({ nodes: 2, args: ['--ephemeral'] });
  await cluster.kubectl(['wait', '--for=condition=Ready', 'nodes', '--all', '--timeout=60s']);
});
beforeEach((context) => needs(context, 'kubectl'));
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

/** What `npm run conformance` says of the cluster, and with which exit code. */
async function conformance(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: '', err: '' };
  const code = await conformanceCommand(args, {
    folder,
    kubeconfig: cluster.kubeconfig,
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    isWatched: true,
  });
  return { code, ...said };
}

const onCluster = ['--target', 'kubeconfig', '--kubectl', findKubectl() ?? 'kubectl'];

test('every behaviour that programs rely on holds, for kubectl, the official client and ours', async () => {
  const { out, err, code } = await conformance(...onCluster, '-o', 'json');
  const report = JSON.parse(out) as ParityReport;
  const known = new Set(readKnownDifferences(folder).map(({ scenario }) => scenario));
  const off = report.findings.filter(({ outcome }) => outcome !== 'held');
  expect(off.filter(({ scenario }) => !known.has(scenario))).toEqual([]);
  // A difference that is gone leaves the list.
  expect(new Set(off.map(({ scenario }) => scenario))).toEqual(known);
  expect(code).toBe(known.size > 0 ? 1 : 0);
  const standings = report.rows.map(({ standing }) => standing);
  expect(standings).toContain('pass');
  expect(standings).not.toContain('not played');
  expect(new Set(report.findings.map(({ runner }) => runner.split(' ')[0]))).toEqual(
    new Set(['https', 'kube', 'client-node', 'kubectl']),
  );
  expect(err).toMatch(/^held +kube +create-and-create-again$/m);
});

test('a run against a real cluster turns unverified into pass, one against ours does not', async () => {
  const chosen = [...onCluster, 'leases', '--image', 'registry.example/other:1'];
  const plain = await conformance(...chosen);
  expect(plain).toMatchObject({ code: 0 });
  expect(plain.out).toMatch(/^M33 +MUST +not played +4 +\d+\/\d+ .*/m);
  const path = join(cluster.dataDir, 'record.json');
  const ours = await conformance('M12', 'M22', ...onCluster, '-o', 'json', '--record', path);
  const { scenarios } = readCorpus(folder);
  const others = recordOf({ ...(JSON.parse(ours.out) as ParityReport), server: 'v1.34.1' }, scenarios, 0);
  // row | record it is held against | what it is then
  const stories = [
    [readRecord(path), /^M22 +MUST +unverified +2 +0\/3 .*kubectl/m],
    [others, /^M22 +MUST +pass +2 +3\/3 .*kubectl/m],
  ] as const;
  for (const [record, row] of stories) {
    writeFileSync(path, JSON.stringify(record));
    expect((await conformance('M22', ...onCluster, '--compared', path, '-o', 'wide')).out).toMatch(row);
  }
});

test('a cluster of its own is started when none is named', async () => {
  const { code, out } = await conformance('M14', '--kubectl', findKubectl() ?? 'kubectl');
  expect(code).toBe(0);
  expect(out).toMatch(/^M14 +MUST +pass +1 +1\/1 /m);
});

// arguments | exit code | what it complains of
const wrong: [string[], number, string][] = [
  [['M99'], 2, 'no row and no scenario is called M99'],
  [['-o', 'xml'], 2, '-o xml is none of table, wide, json'],
  [['--target', 'moon'], 2, '--target moon is neither devcluster nor kubeconfig'],
  [['--compared', '/nonsense'], 2, '/nonsense is not a record of a run with --record'],
  [['--nonsense'], 2, "Unknown option '--nonsense'"],
  [['--kubectl', '/no/kubectl', '--target', 'kubeconfig'], 4, 'ENOENT'],
];

test.each(wrong)('conformance %j is refused with one line and a way out', async (args, code, message) => {
  const said = await conformance(...args);
  expect(said.code).toBe(code);
  expect(said.err).toContain(message);
  expect(said.err).toMatch(/\nTo fix: .+\n$/);
});

test('the help shows what to type', async () => {
  expect(await conformance('--help')).toMatchObject({
    code: 0,
    out: expect.stringContaining('npm run conformance -- '),
  });
});
