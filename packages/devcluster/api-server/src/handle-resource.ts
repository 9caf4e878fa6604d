import { pathSegmentProblems } from '@slipway/api-machinery/errors/names';
import {
  badRequest,
  methodNotAllowed,
  methodNotSupported,
  noSuchPath,
  notFound,
} from '@slipway/api-machinery/errors/status-errors';
import type { Call, Core } from './core/core.js';
import { verbsOf } from './discovery/api-resources.js';
import type { ResourceDefinition } from './registry/resource-definition.js';
import { negotiate, protobuf, requireAcceptable } from './request/negotiate.js';
import type { Query } from './request/query.js';
import type { AdmittedRequest, ApiAnswer } from './request/request.js';
import type { ResourcePath } from './request/request-path.js';
import { errorAnswer, pageNotFound } from './response/answers.js';
import { bind } from './subresources/binding.js';
import { evict } from './subresources/eviction.js';
import { finalize } from './subresources/finalize.js';
import { log } from './subresources/log.js';
import { scale } from './subresources/scale.js';
import { requestToken } from './subresources/token.js';
import { computed } from './verbs/computed.js';
import { create } from './verbs/create.js';
import { remove, removeCollection } from './verbs/delete.js';
import { get } from './verbs/get.js';
import { list } from './verbs/list.js';
import { patch } from './verbs/patch.js';
import { update } from './verbs/update.js';
import { watch } from './verbs/watch.js';
import { jsonReadyFor } from './write/large-json.js';
import { yamlReadyFor } from './write/yaml-body.js';

const objectTypes = ['application/json', 'application/yaml', protobuf];
const watchTypes = ['application/json;stream=watch', `${protobuf};stream=watch`];

/** Media types of the answers of a path of a built-in kind. */
function typesOf(method: string, path: ResourcePath): readonly string[] {
  return path.name === undefined && method === 'GET' ? [...objectTypes, ...watchTypes] : objectTypes;
}

/** Whether what is sent there is answered and not stored: no table shows it. */
function asksOnly({ answer }: ResourceDefinition, subresource: string): boolean {
  return answer !== undefined || ['binding', 'eviction', 'token'].includes(subresource);
}

type Handler = (core: Core, call: Call) => ApiAnswer | Promise<ApiAnswer>;

/** Answers a request about a resource, one of its objects, or a part of one. */
export async function handleResource(
  core: Core,
  request: AdmittedRequest,
  path: ResourcePath,
  query: Query,
): Promise<ApiAnswer> {
  const definition = core.definitions.find(path.group, path.version, path.plural);
  if (!definition) return notServed(core, path);
  const told = new Set<string>();
  const warn = (text: string) => void told.add(text);
  const answer = await dispatch(core, definition, request, path, query, warn).catch(errorAnswer);
  return told.size === 0 ? answer : { ...answer, warnings: [...told, ...(answer.warnings ?? [])] };
}

