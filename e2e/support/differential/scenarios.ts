import fc from 'fast-check';
import { mergeMetadata, metadataChange, oddJson, patchBody, patchTypes } from './bodies.js';
import {
  accepts,
  applyOptions,
  deleteOptions,
  deleteQuery,
  join,
  ofRun,
  readOptions,
  writeOptions,
} from './options.js';
import { type Schema, type Schemas, variantOf } from './schema-values.js';
import type { SentKind } from './sent-kinds.js';

/** A request. In path and body, `{ns}`, `{rv}` and `{uid}` are filled in for each server. */
export interface Step {
  readonly method: string;
  readonly path: string;
  readonly contentType?: string;
  readonly accept?: string;
  readonly body?: string;
  /** Requests that are sent while this one, a watch, is being answered. */
  readonly during?: readonly Step[];
  /** Policies of this kind that were stored before are in effect once the request was answered. */
  readonly settles?: 'Validating' | 'Mutating';
}

/** Requests that are sent in order, in a namespace of their own. */
export interface Scenario {
  readonly kind: string;
  readonly steps: readonly Step[];
}

const json = 'application/json';

const names = fc.constantFrom('a', 'a', 'a', 'b');

/** Scenarios of one kind: an object is created, then read, changed and deleted in odd ways. */
export function scenarioOf(sent: SentKind, schema: Schema, schemas: Schemas): fc.Arbitrary<Scenario> {
  const { collection, subresources = [] } = sent;
  const isWide = !collection.includes('{ns}');
  const named = (name: string) => {
    const metadata = { name: isWide ? `{ns}-${name}` : name, labels: { run: '{ns}' } };
    return { ...sent.object, metadata } as Record<string, unknown>;
  };
  const pathOf = (name: string) => `${collection}/${isWide ? `{ns}-${name}` : name}`;
  const good = names.map(named);
  const odd = good.chain((object) => variantOf(object, schema, schemas));
  const object = fc.oneof({ weight: 1, arbitrary: good }, { weight: 4, arbitrary: odd });
  const withMeta = fc.tuple(object, metadataChange).map(([each, change]) => mergeMetadata(each, change));
  const body = fc.oneof(
    { weight: 8, arbitrary: withMeta.map((each) => JSON.stringify(each)) },
    { weight: 1, arbitrary: withMeta.chain(oddJson) },
  );
  const at = fc.oneof(
    { weight: 5, arbitrary: fc.constant('') },
    {
      weight: subresources.length ? 2 : 0,
      arbitrary: fc.constantFrom(...(subresources.length ? subresources.map((each) => `/${each}`) : [''])),
    },
  );

  const create = fc
    .record({ options: writeOptions, accept: accepts, body })
    .map(({ options, accept, body }) => step('POST', `${collection}${options}`, json, body, accept));
  const createGood = good.map((each) => step('POST', collection, json, JSON.stringify(each)));
  const update = fc
    .record({ name: names, at, options: writeOptions, body })
    .map(({ name, at, options, body }) => step('PUT', `${pathOf(name)}${at}${options}`, json, body));
  const patch = fc
    .constantFrom(...patchTypes)
    .chain((type) =>
      fc
        .record({ name: names, at, options: writeOptions, body: patchBody(type, object, schema, schemas) })
        .map(({ name, at, options, body }) =>
          step(
            'PATCH',
            `${pathOf(name)}${at}${type === 'apply-patch+yaml' ? applyOptions(options) : options}`,
            `application/${type}`,
            body,
          ),
        ),
    );
  const read = fc
    .record({ name: names, at, accept: accepts, options: readOptions })
    .map(({ name, at, accept, options }) =>
      step('GET', `${pathOf(name)}${at}${options}`, undefined, undefined, accept),
    );
  const list = fc
    .record({ accept: accepts, options: readOptions })
    .map(({ accept, options }) => step('GET', `${collection}${ofRun(options, isWide)}`, undefined, undefined, accept));
  const remove = fc
    .record({ name: names, options: deleteQuery, body: fc.option(deleteOptions, { nil: undefined }) })
    .map(({ name, options, body }) => step('DELETE', `${pathOf(name)}${options}`, json, body && JSON.stringify(body)));
  const removeAll = fc
    .record({ options: deleteQuery, more: readOptions, body: fc.option(deleteOptions, { nil: undefined }) })
    .map(({ options, more, body }) =>
      step('DELETE', `${collection}${ofRun(join(options, more), isWide)}`, json, body && JSON.stringify(body)),
    );
  const later = fc.oneof(
    { weight: 3, arbitrary: create },
    { weight: 5, arbitrary: update },
    { weight: 8, arbitrary: patch },
    { weight: 2, arbitrary: read },
    { weight: 2, arbitrary: list },
    { weight: 2, arbitrary: remove },
    { weight: 1, arbitrary: removeAll },
  );
  const first = fc.oneof({ weight: 1, arbitrary: create }, { weight: 2, arbitrary: createGood });
  return fc
    .tuple(first, fc.array(later, { maxLength: 4 }))
    .map(([one, more]) => ({ kind: String(sent.object.kind), steps: [one, ...more] }));
}

function step(method: string, path: string, contentType?: string, body?: string, accept?: string): Step {
  return {
    method,
    path,
    ...(contentType !== undefined && body !== undefined && { contentType }),
    ...(accept !== undefined && { accept }),
    ...(body !== undefined && { body }),
  };
}
