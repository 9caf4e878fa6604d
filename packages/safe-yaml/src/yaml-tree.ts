import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
} from 'yaml';
import { guard } from './guard.js';
import { defaultLimits, type YamlLimits } from './limits.js';
import { plainTree } from './plain-tree.js';
import { placeOf, YamlError } from './yaml-error.js';
import type { YamlNode, YamlScalar } from './yaml-node.js';

/** What could be read, and everything wrong with it. */
export interface YamlTree {
  /** The first document that holds something; undefined when there is none, or when it cannot be read at all. */
  readonly root: YamlNode | undefined;
  readonly problems: readonly YamlError[];
}

/**
 * Reads one document with the places of its values. Safe like `parseYaml`, but never
 * throws: what is wrong is in `problems`, duplicate keys and second documents included.
 * Of duplicates, all are in the tree.
 */
export function parseYamlTree(text: string, limits: Partial<YamlLimits> = {}): YamlTree {
  const within = { ...defaultLimits, ...limits };
  const plain = plainTree(text, within);
  return plain ? { root: plain, problems: [] } : parsedTree(text, within);
}

/** Reads a text with the library. */
export function parsedTree(text: string, limits: YamlLimits): YamlTree {
  try {
    guard(text, limits);
  } catch (error) {
    if (error instanceof YamlError) return { root: undefined, problems: [error] };
    throw error;
  }
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter, prettyErrors: false, stringKeys: true, logLevel: 'error' });
  if (!Array.isArray(documents)) return { root: undefined, problems: [] };
  const problems: YamlError[] = [];
  for (const { errors } of documents) {
    for (const error of errors.slice(0, 20)) {
      const { line, col } = lineCounter.linePos(error.pos[0]);
      const problem = error.message.startsWith('Maximum call stack') ? 'nested too deep' : error.message;
      problems.push(new YamlError(problem, { line: Math.max(1, line), column: Math.max(1, col) }, { cause: error }));
    }
  }
  const [first, second] = documents.filter(
    ({ contents }) => contents && !(isScalar(contents) && contents.value === null),
  );
  if (second) problems.push(new YamlError('there is more than one document', placeOf(text, second.range[0])));
  const unresolved = (alias: Alias, why: string) => {
    problems.push(new YamlError(`*${alias.source} ${why}`, placeOf(text, alias.range?.[0] ?? 0)));
    return undefined;
  };
  return { root: first?.contents ? nodeOf(first.contents, resolver(first, unresolved)) : undefined, problems };
}

/** Finds what an alias stands for; undefined, and told, when nothing does or when it is part of itself. */
type Resolve = (alias: Alias, inside: readonly Node[]) => Node | undefined;

function resolver(document: Document, unresolved: (alias: Alias, why: string) => undefined): Resolve {
  return (alias, inside) => {
    const target = alias.resolve(document);
    if (!target) return unresolved(alias, 'stands for nothing: there is no such anchor before it');
    return inside.includes(target) ? unresolved(alias, 'stands for what it is part of') : target;
  };
}

function nodeOf(node: Node, resolve: Resolve, around: readonly Node[] = []): YamlNode {
  const [start, end] = node.range ?? [0, 0];
  const inside = [...around, node];
  const inner = (each: Node) => nodeOf(each, resolve, inside);
  if (isAlias(node)) {
    const target = resolve(node, around);
    return target ? { ...nodeOf(target, resolve, around), start, end } : scalarOf(node);
  }
  if (isMap(node)) {
    const entries = node.items.map((pair) => ({
      key: scalarOf(pair.key as Node),
      value: pair.value ? inner(pair.value as Node) : emptyAfter(pair.key as Node),
    }));
    return { kind: 'map', start, end, entries, flow: node.flow === true };
  }
  if (isSeq(node)) {
    return {
      kind: 'list',
      start,
      end,
      items: node.items.map((item) => inner(item as Node)),
      flow: node.flow === true,
    };
  }
  return scalarOf(node);
}

function scalarOf(node: Node): YamlScalar {
  const [start, end] = node.range ?? [0, 0];
  if (!isScalar(node))
    return { kind: 'scalar', start, end, value: null, source: isAlias(node) ? `*${node.source}` : '' };
  const { value } = node;
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return { kind: 'scalar', start, end, value: isPlain ? value : null, source: String(node.source ?? value ?? '') };
}

function emptyAfter(key: Node): YamlScalar {
  const end = (key.range?.[1] ?? 0) + 1;
  return { kind: 'scalar', start: end, end, value: null, source: '' };
}
