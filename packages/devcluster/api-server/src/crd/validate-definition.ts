import { isDeepStrictEqual } from 'node:util';
import { requiredOneOf } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { dns1035Problems, subdomainProblems } from '@slipway/api-machinery/errors/names';
import type { JsonSchema } from '@slipway/api-machinery/schema/json-schema';
import { approvalAnnotation, approvalOf, isCommunityGroup } from './community-approval.js';
import { type CustomResourceDefinition, conditionOf, type Names, schemaOf, type Version } from './definition-object.js';
import type { PrinterColumn } from './printer-columns.js';
import { validateSelectableFields } from './selectable-fields.js';
import { validateConversion } from './validate-conversion.js';
import { isOfStructure, validateSchema } from './validate-schema.js';

/** Validates a new CustomResourceDefinition. */
export function validateNewDefinition(definition: CustomResourceDefinition): FieldError[] {
  const { metadata, spec } = definition;
  const name = `${spec.names.plural ?? ''}.${spec.group}`;
  return [
    ...(metadata.name === name || !metadata.name
      ? []
      : [invalid('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group')]),
    ...validateSpec(definition),
    ...validateNames(definition.status.acceptedNames, 'status.acceptedNames'),
    ...validateStoredVersions(definition),
    ...validateApproval(definition),
    ...validateNoPreservation(definition),
  ];
}

/** Validates an update of a CustomResourceDefinition. */
export function validateChangedDefinition(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
): FieldError[] {
  const { spec } = definition;
  const unchanged = (field: string, value: unknown, before: unknown): FieldError[] =>
    isDeepStrictEqual(value, before) ? [] : [invalid(field, value, 'field is immutable')];
  const isEstablished = conditionOf(old, 'Established')?.status === 'True';
  return [
    ...validateSpec(definition),
    ...(isEstablished
      ? [
          ...unchanged('spec.scope', spec.scope, old.spec.scope),
          ...unchanged('spec.names.kind', spec.names.kind, old.spec.names.kind),
        ]
      : []),
    ...unchanged('spec.group', spec.group, old.spec.group),
    ...unchanged('spec.names.plural', spec.names.plural, old.spec.names.plural),
    ...validateNames(definition.status.acceptedNames, 'status.acceptedNames'),
    ...validateStoredVersions(definition),
    ...(approvalOf(old) === approvalOf(definition) ? [] : validateApproval(definition)),
    ...(old.spec.preserveUnknownFields ? [] : validateNoPreservation(definition)),
  ];
}

/** Validates a status that a client wrote. */
export function validateDefinitionStatus(definition: CustomResourceDefinition): FieldError[] {
  return validateNames(definition.status.acceptedNames, 'status.acceptedNames');
}

function validateSpec({ spec }: CustomResourceDefinition): FieldError[] {
  const versions = spec.versions ?? [];
  const shared = sharedParts(versions);
  return [
    ...validateGroup(spec.group),
    ...requiredOneOf('spec.scope', spec.scope, ['Cluster', 'Namespaced']),
    ...versions.flatMap((version, index) =>
      version.served && !version.schema?.openAPIV3Schema
        ? [required(`spec.versions[${index}].schema.openAPIV3Schema`, 'schemas are required')]
        : [],
    ),
    ...versions.flatMap((version, index) => validateVersion(version, shared, index)),
    ...validateVersionSet(spec.versions, shared),
    ...validateFirstVersionName(versions),
    ...(['plural', 'singular', 'kind', 'listKind'] as const).flatMap((name) =>
      spec.names[name] ? [] : [required(`spec.names.${name}`, '')],
    ),
    ...validateNames(spec.names, 'spec.names'),
    ...validateShared(versions, shared),
    ...validateConversion(spec.conversion),
  ];
}

function validateGroup(group: string): FieldError[] {
  if (!group) return [required('spec.group', '')];
  const problems = subdomainProblems(group);
  if (problems.length > 0) return [invalid('spec.group', group, problems.join(','))];
  return group.includes('.') ? [] : [invalid('spec.group', group, 'should be a domain with at least one dot')];
}

/** The parts of a version that are reported under `spec` itself when all versions agree on them. */
const parts = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;
type Part = (typeof parts)[number];

function sharedParts(versions: readonly Version[]): ReadonlySet<Part> {
  const [first] = versions;
  return new Set(parts.filter((part) => versions.every((version) => isDeepStrictEqual(version[part], first?.[part]))));
}

/** The schemas of a definition, and where its validation says that they stand. */
export function schemaPlaces({ spec }: CustomResourceDefinition): { schema: JsonSchema; path: string }[] {
  const versions = spec.versions ?? [];
  const shared = sharedParts(versions).has('schema');
  return (shared ? versions.slice(0, 1) : versions).flatMap(({ schema }, index) =>
    schema?.openAPIV3Schema
      ? [{ schema: schema.openAPIV3Schema, path: schemaPath(shared ? 'spec' : `spec.versions[${index}]`) }]
      : [],
  );
}

