import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { badRequest, invalid } from '@slipway/api-machinery/errors/status-errors';
import { builtInSchema } from '@slipway/api-machinery/schema/type-table';
import { type KubeObject, StatusError } from '@slipway/kube';
import { protobuf } from '../request/negotiate.js';
import { parseInteger, type Query } from '../request/query.js';
import type { RequestBody } from '../request/request.js';
import { dryRunProblems } from '../request/write-options.js';
import { mediaTypeOf, notAnObject, objectMediaTypes, readDocument, typeProblem, unsupportedMediaType } from './body.js';
import { scheme } from './require-kind.js';

export type Propagation = 'Orphan' | 'Background' | 'Foreground';

/** `DeleteOptions`, from the body or the query. */
export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly propagation: Propagation | undefined;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
  /** Whether an object is to be deleted that the store cannot read; all that are here can be read. */
  readonly ignoresStoreErrors: boolean;
}

/**
 * Reads the options of a delete. A body counts before the query.
 *
 * @throws StatusError BadRequest, Invalid or UnsupportedMediaType.
 */
export function readDeleteOptions(
  query: Query,
  body: RequestBody | undefined,
  contentType: string | undefined,
): DeleteOptions {
  const given = readBody(body, contentType) ?? fromQuery(query);
  const errors: FieldError[] = [];
  const propagation = given.propagationPolicy;
  if (given.orphanDependents !== undefined && propagation !== undefined) {
    const detail = 'orphanDependents and deletionPropagation cannot be both set';
    errors.push({ type: 'Invalid', field: 'propagationPolicy', value: propagation, detail });
  }
  if (propagation !== undefined && !isPropagation(propagation)) {
    const detail = 'supported values: "Foreground", "Background", "Orphan", "nil"';
    errors.push({ type: 'NotSupported', field: 'propagationPolicy', value: propagation, detail });
  }
  const dryRun = Array.isArray(given.dryRun) ? given.dryRun.map(String) : [];
  errors.push(...dryRunProblems(dryRun), ...unsafeProblems(given));
  if (errors.length > 0) throw invalid('DeleteOptions', 'meta.k8s.io', '', errors);
  return {
    dryRun: dryRun.length > 0,
    gracePeriodSeconds: asInteger(given.gracePeriodSeconds),
    propagation: isPropagation(propagation) ? propagation : legacyPropagation(given.orphanDependents),
    preconditions: Object(given.preconditions) as DeleteOptions['preconditions'],
    ignoresStoreErrors: given.ignoreStoreReadErrorWithClusterBreakingPotential === true,
  };
}

/** What cannot be read is deleted alone, and without looking at it. */
function unsafeProblems(given: Given): FieldError[] {
  if (given.ignoreStoreReadErrorWithClusterBreakingPotential !== true) return [];
  const field = 'ignoreStoreReadErrorWithClusterBreakingPotential';
  const others = [
    ...(given.propagationPolicy !== undefined ? ['propagationPolicy'] : []),
    ...(given.orphanDependents !== undefined ? ['orphanDependents'] : []),
    ...(given.gracePeriodSeconds !== undefined ? ['gracePeriodSeconds'] : []),
    ...(given.preconditions !== undefined ? ['preconditions'] : []),
  ];
  return others.map((name) => ({
    type: 'Invalid',
    field,
    value: true,
    detail: `cannot be set together with .${name}`,
  }));
}

interface Given {
  readonly gracePeriodSeconds?: unknown;
  readonly propagationPolicy?: unknown;
  readonly orphanDependents?: unknown;
  readonly preconditions?: unknown;
  readonly dryRun?: unknown;
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: unknown;
}

const optionsSchema = builtInSchema('meta.v1.DeleteOptions');

function readBody(body: RequestBody | undefined, contentType: string | undefined): Given | undefined {
  if (!body || ('bytes' in body && body.bytes.length === 0)) return undefined;
  const type = mediaTypeOf(contentType);
  if (type === protobuf && 'bytes' in body) return optionsSchema.decodeProtobuf?.(body.bytes) as Given | undefined;
  if (type !== 'application/json' && type !== 'application/yaml') throw unsupportedMediaType(objectMediaTypes);
  const { value } = readDocument(body, type, 'DeleteOptions', unreadable);
  if (value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) throw unreadable(notAnObject(value));
  const options = value as KubeObject;
  requireKind(options);
  try {
    optionsSchema.admit(options);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw badRequest(error.message.replace(/^.* cannot be handled as a .*?: /, ''));
  }
  return options as Given;
}

function unreadable(why: string): StatusError {
  return badRequest(`couldn't get version/kind; json parse error: ${why}`);
}

/** Options may name any version that there is. */
function requireKind(options: KubeObject): void {
  const problem = typeProblem(options);
  if (problem !== undefined) throw badRequest(problem);
  options.apiVersion ||= 'meta.k8s.io/v1';
  options.kind ||= 'DeleteOptions';
  const { apiVersion, kind } = options;
  if (kind === 'DeleteOptions') return;
  const named = `version ${JSON.stringify(apiVersion)} in scheme "${scheme}"`;
  throw badRequest(`no kind ${JSON.stringify(kind)} is registered for ${named}`);
}

const unsafeOption = 'ignoreStoreReadErrorWithClusterBreakingPotential';

function fromQuery(query: Query): Given {
  const grace = query.get('gracePeriodSeconds');
  const policy = query.get('propagationPolicy');
  const orphan = query.get('orphanDependents') === undefined ? undefined : query.flag('orphanDependents');
  return {
    ...(grace === undefined ? {} : { gracePeriodSeconds: parseInteger(grace) }),
    ...(policy === undefined ? {} : { propagationPolicy: policy }),
    ...(orphan === undefined ? {} : { orphanDependents: orphan }),
    dryRun: query.all('dryRun'),
    ...(query.get(unsafeOption) !== undefined && { [unsafeOption]: query.flag(unsafeOption) }),
  };
}

function isPropagation(value: unknown): value is Propagation {
  return value === 'Orphan' || value === 'Background' || value === 'Foreground';
}

function legacyPropagation(orphanDependents: unknown): Propagation | undefined {
  return orphanDependents === undefined || orphanDependents === null
    ? undefined
    : orphanDependents === true
      ? 'Orphan'
      : 'Background';
}

function asInteger(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  return parseInteger(String(value));
}
