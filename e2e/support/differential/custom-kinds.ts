import fc from 'fast-check';
import { textsOfRules } from './rules.js';
import { type Scenario, type Step, scenarioOf } from './scenarios.js';
import { fittingValue, type Schema, type Schemas, someOf, variantOf } from './schema-values.js';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const preserve = 'x-kubernetes-preserve-unknown-fields';

/** Restrictions of strings, numbers and lists; some of them do not fit the type. */
const restrictions = someOf(1, {
  minLength: fc.constantFrom(1, 3),
  maxLength: fc.constantFrom(1, 9),
  pattern: fc.constantFrom('^[a-z]+$', '(', '\\d'),
  enum: fc.constantFrom<unknown>(['a', 'b'], [1], []),
  format: fc.constantFrom('date-time', 'ipv4', 'uuid', 'int32', 'duration', 'email', 'byte', 'nope'),
  minimum: fc.constantFrom(0, 5),
  maximum: fc.constantFrom(5, 80),
  exclusiveMinimum: fc.constant(true),
  multipleOf: fc.constantFrom(2, 0),
  maxItems: fc.constantFrom(1, 2),
  minProperties: fc.constant(1),
  nullable: fc.boolean(),
  default: fc.constantFrom<unknown>('a', 5, null, {}, [], true),
  description: fc.constant('d'),
  not: fc.constantFrom<unknown>({ enum: ['a'] }, { type: 'string' }),
  anyOf: fc.constantFrom<unknown>([{ minimum: 1 }, { pattern: 'a' }], [{ required: ['a'] }]),
  'x-kubernetes-int-or-string': fc.boolean(),
});

const scalar = fc
  .constantFrom('string', 'integer', 'number', 'boolean')
  .chain((type) =>
    fc.oneof(
      { weight: 2, arbitrary: fc.constant({ type }) },
      { weight: 3, arbitrary: restrictions.map((more) => ({ type, ...more })) },
    ),
  );
const leaf = withRules(scalar);
const list = leaf.chain((items) =>
  fc
    .constantFrom<object>(
      {},
      { 'x-kubernetes-list-type': 'set' },
      { 'x-kubernetes-list-type': 'atomic' },
      { maxItems: 2, uniqueItems: true },
    )
    .map((more) => ({ type: 'array', maxItems: 5, items, ...more })),
);
const keyedList = leaf.map((value) => ({
  type: 'array',
  maxItems: 5,
  items: { type: 'object', properties: { k: { type: 'string', maxLength: 5 }, v: value }, required: ['k'] },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['k'],
}));
const map = leaf.map((additionalProperties) => ({ type: 'object', maxProperties: 5, additionalProperties }));
const free = fc.constantFrom<object>(
  { type: 'object', [preserve]: true },
  { [preserve]: true },
  { 'x-kubernetes-int-or-string': true },
  { type: 'object', 'x-kubernetes-embedded-resource': true, [preserve]: true },
);
const property = fc.oneof(
  { weight: 6, arbitrary: leaf },
  { weight: 2, arbitrary: withRules(list) },
  { weight: 1, arbitrary: keyedList },
  { weight: 2, arbitrary: withRules(map) },
  { weight: 1, arbitrary: free },
);
const spec = withRules(
  fc
    .tuple(
      fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), property, { minKeys: 1, maxKeys: 3 }),
      fc.subarray(['a', 'b']),
    )
    .map(([properties, required]) => ({ type: 'object', properties, ...(required.length > 0 && { required }) })),
);

function withRules(schema: fc.Arbitrary<object>): fc.Arbitrary<object> {
  return schema.chain((each) => {
    const { type } = each as { type?: string };
    const rule = fc.record(
      {
        rule: textsOfRules(type),
        message: fc.constantFrom('no', '', 'a\nb'),
        messageExpression: fc.constantFrom("'no ' + string(self)", "'a'", '1', ''),
        reason: fc.constantFrom('FieldValueForbidden', 'FieldValueRequired', 'Other'),
        fieldPath: fc.constantFrom('.a', '.nope', 'a'),
        optionalOldSelf: fc.boolean(),
      },
      { requiredKeys: ['rule'] },
    );
    const plain = fc.record({ rule: textsOfRules(type) });
    const rules = fc.oneof({ weight: 3, arbitrary: plain }, { weight: 1, arbitrary: rule });
    return fc.oneof(
      { weight: 3, arbitrary: fc.constant(each) },
      {
        weight: 2,
        arbitrary: fc
          .array(rules, { minLength: 1, maxLength: 2 })
          .map((some) => ({ ...each, 'x-kubernetes-validations': some })),
      },
    );
  });
}

/** A definition with its schema, and requests for objects of it. */
export function customScenarioOf(definitionSchema: Schema, schemas: Schemas): fc.Arbitrary<Scenario> {
  return spec.chain((schema) => {
    const good = definitionOf(schema);
    const sent = fc.oneof(
      { weight: 5, arbitrary: fc.constant(good) },
      { weight: 1, arbitrary: variantOf(good, definitionSchema, schemas) },
    );
    const objects = fittingValue(schema as Schema, {}, 4).chain((value) =>
      scenarioOf(
        {
          collection: '/apis/{ns}.dev/v1/namespaces/{ns}/things',
          object: { apiVersion: '{ns}.dev/v1', kind: 'Thing', spec: value },
          subresources: ['status', 'scale'],
        },
        { type: 'object', properties: { metadata: metadata(schemas), spec: schema as Schema } },
        schemas,
      ),
    );
    return fc.tuple(sent, objects).map(([definition, { steps }]) => ({
      kind: 'CustomResourceDefinition',
      steps: [create(definition), ...steps],
    }));
  });
}

function create(definition: object): Step {
  return { method: 'POST', path: definitions, contentType: 'application/json', body: JSON.stringify(definition) };
}

function metadata(schemas: Schemas): Schema {
  return schemas['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'] ?? {};
}

function definitionOf(schema: object) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.{ns}.dev' },
    spec: {
      group: '{ns}.dev',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: schema, status: { type: 'object', [preserve]: true } },
            },
          },
        },
      ],
    },
  };
}
