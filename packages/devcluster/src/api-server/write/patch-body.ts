import { badRequest, invalid } from '@slipway/api-machinery/errors/status-errors';
import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { goText } from '@slipway/api-machinery/json/go-text';
import { jsonPatching } from '@slipway/api-machinery/patch/json-patch';
import { mergePatching } from '@slipway/api-machinery/patch/merge-patch';
import { strategicMerging } from '@slipway/api-machinery/patch/strategic-merge';
import { JsonError } from '@slipway/api-machinery/schema/json-scanner';
import { type KubeObject, type StatusError, stringifyJson } from '@slipway/kube';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import type { ApiRequest } from '../request/request.js';
import { duplicateFields, mediaTypeOf, unsupportedMediaType } from './body.js';
import { copyBody } from './json-copy.js';
import { readJsonBody } from './large-json.js';

/** A patch that was read: what it makes of an object, and what its text held that strict validation reports. */
export interface Patch {
  apply(original: KubeObject): Resumable<KubeObject>;
  /** `duplicate field "spec.a"`, `json patch unknown field "[1].extra"`. */
  readonly problems: readonly string[];
  /** What a refusal shows in place of the patched object. */
  readonly shown?: () => string;
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
 * Reads the body of a PATCH by its media type.
 *
 * @throws StatusError UnsupportedMediaType or BadRequest.
 */
export function readPatch(definition: ResourceDefinition, { body, headers }: ApiRequest): Patch {
  const type = headers['content-type'] ? mediaTypeOf(headers['content-type']) : '';
  const builtIn = definition.origin === 'built-in';
  if (type !== jsonPatch && type !== mergePatch && !(type === strategicMergePatch && builtIn)) {
    const accepted = [jsonPatch, mergePatch, ...(builtIn ? [strategicMergePatch] : []), applyYaml];
    throw unsupportedMediaType(accepted);
  }
  const { value, duplicates } = readPatchDocument(body);
  const problems = duplicateFields(duplicates);
  switch (type) {
    case jsonPatch:
      return {
        apply: (original) => jsonPatching(original, value) as Resumable<KubeObject>,
        problems: [...duplicates.map((path) => `json patch duplicate field "${path}"`), ...unknownMembers(value)],
      };
    case mergePatch:
      return { apply: (original) => mergePatching(original, value) as Resumable<KubeObject>, problems };
    default:
      return {
        apply: (original) => strategicMerging(original, value, definition.schema.root) as Resumable<KubeObject>,
        problems,
        shown: () => goText(value),
      };
  }
}

function readPatchDocument(body: ApiRequest['body']) {
  if (body && 'value' in body) return { value: copyBody(body), duplicates: [] };
  try {
    return readJsonBody(body?.bytes ?? new Uint8Array());
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw badRequest(`error decoding patch: ${error.message}`);
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

/** 422 for a patch whose result is not an object of the kind. The message shows that result. */
export function unacceptable(result: unknown, why: string): StatusError {
  const value = typeof result === 'string' ? result : stringifyJson(result);
  const error = { type: 'Invalid', field: 'patch', value, detail: why } as const;
  return invalid('', '', '', [error]);
}
