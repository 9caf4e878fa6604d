import type { PolicyRule } from '@slipway/kube';
import { expect, test } from 'vitest';
import { nodeAgentManifests } from './agent-rights.js';

const rules = nodeAgentManifests().flatMap(({ rules: all = [] }) => all as readonly PolicyRule[]);

test('no role of a node agent has a rule for everything, nor nodes/proxy', () => {
  expect(rules.length).toBeGreaterThan(5);
  expect(rules.filter((rule) => Object.values(rule).flat().includes('*'))).toEqual([]);
  expect(rules.filter(({ resources }) => resources?.includes('nodes/proxy'))).toEqual([]);
});

test('whatever a node agent may write in the cluster is held to its own node by a policy', () => {
  const written = rules
    .filter(
      ({ verbs, resources }) => resources !== undefined && verbs.some((verb) => verb === 'create' || verb === 'patch'),
    )
    .flatMap(({ resources = [] }) => resources);
  const pinned = nodeAgentManifests()
    .filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
    .flatMap(({ spec }) => spec.matchConstraints.resourceRules)
    .flatMap(({ resources }: { resources: string[] }) => resources);
  expect(written.filter((resource) => !pinned.includes(resource))).toEqual([]);
});
