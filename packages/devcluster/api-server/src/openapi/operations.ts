import { type ApiResource, apiResourcesOf } from '../discovery/api-resources.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { parameterDescriptions } from './parameter-descriptions.js';

type Json = Readonly<Record<string, unknown>>;

/** The definition names that a document's operations refer to. */
export interface DefinitionNames {
  readonly object: string;
  readonly list: string;
}

/** `PATH: { get, post, parameters }` of one resource, as the paths of an OpenAPI document. */
export function pathsOf(definition: ResourceDefinition, names: DefinitionNames): Record<string, Json> {
  const { group, version, plural, namespaced } = definition;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = namespaced ? `${root}/namespaces/{namespace}` : root;
  const paths: Record<string, Json> = {};
  const [own, ...parts] = apiResourcesOf(definition);
  if (!own) return paths;
  if (namespaced && own.verbs.includes('list')) {
    paths[`${root}/${plural}`] = {
      get: operation(own, 'list', names, 'ForAllNamespaces'),
      parameters: everywhereParameters,
    };
  }
  paths[`${scope}/${plural}`] = { ...collection(own, names), parameters: placed(namespaced, false) };
  const one = single(own, names);
  if (Object.keys(one).length > 0) {
    paths[`${scope}/${plural}/{name}`] = { ...one, parameters: placed(namespaced, true) };
  }
  for (const part of parts) {
    const path = `${scope}/${plural}/{name}/${part.subresource}`;
    const creates = part.verbs.includes('create') ? { post: operation(part, 'post', names) } : {};
    paths[path] = { ...single(part, names), ...creates, parameters: placed(namespaced, true) };
  }
  return paths;
}

function collection(resource: ApiResource, names: DefinitionNames): Json {
  const { verbs } = resource;
  return {
    ...(verbs.includes('list') ? { get: operation(resource, 'list', names) } : {}),
    ...(verbs.includes('create') ? { post: operation(resource, 'post', names) } : {}),
    ...(verbs.includes('deletecollection') ? { delete: operation(resource, 'deletecollection', names) } : {}),
  };
}

function single(resource: ApiResource, names: DefinitionNames): Json {
  const { verbs } = resource;
  return {
    ...(verbs.includes('get') ? { get: operation(resource, 'get', names) } : {}),
    ...(verbs.includes('update') ? { put: operation(resource, 'put', names) } : {}),
    ...(verbs.includes('delete') ? { delete: operation(resource, 'delete', names) } : {}),
    ...(verbs.includes('patch') ? { patch: operation(resource, 'patch', names) } : {}),
  };
}

type Action = 'list' | 'post' | 'deletecollection' | 'get' | 'put' | 'delete' | 'patch';

/** How an operation is called, what is said of it before the name of the kind, and the codes of its answers. */
const actions: Readonly<Record<Action, { verb: string; about: string; codes: readonly number[] }>> = {
  list: { verb: 'list', about: 'list objects of kind', codes: [200] },
  post: { verb: 'create', about: 'create a', codes: [200, 201, 202] },
  deletecollection: { verb: 'delete', about: 'delete collection of', codes: [200] },
  get: { verb: 'read', about: 'read the specified', codes: [200] },
  put: { verb: 'replace', about: 'replace the specified', codes: [200, 201] },
  delete: { verb: 'delete', about: 'delete a', codes: [200, 202] },
  patch: { verb: 'patch', about: 'partially update the specified', codes: [200] },
};

const codeNames: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };

function operation(resource: ApiResource, action: Action, names: DefinitionNames, suffix = ''): Json {
  const { definition } = resource;
  const { group, version, kind } = definition;
  const { codes } = actions[action];
  const parameters = parametersOf(definition, action, suffix);
  const content = contentOf(action === 'list' ? names.list : answerName(resource, action, names));
  return {
    tags: [`${group === '' ? 'core' : camel(group)}_${version}`],
    description: descriptionOf(resource, action),
    operationId: operationId(resource, action, suffix),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...bodyOf(resource, action, names),
    responses: {
      ...Object.fromEntries(codes.map((code) => [code, { description: codeNames[code], content }])),
      401: { description: 'Unauthorized' },
    },
    'x-kubernetes-action': action,
    // Custom resources name their own kind even where the body is a scale.
    'x-kubernetes-group-version-kind': definition.origin === 'custom' ? { group, version, kind } : resource.kind,
  };
}

function descriptionOf({ definition, subresource }: ApiResource, action: Action): string {
  const { about } = actions[action];
  const part = subresource === '' ? about : about.replace(/ (?=(the|a)( |$))/, ` ${subresource} of `);
  return `${part} ${definition.kind}`;
}

