import { decodeManagers, encodeManagers } from '@slipway/api-machinery/apply/managers';
import { fieldElement } from '@slipway/api-machinery/apply/path-element';
import {
  ownersAfterScale,
  ownersOfScale,
  type ReplicasAt,
  scaleVersion,
} from '@slipway/api-machinery/apply/scale-owners';
import {
  badRequest,
  conflict,
  invalid,
  methodNotSupported,
  notFound,
  statusError,
} from '@slipway/api-machinery/errors/status-errors';
import { runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import { minorOf } from '@slipway/api-machinery/schema/supported-versions';
import { apiVersionOf, type KubeObject, type LabelSelector, labelSelectorToString, StatusError } from '@slipway/kube';
import type { Entry } from '@slipway/object-store/store';
import type { Call, Core } from '../core/core.js';
import { tableStyle } from '../core/represent.js';
import { printerColumns } from '../crd/printer-columns.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { copyJson } from '../request/json-copy.js';
import type { ApiAnswer } from '../request/request.js';
import { readApplyOptions, readWriteOptions, type WriteOptions } from '../request/write-options.js';
import { jsonAnswer } from '../response/answers.js';
import { type Served, valuePayload } from '../response/payloads.js';
import { tableOf } from '../response/table.js';
import { readConfiguration, requireConfiguration } from '../write/apply-body.js';
import { applyToObject } from '../write/apply-object.js';
import { admittingObject, decodeObject, mediaTypeOf, readDocument } from '../write/body.js';
import { type Owners, ownersIn, ownersOfChanged, setOwners } from '../write/owners.js';
import { isApply, patchTypeOf, readPatch, unacceptable } from '../write/patch-body.js';
import { scheme } from '../write/require-kind.js';
import { otherUid } from '../write/storage-key.js';
import { updateObject } from '../write/update-object.js';
import { matchName, matchNamespace } from '../write/write-guards.js';
import { bodyKind } from './body-kind.js';
import { readPath, writePath } from './json-path.js';

/** Serves the present and the desired number of replicas of an object of any kind, as `autoscaling/v1` Scale. */
export async function scale(core: Core, call: Call): Promise<ApiAnswer> {
  switch (call.request.method) {
    case 'GET':
    case 'HEAD':
      return await read(core, call);
    case 'PUT':
      return put(core, call);
    case 'PATCH':
      return isApply(call.request) ? apply(core, call) : patch(core, call);
    default:
      throw methodNotSupported(call.definition, call.request.method.toLowerCase());
  }
}

function put(core: Core, call: Call): Promise<ApiAnswer> {
  const options = readWriteOptions(call.query, 'UpdateOptions');
  const { body, headers } = call.request;
  if (call.definition.origin === 'custom') requireScale(body, headers['content-type'], core.version);
  const { object, warnings } = decodeObject(scaleKind, body, headers['content-type'], options.fieldValidation);
  for (const text of warnings) call.warn(text);
  matchNamespace(call, object);
  matchName(call, object);
  const make = (before: KubeObject) => ({ object, owners: ownersOf(core, call, object, before, options) });
  return write(core, call, options, make, 'must fit');
}

/**
 * Anything but a scale of `autoscaling/v1` is refused where custom resources are: their server
 * knows this kind in no other version. Up to 1.36 it names where it keeps its kinds by a line of its own.
 */
function requireScale(body: Call['request']['body'], contentType: string | undefined, version: string): void {
  const type = mediaTypeOf(contentType);
  if (type !== 'application/json' && type !== 'application/yaml') return;
  const { apiVersion } = Object(readDocument(body, type, 'Scale').value) as { apiVersion?: unknown };
  if (typeof apiVersion !== 'string' || apiVersion === '' || apiVersion === scaleVersion) return;
  const place =
    minorOf(version) < 37 ? 'k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go:781' : scheme;
  throw badRequest(`no kind is registered for the type v1.Scale in scheme ${JSON.stringify(place)}`);
}

function patch(core: Core, call: Call): Promise<ApiAnswer> {
  const type = patchTypeOf(call.definition, call.request);
  const options = readWriteOptions(call.query, 'PatchOptions');
  const definition = { ...call.definition, schema: scaleKind.schema };
  const read = readPatch(definition, type, call.request.body, core.version);
  const make = (before: KubeObject) => {
    const object = copyJson(runToCompletion(read.apply(before)));
    try {
      const decoded = runToCompletion(admittingObject(scaleKind, object, [], 'Ignore'));
      if (options.fieldValidation !== 'Ignore') for (const text of read.problems) call.warn(text);
      const owners = ownersOf(core, call, decoded.object, before, options);
      return { object: decoded.object, owners };
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const why = error.message.replace(/^Scale in version "v1" cannot be handled as a Scale: /, '');
      throw unacceptable(read.shown(runToCompletion(read.apply(before)), before), why);
    }
  };
  return write(core, call, options, make, 'are not looked at');
}

function apply(core: Core, call: Call): Promise<ApiAnswer> {
  const options = readApplyOptions(call.query);
  const read = readConfiguration(call.request.body, core.version);
  stored(core, call);
  requireConfiguration(scaleKind, read);
  const { config, problems } = read;
  if (options.fieldValidation !== 'Ignore') for (const text of problems) call.warn(text);
  const make = (before: KubeObject) => {
    const applied = runToCompletion(
      applyToObject(core, { ...call, definition: scaleKind }, before, { config, ...options }),
    );
    // The real server cannot turn what was applied back into a scale of a custom resource.
    if (call.definition.origin === 'custom' && applied.object.spec?.replicas !== before.spec?.replicas) {
      const why = `request to convert CR to an invalid group/version: ${scaleVersion}`;
      throw statusError(
        500,
        undefined,
        `failed to convert new object (/${call.name}; ${scaleVersion}, Kind=Scale) to proper version: ${why}`,
      );
    }
    return applied;
  };
  return write(core, call, options, make, 'must fit');
}

function ownersOf(
  core: Core,
  call: Call,
  object: KubeObject,
  before: KubeObject,
  { fieldManager }: WriteOptions,
): Owners {
  return runToCompletion(ownersOfChanged(core, { ...call, definition: scaleKind }, object, before, fieldManager));
}

interface NewScale {
  readonly object: KubeObject;
  /** Who owns what of the scale. */
  readonly owners: Owners;
}

async function write(
  core: Core,
  call: Call,
  options: WriteOptions,
  make: (before: KubeObject) => NewScale,
  uids: 'must fit' | 'are not looked at',
): Promise<ApiAnswer> {
  const paths = pathsOf(call);
  const replicasAt = replicasPaths(core, call);
  let owners: Owners;
  const served = await updateObject(core, call, {
    make: (old) => {
      const managers = runToCompletion(decodeManagers(old.metadata.managedFields));
      const before = scaleOf(call, old);
      setOwners(before, runToCompletion(encodeManagers(ownersOfScale(managers, replicasAt))));
      const made = make(before);
      const wanted = made.object;
      matchName(call, wanted);
      matchNamespace(call, wanted);
      const { uid, resourceVersion } = wanted.metadata;
      if (uids === 'must fit' && uid && uid !== old.metadata.uid)
        throw conflict(call.definition, call.name, otherUid(core, call, uid, old.metadata.uid, options.dryRun));
      const replicas = wanted.spec?.replicas;
      if (typeof replicas === 'number' && replicas < 0 && call.definition.origin === 'built-in') {
        throw invalid('Scale', 'autoscaling', call.name, [
          { type: 'Invalid', field: 'spec.replicas', value: replicas, detail: 'must be greater than or equal to 0' },
        ]);
      }
      const ofScale = runToCompletion(decodeManagers(made.owners));
      const after = ownersAfterScale(managers, ofScale, replicasAt, apiVersionOf(call.definition));
      owners = runToCompletion(ownersIn(core, call.definition, after));
      const object = copyJson(old);
      if (resourceVersion) object.metadata.resourceVersion = resourceVersion;
      writePath(object, paths.specReplicasPath, replicas ?? 0);
      return object;
    },
    owners: () => owners,
    face: {
      kind: scaleKind,
      of: (object) => scaleOf(call, object),
      keep: (face, object) => writePath(object, paths.specReplicasPath, face.spec?.replicas ?? 0),
    },
    dryRun: options.dryRun,
    mayOmitVersion: true,
    uidIsPrecondition: true,
  });
  return answer(core, call, served);
}

/** Where each version of the kind has its number of replicas. */
function replicasPaths(core: Core, { definition }: Call): ReplicasAt {
  return (apiVersion) => {
    const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
    const face =
      apiVersion === apiVersionOf(definition)
        ? definition
        : core.definitions.find(definition.group, version, definition.plural);
    const path = face?.subresources.scale?.specReplicasPath;
    if (path !== undefined) return path.split('.').filter(Boolean).map(fieldElement);
    return face || definition.typeAt?.(apiVersion) ? null : undefined;
  };
}

async function read(core: Core, call: Call): Promise<ApiAnswer> {
  const served = await core.conversion.read(call.definition, stored(core, call));
  const path = pathsOf(call).specReplicasPath;
  if (call.definition.origin === 'custom' && readPath(served.object, path) === undefined) {
    const message = `the spec replicas field ${JSON.stringify(path)} does not exist`;
    throw statusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
  }
  return answer(core, call, served);
}

function stored(core: Core, call: Call): Entry {
  const entry = core.store.get(call.definition.storedAs, call.namespace, call.name);
  if (!entry) throw notFound(call.definition, call.name);
  return entry;
}

function answer(core: Core, call: Call, { object }: Served): ApiAnswer {
  const value = scaleOf(call, object);
  if (call.representation.as !== 'Table') return jsonAnswer(200, valuePayload(value));
  const { resourceVersion = '' } = value.metadata;
  const table = tableOf([value], { resourceVersion }, { ...tableStyle(core, call), columns: scaleColumns });
  return jsonAnswer(200, valuePayload(table));
}

function scaleOf(call: Call, object: KubeObject): KubeObject {
  const paths = pathsOf(call);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = readPath(object, paths.specReplicasPath);
  const selector = paths.labelSelectorPath ? selectorText(readPath(object, paths.labelSelectorPath)) : '';
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: JSON.parse(JSON.stringify({ name, namespace, uid, resourceVersion, creationTimestamp })),
    // Zero is what the encoding leaves out.
    spec: replicas ? { replicas } : {},
    status: {
      replicas: Number(readPath(object, paths.statusReplicasPath) ?? 0),
      ...(selector === '' ? {} : { selector }),
    },
  };
}

/** A selector as text; custom resources keep it so, built-in kinds as an object, replication controllers as labels. */
function selectorText(selector: unknown): string {
  if (typeof selector === 'string') return selector;
  const labels = Object(selector) as Record<string, string>;
  if (Object.values(labels).every((value) => typeof value === 'string')) {
    return labelSelectorToString({ matchLabels: labels });
  }
  return labelSelectorToString(Object(selector) as LabelSelector);
}

function pathsOf(call: Call) {
  const { scale: paths } = call.definition.subresources;
  if (!paths) throw notFound(call.definition, call.name);
  return paths;
}

const scaleColumns: ResourceDefinition['columns'] = [
  {
    name: 'Desired',
    type: 'integer',
    description: 'Number of desired replicas',
    priority: 0,
    cell: ({ spec }) => spec.replicas ?? 0,
  },
  {
    name: 'Available',
    type: 'integer',
    description: 'Number of actual replicas',
    priority: 0,
    cell: ({ status }) => status.replicas,
  },
  ...printerColumns(undefined),
];

/** Scale as far as reading a body needs to know it. */
const scaleKind = bodyKind('autoscaling', 'v1', 'Scale', 'autoscaling.v1.Scale');
