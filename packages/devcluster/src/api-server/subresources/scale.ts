import { type KubeObject, type LabelSelector, labelSelectorToString, StatusError } from '@slipway/kube';
import { printerColumns } from '../../crd/printer-columns.js';
import type { ResourceDefinition } from '../../registry/resource-definition.js';
import { conflict, invalid, methodNotSupported, notFound } from '../../registry/status-errors.js';
import { jsonAnswer } from '../answers.js';
import type { Call, Core } from '../core.js';
import { type Served, serve, valuePayload } from '../payloads.js';
import { tableStyle } from '../represent.js';
import type { ApiAnswer } from '../request.js';
import { tableOf } from '../table.js';
import { admitObject, decodeObject, fieldProblems } from '../write/body.js';
import { copyJson } from '../write/json-copy.js';
import { readPatch, unacceptable } from '../write/patch-body.js';
import { updateObject } from '../write/update-object.js';
import { matchName, matchNamespace } from '../write/write-guards.js';
import { readWriteOptions, type WriteOptions } from '../write-options.js';
import { bodyKind } from './body-kind.js';
import { readPath, writePath } from './json-path.js';

/** How many replicas an object has and should have, whatever its kind: `autoscaling/v1` Scale. */
export async function scale(core: Core, call: Call): Promise<ApiAnswer> {
  switch (call.request.method) {
    case 'GET':
    case 'HEAD':
      return answer(core, call, stored(core, call), []);
    case 'PUT': {
      const options = readWriteOptions(call.query, 'UpdateOptions');
      const { body, headers } = call.request;
      const decoded = decodeObject(scaleKind, body, headers['content-type'], options.fieldValidation);
      return write(core, call, options, () => decoded, true);
    }
    case 'PATCH':
      return patch(core, call);
    default:
      throw methodNotSupported(call.definition, call.request.method.toLowerCase());
  }
}

function patch(core: Core, call: Call): Promise<ApiAnswer> {
  const read = readPatch({ ...call.definition, schema: scaleKind.schema }, call.request);
  const options = readWriteOptions(call.query, 'PatchOptions');
  const made = (old: KubeObject) => {
    const before = scaleOf(call, old);
    const object = copyJson(read.apply(before));
    try {
      const decoded = admitObject(scaleKind, object, [], 'Ignore');
      const warnings = options.fieldValidation === 'Ignore' ? [] : [...read.problems, ...fieldProblems([], [])];
      return { object: decoded.object, warnings };
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const why = error.message.replace(/^Scale in version "v1" cannot be handled as a Scale: /, '');
      throw unacceptable(read.apply(before), why);
    }
  };
  return write(core, call, options, made, false);
}

interface NewScale {
  readonly object: KubeObject;
  readonly warnings: readonly string[];
}

async function write(
  core: Core,
  call: Call,
  options: WriteOptions,
  make: (old: KubeObject) => NewScale,
  isPut: boolean,
): Promise<ApiAnswer> {
  const paths = pathsOf(call);
  let warnings: readonly string[] = [];
  const served = await updateObject(core, call, {
    make: (old) => {
      const made = make(old);
      ({ warnings } = made);
      const wanted = made.object;
      matchName(call, wanted);
      matchNamespace(call, wanted);
      const { uid, resourceVersion } = wanted.metadata;
      if (isPut && uid && uid !== old.metadata.uid)
        throw conflict(call.definition, call.name, otherUid(call, old, uid));
      const replicas = wanted.spec?.replicas;
      if (typeof replicas === 'number' && replicas < 0 && call.definition.origin === 'built-in') {
        throw invalid('Scale', 'autoscaling', call.name, [
          { type: 'Invalid', field: 'spec.replicas', value: replicas, detail: 'must be greater than or equal to 0' },
        ]);
      }
      const object = copyJson(old);
      if (resourceVersion) object.metadata.resourceVersion = resourceVersion;
      writePath(object, paths.specReplicasPath, replicas ?? 0);
      return object;
    },
    dryRun: options.dryRun,
    mayOmitVersion: true,
    uidIsPrecondition: true,
  });
  return answer(core, call, served, warnings);
}

function otherUid(call: Call, old: KubeObject, uid: string): string {
  const { definition, namespace, name } = call;
  const key = `/registry/${[definition.group, definition.plural, namespace, name].filter(Boolean).join('/')}`;
  return (
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ` +
    `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`
  );
}

function stored(core: Core, call: Call): Served {
  const entry = core.store.get(call.definition.storedAs, call.namespace, call.name);
  if (!entry) throw notFound(call.definition, call.name);
  return serve(call.definition, entry);
}

function answer(core: Core, call: Call, { object }: Served, warnings: readonly string[]): ApiAnswer {
  const value = scaleOf(call, object);
  if (call.representation.as !== 'Table') return jsonAnswer(200, valuePayload(value), warnings);
  const { resourceVersion = '' } = value.metadata;
  const table = tableOf([value], { resourceVersion }, { ...tableStyle(core, call), columns: scaleColumns });
  return jsonAnswer(200, valuePayload(table), warnings);
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

/** A selector as text; custom resources keep it so, built-in kinds as an object. */
function selectorText(selector: unknown): string {
  if (typeof selector === 'string') return selector;
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
