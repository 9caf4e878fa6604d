import { describeFieldErrors } from '@slipway/api-machinery/errors/field-errors';
import { goTypeOf } from '@slipway/api-machinery/json/go-text';
import { isJsonObject } from '@slipway/api-machinery/json/json-value';
import { copyWith, type KubeObject } from '@slipway/kube';
import { annotationProblems, labelMapProblems } from '@slipway/kube-objects/rules/labels-and-annotations';

const group = 'apiextensions.k8s.io';

/** A conversion of one object that a webhook is asked for. */
export interface ConversionRequest {
  readonly object: KubeObject;
  readonly to: string;
  readonly uid: string;
  /** The first of the versions of reviews that the webhook knows and we do: `v1` or `v1beta1`. */
  readonly reviewVersion: string;
}

/** Returns the review that is sent. */
export function conversionReview({ object, to, uid, reviewVersion }: ConversionRequest): object {
  return {
    kind: 'ConversionReview',
    apiVersion: `${group}/${reviewVersion}`,
    request: { uid, desiredAPIVersion: to, objects: [object] },
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  };
}

/**
 * Returns the converted object of an answer. Its metadata is that of the object, with the labels and annotations of the
 * answer.
 * @throws Error in the words of Kubernetes
 */
export function convertedObject(answer: unknown, request: ConversionRequest): KubeObject {
  const { object, to } = request;
  const { apiVersion, kind } = object;
  const [groupName, version] = apiVersion.split('/');
  const what = `conversion webhook for ${groupName}/${version}, Kind=${kind}`;
  const converted = answered(answer, request, what);
  const fail = (why: string) => new Error(`${what} returned ${why}`);
  const got = converted.apiVersion;
  if (got !== to) throw fail(`invalid object at index 0: invalid groupVersion (expected ${to}, received ${got})`);
  if (converted.kind !== kind) {
    throw fail(`invalid object at index 0: invalid kind (expected ${kind}, received ${converted.kind})`);
  }
  const isObject = isJsonObject(converted.metadata);
  const given: Record<string, unknown> = isObject ? { ...converted.metadata } : {};
  for (const [field, label] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const [before = '', after = ''] = [object.metadata[field], given[field]];
    if (before !== after) throw fail(`invalid object: must have the same ${label}: ${before} != ${after}`);
  }
  const metadata: Record<string, unknown> = { ...object.metadata };
  for (const field of ['labels', 'annotations'] as const) {
    const problem = mapProblem(field, given[field], object);
    if (problem !== undefined) throw fail(`invalid metadata: ${problem}`);
    if (given[field] === undefined || given[field] === null) delete metadata[field];
    else metadata[field] = given[field];
  }
  return copyWith(converted, { metadata: metadata as KubeObject['metadata'] }) as KubeObject;
}

/** The object of an answer, if that is one to the request. @throws Error */
function answered(answer: unknown, { uid, reviewVersion }: ConversionRequest, what: string): KubeObject {
  const failed = (why: string) => new Error(`${what} failed: ${why}`);
  const { apiVersion, kind, response } = Object(answer);
  if (apiVersion !== `${group}/${reviewVersion}` || kind !== 'ConversionReview') {
    const got = String(apiVersion).split('/').at(-1);
    throw failed(`converting (${got}.${kind}) to (${reviewVersion}.ConversionReview): unknown conversion`);
  }
  if (!isJsonObject(response)) throw failed('no response provided');
  if (reviewVersion === 'v1' && response.uid !== uid) {
    throw failed(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`);
  }
  const { status = '', message = '' } = Object(response.result);
  if (status !== 'Success') throw failed(message || `response.result.status was '${status}', not 'Success'`);
  const converted = Array.isArray(response.convertedObjects) ? response.convertedObjects : [];
  if (converted.length !== 1) throw new Error(`${what} returned ${converted.length} objects, expected 1`);
  return Object(converted[0]);
}

/** What is wrong with labels or annotations that a webhook changed. */
function mapProblem(field: 'labels' | 'annotations', value: unknown, { metadata }: KubeObject): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) return `invalid metadata.${field} of type ${goTypeOf(value)} in converted object`;
  for (const [key, text] of Object.entries(value)) {
    if (typeof text === 'string') continue;
    return `metadata.${field}[${key}] must be a string, but is ${goTypeOf(text)} in converted object`;
  }
  if (JSON.stringify(value) === JSON.stringify(metadata[field])) return undefined;
  const texts = value as Readonly<Record<string, string>>;
  const errors = field === 'labels' ? labelMapProblems(texts) : annotationProblems(texts);
  return errors.length > 0 ? describeFieldErrors(errors) : undefined;
}
