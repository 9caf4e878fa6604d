import { badRequest, invalid } from '@slipway/api-machinery/errors/status-errors';
import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { goText, sortedKeys } from '@slipway/api-machinery/json/go-text';
import { isJsonObject, type JsonObject } from '@slipway/api-machinery/json/json-value';
import { jsonPatching } from '@slipway/api-machinery/patch/json-patch';
import { mergePatching } from '@slipway/api-machinery/patch/merge-patch';
import { doesNotApply } from '@slipway/api-machinery/patch/refusals';
import { strategicMerging } from '@slipway/api-machinery/patch/strategic-merge';
import { JsonError } from '@slipway/api-machinery/schema/json-scanner';
import { minorOf } from '@slipway/api-machinery/schema/supported-versions';
import { type KubeObject, StatusError, stringifyJson } from '@slipway/kube';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { copyBody } from '../request/json-copy.js';
import type { ApiRequest } from '../request/request.js';
import { duplicateFields, mediaTypeOf, unsupportedMediaType } from './body.js';
import { readJsonBody } from './large-json.js';

/** A patch that was read: what it makes of an object, and what its text held that strict validation reports. */
export interface Patch {
  apply(original: KubeObject): Resumable<KubeObject>;
  /** `duplicate field "spec.a"`, `json patch unknown field "[1].extra"`. */
  readonly problems: readonly string[];
  /** What a refusal shows of what the patch made of an object. */
  readonly shown: (result: unknown, original: KubeObject) => unknown;
  /** Whether the result is of the kind that was patched, whatever the patch says. */
  readonly keepsType?: true;
}

const jsonPatch = 'application/json-patch+json';
const mergePatch = 'application/merge-patch+json';
const strategicMergePatch = 'application/strategic-merge-patch+json';
const applyYaml = 'application/apply-patch+yaml';

/** Whether a PATCH is an apply: a configuration rather than a change. */
export function isApply({ headers }: ApiRequest): boolean {
  return headers['content-type'] !== undefined && mediaTypeOf(headers['content-type']) === applyYaml;
}

/**
 * Returns the media type of a PATCH.
 *
 * @throws StatusError UnsupportedMediaType.
 */
export function patchTypeOf(definition: ResourceDefinition, { headers }: ApiRequest): string {
  const type = headers['content-type'] ? mediaTypeOf(headers['content-type']) : '';
  const builtIn = definition.origin === 'built-in';
  if (type === jsonPatch || type === mergePatch || (type === strategicMergePatch && builtIn)) return type;
  throw unsupportedMediaType([jsonPatch, mergePatch, ...(builtIn ? [strategicMergePatch] : []), applyYaml]);
}

/**
 * Reads the body of a PATCH of a media type as a server of `version` does.
 *
 * @throws StatusError BadRequest.
 */
export function readPatch(
  definition: ResourceDefinition,
  type: string,
  body: ApiRequest['body'],
  version: string,
): Patch {
  const { value, duplicates } = readPatchDocument(body, version);
  const problems = duplicateFields(duplicates);
  const inOrder = (original: KubeObject) => definition.schema.inOrder?.(original) ?? sortedKeys(original);
  const shown =
    minorOf(version) < 37
      ? (result: unknown) => result
      : (result: unknown, original: KubeObject) => sortedWhereChanged(result, original, inOrder(original));
  switch (type) {
    case jsonPatch:
      return {
        apply: (original) => patching(original, value, minorOf(version) >= 37),
        problems: [...duplicates.map((path) => `json patch duplicate field "${path}"`), ...unknownMembers(value)],
        shown,
      };
    case mergePatch:
      return {
        apply: (original) => mergePatching(original, value) as Resumable<KubeObject>,
        problems,
        shown,
      };
    default:
      return {
        apply: (original) => strategicMerging(original, value, definition.schema.root) as Resumable<KubeObject>,
        problems,
        shown: () => goText(value),
        keepsType: true,
      };
  }
}

/** From 1.37 on an operation that cannot be read is one that does not apply, and missing members may be replaced. */
function* patching(original: KubeObject, operations: unknown, isNew: boolean): Resumable<KubeObject> {
  try {
    return (yield* jsonPatching(original, operations, isNew ? 'taken' : 'refused')) as KubeObject;
  } catch (error) {
    const isUnread = error instanceof StatusError && error.message.startsWith('invalid operation ');
    throw isUnread && isNew ? doesNotApply(error) : error;
  }
}

function readPatchDocument(body: ApiRequest['body'], version: string) {
  if (body && 'value' in body) return { value: copyBody(body), duplicates: [] };
  try {
    return readJsonBody(body?.bytes ?? new Uint8Array());
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw badRequest(minorOf(version) < 37 ? `error decoding patch: ${error.message}` : 'invalid JSON patch');
  }
}

/** Members of operations that JSON Patch does not have. */
function unknownMembers(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  const known = ['op', 'path', 'from', 'value'];
  return value.flatMap((operation: unknown, index) =>
    Object.keys(Object(operation))
      .filter((member) => !known.includes(member))
      .map((member) => `json patch unknown field "[${index}].${member}"`),
  );
}

/**
 * From 1.37 on the result of a patch has its fields in the order of their names, but where it is as it was.
 *
 * @param written the original as the server writes it
 */
function sortedWhereChanged(result: unknown, original: unknown, written: unknown): unknown {
  if (result === original) return written;
  if (!isJsonObject(result)) return sortedKeys(result);
  const [before, asWritten] = [original, written].map((value) => (isJsonObject(value) ? value : {})) as [
    JsonObject,
    JsonObject,
  ];
  const keys = Object.keys(result).sort();
  return Object.fromEntries(keys.map((key) => [key, sortedWhereChanged(result[key], before[key], asWritten[key])]));
}

/** 422 for a patch whose result is not an object of the kind. The message shows that result. */
export function unacceptable(result: unknown, why: string): StatusError {
  const value = typeof result === 'string' ? result : stringifyJson(result);
  const error = { type: 'Invalid', field: 'patch', value, detail: why } as const;
  return invalid('', '', '', [error]);
}