function operationId({ definition, subresource }: ApiResource, action: Action, suffix: string): string {
  const { group, version, kind, namespaced } = definition;
  const place = group === '' ? 'Core' : group.split('.').map(capital).join('');
  const many = action === 'deletecollection' ? 'Collection' : '';
  const scope = namespaced && suffix === '' ? 'Namespaced' : '';
  return `${actions[action].verb}${place}${capital(version)}${many}${scope}${kind}${capital(subresource)}${suffix}`;
}

function bodyOf(resource: ApiResource, action: Action, names: DefinitionNames): Json {
  if (action === 'post' || action === 'put') {
    return { requestBody: { content: contentOf(partName(resource, names)), required: true } };
  }
  // Collections of custom resources say nothing of the options that they take.
  if (action === 'delete' || (action === 'deletecollection' && resource.definition.origin === 'built-in')) {
    return { requestBody: { content: contentOf('io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions') } };
  }
  if (action !== 'patch') return {};
  // Strategic merge patches are taken and not offered: kubectl then knows the merge keys better than it can read them here.
  const patch = { schema: reference('io.k8s.apimachinery.pkg.apis.meta.v1.Patch') };
  const content = {
    'application/apply-patch+yaml': patch,
    'application/json-patch+json': patch,
    'application/merge-patch+json': patch,
  };
  return { requestBody: { content, required: true } };
}

function answerName(resource: ApiResource, action: Action, names: DefinitionNames): string {
  const status = 'io.k8s.apimachinery.pkg.apis.meta.v1.Status';
  if (action === 'delete' && resource.definition.returnsDeleted) return partName(resource, names);
  return action === 'delete' || action === 'deletecollection' ? status : partName(resource, names);
}

function partName({ subresource }: ApiResource, names: DefinitionNames): string {
  if (subresource === 'scale') return 'io.k8s.api.autoscaling.v1.Scale';
  return subresource === 'binding' ? 'io.k8s.api.core.v1.Binding' : names.object;
}

function contentOf(definition: string): Json {
  const schema = { schema: reference(definition) };
  return { 'application/json': schema, 'application/yaml': schema };
}

function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

function parametersOf({ origin }: ResourceDefinition, action: Action, suffix: string): readonly Json[] {
  switch (action) {
    case 'list':
      return suffix === '' ? listParameters : [];
    case 'deletecollection':
      return listParameters;
    case 'get':
      return origin === 'custom' ? [query('resourceVersion', 'string')] : [];
    case 'delete':
      return deleteParameters;
    case 'patch':
      return [...writeParameters, query('force', 'boolean')];
    default:
      return writeParameters;
  }
}

function query(name: string, type: 'string' | 'integer' | 'boolean'): Json {
  return { name, in: 'query', description: parameterDescriptions[name], schema: { type, uniqueItems: true } };
}

function placed(namespaced: boolean, named: boolean): readonly Json[] {
  const place = (name: string) => ({
    name,
    in: 'path',
    description: parameterDescriptions[name],
    required: true,
    schema: { type: 'string', uniqueItems: true },
  });
  return [...(named ? [place('name')] : []), ...(namespaced ? [place('namespace')] : []), query('pretty', 'string')];
}

const listParameters: readonly Json[] = [
  query('allowWatchBookmarks', 'boolean'),
  query('continue', 'string'),
  query('fieldSelector', 'string'),
  query('labelSelector', 'string'),
  query('limit', 'integer'),
  query('resourceVersion', 'string'),
  query('resourceVersionMatch', 'string'),
  query('sendInitialEvents', 'boolean'),
  query('timeoutSeconds', 'integer'),
  query('watch', 'boolean'),
];
/** Where all namespaces are listed, what holds for every operation of a path is among the rest. */
const everywhereParameters: readonly Json[] = [...listParameters, query('pretty', 'string')].sort((a, b) =>
  String(a.name) < String(b.name) ? -1 : 1,
);
const writeParameters = [
  query('dryRun', 'string'),
  query('fieldManager', 'string'),
  query('fieldValidation', 'string'),
];
const deleteParameters = [
  query('dryRun', 'string'),
  query('gracePeriodSeconds', 'integer'),
  query('ignoreStoreReadErrorWithClusterBreakingPotential', 'boolean'),
  query('orphanDependents', 'boolean'),
  query('propagationPolicy', 'string'),
];

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function camel(group: string): string {
  const [first = '', ...rest] = group.split('.');
  return first + rest.map(capital).join('');
}
