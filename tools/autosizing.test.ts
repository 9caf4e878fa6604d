import fc from 'fast-check';
import { expect, test } from 'vitest';
import { largestSize, wantNow, withHeadroom } from '../packages/balloons/src/autosize/decide-size.js';
import { Neighbourhood } from '../packages/balloons/src/autosize/neighbourhood.js';
import { type GrowingNode, growthPreempts, pendingDemand } from '../packages/balloons/src/autosize/pending-demand.js';
import { spareRoom } from '../packages/balloons/src/autosize/spare-room.js';
import { readNode } from '../packages/balloons/src/nodes/node-view.js';
import {
  type Amounts,
  formatAmounts,
  nothing,
  parseAmounts,
  perResource,
  plus,
  sum,
} from '../packages/balloons/src/planner/amounts.js';
import { neighbourOf } from '../packages/balloons/src/pods/neighbour.js';
import { replicaOf } from '../packages/balloons/src/pods/replica.js';
import { aPolicy } from '../packages/balloons/src/testing/an-observation.js';
import type { Node } from '../packages/devcluster/kube-objects/src/kinds/api/nodes.js';
import type { Pod, PodSpec } from '../packages/devcluster/kube-objects/src/kinds/api/pods.js';
import { versionProfiles } from '../packages/devcluster/kube-objects/src/rules/version-profile.js';
import { aNode, aPod } from '../packages/devcluster/kube-objects/src/testing/objects.js';
import { demandOf } from '../packages/devcluster/scheduler/src/demand/demand.js';
import { allFilters } from '../packages/devcluster/scheduler/src/filters/all-filters.js';
import { checksFor, objectionTo } from '../packages/devcluster/scheduler/src/placement/judged-node.js';
import { aView, outcome, preemption } from '../packages/devcluster/scheduler/src/testing/a-view.js';

/** The balloons package may not import devcluster, so its autosizer is held against that scheduler here. */
const whole = parseAmounts({ cpu: '8', memory: '8Gi' });
const settings = { headroomPercent: 15n, headroom: parseAmounts({ cpu: '250m', memory: '512Mi' }) };
const { limits } = aPolicy({ min: { cpu: '100m', memory: '256Mi' } });

const zones = fc.constantFrom('a', 'b', 'c');
const anyNode = fc.record({
  size: fc.integer({ min: 1, max: 7 }),
  pods: fc.integer({ min: 1, max: 6 }),
  zone: zones,
  isTainted: fc.boolean(),
});
const rules = ['none', 'apart', 'together', 'spread', 'in', 'not in', 'this node', 'port'] as const;
const anyPod = fc.record({
  cpu: fc.integer({ min: 0, max: 5 }),
  gib: fc.integer({ min: 0, max: 5 }),
  app: fc.constantFrom('x', 'y'),
  priority: fc.constantFrom(0, 0, 10, 20),
  zone: zones,
  tolerates: fc.boolean(),
  rule: fc.constantFrom(...rules),
  at: fc.nat(3),
});
type PodFacts = typeof anyPod extends fc.Arbitrary<infer T> ? T : never;

function specOf({ cpu, gib, app, priority, zone, tolerates, rule, at }: PodFacts): PodSpec {
  const labelSelector = { matchLabels: { app } };
  const near = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector }] };
  const onNodes = (term: object) => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } },
  });
  const of: Record<PodFacts['rule'], object> = {
    none: {},
    port: {},
    apart: { affinity: { podAntiAffinity: near } },
    together: { affinity: { podAffinity: near } },
    spread: {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector },
      ],
    },
    in: onNodes({ matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }] }),
    'not in': onNodes({ matchExpressions: [{ key: 'zone', operator: 'NotIn', values: [zone] }] }),
    'this node': onNodes({ matchFields: [{ key: 'metadata.name', operator: 'In', values: [`n${at}`] }] }),
  };
  const ports = rule === 'port' ? [{ containerPort: 1, hostPort: 80 }] : [];
  const requests = { cpu: String(cpu), memory: `${gib}Gi` };
  return {
    priority,
    containers: [{ name: 'c', image: 'i', resources: { requests }, ports }],
    ...(tolerates && { tolerations: [{ operator: 'Exists' }] }),
    ...of[rule],
  };
}

/** A node as the scheduler sees it with a balloon that leaves so much; `size` in the amounts of the API. */
function nodeOf(
  { pods, zone, isTainted }: { pods: number; zone: string; isTainted: boolean },
  at: number,
  size: object,
) {
  return aNode(`n${at}`, {
    labels: { zone },
    allocatable: { ...size, pods: String(pods) },
    ...(isTainted && { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } }),
  });
}

function fitsOn(pod: Pod, name: string, nodes: readonly Node[], pods: readonly Pod[]): boolean {
  const view = aView(nodes, pods);
  const demand = demandOf(pod);
  const state = view.nodes.find((each) => each.name === name);
  const checks = checksFor(demand, view, allFilters(versionProfiles['v1.34']));
  return state !== undefined && objectionTo(demand, { state, checks }, view) === undefined;
}

