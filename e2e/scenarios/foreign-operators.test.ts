import { join } from 'node:path';
import { test } from 'vitest';
import { operators } from '../../tools/foreign/operators.mjs';
import { needs } from '../../tools/real-parts.js';
import { kubectl, startOperator } from '../support/foreign/running-operator.js';
import { eventually, repository, upAlone } from '../support/slipway.js';

// Operators of others, as they are, each on a cluster of its own.

test.for(operators.map((operator) => [operator.name, operator] as const))(
  '%s reconciles its sample',
  async ([name, operator], context) => {
    needs(context, 'foreign software');
    needs(context, 'kubectl');
    await using cluster = await upAlone({ nodes: 1, args: ['--ephemeral'] });
    await using running = await startOperator(cluster, operator);
    const sample = join(repository, 'e2e/support/foreign', `${name}.yaml`);
    try {
      // Webhooks are reachable once the program serves them.
      await eventually('the sample is accepted', async () => {
        await kubectl(cluster, ['apply', '--server-side', '-f', sample]);
        return true;
      });
      for (const step of operator.steps) {
        await eventually(step, async () => {
          await kubectl(cluster, [...step.split(' '), ...(step.startsWith('wait ') ? ['--timeout=20s'] : [])]);
          return true;
        });
      }
    } catch (error) {
      throw new Error(`${name}: ${running.log()}\n${cluster.log()}`, { cause: error });
    }
  },
);