async function dispatch(
  core: Core,
  definition: ResourceDefinition,
  request: AdmittedRequest,
  path: ResourcePath,
  query: Query,
  warn: Call['warn'],
): Promise<ApiAnswer> {
  if (!isWellPlaced(definition, path, request.method)) {
    return definition.origin === 'custom' ? pageNotFound() : refuse(definition, path);
  }
  const reading = yamlReadyFor(request) ?? jsonReadyFor(request);
  if (reading) await reading;
  const { name = '', subresource } = path;
  // What is behind a proxy gives what it likes.
  const { accept } = subresource === 'proxy' ? {} : request.headers;
  const methods = definition.origin === 'built-in' ? methodsOf[subresource] : undefined;
  if (methods && !methods.includes(request.method)) throw methodNotAllowed();
  if (definition.origin === 'built-in') requireAcceptable(accept, typesOf(request.method, path));
  if (definition.deprecationWarning !== undefined) warn(definition.deprecationWarning);
  const representation = negotiate(accept, asksOnly(definition, subresource) ? 'questions' : 'objects');
  const { namespace } = path;
  const call: Call = { request, definition, namespace, name, subresource, query, representation, warn };
  const { computed: compute } = definition;
  if (compute && subresource === '' && !path.watchPrefix) return computed(core, call, compute);
  if (path.name === undefined) return collection(core, call, path);
  if (name === '') throw notFound(definition, '');
  const problems = pathSegmentProblems(name);
  if (problems.length > 0) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${problems[0]}`);
  if (subresource !== '') return dispatchSubresource(core, call);
  // Only such a path watches one object: elsewhere the option is for collections.
  if (path.watchPrefix) return watch(core, call);
  // Custom resources take a create there, too.
  if (request.method === 'POST' && definition.origin === 'custom') return create(core, call);
  return requireVerb(call, objectHandlers[request.method])(core, call);
}

const objectHandlers: Readonly<Record<string, { verb: string; handler: Handler }>> = {
  GET: { verb: 'get', handler: get },
  HEAD: { verb: 'get', handler: get },
  PUT: { verb: 'update', handler: update },
  PATCH: { verb: 'patch', handler: patch },
  DELETE: { verb: 'delete', handler: remove },
};

const collectionHandlers: typeof objectHandlers = {
  GET: { verb: 'list', handler: list },
  HEAD: { verb: 'list', handler: list },
  POST: { verb: 'create', handler: create },
  DELETE: { verb: 'deletecollection', handler: removeCollection },
};

function collection(core: Core, call: Call, path: ResourcePath): ApiAnswer | Promise<ApiAnswer> {
  const { request, query } = call;
  if (path.watchPrefix || (request.method === 'GET' && query.flag('watch'))) {
    return requireVerb(call, { verb: 'watch', handler: watch })(core, call);
  }
  return requireVerb(call, collectionHandlers[request.method])(core, call);
}

function dispatchSubresource(core: Core, call: Call): ApiAnswer | Promise<ApiAnswer> {
  const { definition, subresource, request } = call;
  const { subresources } = definition;
  if (isWholeObject(subresource) && subresources[subresource]) {
    const handler = { GET: get, HEAD: get, PUT: update, PATCH: patch }[request.method];
    if (!handler) throw notSupported(definition, request.method);
    return handler(core, call);
  }
  if (subresource === 'scale' && subresources.scale) return scale(core, call);
  if (subresource === 'binding' && subresources.binding) return bind(core, call);
  if (subresource === 'eviction' && subresources.eviction) return evict(core, call);
  if (subresource === 'log' && subresources.log) return log(core, call);
  if (isStreamed(subresource) && subresources[subresource]) return streamed(subresource, core, call);
  if (subresource === 'token' && subresources.token) return requestToken(core, call);
  if (subresource === 'finalize' && subresources.finalize) return finalize(core, call);
  if (definition.origin === 'custom') throw notFound(definition, call.name);
  throw noSuchPath();
}

function notSupported(definition: ResourceDefinition, method: string) {
  return definition.origin === 'custom' ? methodNotSupported(definition, verbOf(method)) : methodNotAllowed();
}

/** Methods of subresources of built-in kinds that have few. */
const methodsOf: Readonly<Record<string, readonly string[]>> = {
  binding: ['POST'],
  eviction: ['POST'],
  token: ['POST'],
  finalize: ['PUT'],
  log: ['GET', 'HEAD'],
  scale: ['GET', 'HEAD', 'PUT', 'PATCH'],
};

type Streamed = 'attach' | 'exec' | 'portforward' | 'proxy';

function isStreamed(subresource: string): subresource is Streamed {
  return ['attach', 'exec', 'portforward', 'proxy'].includes(subresource);
}

/** What containers run is seldom asked for, so it is loaded with the first request. */
async function streamed(subresource: Streamed, core: Core, call: Call): Promise<ApiAnswer> {
  if (subresource === 'portforward') return (await import('./subresources/port-forward.js')).portForward(core, call);
  if (subresource === 'proxy') return (await import('./subresources/proxy.js')).proxy(core, call);
  if (subresource === 'attach') return (await import('./subresources/attach.js')).attach(core, call);
  return (await import('./subresources/exec.js')).exec(core, call);
}

/** Whether a subresource is read and written as the whole object, of which a write changes a part. */
function isWholeObject(subresource: string): subresource is (typeof wholeObjects)[number] {
  return wholeObjects.some((one) => one === subresource);
}

const wholeObjects = ['status', 'resize', 'ephemeralcontainers', 'approval'] as const;

function requireVerb(call: Call, found: { verb: string; handler: Handler } | undefined): Handler {
  const { definition, request } = call;
  if (!found) {
    if (definition.origin === 'custom') throw methodNotSupported(definition, verbOf(request.method));
    throw methodNotAllowed();
  }
  if (!verbsOf(definition).some((verb) => verb === found.verb)) throw methodNotAllowed();
  return found.handler;
}

/** Objects are reached through their namespace if they have one, and not through one if they have none. */
function isWellPlaced(definition: ResourceDefinition, path: ResourcePath, method: string): boolean {
  if (!definition.namespaced) return path.namespace === '';
  if (path.namespace !== '') return true;
  return path.name === undefined && (method === 'GET' || method === 'HEAD');
}

function refuse(definition: ResourceDefinition, path: ResourcePath): never {
  if (definition.namespaced && path.name === undefined) throw methodNotAllowed();
  throw noSuchPath();
}

/** Groups of custom resources answer like a web server that has no such page; built-in groups with a Status. */
function notServed(core: Core, path: ResourcePath): ApiAnswer {
  const builtIn = core.definitions.all().some(({ group, origin }) => group === path.group && origin === 'built-in');
  if (!builtIn) return pageNotFound();
  throw noSuchPath();
}

function verbOf(method: string): string {
  return (
    { GET: 'get', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' }[method] ?? method.toLowerCase()
  );
}
