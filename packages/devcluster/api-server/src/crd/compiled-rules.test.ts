import { compiledRules, compileInSlices } from '@slipway/cel/kubernetes/compiled-rules';
import { expect, test } from 'vitest';
import { customResourceDefinitions } from './definition-kind.js';
import { schemaOf } from './definition-object.js';
import { aDefinition, aVersion } from './testing/a-definition.js';

/** A definition with a field for each rule. */
function aDefinitionOf(
  count: number,
  ruleOf = (index: number) => `self.size() > ${index} || self.contains('x${index}')`,
) {
  const fields = Array.from({ length: count }, (_, index) => [
    `f${index}`,
    { type: 'string', maxLength: 100, 'x-kubernetes-validations': [{ rule: ruleOf(index) }] },
  ]);
  const spec = { type: 'object', properties: Object.fromEntries(fields) };
  const definition = aDefinition({
    versions: [aVersion({ schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } })],
  });
  customResourceDefinitions.schema.admit(definition);
  customResourceDefinitions.applyDefaults(definition);
  customResourceDefinitions.prepareForCreate?.(definition, {
    isEnabled: () => false,
    subresource: '',
    nowMs: 0,
    version: '1.37',
  });
  return definition;
}

test('3,000 rules compile in slices, between which others have their turn; validation finds them done', async () => {
  const definition = aDefinitionOf(3_000);
  let turns = 0;
  let isDone = false;
  const others = () => {
    turns++;
    if (!isDone) setImmediate(others);
  };
  setImmediate(others);
  await customResourceDefinitions.prepareToValidate?.(definition);
  isDone = true;
  expect(turns).toBeGreaterThan(3);
  const spec = schemaOf(definition.spec.versions[0] ?? aVersion()).properties?.spec;
  const [rule] = compiledRules(spec?.properties?.f7 ?? {}, false);
  const program = rule?.expression;
  expect(customResourceDefinitions.validateCreate(definition)).toEqual([]);
  expect(rule?.expression).toBe(program);
});

test('few rules are compiled by whoever needs them', () => {
  expect(compileInSlices(aDefinitionOf(10).spec.versions.map(schemaOf))).toBeUndefined();
});

test('rules that do not compile are told by the validation, not by the slices', async () => {
  const definition = aDefinitionOf(100, () => 'self.nothing > ');
  await customResourceDefinitions.prepareToValidate?.(definition);
  expect(customResourceDefinitions.validateCreate(definition)[0]?.detail).toContain('compilation failed');
});

test('an invalid definition is left to the validation', async () => {
  const definition = aDefinitionOf(100);
  const broken = JSON.parse(JSON.stringify(definition).replaceAll('"type":"string"', '"type":"array"'));
  await customResourceDefinitions.prepareToValidate?.(broken);
  const { versions: _, ...spec } = definition.spec;
  expect(customResourceDefinitions.prepareToValidate?.({ ...definition, spec })).toBeUndefined();
});

test('thousands of schemas are searched for rules in slices', async () => {
  const fields = Array.from({ length: 5_000 }, (_, index) => [`f${index}`, { type: 'string' }]);
  const schema = { type: 'object', properties: Object.fromEntries(fields) };
  await expect(compileInSlices([schema])).resolves.toBeUndefined();
  expect(compileInSlices([{ type: 'object', properties: Object.fromEntries(fields.slice(0, 500)) }])).toBeUndefined();
});