/** @param path of a version, or that of what all have alike */
function schemaPath(path: string): string {
  return `${path === 'spec' ? 'spec.validation' : `${path}.schema`}.openAPIV3Schema`;
}

function validateVersion(version: Version, shared: ReadonlySet<Part>, index: number): FieldError[] {
  const path = `spec.versions[${index}]`;
  const problems = dns1035Problems(version.name ?? '');
  return [
    ...(problems.length > 0 ? [invalid(`${path}.name`, version.name ?? '', problems.join(','))] : []),
    ...validateDeprecation(version, path),
    ...parts.flatMap((part) => (shared.has(part) ? [] : validatePart(version, part, path))),
  ];
}

function validateDeprecation({ deprecated, deprecationWarning }: Version, path: string): FieldError[] {
  if (deprecationWarning === undefined) return [];
  const field = `${path}.deprecationWarning`;
  const refuse = (detail: string) => [invalid(field, deprecationWarning, detail)];
  if (!deprecated) return refuse('can only be set for deprecated versions');
  if (deprecationWarning === '') return refuse('must not be empty');
  if ([...deprecationWarning].length > 256) {
    return [{ type: 'TooLong', field, detail: 'may not be more than 256 bytes' }];
  }
  const unprintable = [...deprecationWarning].findIndex((character) => /[\p{C}\p{Zl}\p{Zp}]/u.test(character));
  return unprintable < 0
    ? []
    : refuse(`must only contain printable UTF-8 characters; non-printable character found at index ${unprintable}`);
}

function validateShared(versions: readonly Version[], shared: ReadonlySet<Part>): FieldError[] {
  const [first] = versions;
  if (!first) return [];
  return parts.flatMap((part) => (shared.has(part) ? validatePart(first, part, 'spec') : []));
}

function validatePart(version: Version, part: Part, path: string): FieldError[] {
  switch (part) {
    case 'schema': {
      const schema = version.schema?.openAPIV3Schema;
      const where = schemaPath(path);
      if (!schema) return [];
      const ofRoot = validateStatusRoot(version, where);
      // That a schema has no structure is said where nothing else is.
      const inside = validateSchema(schema, where).filter((error) => ofRoot.length === 0 || !isOfStructure(error));
      return [...ofRoot, ...inside];
    }
    case 'subresources':
      return validateScale(version.subresources?.scale, `${path}.subresources.scale`);
    case 'additionalPrinterColumns':
      return (version.additionalPrinterColumns ?? []).flatMap((column, index) =>
        validateColumn(column, `${path}.additionalPrinterColumns[${index}]`),
      );
    case 'selectableFields':
      return validateSelectableFields(version.selectableFields ?? [], schemaOf(version), `${path}.selectableFields`);
  }
}

/** Keywords the root may have beside a status subresource, in the order in which the message lists them. */
const allowedWithStatus = (
  'description type format title maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern ' +
  'maxItems minItems uniqueItems multipleOf required items properties externalDocs example ' +
  'x-kubernetes-preserve-unknown-fields x-kubernetes-validations'
).split(' ');

/** Keywords that come before the type in the fields of Kubernetes: the first that is wrong is the one that is said. */
const beforeType: readonly string[] = ['id', '$schema', '$ref'];

