import {
  parseYamlTree,
  type YamlError,
  type YamlList,
  type YamlMap,
  type YamlNode,
  type YamlScalar,
} from '@slipway/safe-yaml';
import { Lines, type Span } from '../document/lines.js';

/** A piece of metadata with its place in the file. */
export interface Field<T> extends Span {
  readonly value: T;
}

/** A gate as `feature-gates` lists it. */
export interface GateField extends Span {
  readonly name: Field<string> | undefined;
  readonly components: readonly Field<string>[];
  /** The list of components as it is written; undefined when there is none. */
  readonly list: YamlList | undefined;
}

/**
 * The `kep.yaml` of a proposal as far as it can be read. Values are kept as they are
 * typed; whether they make sense is for the rules.
 */
export interface KepYaml {
  readonly text: string;
  readonly lines: Lines;
  readonly problems: readonly YamlError[];
  readonly root: YamlMap | undefined;
  /** The text of a field with one value; undefined when it is absent, empty or no plain value. */
  one(name: string): Field<string> | undefined;
  /** The texts of a field with a list; one plain value counts as a list of one. */
  many(name: string): readonly Field<string>[];
  /** The whole value of a field. */
  node(name: string): YamlNode | undefined;
  /** Where the key of a field stands. */
  key(name: string): YamlScalar | undefined;
  /** `milestone`: stage to release. */
  readonly milestones: ReadonlyMap<string, Field<string>>;
  readonly gates: readonly GateField[];
  /** True and false as typed; undefined when absent or something else. */
  readonly disableSupported: Field<boolean> | undefined;
}

/** Largest `kep.yaml` that is read; real ones have 2 KB. */
export const maxYamlBytes = 65_536;

/** Reads a `kep.yaml`. Never throws: what is wrong is in `problems`. */
export function readKepYaml(text: string): KepYaml {
  const { root: read, problems } = parseYamlTree(text, { maxBytes: maxYamlBytes, maxDepth: 64, maxAliases: 20 });
  const root = read?.kind === 'map' ? read : undefined;
  const entries = new Map<string, YamlMap['entries'][number]>();
  for (const entry of root?.entries ?? []) if (!entries.has(entry.key.source)) entries.set(entry.key.source, entry);
  const node = (name: string) => entries.get(name)?.value;
  const key = (name: string) => entries.get(name)?.key;
  const disable = node('disable-supported');
  return {
    text,
    lines: new Lines(text),
    problems,
    root,
    node,
    key,
    one: (name) => textOf(node(name)),
    many: (name) => textsOf(node(name)),
    milestones: milestonesOf(node('milestone')),
    gates: gatesOf(node('feature-gates')),
    disableSupported:
      disable?.kind === 'scalar' && typeof disable.value === 'boolean'
        ? { value: disable.value, start: disable.start, end: disable.end }
        : undefined,
  };
}

/** Minor version of `v1.37` or `1.37`; undefined for anything else. */
export function minorOf(milestone: string | undefined): number | undefined {
  const minor = /^v?1\.(\d{1,3})$/.exec(milestone ?? '')?.[1];
  return minor === undefined ? undefined : Number(minor);
}

function textOf(node: YamlNode | undefined): Field<string> | undefined {
  if (node?.kind !== 'scalar' || node.value === null || node.source === '') return undefined;
  return { value: node.source, start: node.start, end: node.end };
}

function textsOf(node: YamlNode | undefined): readonly Field<string>[] {
  if (!node || node.kind === 'map') return [];
  const found: Field<string>[] = [];
  for (const item of node.kind === 'list' ? node.items : [node]) {
    const text = textOf(item);
    if (text) found.push(text);
  }
  return found;
}

function milestonesOf(node: YamlNode | undefined): ReadonlyMap<string, Field<string>> {
  const found = new Map<string, Field<string>>();
  if (node?.kind !== 'map') return found;
  for (const { key, value } of node.entries) {
    const text = textOf(value);
    if (text) found.set(key.source, text);
  }
  return found;
}

function gatesOf(node: YamlNode | undefined): readonly GateField[] {
  if (node?.kind !== 'list') return [];
  return node.items.flatMap((item) => {
    if (item.kind === 'scalar') {
      const name = textOf(item);
      return name ? [{ name, components: [], list: undefined, start: item.start, end: item.end }] : [];
    }
    if (item.kind !== 'map') return [];
    const value = (name: string) => item.entries.find(({ key }) => key.source === name)?.value;
    const components = value('components');
    const list = components?.kind === 'list' ? components : undefined;
    return [{ name: textOf(value('name')), components: textsOf(components), list, start: item.start, end: item.end }];
  });
}
