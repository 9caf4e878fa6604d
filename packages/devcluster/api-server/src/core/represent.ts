import { statusError } from '@slipway/api-machinery/errors/status-errors';
import { apiVersionOf, stringifyJson } from '@slipway/kube';
import { internalPackage } from '../registry/internal-package.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import type { ApiAnswer } from '../request/request.js';
import { jsonAnswer } from '../response/answers.js';
import { itemEncoder, untyped } from '../response/list-items.js';
import {
  bareOf,
  type ListMeta,
  leanBareOf,
  leanOf,
  listPayload,
  longPayload,
  type Served,
  servedPayload,
  valuePayload,
} from '../response/payloads.js';
import {
  partialOf,
  partialText,
  readIncludeObject,
  type TableStyle,
  tableOf,
  tablePayload,
} from '../response/table.js';
import type { Call, Core } from './core.js';

/** One object, in the form the client asked for. */
export function objectAnswer(
  core: Core,
  call: Call,
  status: number,
  served: Served,
  warnings?: readonly string[],
): ApiAnswer {
  const { as, version } = call.representation;
  switch (as) {
    case 'object':
      return jsonAnswer(status, servedPayload(served), warnings);
    case 'Table': {
      const { resourceVersion = '' } = served.object.metadata;
      const table = tableOf([served.object], { resourceVersion }, tableStyle(core, call));
      return jsonAnswer(status, valuePayload(table), warnings);
    }
    case 'PartialObjectMetadata':
      return jsonAnswer(status, valuePayload(partialOf(bareOf(served), version)), warnings);
    default:
      throw notAList(call.definition);
  }
}

/** A list, in the form the client asked for. */
export function listAnswer(core: Core, call: Call, items: readonly Served[], metadata: ListMeta): ApiAnswer {
  const { definition, representation } = call;
  switch (representation.as) {
    case 'object': {
      // Lists of custom resources always say that nothing follows; others leave it out.
      const meta = definition.origin === 'custom' ? { continue: '', ...metadata } : metadata;
      const head = { kind: definition.listKind, apiVersion: apiVersionOf(definition), metadata: meta };
      if (definition.origin === 'custom') return jsonAnswer(200, listPayload(head, items));
      const encode = itemEncoder(definition);
      return jsonAnswer(200, listPayload(head, items, { encode, value: ({ object }) => untyped(object) }));
    }
    case 'Table':
      return jsonAnswer(200, tablePayload(inRowOrder(definition, items), metadata, tableStyle(core, call)));
    default: {
      if (representation.as === 'PartialObjectMetadata' && definition.origin === 'built-in')
        throw notAnObject(definition);
      const { version } = representation;
      const head = { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${version}`, metadata };
      if (items.length === 0) return jsonAnswer(200, valuePayload({ ...head, items: null }));
      const payload = longPayload({
        head,
        field: 'items',
        items,
        encode: (item) => partialText(stringifyJson(bareOf(item).metadata), version),
        value: (item) => partialOf(bareOf(item), version),
        lean: (item) => partialOf(leanBareOf(item), version),
      });
      return jsonAnswer(200, payload);
    }
  }
}

function inRowOrder({ rowOrder }: ResourceDefinition, items: readonly Served[]): readonly Served[] {
  return rowOrder ? [...items].sort((a, b) => rowOrder(leanOf(a), leanOf(b))) : items;
}

/** Returns the form of tables that a call requests. */
export function tableStyle(core: Core, call: Call): TableStyle {
  return {
    columns: call.definition.columns,
    nameless: call.definition.namelessRows ?? false,
    includeObject: readIncludeObject(call.query.get('includeObject')),
    version: call.representation.version,
    nowMs: core.clock.now(),
  };
}

/** The form that was asked for is one of lists. */
function notAList(definition: ResourceDefinition) {
  if (definition.origin === 'custom') return statusError(500, undefined, 'content is not a list');
  const message = `you requested PartialObjectMetadataList, but the requested object is not a list (${goType(definition)})`;
  return statusError(406, 'NotAcceptable', message);
}

/** The form that was asked for is one of objects. */
function notAnObject(definition: ResourceDefinition) {
  const type = `*${internalPackage(definition)}.${definition.listKind}`;
  const message = `you requested PartialObjectMetadata, but the requested object is a list (${type})`;
  return statusError(406, 'NotAcceptable', message);
}

function goType(definition: ResourceDefinition): string {
  return `*${internalPackage(definition)}.${definition.kind}`;
}
