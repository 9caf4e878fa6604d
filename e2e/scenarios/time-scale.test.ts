import { expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { eventually, up } from '../support/slipway.js';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime: string;
}

test('at fifty times the speed a dead node is noticed in a second, and no other is taken for dead', async (context) => {
  needs(context, 'kubectl');
  await using cluster = await up({ nodes: 3, args: ['--ephemeral', '--time-scale', '50'] });
  const ready = async () => {
    const { stdout } = await cluster.kubectl(['get', 'nodes', '-o', 'json']);
    const { items } = JSON.parse(stdout) as { items: { status: { conditions: Condition[] } }[] };
    return items.map(({ status }) => status.conditions.find(({ type }) => type === 'Ready'));
  };
  const [, ...others] = await ready();
  await cluster.slipway(['dev', 'node', 'stop', 'n1']);
  await eventually('n1 is noticed', async () => (await ready())[0]?.status === 'Unknown', 20_000);
  await cluster.slipway(['dev', 'node', 'start', 'n1']);
  await eventually('n1 is back', async () => (await ready())[0]?.status === 'True', 20_000);
  expect((await ready()).slice(1)).toMatchObject(
    others.map((condition) => ({ status: 'True', lastTransitionTime: condition?.lastTransitionTime })),
  );
});
