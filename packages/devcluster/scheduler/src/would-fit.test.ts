import { aNode, aPod } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wouldFit } from './would-fit.js';

/** A node with so many millicores. */
const node = (name: string, cpu: number) =>
  aNode(name, { allocatable: { cpu: `${cpu}m`, memory: '8Gi', pods: '110' } });
const asking = (name: string, cpu: number) =>
  aPod(name, { spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: `${cpu}m` } } }] } });
const on = (nodeName: string, name: string, cpu: number) => {
  const pod = asking(name, cpu);
  return { ...pod, spec: { ...pod.spec, nodeName } };
};

test('pods take room from those after them', () => {
  const fits = wouldFit({
    nodes: [node('n1', 1000)],
    running: [on('n1', 'old', 300)],
    pods: [asking('a', 500), asking('b', 500), asking('c', 200)],
  });
  expect(fits).toEqual([
    { pod: 'a', nodeName: 'n1' },
    { pod: 'b', message: '0/1 nodes are available: 1 Insufficient cpu.' },
    { pod: 'c', nodeName: 'n1' },
  ]);
});

const cpus = fc.integer({ min: 0, max: 4000 });
const question = fc.record({
  nodes: fc.array(cpus, { maxLength: 5 }),
  running: fc.array(fc.record({ at: fc.nat(4), cpu: cpus }), { maxLength: 8 }),
  pods: fc.array(cpus, { maxLength: 8 }),
});

test('no node is given more than it has, and a pod without a node fits on none', () => {
  fc.assert(
    fc.property(question, ({ nodes, running, pods }) => {
      const free = new Map(nodes.map((cpu, index) => [`n${index}`, cpu]));
      const take = (name: string, cpu: number) => free.set(name, (free.get(name) ?? 0) - cpu);
      for (const { at, cpu } of running) take(`n${at}`, cpu);
      const fits = wouldFit({
        nodes: nodes.map((cpu, index) => node(`n${index}`, cpu)),
        running: running.map(({ at, cpu }, index) => on(`n${at}`, `r${index}`, cpu)),
        pods: pods.map((cpu, index) => asking(`p${index}`, cpu)),
      });
      expect(fits.map(({ pod }) => pod)).toEqual(pods.map((_, index) => `p${index}`));
      for (const [index, fit] of fits.entries()) {
        const cpu = pods[index] ?? 0;
        // Who asks for none is not kept out by those who took too much.
        const hasRoom = (name: string) => cpu === 0 || (free.get(name) ?? 0) >= cpu;
        const names = nodes.map((_, at) => `n${at}`);
        if ('nodeName' in fit) {
          expect(hasRoom(fit.nodeName)).toBe(true);
          take(fit.nodeName, cpu);
        } else expect(names.filter(hasRoom)).toEqual([]);
      }
    }),
  );
});