const cluster = fc.tuple(
  fc.array(anyNode, { minLength: 1, maxLength: 4 }),
  fc.array(anyPod, { maxLength: 6 }),
  fc.array(anyPod, { minLength: 1, maxLength: 5 }),
);

/** What the autosizer makes of a random cluster; pods that fit, and pods that preempt already, do not wait. */
function autosized([nodeFacts, runningFacts, waitingFacts]: typeof cluster extends fc.Arbitrary<infer T> ? T : never) {
  const before = nodeFacts.map((facts, at) =>
    nodeOf(facts, at, { cpu: String(facts.size), memory: `${facts.size}Gi` }),
  );
  const running: Pod[] = [];
  for (const [at, facts] of runningFacts.entries()) {
    const pod = aPod(`r${at}`, { metadata: { labels: { app: facts.app } }, spec: specOf(facts) });
    const nodeName = outcome(pod, aView(before, running));
    if (/^n\d$/.test(nodeName)) running.push({ ...pod, spec: { ...pod.spec, nodeName } });
  }
  const view = aView(before, running);
  const waiting = waitingFacts.flatMap((facts, at) => {
    const pod = aPod(`w${at}`, { metadata: { labels: { app: facts.app } }, spec: specOf(facts) });
    const message = outcome(pod, view);
    if (/^(fits|n\d:)/.test(preemption(pod, view))) return [];
    const conditions = [{ type: 'PodScheduled', status: 'False' as const, reason: 'Unschedulable', message }];
    return [{ ...pod, status: { conditions } } as Pod];
  });
  const growing = before.map((node, at): GrowingNode => {
    const conditions = [{ type: 'Ready', status: 'True' }];
    const here = running.filter(({ spec }) => spec.nodeName === `n${at}`).map((pod) => neighbourOf(pod));
    return {
      node: readNode({ ...node, status: { ...node.status, conditions } }),
      requested: sum(here.map(({ amounts }) => amounts)),
      most: largestSize(whole, limits),
      size: parseAmounts(node.status?.allocatable),
      withHeadroom: (requested) => withHeadroom(requested, settings),
    };
  });
  const pending = waiting.map((pod) => ({ pod, volumes: [] }));
  const all = new Neighbourhood(
    growing.map(({ node }) => node),
    running.map((pod) => neighbourOf(pod)),
  );
  const demand = pendingDemand(pending, growing, all);
  const grown = growing.flatMap((each, at) => {
    const asked = demand.get(each.node.name);
    const wanted = wantNow(plus(each.requested, asked?.amounts ?? nothing), whole, settings, limits);
    const to = perResource((resource) =>
      wanted[resource] > each.size[resource] ? wanted[resource] : each.size[resource],
    );
    if (!asked || growthPreempts(each, to, asked, pending, all)) return [];
    const facts = nodeFacts[at] ?? { pods: 0, zone: '', isTainted: false };
    return [{ name: each.node.name, at, pods: [...asked.pods] as Pod[], node: nodeOf(facts, at, formatAmounts(to)) }];
  });
  return { before, running, waiting, demand, grown };
}

test('any cluster: each pod that nodes grow for fits on its node afterwards, by the filters of a scheduler', () => {
  fc.assert(
    fc.property(cluster, (facts) => {
      const { before, running, waiting, demand } = autosized(facts);
      const nodes = before.map((node, at) =>
        nodeOf(facts[0][at] ?? { pods: 0, zone: '', isTainted: false }, at, {
          ...formatAmounts(
            demand.has(node.metadata.name ?? '') ? largestSize(whole, limits) : parseAmounts(node.status?.allocatable),
          ),
        }),
      );
      const there = [...running];
      const order = [...waiting].sort((a, b) => (b.spec.priority ?? 0) - (a.spec.priority ?? 0));
      for (const pod of order) {
        const name = [...demand].find(([, { pods }]) => pods.has(pod))?.[0];
        if (name === undefined) continue;
        expect(fitsOn(pod, name, nodes, there), `${pod.metadata.name} on ${name}`).toBe(true);
        there.push({ ...pod, spec: { ...pod.spec, nodeName: name } });
      }
    }),
    { numRuns: 1_000 },
  );
});

test('any cluster: a node that grows is large enough for all its pods at once, and no pod is preempted there', () => {
  let grew = 0;
  fc.assert(
    fc.property(cluster, (facts) => {
      const { before, running, waiting, grown } = autosized(facts);
      for (const { name, at, node, pods } of grown) {
        grew++;
        const nodes = before.with(at, node);
        const requested = [...running.filter(({ spec }) => spec.nodeName === name), ...pods];
        const asked = sum(requested.map((pod) => neighbourOf(pod).amounts));
        const size = parseAmounts(node.status?.allocatable);
        expect(size.cpu >= asked.cpu && size.memory >= asked.memory).toBe(true);
        for (const pod of waiting) expect(preemption(pod, aView(nodes, running))).not.toMatch(/^n\d:/);
      }
    }),
    { numRuns: 1_000 },
  );
  expect(grew).toBeGreaterThan(100);
});

