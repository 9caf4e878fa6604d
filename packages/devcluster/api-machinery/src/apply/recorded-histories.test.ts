import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runToCompletion } from '../event-loop/resumable.js';
import { isJsonObject } from '../json/json-value.js';
import { customMergeFacts } from '../schema/custom-merge-facts.js';
import type { JsonSchema } from '../schema/json-schema.js';
import type { FieldSchema } from '../schema/object-schema.js';
import { applyConfiguration } from './apply-configuration.js';
import { ApplyConflict } from './apply-conflict.js';
import { checkType } from './check-type.js';
import { noFields } from './field-set.js';
import { fieldType, itemType, keysOf } from './field-type.js';
import { encodeManagers, type Managers } from './managers.js';
import { describePath } from './path-element.js';
import { ShapeError } from './shape-error.js';
import { trackUpdate } from './track-update.js';
import type { TypedKind } from './typed-kind.js';

/*
 * The histories are random, and so are their schemas; what came of each write was
 * told by the engine of Kubernetes itself, structured-merge-diff 4.1.2 as Debian
 * packages it, driven the way an API server drives it. It names a manager by how
 * it writes: `A:a` applies, `U:b` updates. Left out is what later versions
 * of the engine do otherwise: where new elements of a list go, and lists in which
 * an element is there twice or without one of its keys.
 */
interface History {
  /** The properties of `spec`. */
  readonly schema: Properties;
  /** Names of those properties in v2, where they have others. */
  readonly renamed?: Names;
  readonly steps: readonly Step[];
}

type Properties = Readonly<Record<string, JsonSchema>>;
type Names = Readonly<Record<string, string>>;

/** Somebody writes an object, of which only the `spec` is noted, or the schema changes. */
interface Step extends Partial<Outcome> {
  readonly apply?: Spec;
  readonly update?: Spec;
  readonly schema?: Properties;
  readonly by: string;
  readonly force?: true;
  readonly at?: 'v2';
}

interface Spec {
  readonly spec?: unknown;
}

/** A write that is refused changes nothing; of others only what changed is noted. */
interface Outcome {
  readonly live: Spec;
  readonly managers: Readonly<Record<string, unknown>>;
  readonly conflicts: readonly string[];
  readonly error: string;
}

const recorded = readFileSync(new URL('./testdata/recorded-histories.jsonl', import.meta.url), 'utf8');
const histories = recorded
  .trimEnd()
  .split('\n')
  .map((line): History => JSON.parse(line));
const time = '2026-01-01T00:00:00Z';

describe('what Kubernetes makes of a history, we make of it', () => {
  test.each(histories.map((history, index) => ({ line: index + 1, history })))('line $line', ({ history }) => {
    const thing = new Thing(history);
    for (const [index, { live, managers, ...step }] of history.steps.entries()) {
      const { conflicts, error } = thing.take(step);
      const where = `step ${index + 1}`;
      expect(error, where).toEqual(step.error && aProblem(step.error));
      expect(conflicts, where).toEqual(step.conflicts);
      if (live !== undefined) thing.expected.live = live;
      if (managers !== undefined) thing.expected.managers = managers;
      expect(thing.unordered(thing.live), where).toEqual(thing.unordered(thing.expected.live));
      expect(thing.owners(), where).toEqual(asTexts(thing.expected.managers));
    }
  });
});

/** One object, and what becomes of it. It is kept as v1 has it. */
class Thing {
  readonly #names: Names | undefined;
  #types: Readonly<Record<string, FieldSchema>>;
  #object: unknown = whole({});
  #managers: Managers = new Map();
  readonly expected: { live: Spec; managers: Outcome['managers'] } = { live: {}, managers: {} };

  constructor({ schema, renamed }: History) {
    this.#names = renamed;
    this.#types = this.#typesOf(schema);
  }

