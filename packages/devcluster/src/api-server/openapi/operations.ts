import type { ResourceDefinition } from '../../registry/resource-definition.js';
import { type ApiResource, apiResourcesOf } from '../discovery/api-resources.js';

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
    paths[`${root}/${plural}`] = { get: operation(own, 'list', names, 'ForAllNamespaces'), parameters: listParameters };
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

const operationVerbs: Readonly<Record<Action, string>> = {
  list: 'list',
  post: 'create',
  deletecollection: 'deleteCollection',
  get: 'read',
  put: 'replace',
  delete: 'delete',
  patch: 'patch',
};

function operation(resource: ApiResource, action: Action, names: DefinitionNames, suffix = ''): Json {
  const { definition, kind, subresource } = resource;
  const answer = action === 'list' ? names.list : answerName(resource, action, names);
  const scope = definition.namespaced && suffix === '' ? 'Namespaced' : '';
  const version = capital(definition.version);
  const group = definition.group === '' ? 'Core' : definition.group.split('.').map(capital).join('');
  const code = action === 'post' ? '201' : '200';
  return {
    tags: [`${definition.group === '' ? 'core' : camel(definition.group)}_${definition.version}`],
    description: `${operationVerbs[action]} ${subresource === '' ? '' : `${subresource} of `}${definition.kind}`,
    operationId: `${operationVerbs[action]}${group}${version}${scope}${definition.kind}${capital(subresource)}${suffix}`,
    ...(parametersOf(action, suffix).length > 0 ? { parameters: parametersOf(action, suffix) } : {}),
    ...bodyOf(resource, action, names),
    responses: {
      [code]: { description: 'OK', content: contentOf(answer) },
      401: { description: 'Unauthorized' },
    },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': kind,
  };
}

function bodyOf(resource: ApiResource, action: Action, names: DefinitionNames): Json {
  if (action === 'post' || action === 'put') {
    return { requestBody: { content: contentOf(partName(resource, names)), required: true } };
  }
  if (action === 'delete' || action === 'deletecollection') {
    return { requestBody: { content: contentOf('io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions') } };
  }
  if (action !== 'patch') return {};
  // Strategic merge patches are taken and not offered: kubectl then knows the merge keys better than it can read them here.
  const patch = { schema: reference('io.k8s.apimachinery.pkg.apis.meta.v1.Patch') };
  const content = { 'application/json-patch+json': patch, 'application/merge-patch+json': patch };
  return { requestBody: { content, required: true } };
}

function answerName(resource: ApiResource, action: Action, names: DefinitionNames): string {
  const status = 'io.k8s.apimachinery.pkg.apis.meta.v1.Status';
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

function parametersOf(action: Action, suffix: string): readonly Json[] {
  switch (action) {
    case 'list':
      return suffix === '' ? listParameters : [];
    case 'deletecollection':
      return listParameters;
    case 'get':
      return [];
    case 'delete':
      return deleteParameters;
    case 'patch':
      return [...writeParameters, query('force', 'boolean')];
    default:
      return writeParameters;
  }
}

function query(name: string, type: 'string' | 'integer' | 'boolean'): Json {
  return { name, in: 'query', schema: { type, uniqueItems: true } };
}

function placed(namespaced: boolean, named: boolean): readonly Json[] {
  const place = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string', uniqueItems: true } });
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
const writeParameters = [
  query('dryRun', 'string'),
  query('fieldManager', 'string'),
  query('fieldValidation', 'string'),
];
const deleteParameters = [
  query('dryRun', 'string'),
  query('gracePeriodSeconds', 'integer'),
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
