import { atEnd, formatParts, wrongArgument } from '../library/format-clauses.js';
import type { Call, Node } from '../parser/parse.js';
import type { Issue } from '../parser/syntax-error.js';
import { type CelType, isDynamic } from '../values/cel-type.js';

/** Types of what each verb shows. */
const shown: Readonly<Record<string, readonly string[]>> = {
  s: 'list map int uint double bool string timestamp bytes duration type null'.split(' '),
  d: ['int', 'uint'],
  f: ['double', 'string'],
  e: ['double', 'string'],
  b: ['int', 'uint', 'bool'],
  x: ['int', 'uint', 'string', 'bytes'],
  X: ['int', 'uint', 'string', 'bytes'],
  o: ['int', 'uint'],
};

/** Says why a text that is written down cannot be filled with a list that is, too; undefined for all other calls. */
export function formatProblem({ at, target, args }: Call, typeOf: (node: Node) => CelType): Issue | undefined {
  const [list] = args;
  if (target?.kind !== 'literal' || typeof target.value !== 'string' || list?.kind !== 'list') return undefined;
  let used = 0;
  for (const part of formatParts(target.value)) {
    if (typeof part === 'string') continue;
    const { verb, problem } = part;
    const item = list.items[used];
    if (!item && part !== atEnd) return { at, message: `index ${used} out of range` };
    if (problem !== undefined || !item) return { at, message: problem ?? '' };
    used++;
    const wrong = notShown(item.value, verb, typeOf);
    if (wrong) return { at: wrong.at, message: wrongArgument(verb, runtimeName(typeOf(wrong))) };
  }
  const { length } = list.items;
  if (length === used) return undefined;
  return { at, message: `too many arguments supplied to string.format (expected ${used}, got ${length})` };
}

/** The part of an argument that a verb does not show. */
function notShown(node: Node, verb: string, typeOf: (node: Node) => CelType): Node | undefined {
  const type = typeOf(node);
  if (!isDynamic(type) && !shown[verb]?.includes(type.name)) return node;
  if (verb !== 's') return undefined;
  return parts(node)
    .map((part) => notShown(part, verb, typeOf))
    .find((part) => part !== undefined);
}

function parts(node: Node): readonly Node[] {
  if (node.kind === 'list') return node.items.map(({ value }) => value);
  return node.kind === 'map' ? node.entries.flatMap(({ key, value }) => [key, value]) : [];
}

/** The name of a type where values have it. */
function runtimeName({ name }: CelType): string {
  if (name === 'timestamp') return 'google.protobuf.Timestamp';
  if (name === 'duration') return 'google.protobuf.Duration';
  return name === 'null' ? 'null_type' : name;
}
