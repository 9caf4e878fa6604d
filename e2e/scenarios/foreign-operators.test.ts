import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllYaml } from '@slipway/safe-yaml';
import { expect, test } from 'vitest';
import { operators } from '../../tools/foreign/operators.mjs';
import { needs } from '../../tools/real-parts.js';
import { kubectl, startOperator } from '../support/foreign/running-operator.js';
import { eventually, type RunningCluster, repository, upAlone } from '../support/slipway.js';

// Operators of others, unchanged, each on a cluster of its own. Several run at once, because they mostly wait.

const samples = join(repository, 'e2e/support/foreign');

test.concurrent.for(operators.map((operator) => [operator.name, operator] as const))(
  '%s reconciles its sample',
  { timeout: 300_000 },
  async ([name, operator], context) => {
    needs(context, 'foreign software');
    needs(context, 'kubectl');
    await using cluster = await upAlone({ nodes: 1, args: ['--ephemeral'] });
    await using running = await startOperator(cluster, operator);
    const sample = join(samples, `${name}.yaml`);
    try {
      // Webhooks are reachable once the program serves them.
      await soon('the sample is accepted', () => kubectl(cluster, ['apply', '--server-side', '-f', sample]));
      for (const step of operator.steps) {
        const limit = step.startsWith('wait ') ? ['--timeout=20s'] : [];
        await soon(step, () => kubectl(cluster, [...step.split(' '), ...limit]));
      }
      const refused = join(samples, `${name}.refused.yaml`);
      if (existsSync(refused)) await soon('all are refused', () => expectAllRefused(cluster, refused));
    } catch (error) {
      throw new Error(`${name}: ${running.log()}\n${cluster.log()}`, { cause: error });
    }
  },
);

/** Repeats what fails; the machine may be busy with other operators. */
function soon(what: string, act: () => Promise<unknown>): Promise<boolean> {
  return eventually(what, () => act().then(() => true), 60_000);
}

/** Without writing any, as a policy may be in force a moment later. */
async function expectAllRefused(cluster: RunningCluster, file: string): Promise<void> {
  const count = parseAllYaml(readFileSync(file, 'utf8')).length;
  const { stdout, stderr } = await cluster.kubectl(['apply', '--server-side', '--dry-run=server', '-f', file]);
  expect(stdout).toBe('');
  expect(stderr.match(/^Error from server \((?:Invalid|Forbidden)\): /gm)).toHaveLength(count);
}
