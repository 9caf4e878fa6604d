import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { maxUnavailableGate } from '@slipway/kube-objects/rules/gate-names';
import { expect, test } from 'vitest';

test('controllers that were stopped follow their gate no more, and whoever started since does', async () => {
  await using cluster = await aCluster({ nodes: 0 });
  const gate = cluster.managerGate;
  const follow = gate.onChange.bind(gate);
  const followed: string[] = [];
  gate.onChange = (name, handler) => {
    followed.push(name);
    const { close } = follow(name, handler);
    return {
      close: () => {
        followed.pop();
        close();
      },
    };
  };
  await cluster.restartControllers();
  expect(followed).toEqual([maxUnavailableGate]);
  await cluster.restartControllers();
  expect(followed).toEqual([maxUnavailableGate]);
});