/** A pod of a workload, which creates others like it. */
function aReplica(name: string, facts: PodFacts, more: Partial<PodSpec> = {}): Pod {
  const workload = `${facts.app}-${facts.priority}-${facts.cpu}-${facts.gib}-${facts.rule}-${facts.zone}-${facts.at}`;
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: workload, uid: workload, controller: true };
  const metadata = { labels: { app: facts.app }, ownerReferences: [owner] };
  return aPod(name, { metadata, spec: { ...specOf(facts), ...more } });
}

/** The nodes of a cluster as large as the autosizer makes them for these pods, each shrunk to that at once. */
function settled(
  nodeFacts: readonly (typeof anyNode extends fc.Arbitrary<infer T> ? T : never)[],
  running: readonly Pod[],
  pending: readonly Pod[],
  sizes: Map<number, Amounts>,
): readonly Node[] {
  const at = (size: (index: number) => Amounts) =>
    nodeFacts.map((facts, index) => nodeOf(facts, index, formatAmounts(size(index))));
  const growing = at((index) => sizes.get(index) ?? whole).map((node, index): GrowingNode => {
    const conditions = [{ type: 'Ready', status: 'True' }];
    const here = running.filter(({ spec }) => spec.nodeName === `n${index}`).map((pod) => neighbourOf(pod));
    return {
      node: readNode({ ...node, status: { ...node.status, conditions } }),
      requested: sum(here.map(({ amounts }) => amounts)),
      most: largestSize(whole, limits),
      size: sizes.get(index) ?? whole,
      withHeadroom: (requested) => withHeadroom(requested, settings),
    };
  });
  const views = growing.map(({ node }) => node);
  const all = new Neighbourhood(
    views,
    running.map((pod) => neighbourOf(pod)),
  );
  const waiting = pending.map((pod) => ({ pod, volumes: [] }));
  const demand = pendingDemand(waiting, growing, all);
  const spare = spareRoom(
    running.flatMap((pod) => replicaOf(pod) ?? []),
    growing,
    demand,
    all,
  );
  for (const [index, { node, requested }] of growing.entries()) {
    const asked = plus(requested, demand.get(node.name)?.amounts ?? nothing);
    sizes.set(index, wantNow(asked, whole, settings, limits, spare.get(node.name)));
  }
  return at((index) => sizes.get(index) ?? whole);
}

const arrival = fc.record({ facts: anyPod, like: fc.nat(9), isNew: fc.nat(2).map((n) => n === 0) });

test('any story: one more pod of a workload preempts no other, nor does a pod that never preempts, and each has room', () => {
  let preemptsWithout = 0;
  const story = fc.tuple(
    fc.array(anyNode, { minLength: 1, maxLength: 3 }),
    fc.array(arrival, { minLength: 6, maxLength: 12 }),
  );
  fc.assert(
    fc.property(story, ([nodeFacts, arrivals]) => {
      const sizes = new Map<number, Amounts>();
      const largest = nodeFacts.map((facts, at) => nodeOf(facts, at, formatAmounts(largestSize(whole, limits))));
      const running: Pod[] = [];
      const of: PodFacts[] = [];
      for (const [at, { facts, like, isNew }] of arrivals.entries()) {
        const known = of.length > 0 && !isNew ? of[like % of.length] : undefined;
        // What is new may be larger than any room that is kept.
        const pod = aReplica(`p${at}`, known ?? facts, known ? {} : { preemptionPolicy: 'Never' });
        const mayFit = /^n\d$/.test(outcome(pod, aView(largest, running)));
        const before = settled(nodeFacts, running, [], sizes);
        const view = aView(before, running);
        if (known && mayFit) {
          expect(preemption(pod, view)).not.toMatch(/^n\d:/);
          const tight = nodeFacts.map((each, index) => {
            const here = running.filter(({ spec }) => spec.nodeName === `n${index}`).map((other) => neighbourOf(other));
            const size = wantNow(sum(here.map(({ amounts }) => amounts)), whole, settings, limits);
            return nodeOf(each, index, formatAmounts(size));
          });
          if (/^n\d:/.test(preemption(pod, aView(tight, running)))) preemptsWithout++;
        }
        if (!mayFit) continue;
        const message = outcome(pod, view);
        const conditions = [{ type: 'PodScheduled', status: 'False' as const, reason: 'Unschedulable', message }];
        const waiting = { ...pod, status: { conditions } } as Pod;
        const after = /^n\d$/.test(message) ? before : settled(nodeFacts, running, [waiting], sizes);
        const nodeName = outcome(pod, aView(after, running));
        expect(nodeName).toMatch(/^n\d$/);
        running.push({ ...pod, spec: { ...pod.spec, preemptionPolicy: 'PreemptLowerPriority', nodeName } });
        of.push(known ?? facts);
      }
    }),
    { numRuns: 300 },
  );
  expect(preemptsWithout).toBeGreaterThan(0);
});
