import { parseYamlTree, type YamlMap, type YamlNode } from '@slipway/safe-yaml';

/** A file that cannot be changed key by key. */
export class YamlKeyError extends Error {
  override readonly name = 'YamlKeyError';
}

/** The value of a key at the top of a YAML or JSON document, as text; undefined when it is not there. @throws YamlKeyError */
export function yamlKey(text: string, key: string): string | undefined {
  const value = entryOf(topOf(text), key)?.value;
  return value?.kind === 'scalar' && value.value !== null ? value.source : undefined;
}

/**
 * The same document with a key at its top set, and every other character as it was; `undefined` removes the key.
 * @throws YamlKeyError
 */
export function withYamlKey(text: string, key: string, value: string | undefined): string {
  const top = topOf(text);
  if (top?.flow) return withMember(text, top, key, value);
  const entry = entryOf(top, key);
  if (entry) {
    if (value !== undefined) return replace(text, entry.value, value);
    const start = text.lastIndexOf('\n', entry.key.start) + 1;
    const lineEnd = text.indexOf('\n', entry.value.end);
    return replace(text, { start, end: lineEnd < 0 ? text.length : lineEnd + 1 }, '');
  }
  if (value === undefined) return text;
  const end = text === '' || text.endsWith('\n') ? '' : '\n';
  return `${text}${end}${key}: ${value}\n`;
}

/** The same between braces. A new member stands behind the last one, with as much space before it. */
function withMember(text: string, top: YamlMap, key: string, value: string | undefined): string {
  const entry = entryOf(top, key);
  if (entry && value !== undefined) return replace(text, entry.value, JSON.stringify(value));
  if (entry) {
    const at = top.entries.indexOf(entry);
    const [before, after] = [top.entries[at - 1], top.entries[at + 1]];
    const start = before ? before.value.end : entry.key.start;
    return replace(text, { start, end: before || !after ? entry.value.end : after.key.start }, '');
  }
  if (value === undefined) return text;
  const member = `${JSON.stringify(key)}: ${JSON.stringify(value)}`;
  const last = top.entries.at(-1);
  if (!last) return replace(text, { start: top.start + 1, end: top.start + 1 }, member);
  const [space = ''] = /\s*$/.exec(text.slice(0, last.key.start)) ?? [];
  return replace(text, { start: last.value.end, end: last.value.end }, `,${space}${member}`);
}

function replace(text: string, { start, end }: { readonly start: number; readonly end: number }, by: string): string {
  return text.slice(0, start) + by + text.slice(end);
}

function entryOf(top: YamlMap | undefined, key: string): YamlMap['entries'][number] | undefined {
  return top?.entries.find((one) => one.key.source === key);
}

function topOf(text: string): YamlMap | undefined {
  const { root, problems } = parseYamlTree(isJson(text) ? text.replaceAll('\t', ' ') : text);
  const [problem] = problems;
  if (problem) throw new YamlKeyError(problem.message);
  if (root === undefined || isEmpty(root)) return undefined;
  if (root.kind !== 'map') throw new YamlKeyError('it holds no settings');
  return root;
}

/** JSON may be indented with tabs, which YAML may not; no string of JSON holds one. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isEmpty(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}