  take({ by: name, ...step }: Omit<Step, 'live' | 'managers'>): Partial<Outcome> {
    if (step.schema) {
      this.#types = this.#typesOf(step.schema);
      return {};
    }
    const kind = this.#kind(step.at ?? 'v1');
    const before = this.#seen('v1', kind.apiVersion, this.#object);
    const write = whole(step.apply ?? step.update ?? {});
    try {
      checkType(kind.type, write, step.apply ? 'refused' : 'allowed');
      if (step.apply) {
        const applier = { name, operation: 'Apply', subresource: '' } as const;
        const wanted = { config: write, applier, force: step.force ?? false, time };
        const { object, managers } = runToCompletion(applyConfiguration(kind, before, this.#managers, wanted));
        this.#managers = managers;
        this.#object = this.#seen(kind.apiVersion, 'v1', object ?? before);
      } else {
        const writer = { name, operation: 'Update', subresource: '' } as const;
        this.#managers = runToCompletion(trackUpdate(kind, before, write, this.#managers, writer, time));
        this.#object = this.#seen(kind.apiVersion, 'v1', write);
      }
      return {};
    } catch (error) {
      if (error instanceof ShapeError) return { error: error.message };
      if (!(error instanceof ApplyConflict)) throw error;
      const conflicts = error.conflicts.map(
        ({ manager, path }) => `${this.#manager(JSON.parse(manager))} ${describePath(path)}`,
      );
      return { conflicts: conflicts.sort() };
    }
  }

  get live(): Spec {
    return this.#object as Spec;
  }

  /** Who owns what, as it is stored: the order of fields counts, that of managers does not. */
  owners() {
    const entries = runToCompletion(encodeManagers(this.#managers)) ?? [];
    return asTexts(Object.fromEntries(entries.map((entry) => [this.#manager(entry), entry.fieldsV1])));
  }

  /** A spec with the lists in order whose elements can be told apart. */
  unordered({ spec }: Spec): unknown {
    return inOrder(fieldType(this.#types.v1 as FieldSchema, 'spec'), spec);
  }

  #manager({ manager, operation, apiVersion }: { manager?: string; operation?: string; apiVersion?: string }): string {
    const version = this.#names && operation === 'Update' ? `@${apiVersion}` : '';
    return `${operation === 'Apply' ? 'A' : 'U'}:${manager}${version}`;
  }

  #typesOf(properties: Properties): Readonly<Record<string, FieldSchema>> {
    const v2 = renamed(properties, this.#names) as Properties;
    return { v1: customMergeFacts(objectOf(properties)), v2: customMergeFacts(objectOf(v2)) };
  }

  #kind(apiVersion: string): TypedKind {
    return {
      apiVersion,
      type: this.#types[apiVersion] as FieldSchema,
      ignored: noFields,
      at: (other) => ({
        type: this.#types[other] as FieldSchema,
        see: (object) => this.#seen(apiVersion, other, object),
        back: (object) => this.#seen(other, apiVersion, object),
      }),
    };
  }

  #seen(from: string, to: string, object: unknown): unknown {
    if (from === to || !isJsonObject(object) || !isJsonObject(object.spec)) return object;
    const names = Object.entries(this.#names ?? {});
    const back = to === 'v1' ? names.map(([name, other]) => [other, name]) : names;
    return { ...object, spec: renamed(object.spec, Object.fromEntries(back)) };
  }
}

function whole(spec: Spec) {
  return { apiVersion: 'example.com/v1', kind: 'Thing', ...spec };
}

function objectOf(properties: Properties): JsonSchema {
  return { type: 'object', properties: { spec: { type: 'object', properties } } };
}

function renamed(object: Readonly<Record<string, unknown>>, names: Names = {}) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [names[name] ?? name, value]));
}

function inOrder(type: FieldSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => inOrder(itemType(type), item));
    return keysOf(type) ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items;
  }
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, inOrder(fieldType(type, name), value[name])]));
}

function asTexts(managers: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(managers).map(([name, fields]) => [name, JSON.stringify(fields)]));
}

/** The engine was given YAML, whose maps Go prints otherwise; and it goes through maps in no order. */
function aProblem(error: string) {
  const lines = (text: string) => text.replaceAll('map[interface {}]', 'map[string]').split('\n').sort();
  return {
    asymmetricMatch: (actual: unknown) => typeof actual === 'string' && `${lines(actual)}` === `${lines(error)}`,
  };
}
