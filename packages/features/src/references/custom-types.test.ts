import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Reference } from '../api/feature-definition.js';
import { customTypes, type OpenApiSchema } from './custom-types.js';
import { kubernetesTypes } from './embedding.js';
import { uncoveredFields, uncoveredInWords } from './uncovered-kinds.js';

const text: OpenApiSchema = {};
const unknown: OpenApiSchema = { 'x-kubernetes-preserve-unknown-fields': true };

/** The schema of a type as a definition copies it, without the fields named. */
function copyOf(type: string, without: readonly string[] = [], depth = 0): OpenApiSchema {
  const fields = Object.entries(kubernetesTypes.types[type] ?? {}).filter(([field]) => !without.includes(field));
  if (depth > 4) return { properties: { name: text } };
  const properties = Object.fromEntries(
    fields.map(([field, below]) => {
      const copy = copyOf(below, without, depth + 1);
      return field.endsWith('[*]') ? [field.slice(0, -3), { items: copy }] : [field, copy];
    }),
  );
  return { properties: { ...properties, name: text, hostUsers: text } };
}

const podSpec = copyOf('core.v1.PodSpec');
const template = { properties: { metadata: {}, spec: podSpec } };
const spec = (properties: Record<string, OpenApiSchema>): OpenApiSchema => ({
  properties: { metadata: {}, spec: { properties }, status: { properties: { template } } },
});
const images: Reference = { group: '', resource: 'pods', path: 'spec.volumes[*].image' };
const volumes = 'spec.template.spec.volumes[*].image';

const kind = (schema: OpenApiSchema, resource = 'rollouts', refs: Record<string, OpenApiSchema> = {}) => ({
  group: 'argoproj.io',
  resource,
  types: customTypes(schema, (ref) => refs[ref]),
});

test.each<[string, OpenApiSchema, Reference[], string[]]>([
  ['a pod template', spec({ template }), [images], [volumes]],
  ['the spec of a pod', spec({ podSpec }), [images], ['spec.podSpec.volumes[*].image']],
  [
    'a list of templates',
    spec({ jobs: { items: { properties: { template } } } }),
    [images],
    [`spec.jobs[*].${volumes.slice(5)}`],
  ],
  [
    'a map of templates',
    spec({ roles: { additionalProperties: template } }),
    [images],
    ['spec.roles.*.spec.volumes[*].image'],
  ],
  [
    'a field of the pod itself',
    spec({ template }),
    [{ ...images, path: 'spec.hostUsers' }],
    ['spec.template.spec.hostUsers'],
  ],
  [
    'the template of jobs',
    spec({ jobs: { items: { properties: { template: { properties: { spec: copyOf('batch.v1.JobSpec') } } } } } }),
    [{ group: 'batch', resource: 'jobs', path: 'spec.podFailurePolicy' }],
    ['spec.jobs[*].template.spec.podFailurePolicy'],
  ],
  [
    'a copy of an older release without the field',
    spec({ template: { properties: { spec: copyOf('core.v1.PodSpec', ['image', 'evictionResponders[*]']) } } }),
    [images],
    [],
  ],
  [
    'a copy of an older release with the field',
    spec({
      template: {
        properties: {
          spec: copyOf('core.v1.PodSpec', ['photonPersistentDisk', 'evictionResponders[*]', 'schedulingGroup']),
        },
      },
    }),
    [images],
    [volumes],
  ],
  ['a template without a schema', spec({ template: unknown }), [images], ['spec.template']],
  ['something else without a schema', spec({ values: unknown }), [images], []],
  ['nothing of pods', spec({ replicas: text, image: text, volumes: text }), [images], []],
  [
    'a template, and a reference names the kind',
    spec({ template }),
    [images, { group: 'argoproj.io', resource: 'rollouts', path: volumes }],
    [],
  ],
  [
    'a template, and no reference is to a shared type',
    spec({ template }),
    [{ group: '', resource: 'configmaps', path: 'immutable' }],
    [],
  ],
])('uncoveredFields() of a custom kind that embeds %s', (_, schema, references, paths) => {
  expect(uncoveredFields(references, [kind(schema)]).map(({ path }) => path)).toEqual(paths);
});

test('customTypes() follows references, and none that leads to itself', () => {
  const refs: Record<string, OpenApiSchema> = {
    pod: {
      properties: { spec: { allOf: [{ $ref: 'podSpec' }] }, self: { $ref: 'pod' }, more: { items: { $ref: 'pod' } } },
    },
    podSpec,
  };
  const found = uncoveredFields([images], [kind(spec({ template: { $ref: 'pod' } }), 'rollouts', refs)]);
  expect(found.map(({ path }) => path)).toEqual([volumes]);
});

const names = fc.constantFrom('a', 'b', 'template', 'jobs');
const places: fc.Arbitrary<readonly string[]> = fc.array(
  fc.oneof(
    names,
    names.map((name) => `${name}[*]`),
  ),
  { minLength: 1, maxLength: 6 },
);

test('any definition: a pod spec is found wherever it is', () => {
  fc.assert(
    fc.property(places, (path) => {
      const schema = path.reduceRight<OpenApiSchema>((below, name) => {
        const [plain = '', list] = name.split('[');
        return { properties: { [plain]: list === undefined ? below : { items: below }, other: text } };
      }, podSpec);
      const found = uncoveredFields([images], [kind(spec({ at: schema }))]);
      expect(found).toEqual([
        { resource: 'rollouts.argoproj.io', path: `spec.at.${path.join('.')}.volumes[*].image`, isReachable: true },
      ]);
    }),
  );
});

test('any schema: what is found is a path of the schema', () => {
  const schemas = fc.letrec<{ schema: OpenApiSchema }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom(text, unknown, podSpec, template),
      fc.record({
        properties: fc.dictionary(fc.constantFrom('template', 'spec', 'x', '__proto__'), tie('schema'), { maxKeys: 3 }),
      }),
      fc.record({ items: tie('schema') }),
      fc.record({ additionalProperties: tie('schema') }),
    ),
  })).schema;
  fc.assert(
    fc.property(schemas, (schema) => {
      for (const { path } of uncoveredFields([images], [kind(spec({ x: schema }))])) {
        const at = path
          .replaceAll('[*]', '.[]')
          .split('.')
          .reduce<OpenApiSchema | undefined>(
            (part, step) => {
              if (step === '[]') return part?.items;
              if (step !== '*') return part?.properties?.[step];
              const { additionalProperties: below } = part ?? {};
              return typeof below === 'object' ? below : undefined;
            },
            spec({ x: schema }),
          );
        expect(at).toBeDefined();
      }
    }),
  );
});

test('uncoveredInWords() says what to do about each', () => {
  const uncovered = uncoveredFields(
    [images],
    [kind(spec({ template })), kind(spec({ roles: { additionalProperties: template } }), 'jobs')],
  );
  expect(uncoveredInWords(uncovered)).toBe(
    `not covered: rollouts.argoproj.io (${volumes}); add a reference for each to the definition; no path reaches: jobs.argoproj.io (spec.roles.*.spec.volumes[*].image); look there yourself, and name the kind in a reference`,
  );
});
