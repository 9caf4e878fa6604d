import type { KubeObject } from '@slipway/kube';
import { apiVersionOf } from '@slipway/kube';
import { statusError } from '../registry/status-errors.js';
import { jsonAnswer } from './answers.js';
import type { Call, Core } from './core.js';
import { bareOf, type ListMeta, listPayload, type Served, servedPayload, valuePayload } from './payloads.js';
import type { ApiAnswer } from './request.js';
import { partialOf, readIncludeObject, type TableStyle, tableOf } from './table.js';

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
      throw statusError(500, undefined, 'content is not a list');
  }
}

/** A list, in the form the client asked for. */
export function listAnswer(core: Core, call: Call, items: readonly Served[], metadata: ListMeta): ApiAnswer {
  const { definition, representation } = call;
  const objects = (): KubeObject[] => {
    const all = items.map((item) => item.object);
    return definition.rowOrder ? all.sort(definition.rowOrder) : all;
  };
  switch (representation.as) {
    case 'object': {
      // Lists of custom resources always say that nothing follows; others leave it out.
      const meta = definition.origin === 'custom' ? { continue: '', ...metadata } : metadata;
      const head = { kind: definition.listKind, apiVersion: apiVersionOf(definition), metadata: meta };
      return jsonAnswer(200, listPayload(head, items));
    }
    case 'Table':
      return jsonAnswer(200, valuePayload(tableOf(objects(), metadata, tableStyle(core, call))));
    default: {
      const { version } = representation;
      return jsonAnswer(
        200,
        valuePayload({
          kind: 'PartialObjectMetadataList',
          apiVersion: `meta.k8s.io/${version}`,
          metadata,
          items: items.map((item) => partialOf(bareOf(item), version)),
        }),
      );
    }
  }
}

/** How the tables of this call look. */
export function tableStyle(core: Core, call: Call): TableStyle {
  return {
    columns: call.definition.columns,
    nameless: call.definition.namelessRows ?? false,
    includeObject: readIncludeObject(call.query.get('includeObject')),
    version: call.representation.version,
    nowMs: core.clock.now(),
  };
}
