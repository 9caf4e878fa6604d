import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import type { Pod, PodSpec } from '@slipway/kube-objects/kinds/api/pods';
import { aNode, aPod } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { demandOf } from '../demand/demand.js';
import { aView, outcome } from '../testing/a-view.js';
import { ClusterState } from '../view/cluster-state.js';
import { SpreadCounts } from '../view/spread-counts.js';

/**
 * A second opinion, written down as the documentation of Kubernetes puts it: slow, one node at a time,
 * and without a line in common with the scheduler.
 */
function mayGo(pod: Pod, node: Node, nodes: readonly Node[], pods: readonly Pod[]): boolean {
  const here = pods.filter(({ spec }) => spec.nodeName === node.metadata.name);
  const cpu = (one: Pod) => Number(one.spec.containers[0]?.resources?.requests?.cpu ?? 0);
  const total = here.reduce((sum, other) => sum + cpu(other), cpu(pod));
  if (cpu(pod) > 0 && total > Number(node.status?.allocatable?.cpu)) return false;
  if (here.length + 1 > Number(node.status?.allocatable?.pods)) return false;

  if (node.spec?.taints?.length && !pod.spec.tolerations?.length) return false;
  if (pod.spec.nodeSelector && pod.spec.nodeSelector.zone !== zoneOf(node)) return false;
  const ports = (one: Pod) => one.spec.containers.flatMap((container) => container.ports ?? []);
  if (
    ports(pod).some(({ hostPort }) => here.some((other) => ports(other).some((port) => port.hostPort === hostPort)))
  ) {
    return false;
  }
  const shuns = (one: Pod, other: Pod) => Boolean(one.spec.affinity?.podAntiAffinity) && appOf(one) === appOf(other);
  const sameZone = pods.filter((other) =>
    nodes.some((each) => each.metadata.name === other.spec.nodeName && zoneOf(each) === zoneOf(node)),
  );
  if (sameZone.some((other) => shuns(pod, other) || shuns(other, pod))) return false;
  return !pod.spec.topologySpreadConstraints || staysEven(pod, node, nodes, pods);
}

function staysEven(pod: Pod, node: Node, nodes: readonly Node[], pods: readonly Pod[]): boolean {
  const open = nodes.filter((each) => !pod.spec.nodeSelector || pod.spec.nodeSelector.zone === zoneOf(each));
  const inZone = (zone: string | undefined) => {
    const names = open.filter((each) => zoneOf(each) === zone).map(({ metadata }) => metadata.name);
    return pods.filter((other) => names.includes(other.spec.nodeName) && appOf(other) === appOf(pod)).length;
  };
  return inZone(zoneOf(node)) + 1 - Math.min(...open.map((each) => inZone(zoneOf(each)))) <= 1;
}

const zoneOf = ({ metadata }: Node) => metadata.labels?.zone;
const appOf = ({ metadata }: Pod) => metadata.labels?.app;

const zones = fc.constantFrom('a', 'b', 'c');
const anyNode = fc.record({
  cpu: fc.integer({ min: 1, max: 6 }),
  pods: fc.integer({ min: 1, max: 4 }),
  zone: zones,
  isTainted: fc.boolean(),
});
const anyPod = fc.record({
  cpu: fc.integer({ min: 0, max: 4 }),
  app: fc.constantFrom('x', 'y'),
  zone: fc.option(zones, { nil: undefined }),
  tolerates: fc.boolean(),
  port: fc.option(fc.constantFrom(80, 81), { nil: undefined }),
  rule: fc.constantFrom('none', 'far', 'spread'),
});
type PodFacts = typeof anyPod extends fc.Arbitrary<infer T> ? T : never;

function podOf({ cpu, app, zone, tolerates, port, rule }: PodFacts, nodeName?: string): Pod {
  const labelSelector = { matchLabels: { app } };
  const spec: PodSpec = {
    containers: [
      {
        name: 'c',
        resources: { requests: { cpu: String(cpu) } },
        ...(port && { ports: [{ containerPort: 1, hostPort: port }] }),
      },
    ],
    ...(nodeName && { nodeName }),
    ...(zone && { nodeSelector: { zone } }),
    ...(tolerates && { tolerations: [{ operator: 'Exists' }] }),
    ...(rule === 'far' && {
      affinity: {
        podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector }] },
      },
    }),
    ...(rule === 'spread' && {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector },
      ],
    }),
  };
  return aPod('p', { metadata: { labels: { app } }, spec });
}

test('any cluster: a pod goes where it may go, and nowhere only if it may go nowhere', () => {
  const cluster = fc.tuple(
    fc.array(anyNode, { minLength: 1, maxLength: 5 }),
    fc.array(fc.tuple(anyPod, fc.nat(4)), { maxLength: 8 }),
    anyPod,
  );
  fc.assert(
    fc.property(cluster, ([nodeFacts, others, facts]) => {
      const nodes = nodeFacts.map(({ cpu, pods, zone, isTainted }, index) =>
        aNode(`n${index}`, {
          labels: { zone },
          allocatable: { cpu: String(cpu), memory: '1Gi', pods: String(pods) },
          ...(isTainted && { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } }),
        }),
      );
      const pods = others.map(([other, at]) => podOf(other, `n${at % nodes.length}`));
      const pod = podOf(facts);
      const allowed = nodes.filter((node) => mayGo(pod, node, nodes, pods)).map(({ metadata }) => metadata.name);
      const answer = outcome(pod, aView(nodes, pods));
      if (allowed.length > 0) expect(allowed).toContain(answer);
      else expect(answer).toMatch(/^0\/\d nodes are available: /);
    }),
    { numRuns: 500 },
  );
});

test('any story: the same holds for every pod of many that come one after the other', () => {
  const story = fc.tuple(
    fc.array(anyNode, { minLength: 2, maxLength: 5 }),
    fc.array(fc.tuple(anyPod, fc.boolean()), { maxLength: 12 }),
  );
  fc.assert(
    fc.property(story, ([nodeFacts, arrivals]) => {
      const state = new ClusterState();
      const spreadCounts = new SpreadCounts();
      const nodes = nodeFacts.map(({ cpu, zone }, index) =>
        aNode(`n${index}`, { labels: { zone }, allocatable: { cpu: String(cpu), memory: '1Gi', pods: '4' } }),
      );
      for (const node of nodes) state.putNode(node);
      const pods: Pod[] = [];
      for (const [index, [facts, oneGoes]] of arrivals.entries()) {
        // Ports and apartness have their turn above; here most pods are to be spread.
        const pod = podOf({ ...facts, port: undefined, rule: facts.rule === 'none' ? 'none' : 'spread' });
        const view = { ...aView([]), nodes: state.nodes(), spreadCounts };
        const answer = outcome(pod, view);
        const allowed = nodes.filter((node) => mayGo(pod, node, nodes, pods)).map(({ metadata }) => metadata.name);
        if (allowed.length > 0) expect(allowed).toContain(answer);
        else expect(answer).toMatch(/^0\/\d nodes are available: /);

        if (allowed.length > 0) {
          const placed = {
            ...pod,
            metadata: { ...pod.metadata, uid: `u${index}` },
            spec: { ...pod.spec, nodeName: answer },
          };
          pods.push(placed);
          state.place(answer, demandOf(placed));
        }
        if (oneGoes) state.remove(pods.shift()?.metadata.uid ?? '');
      }
    }),
    { numRuns: 300 },
  );
});
