import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, forbidden, invalid, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import { labelProblems, subdomainProblems } from '@slipway/api-machinery/errors/names';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { mandatorySchemas } from '@slipway/api-server/flow-control/declared-flows';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type {
  FlowRule,
  FlowSchemaSpec,
  FlowSubject,
  PathRule,
  ResourceRule,
} from '@slipway/kube-objects/kinds/flow-objects';

export const flowSchemas = defineResource({
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  kind: 'FlowSchema',
  plural: 'flowschemas',
  namespaced: false,
  statusKeeps: 'metadata',
  message: 'flowcontrol.v1.FlowSchema',
  subresources: { status: true },
  generation: ['spec'],
  defaults({ spec }) {
    if (spec && !spec.matchingPrecedence) spec.matchingPrecedence = 1000;
  },
  validate: ({ metadata, spec = {} }) => validateSpec(metadata.name ?? '', spec),
  rowOrder: (a, b) => a.spec.matchingPrecedence - b.spec.matchingPrecedence,
  columns: [
    textColumn('PriorityLevel', 'Level of its requests.', ({ spec }) => spec?.priorityLevelConfiguration?.name ?? ''),
    textColumn('MatchingPrecedence', 'The lowest of those that match counts.', ({ spec }) => spec?.matchingPrecedence),
    textColumn(
      'DistinguisherMethod',
      'What tells its flows apart.',
      ({ spec }) => spec?.distinguisherMethod?.type ?? '<none>',
    ),
    ageColumn,
    textColumn('MissingPL', 'Whether its level is not there.', ({ status }) => danglingOf(status?.conditions ?? [])),
  ],
});

function danglingOf(conditions: readonly { readonly type: string; readonly status: string }[]): string {
  return conditions.find(({ type }) => type === 'Dangling')?.status ?? '?';
}

function validateSpec(name: string, spec: Partial<FlowSchemaSpec>): FieldError[] {
  const { matchingPrecedence = 0, distinguisherMethod, priorityLevelConfiguration, rules = [] } = spec;
  const level = priorityLevelConfiguration?.name ?? '';
  const levelField = 'spec.priorityLevelConfiguration.name';
  const fixed = mandatorySchemas.get(name);
  return [
    ...validatePrecedence(name, matchingPrecedence),
    ...(distinguisherMethod && !distinguishers.includes(distinguisherMethod.type)
      ? [notSupported('spec.distinguisherMethod.type', distinguisherMethod, distinguishers)]
      : []),
    ...(level === ''
      ? [required(levelField, 'must reference a priority level')]
      : invalidBecause(levelField, level, subdomainProblems(level))),
    ...rules.flatMap((rule, index) => validateRule(rule, `spec.rules[${index}]`)),
    ...(fixed && !equalJson(fixed, spec)
      ? [invalid('spec', spec, `spec of '${name}' must equal the fixed value`)]
      : []),
  ];
}

const distinguishers: readonly string[] = ['ByNamespace', 'ByUser'];
const highestPrecedence = 10_000;

function validatePrecedence(name: string, precedence: number): FieldError[] {
  const wrong = (detail: string) => [invalid('spec.matchingPrecedence', precedence, detail)];
  if (precedence <= 0) return wrong('must be a positive value');
  if (precedence > highestPrecedence) return wrong(`must not be greater than ${highestPrecedence}`);
  if (precedence === 1 && name !== 'exempt')
    return wrong("only the schema named 'exempt' may have matchingPrecedence 1");
  return [];
}

function validateRule({ subjects: given, resourceRules = [], nonResourceRules = [] }: FlowRule, field: string) {
  const subjects = given ?? [];
  const isEmpty = resourceRules.length === 0 && nonResourceRules.length === 0;
  return [
    ...(subjects.length === 0 ? [required(`${field}.subjects`, 'subjects must contain at least one value')] : []),
    ...subjects.flatMap((subject, index) => validateSubject(subject, `${field}.subjects[${index}]`)),
    ...(isEmpty ? [required(field, 'at least one of resourceRules and nonResourceRules has to be non-empty')] : []),
    ...resourceRules.flatMap((rule, index) => validateResourceRule(rule, `${field}.resourceRules[${index}]`)),
    ...nonResourceRules.flatMap((rule, index) => validatePathRule(rule, `${field}.nonResourceRules[${index}]`)),
  ];
}

/** Of a subject only the field that its kind names may be there. */
const subjectFields = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' } as const;

