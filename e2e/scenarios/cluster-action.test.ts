import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../../packages/cli/src/testing/test-folder.js';
import { findKubectl, needs } from '../../tools/real-parts.js';
import { runAction } from '../support/composite-action.js';
import { run, slipway } from '../support/slipway.js';

const file = 'actions/cluster/action.yml';
let runner: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  runner = testFolder();
  // Its home too, where the records of clusters are.
  env = { RUNNER_TEMP: runner, HOME: runner, XDG_DATA_HOME: join(runner, 'data') };
});

test('the action starts a cluster, and the steps that follow reach it', async (context) => {
  needs(context, 'kubectl');
  const { outcomes, env: set, output } = await runAction(file, runner, { kubernetes: '1.36', nodes: '2' }, env);
  try {
    expect(outcomes).toMatchObject([{ code: 0 }]);
    const [, kubeconfig = ''] = /^KUBECONFIG=(.*)$/m.exec(set) ?? [];
    expect(output).toBe(`kubeconfig=${kubeconfig}\n`);
    const nodes = await run(findKubectl() ?? '', ['get', 'nodes'], { env: { KUBECONFIG: kubeconfig } });
    expect(nodes.stdout.match(/ Ready .*v1\.36\./g)).toHaveLength(2);
  } finally {
    expect(await slipway(['down', '--name', 'actions'], { env })).toMatchObject({ code: 0 });
  }
});

test('the action writes the programs of envtest, and fails for a version that there is not', async () => {
  const { outcomes, env: set } = await runAction(file, runner, { envtest: 'true' }, env);
  expect(outcomes).toMatchObject([{ code: 0 }]);
  const [, assets = ''] = /^KUBEBUILDER_ASSETS=(.*)$/m.exec(set) ?? [];
  expect(readdirSync(assets)).toEqual(expect.arrayContaining(['etcd', 'kube-apiserver']));
  const wrong = await runAction(file, runner, { envtest: 'true', kubernetes: '1.2' }, env);
  expect(wrong).toMatchObject({ outcomes: [{ code: 2 }], env: '' });
});