/** With a status subresource, the root may say nothing that spans spec and status. */
function validateStatusRoot(version: Version, path: string): FieldError[] {
  const schema = schemaOf(version);
  if (!version.subresources?.status) return [];
  const stray = Object.entries(schema).flatMap(([keyword, value]) =>
    allowedWithStatus.includes(keyword) || keyword === 'nullable' || value === false ? [] : [keyword],
  );
  if (schema.type && schema.type !== 'object' && !stray.some((keyword) => beforeType.includes(keyword))) {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalid(`${path}.type`, schema.type, detail)];
  }
  const allowed = allowedWithStatus.map(goFieldName).join(' ');
  const detail = `only [${allowed}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return stray.length > 0 ? [invalid(path, schema, detail)] : [];
}

/** `x-kubernetes-list-type` -> `XListType`: the names that the message uses. */
function goFieldName(keyword: string): string {
  const words = keyword.replace('x-kubernetes-', 'x-').split('-');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function validateVersionSet(given: readonly Version[] | undefined, shared: ReadonlySet<Part>): FieldError[] {
  const versions = given ?? [];
  const shown = given?.map((version) => ({
    Name: version.name ?? '',
    Served: version.served,
    Storage: version.storage,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: shared.has('schema') ? null : (version.schema ?? null),
    Subresources: shared.has('subresources') ? null : (version.subresources ?? null),
    AdditionalPrinterColumns: shared.has('additionalPrinterColumns')
      ? null
      : (version.additionalPrinterColumns ?? null),
    SelectableFields: shared.has('selectableFields') ? null : (version.selectableFields ?? null),
  }));
  const errors: FieldError[] = [];
  if (new Set(versions.map((version) => version.name)).size < versions.length) {
    errors.push(invalid('spec.versions', shown, 'must contain unique version names'));
  }
  if (versions.filter((version) => version.storage).length !== 1) {
    errors.push(invalid('spec.versions', shown ?? null, 'must have exactly one version marked as storage version'));
  }
  return errors;
}

function validateFirstVersionName(versions: readonly Version[]): FieldError[] {
  const name = versions[0]?.name ?? '';
  const problems = name === '' ? [] : dns1035Problems(name);
  return problems.length > 0 ? [invalid('spec.version', name, problems.join(','))] : [];
}

function validateNames(names: Names, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const check = (field: string, value: string | undefined, mixedCase: boolean) => {
    if (!value) return;
    const problems = dns1035Problems(mixedCase ? value.toLowerCase() : value);
    if (problems.length === 0) return;
    const note = mixedCase ? 'may have mixed case, but should otherwise match: ' : '';
    errors.push(invalid(`${path}.${field}`, value, note + problems.join(',')));
  };
  check('plural', names.plural, false);
  check('singular', names.singular, false);
  check('kind', names.kind, true);
  check('listKind', names.listKind, true);
  for (const [index, name] of (names.shortNames ?? []).entries()) check(`shortNames[${index}]`, name, false);
  if (names.kind && names.kind === names.listKind) {
    errors.push(invalid(`${path}.listKind`, names.listKind, 'kind and listKind may not be the same'));
  }
  for (const [index, name] of (names.categories ?? []).entries()) check(`categories[${index}]`, name, false);
  return errors;
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

function validateColumn(column: PrinterColumn, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { name, type, format, jsonPath } = column;
  const typesText = `must be one of ${columnTypes.join(',')}`;
  if (!name) errors.push(required(`${path}.name`, ''));
  if (!type) errors.push(required(`${path}.type`, typesText));
  else if (!columnTypes.includes(type)) errors.push(invalid(`${path}.type`, type, typesText));
  if (format && !columnFormats.includes(format)) {
    errors.push(invalid(`${path}.format`, format, `must be one of ${columnFormats.join(',')}`));
  }
  if (!jsonPath) errors.push(required(`${path}.JSONPath`, ''));
  else errors.push(...simplePath(`${path}.JSONPath`, jsonPath));
  return errors;
}

function validateScale(scale: NonNullable<Version['subresources']>['scale'], path: string): FieldError[] {
  if (!scale) return [];
  const under = (field: string, value: string | undefined, roots: readonly string[], where: string): FieldError[] => {
    if (!value) return [required(`${path}.${field}`, '')];
    const wrong = simplePath(`${path}.${field}`, value);
    if (wrong.length > 0 || roots.some((root) => value.startsWith(root))) return wrong;
    return [invalid(`${path}.${field}`, value, `should be a json path under ${where}`)];
  };
  return [
    ...under('specReplicasPath', scale.specReplicasPath, ['.spec.'], '.spec'),
    ...under('statusReplicasPath', scale.statusReplicasPath, ['.status.'], '.status'),
    ...(scale.labelSelectorPath
      ? under('labelSelectorPath', scale.labelSelectorPath, ['.spec.', '.status.'], 'either .spec or .status')
      : []),
  ];
}

function simplePath(field: string, path: string): FieldError[] {
  return path.startsWith('.') ? [] : [invalid(field, path, 'must be a simple json path starting with .')];
}

function validateStoredVersions({ spec, status }: CustomResourceDefinition): FieldError[] {
  const stored = status.storedVersions ?? [];
  const field = 'status.storedVersions';
  if (stored.length === 0)
    return [invalid(field, status.storedVersions ?? null, 'must have at least one stored version')];
  const versions = spec.versions ?? [];
  const missing = versions.filter((version) => version.storage && !stored.includes(version.name));
  return [
    ...missing.map((version) => invalid(field, stored, `must have the storage version ${version.name}`)),
    ...stored.flatMap((name, index) =>
      versions.some((version) => version.name === name)
        ? []
        : [
            invalid(
              `${field}[${index}]`,
              name,
              `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions ` +
                `until a storage migration ensures no data remains persisted in ${name} and removes ${name} from ` +
                'status.storedVersions',
            ),
          ],
    ),
  ];
}

/** API groups of the Kubernetes community require an approval. */
function validateApproval(definition: CustomResourceDefinition): FieldError[] {
  if (!isCommunityGroup(definition.spec.group)) return [];
  const see = 'see https://github.com/kubernetes/enhancements/pull/1111';
  const field = `metadata.annotations[${approvalAnnotation}]`;
  const must = `protected groups must have approval annotation "${approvalAnnotation}"`;
  switch (approvalOf(definition)) {
    case 'missing':
      return [required(field, `${must}, ${see}`)];
    case 'invalid':
      return [
        invalid(
          field,
          definition.metadata.annotations?.[approvalAnnotation],
          `${must} with either a URL or a reason starting with "unapproved", ${see}`,
        ),
      ];
    default:
      return [];
  }
}

function validateNoPreservation({ spec }: CustomResourceDefinition): FieldError[] {
  if (!spec.preserveUnknownFields) return [];
  return [
    invalid(
      'spec.preserveUnknownFields',
      true,
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ),
  ];
}