function validateSubject(subject: FlowSubject, field: string): FieldError[] {
  const own = Object.entries(subjectFields).find(([kind]) => kind === subject.kind)?.[1];
  if (!own) return [notSupported(`${field}.kind`, subject.kind, Object.keys(subjectFields).sort())];
  const foreign = Object.entries(subjectFields).filter(([, one]) => one !== own && subject[one] !== undefined);
  return [
    ...validateNamed(subject, own, `${field}.${own}`),
    ...foreign.map(([kind, one]) =>
      forbidden(`${field}.${one}`, `${one} is forbidden when subject kind is not '${kind}'`),
    ),
  ];
}

function validateNamed(subject: FlowSubject, own: 'serviceAccount' | 'user' | 'group', field: string): FieldError[] {
  const named = subject[own];
  if (!named) return [required(field, `${own} is required when subject kind is '${subject.kind}'`)];
  const unnamed = (named.name ?? '') === '' ? [required(`${field}.name`)] : [];
  if (own !== 'serviceAccount') return unnamed;
  const { name = '', namespace = '' } = subject.serviceAccount ?? {};
  return [
    ...unnamed,
    ...(name === '' || name === '*' ? [] : invalidBecause(`${field}.name`, name, subdomainProblems(name))),
    ...(namespace === ''
      ? [required(`${field}.namespace`, 'must specify namespace for service account')]
      : invalidBecause(`${field}.namespace`, namespace, labelProblems(namespace))),
  ];
}

const verbs: readonly string[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'proxy',
  'update',
  'watch',
];

function validateVerbs(given: readonly string[], field: string): FieldError[] {
  if (given.length === 0) return [required(field, 'verbs must contain at least one value')];
  if (given.includes('*')) return alone(given, field, 'verbs');
  return given.every((verb) => verbs.includes(verb)) ? [] : [notSupported(field, given, verbs)];
}

function alone(given: readonly string[], field: string, what: string): FieldError[] {
  return given.length > 1 && given.includes('*')
    ? [invalid(field, given, `if '*' is present, must not specify other ${what}`)]
    : [];
}

function validateResourceRule(rule: ResourceRule, field: string): FieldError[] {
  const apiGroups = rule.apiGroups ?? [];
  const resources = rule.resources ?? [];
  return [
    ...validateVerbs(rule.verbs ?? [], `${field}.verbs`),
    ...(apiGroups.length === 0
      ? [required(`${field}.apiGroups`, 'resource rules must supply at least one api group')]
      : alone(apiGroups, `${field}.apiGroups`, 'api groups')),
    ...(resources.length === 0
      ? [required(`${field}.resources`, 'resource rules must supply at least one resource')]
      : alone(resources, `${field}.resources`, 'resources')),
    ...validateNamespaces(rule.namespaces ?? [], rule.clusterScope ?? false, `${field}.namespaces`),
  ];
}

function validateNamespaces(namespaces: readonly string[], clusterScope: boolean, field: string): FieldError[] {
  if (namespaces.length === 0 && !clusterScope) {
    return [required(field, 'resource rules that are not cluster scoped must supply at least one namespace')];
  }
  if (namespaces.includes('*')) return alone(namespaces, field, 'namespaces');
  const start = "each member of this list must be '*' or a DNS-1123 label; ";
  return namespaces.flatMap((namespace, index) =>
    labelProblems(namespace).map((problem) => invalid(`${field}[${index}]`, namespace, start + problem)),
  );
}

function validatePathRule(rule: PathRule, field: string): FieldError[] {
  const nonResourceURLs = rule.nonResourceURLs ?? [];
  const urls = `${field}.nonResourceURLs`;
  return [
    ...validateVerbs(rule.verbs ?? [], `${field}.verbs`),
    ...(nonResourceURLs.length === 0 ? [required(urls, 'nonResourceURLs must contain at least one value')] : []),
    ...(nonResourceURLs.includes('*')
      ? alone(nonResourceURLs, urls, 'non-resource URLs')
      : nonResourceURLs.flatMap((url, index) => validateUrl(url, `${urls}[${index}]`))),
  ];
}

function validateUrl(url: string, field: string): FieldError[] {
  const wrong = (detail: string) => [invalid(field, url, detail)];
  if (url === '') return wrong('must not be empty');
  if (!url.startsWith('/')) return wrong('must start with slash');
  if (url.includes(' ')) return wrong('must not contain white-space');
  if (url.includes('//')) return wrong('must not contain double slash');
  const stars = url.split('*').length - 1;
  return stars > 1 || (stars === 1 && !url.endsWith('/*')) ? wrong('wildcard can only do suffix matching') : [];
}
