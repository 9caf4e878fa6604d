import { readFileSync } from 'node:fs';
import { type Console, type ConsoleOptions, startConsole } from '@slipway/console';
import { Kube } from '@slipway/kube';
import { type InMemoryApi, inMemoryApi } from '@slipway/kube/testing';
import { repository } from './slipway.js';

/** The built pages over an API in memory, to which a test gives whatever objects it likes. */
export interface ConsoleInMemory extends AsyncDisposable {
  readonly api: InMemoryApi;
  readonly console: Console;
}

/** Starts the console in this process. */
export async function consoleInMemory(
  options: Pick<ConsoleOptions, 'limiters' | 'openProposals'> & { readonly cluster?: string } = {},
): Promise<ConsoleInMemory> {
  const api = inMemoryApi();
  const pages = JSON.parse(readFileSync(`${repository}packages/console/dist/server/console-pages.json`, 'utf8'));
  const console = await startConsole({ cluster: 'test', ...options, kube: new Kube(api), pages, port: 0 });
  return {
    api,
    console,
    [Symbol.asyncDispose]: () => console.close(),
  };
}

const nodes = { group: '', plural: 'nodes' } as const;
const features = { group: 'features.slipway.dev', plural: 'features' } as const;

/** Stores nodes `n0001`, `n0002` and so on, of four cores each. */
export function seedNodes(api: InMemoryApi, count: number): void {
  const amounts = { cpu: '4', memory: '16Gi', pods: '110' };
  const objects = Array.from({ length: count }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: `n${String(index + 1).padStart(4, '0')}`, labels: {} },
    spec: {},
    status: { capacity: amounts, allocatable: amounts, conditions: [{ type: 'Ready', status: 'True' }] },
  }));
  api.seed(nodes, ...objects);
}

/** Stores features `Gate001`, `Gate002` and so on, every third of them on. */
export function seedFeatures(api: InMemoryApi, count: number): void {
  const objects = Array.from({ length: count }, (_, index) => {
    const gate = `Gate${String(index + 1).padStart(3, '0')}`;
    return {
      apiVersion: 'features.slipway.dev/v1alpha1',
      kind: 'Feature',
      metadata: { name: gate.toLowerCase(), namespace: 'kube-system' },
      spec: { gate },
      status: { state: index % 3 === 0 ? 'On' : 'Off', transitions: 1 },
    };
  });
  api.seed(features, ...objects);
}
