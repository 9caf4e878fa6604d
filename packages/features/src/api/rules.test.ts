import { evaluate } from '@marcbachmann/cel-js';
import type { KubeObject } from '@slipway/kube';
import { expect, test } from 'vitest';
import { featureCrds } from './crds.js';
import { apiVersion } from './group.js';
import { type ObjectRule, rules } from './rules.js';

/** The text that a real API server evaluates, found where it stands in the CRD. */
function inCrd(kind: string, { at, cel }: ObjectRule): string | undefined {
  const crd = featureCrds().find(({ spec }) => spec.names.kind === kind);
  const root = (crd as KubeObject).spec.versions[0].schema.openAPIV3Schema;
  const places = { object: root, spec: root.properties.spec, 'spec.gate': root.properties.spec.properties?.gate };
  const found = (places[at]['x-kubernetes-validations'] ?? []) as { rule: string }[];
  return found.find(({ rule }) => rule === cel)?.rule;
}

function valueAt(at: ObjectRule['at'], object: KubeObject): unknown {
  return { object, spec: object.spec, 'spec.gate': object.spec.gate }[at];
}

const feature = (name: string, gate: string): KubeObject => ({
  apiVersion,
  kind: 'Feature',
  metadata: { name },
  spec: { gate },
});
const waived = (...waivers: object[]): KubeObject => ({
  ...feature('widgets', 'Widgets'),
  spec: { gate: 'Widgets', waivers: waivers.map((what, index) => ({ id: `w-${index}`, ...what })) },
});
const vector = (enabled: boolean): KubeObject => ({
  apiVersion,
  kind: 'FeatureVector',
  metadata: { name: 'v-1' },
  spec: { component: 'a', binaryVersion: '1', gates: [{ name: 'A', enabled }] },
});

// kind | object | the one before
const writes: [string, KubeObject, KubeObject?][] = [
  ['Feature', feature('widgets', 'Widgets')],
  ['Feature', feature('Widgets', 'Widgets')],
  ['Feature', feature('gadgets', 'Widgets')],
  ['Feature', feature('widgets', 'Widgets'), feature('widgets', 'Widgets')],
  ['Feature', feature('widgets', 'WIDGETS'), feature('widgets', 'Widgets')],
  ['Feature', waived({ node: 'n1' }, { task: 'ClearField' }, { object: 'pods/a/b' }, { process: 'kubelet.n1' })],
  ['Feature', waived({ node: 'n1', task: 'ClearField' })],
  ['Feature', waived({ node: 'n1' }, {})],
  ['FeatureDefinition', feature('widgets', 'Widgets')],
  ['FeatureDefinition', feature('a', 'Widgets'), feature('a', 'A')],
  ['FeatureVector', vector(true), vector(true)],
  ['FeatureVector', vector(true), vector(false)],
];
test.each(writes)('rules of a %s say the same in CEL and in the controller', (kind, object, before) => {
  for (const rule of rules[kind] ?? []) {
    const text = inCrd(kind, rule);
    expect(text, `${rule.cel} is in the CRD`).toBe(rule.cel);
    // A rule that names oldSelf is a transition rule: it is not evaluated on create.
    if (before === undefined && rule.cel.includes('oldSelf')) continue;
    const context = { self: valueAt(rule.at, object), oldSelf: before && valueAt(rule.at, before) };
    expect(evaluate(rule.cel, context), rule.cel).toBe(rule.holds(object, before));
  }
});

test('rules of a kind do not all hold for every object', () => {
  const verdicts = writes.flatMap(([kind, object, before]) =>
    (rules[kind] ?? []).map((rule) => rule.holds(object, before)),
  );
  expect(new Set(verdicts).size).toBe(2);
});
