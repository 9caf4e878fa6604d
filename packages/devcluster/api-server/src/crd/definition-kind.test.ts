import { describeFieldErrors } from '@slipway/api-machinery/errors/field-errors';
import { runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import type { JsonSchema } from '@slipway/api-machinery/schema/json-schema';
import { describe, expect, test } from 'vitest';
import { customResourceDefinitions } from './definition-kind.js';
import type { CustomResourceDefinition, Version } from './definition-object.js';
import { aDefinition, aVersion } from './testing/a-definition.js';

const context = { isEnabled: () => false, subresource: '', nowMs: 0, version: '1.37' };

function created(definition: CustomResourceDefinition): CustomResourceDefinition {
  const object = structuredClone(definition);
  customResourceDefinitions.schema.admit(object);
  customResourceDefinitions.applyDefaults(object);
  customResourceDefinitions.prepareForCreate?.(object, context);
  return object;
}

const problems = (definition: CustomResourceDefinition) =>
  describeFieldErrors(customResourceDefinitions.validateCreate(created(definition)));

test('a new definition has names, a conversion and a stored version', () => {
  const { spec, status } = created(aDefinition());
  expect(spec.names).toEqual({ plural: 'alphas', singular: 'alpha', kind: 'Alpha', listKind: 'AlphaList' });
  expect(spec.conversion).toEqual({ strategy: 'None' });
  expect(status).toEqual({ conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] });
});

const withSpec = (a: JsonSchema): readonly Version[] => [
  aVersion({
    schema: {
      openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { a } } } },
    },
  }),
];
const at = 'spec.validation.openAPIV3Schema.properties[spec].properties[a]';

// schema of spec.a, errors
const schemas: [JsonSchema, string][] = [
  [{}, `${at}.type: Required value: must not be empty for specified object fields`],
  [
    { type: 'file' },
    `${at}.type: Unsupported value: "file": supported values: "array", "boolean", "integer", "number", "object", "string"`,
  ],
  [{ type: 'array' }, `${at}.items: Required value: must be specified`],
  [{ type: 'array', items: {} }, `${at}.items.type: Required value: must not be empty for specified array items`],
  [
    { type: 'string', pattern: '(' },
    `${at}.pattern: Invalid value: "(": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): \`(\``,
  ],
  [{ type: 'object', anyOf: [{ type: 'object' }] }, `${at}.anyOf[0].type: Forbidden: must be empty to be structural`],
  [
    { type: 'string', allOf: [{ default: 'x' }] },
    `${at}.allOf[0].default: Forbidden: must be undefined to be structural`,
  ],
  [{ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }, ''],
  [
    { type: 'string', default: 5 },
    `${at}.default: Invalid value: "integer":  in body must be of type string: "integer"`,
  ],
  [
    { type: 'object', properties: { b: { type: 'string' } }, default: { c: 'x' } },
    `${at}.default: Invalid value: {"c":"x"}: must not have unknown fields`,
  ],
  [
    { type: 'array', items: { type: 'string' }, uniqueItems: true },
    `${at}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
  ],
  [
    { type: 'object', 'x-kubernetes-map-type': 'weird' },
    `${at}.x-kubernetes-map-type: Unsupported value: "weird": supported values: "atomic", "granular"`,
  ],
  [
    {
      type: 'array',
      items: { type: 'object', properties: { n: { type: 'string' } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['n'],
    },
    `${at}.items.properties[n].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
  ],
  [
    { type: 'object', 'x-kubernetes-embedded-resource': true },
    `${at}.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields`,
  ],
];

describe('customResourceDefinitions.validateCreate()', () => {
  test.each(schemas)('schema %j', (schema, expected) => {
    const found = customResourceDefinitions.validateCreate(created(aDefinition({ versions: withSpec(schema) })));
    expect(found.length === 0 ? '' : describeFieldErrors(found)).toBe(expected);
  });

  test.each([
    [
      { names: { kind: 'Alpha' } },
      '[metadata.name: Invalid value: "undefined.lab.example.dev": must be spec.names.plural+"."+spec.group, spec.names.plural: Required value]',
    ],
    [{ group: 'lab' }, 'spec.group: Invalid value: "lab": should be a domain with at least one dot'],
    [{ scope: 'Somewhere' }, 'spec.scope: Unsupported value: "Somewhere": supported values: "Cluster", "Namespaced"'],
    [
      { conversion: { strategy: 'Webhook' } },
      '[spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook, spec.conversion.conversionReviewVersions: Required value]',
    ],
    [
      { group: 'x.k8s.io' },
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
    [
      { versions: [aVersion({ selectableFields: [{ jsonPath: '.spec.zzz' }] })] },
      'spec.selectableFields[0].jsonPath: Invalid value: ".spec.zzz": is an invalid path: does not refer to a valid field',
    ],
    [
      {
        versions: [
          aVersion({ subresources: { scale: { specReplicasPath: '.status.n', statusReplicasPath: '.status.n' } } }),
        ],
      },
      'spec.subresources.scale.specReplicasPath: Invalid value: ".status.n": should be a json path under .spec',
    ],
  ] as [Partial<CustomResourceDefinition['spec']>, string][])('spec with %j', (change, expected) => {
    expect(problems(aDefinition(change))).toBe(expected);
  });

  test('shows versions that are not given as Kubernetes does', () => {
    const { versions: _, ...spec } = aDefinition().spec;
    const without = { ...aDefinition(), spec } as CustomResourceDefinition;
    const storage = 'must have exactly one version marked as storage version';
    expect(problems(without)).toContain(`spec.versions: Invalid value: null: ${storage}`);
    expect(problems(aDefinition({ versions: [] }))).toContain(`spec.versions: Invalid value: []: ${storage}`);
  });

  test('reports what differs between versions under the version', () => {
    const versions = [
      aVersion(),
      aVersion({ name: 'v2', storage: false, schema: { openAPIV3Schema: { type: 'object', properties: { a: {} } } } }),
    ];
    expect(problems(aDefinition({ versions }))).toContain('spec.versions[1].schema.openAPIV3Schema.properties[a].type');
  });
});

describe('customResourceDefinitions.validateUpdate()', () => {
  const old = created(aDefinition());
  const updated = (change: Partial<CustomResourceDefinition['spec']>) => {
    const object = { ...structuredClone(old), spec: { ...structuredClone(old.spec), ...change } };
    customResourceDefinitions.prepareForUpdate?.(object, old, context);
    return object;
  };

  test('a new storage version joins the stored ones', () => {
    const versions = [aVersion({ storage: false }), aVersion({ name: 'v2' })];
    const object = updated({ versions });
    expect(object.status.storedVersions).toEqual(['v1', 'v2']);
    expect(customResourceDefinitions.validateUpdate(object, old)).toEqual([]);
  });

  test('a version objects may be stored at cannot go', () => {
    const found = customResourceDefinitions.validateUpdate(updated({ versions: [aVersion({ name: 'v2' })] }), old);
    expect(describeFieldErrors(found)).toMatch(/^status\.storedVersions\[0\]: Invalid value: "v1": missing from/);
  });

  test('the group stays', () => {
    const found = customResourceDefinitions.validateUpdate(updated({ group: 'x.dev' }), old);
    expect(describeFieldErrors(found)).toBe('spec.group: Invalid value: "x.dev": field is immutable');
  });
});

test('customResourceDefinitions.warnings() name formats that mean nothing', () => {
  const versions = withSpec({ type: 'string', format: 'wat' });
  const warnings = customResourceDefinitions.warnings?.(aDefinition({ versions }));
  expect(warnings && runToCompletion(warnings)).toEqual(['unrecognized format "wat"']);
});
