import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { axeProblems, overhang, startConsole, watchedBrowser } from '../support/console.js';
import { freeGates, type RunningCluster, up } from '../support/slipway.js';

/** A kubeconfig that names the cluster and has no credentials, as the console of a cluster has it. */
async function withoutUser(cluster: RunningCluster): Promise<string> {
  const { stdout } = await cluster.kubectl(['config', 'view', '--raw', '-o', 'json']);
  const { clusters } = JSON.parse(stdout) as { readonly clusters: readonly { readonly name: string }[] };
  const contexts = clusters.map(({ name }) => ({ name, context: { cluster: name } }));
  const path = `${cluster.dataDir}/cluster-only`;
  const config = { apiVersion: 'v1', kind: 'Config', clusters, contexts, 'current-context': clusters[0]?.name };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

async function tokenOf(cluster: RunningCluster, name: string, role?: string): Promise<string> {
  await cluster.kubectl(['create', 'serviceaccount', name]);
  if (role !== undefined) {
    const to = ['--clusterrole', role, '--serviceaccount', `default:${name}`];
    await cluster.kubectl(['create', 'clusterrolebinding', name, ...to]);
  }
  return (await cluster.kubectl(['create', 'token', name])).stdout.trim();
}

test('people who sign in with their own tokens see and do what those may, and the console itself may do nothing', async (ctx) => {
  needs(ctx, 'Chromium');
  needs(ctx, 'kubectl');
  await using cluster = await up({ kubernetes: freeGates, args: ['--ephemeral'], nodes: 1 });
  const admin = await tokenOf(cluster, 'admin', 'cluster-admin');
  const visitor = await tokenOf(cluster, 'visitor');
  await using console = await startConsole(await withoutUser(cluster), { flags: ['--sign-in-by-token'] });
  expect(console.address).toBe(`${console.url}/`);
  const { browser, page } = await watchedBrowser(console.url);
  await using _ = browser;
  const signIn = async (token: string) => {
    await page.getByRole('textbox', { name: 'Token' }).fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  // A page that follows nothing notices it as well.
  await page.goto(`${console.url}/upgrade?to=v1.37`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.goto(`${console.url}/features`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await axeProblems(page)).toEqual([]);
  expect(await overhang(page, [390, 1440])).toEqual({ 390: 0, 1440: 0 });
  await signIn('unknown');
  await page.getByText('the cluster does not accept this token').waitFor();

  await signIn(visitor);
  await page.getByRole('heading', { name: 'You may not see this' }).waitFor();
  await page.locator('.whose', { hasText: 'system:serviceaccount:default:visitor' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();

  await signIn(admin);
  await page.getByRole('row', { name: /OpenAPIV3/ }).waitFor();
  await page.locator('.whose', { hasText: 'system:serviceaccount:default:admin' }).waitFor();
  expect(await axeProblems(page)).toEqual([]);
}, 300_000);
