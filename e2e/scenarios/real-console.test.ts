import { expect, test } from 'vitest';
import { findChromium, needs } from '../../tools/real-parts.js';
import { axeProblems, signIn, watchedBrowser } from '../support/console.js';
import { installFeatures, startNodeAgent } from '../support/real-features.js';
import { realKubernetes } from '../support/real-kubernetes.js';
import { eventually } from '../support/slipway.js';

const gate = 'MaxUnavailableStatefulSet';

test('a person turns a feature off and watches it finish, while the API server is restarted under the page', async (ctx) => {
  needs(ctx, 'real Kubernetes');
  needs(ctx, 'kubectl');
  needs(ctx, 'Chromium');
  await using real = await realKubernetes(process.env.SLIPWAY_REAL_KUBERNETES ?? '');
  const serverToken = await installFeatures(real, gate);
  real.start(serverToken, 'run', 'feature-server', '--listen', '127.0.0.1:0');
  await startNodeAgent(real);
  const applied = await real.kubectl(['apply', '-f', '-'], aStatefulSet());
  expect(applied, applied.stderr).toMatchObject({ code: 0 });

  real.start('admin', 'console', '--port', '0', '-o', 'json');
  const line = await eventually('the console has an address', async () => /^\{.*\}$/m.exec(real.log('console'))?.[0]);
  const { url, address } = JSON.parse(line) as { readonly url: string; readonly address: string };
  const { browser, page } = await watchedBrowser(url, real.inside(findChromium() ?? ''));
  await using _ = browser;
  await signIn(page, address);
  await page.goto(`${url}/features/kube-system/${gate.toLowerCase()}`);
  const state = page.locator('.page-head .state');
  await state.filter({ hasText: /^On$/ }).waitFor({ timeout: 180_000 });
  expect(await axeProblems(page)).toEqual([]);

  await page.getByRole('button', { name: 'Turn off' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Objects that use it now: 1').waitFor();
  await dialog.getByRole('textbox').fill('1');
  await dialog.getByRole('button', { name: 'Turn off' }).click();
  await dialog.waitFor({ state: 'detached' });
  await real.restart(`${gate}=false`);
  await state.filter({ hasText: /^Off$/ }).waitFor({ timeout: 300_000 });
  const field = 'jsonpath={.spec.updateStrategy.rollingUpdate.maxUnavailable}';
  expect((await real.kubectl(['get', 'statefulset', 'chosen', '-o', field])).stdout).toBe('');
  await page.getByText('1 value is kept: turn it on to restore').waitFor();
  expect(await axeProblems(page)).toEqual([]);
}, 900_000);

function aStatefulSet(): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'chosen', namespace: 'default' },
    spec: {
      replicas: 0,
      serviceName: 'chosen',
      selector: { matchLabels: { app: 'chosen' } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } },
      template: {
        metadata: { labels: { app: 'chosen' } },
        spec: { containers: [{ name: 'main', image: 'registry.example/chosen:1' }] },
      },
    },
  };
}
