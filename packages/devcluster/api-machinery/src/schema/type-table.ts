import { type KubeObject, QuantityError } from '@slipway/kube';
import { badRequest } from '../errors/status-errors.js';
import { admitMessage, type Found } from './admit-message.js';
import { cannotBeHandled } from './cannot-be-handled.js';
import { TimeError } from './canonical-time.js';
import { decodeMessage, ProtobufError, readEnvelope } from './decode-protobuf.js';
import { dropDisabledFields } from './disabled-fields.js';
import { withoutEmptyLists } from './empty-lists.js';
import { mergeFacts } from './merge-facts.js';
import { type Message, type MessageTable, shippedTable } from './message-table.js';
import type { ObjectSchema } from './object-schema.js';
import { definitionName, openapiDefinitions } from './openapi-definitions.js';
import { inTypeOrder } from './type-order.js';
import { UnmarshalError } from './unmarshal-error.js';
import { wrapIntegers } from './wrap-integers.js';

/**
 * The schema of a built-in kind, or of any message of the type table such as
 * `meta.v1.DeleteOptions`. Costs nothing until it is used; the table is read then.
 * @param message id in the table: `apps.v1.Deployment`
 * @param minor minor version of Kubernetes; default: the newest
 */
export function builtInSchema(message: string, minor?: number): ObjectSchema {
  return tableSchema(() => shippedTable(minor), message);
}

/** The same over a table of one's own. */
export function tableSchema(table: () => MessageTable, id: string): ObjectSchema {
  let message: Message | undefined;
  let openapi: ReturnType<ObjectSchema['openapi']> | undefined;
  const own = () => {
    message ??= table().message(id);
    return message;
  };

  const admit = (object: KubeObject) => {
    const found: Found = { unknown: [] };
    try {
      const top = { outer: undefined, step: undefined, named: false, type: own() };
      admitMessage(own(), object, top, found);
      if (found.mismatch) throw found.mismatch;
    } catch (error) {
      if (error instanceof UnmarshalError || error instanceof QuantityError || error instanceof TimeError) {
        throw cannotBeHandled(object.kind, versionOf(object.apiVersion), error.message, error);
      }
      throw error;
    }
    return { unknown: found.unknown };
  };

  return {
    admit,
    applyDefaults: () => {},
    dropDisabled: (object, old, isEnabled) => dropDisabledFields(own(), object, old, isEnabled),
    decodeProtobuf(body) {
      const object = decode(table(), own(), body);
      admit(object);
      return object;
    },
    wrapIntegers: (object) => wrapIntegers(own(), object),
    toStored: (object) => withoutEmptyLists(own(), object),
    inOrder: (object) => inTypeOrder(own(), object) as KubeObject,
    get root() {
      return mergeFacts(own());
    },
    openapi() {
      openapi ??= { name: definitionName(table(), own()), definitions: openapiDefinitions(table(), own()) };
      return openapi;
    },
  };
}

/** @throws StatusError BadRequest, whatever the bytes are */
function decode(table: MessageTable, message: Message, body: Uint8Array): KubeObject {
  const [group = '', version = '', kind = message.name] = table.head.kinds[message.id] ?? [];
  try {
    const envelope = readEnvelope(body);
    const apiVersion = envelope.apiVersion || (group === '' ? version : `${group}/${version}`);
    const given = envelope.kind || kind;
    if (given !== kind) {
      throw badRequest(
        `${given} in version ${JSON.stringify(versionOf(apiVersion))} cannot be handled as a ${kind}: ` +
          `the bytes are of another message`,
      );
    }
    return { apiVersion, kind: given, metadata: {}, ...decodeMessage(message, envelope.raw) };
  } catch (cause) {
    if (!(cause instanceof ProtobufError)) throw cause;
    throw badRequest(`the object provided is unrecognized (must be of type ${kind}): ${cause.message}`);
  }
}

function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf('/') + 1);
}
