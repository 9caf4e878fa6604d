import { NodeSize } from '@slipway/balloons';
import type { ResourceRef } from '@slipway/kube';
import { expect } from 'vitest';
import { kubectlOn } from './shared-cluster.js';
import { eventually, type RunningCluster } from './slipway.js';

/** A NodeSize, as far as scenarios look at it. */
export interface Size {
  readonly metadata: { readonly generation: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly observedRequestID?: string;
    readonly size?: Amounts;
    readonly balloon?: { readonly desired: Amounts; readonly allocated: Amounts };
    readonly resize?: unknown;
    readonly lastResize?: { readonly result: string; readonly reason: string; readonly message: string };
    readonly history?: readonly { readonly result: string; readonly reason: string }[];
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  };
}

interface Amounts {
  readonly cpu: string;
  readonly memory: string;
}

const pods: ResourceRef = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };

/** kubectl against one cluster, and what a person would do with it to resize nodes. */
export function handsOn(cluster: () => RunningCluster) {
  const kubectl = kubectlOn(cluster);
  const get = async <T>(...args: string[]) => JSON.parse(await kubectl('get', ...args, '-o', 'json')) as T;
  const apply = async (manifest: object) => {
    const done = await cluster().kubectl(['apply', '-f', '-'], { stdin: JSON.stringify(manifest) });
    expect(done.code, done.stderr).toBe(0);
  };
  const size = async (node: string) =>
    (await (await cluster().kube()).resource(NodeSize).get({ name: node })) as unknown as Size;
  const ask = (node: string, spec: object) =>
    kubectl('patch', 'nodesize', node, '--type', 'merge', '-p', JSON.stringify({ spec: { ...noSize, ...spec } }));
  const answer = (node: string) =>
    eventually(`${node} answers`, async () => {
      const { metadata, status } = await size(node);
      return status?.observedGeneration === metadata.generation && !status.resize && status;
    });
  return {
    kubectl,
    get,
    apply,
    size,
    ask,
    answer,
    resize: async (node: string, spec: object) => {
      await ask(node, spec);
      return answer(node);
    },
    setPolicy: (spec: object, name = 'all') =>
      apply({ apiVersion: 'balloons.slipway.dev/v1alpha1', kind: 'BalloonPolicy', metadata: { name }, spec }),
    policyReady: (name = 'all') => kubectl('wait', '--for=condition=Ready', `balloonpolicy/${name}`, '--timeout=20s'),
    balloon: async (node: string) => {
      const { items } = await (await cluster().kube()).resource(pods).list({
        namespace: 'kube-system',
        labelSelector: 'balloons.slipway.dev/balloon=true',
        fieldSelector: `spec.nodeName=${node}`,
      });
      return (items as unknown as readonly Pod[]).find(
        ({ metadata, status }) => !metadata.deletionTimestamp && status.phase === 'Running',
      );
    },
    run: (name: string, node: string, requests: Amounts, more: object = {}) =>
      kubectl('run', name, '--image=image', '--overrides', JSON.stringify(podOn(name, node, requests, more))),
    isReady: (name: string) => kubectl('wait', '--for=condition=Ready', `pod/${name}`, '--timeout=20s'),
    forget: (...names: string[]) => kubectl('delete', 'pod', '--now', '--ignore-not-found', ...names),
  };
}

/** A pod, as far as scenarios look at it. */
export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels: object;
    readonly annotations: object;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly priorityClassName: string; readonly preemptionPolicy: string; readonly priority: number };
  readonly status: {
    readonly phase: string;
    readonly reason?: string;
    readonly conditions: readonly { readonly type: string; readonly reason?: string; readonly message?: string }[];
  };
}

/** Takes back what was said of a size before. */
export const noSize = { size: null, balloon: null, fraction: null, fit: null, fence: null };
/** A quarter of a node of 16 cores and 64Gi. */
export const quarter = { mode: 'Size', size: { cpu: '4', memory: '16Gi' } };
/** All of it. */
export const full = { mode: 'Full' };

function podOn(name: string, node: string, requests: Amounts, more: object) {
  const nodeSelector = { 'kubernetes.io/hostname': node };
  return { spec: { nodeSelector, containers: [{ name, image: 'image', resources: { requests } }], ...more } };
}

/** Flags of `slipway up` for such nodes. */
export const sized = ['--ephemeral', '--node-cpu', '16', '--node-memory', '64Gi'];
