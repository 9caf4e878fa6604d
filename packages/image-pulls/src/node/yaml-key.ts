import { parseYamlTree, type YamlEntry, type YamlNode } from '@slipway/safe-yaml';

/** A file that cannot be changed key by key. */
export class YamlKeyError extends Error {
  override readonly name = 'YamlKeyError';
}

/** The value of a key at the top of a document, as text; undefined when it is not there. @throws YamlKeyError */
export function yamlKey(text: string, key: string): string | undefined {
  const value = entryOf(text, key)?.value;
  return value?.kind === 'scalar' && value.value !== null ? value.source : undefined;
}

/**
 * The same document with a key at its top set, and every other character as it was; `undefined` takes the line away.
 * @throws YamlKeyError when it is written so that one line cannot be changed, for example as JSON.
 */
export function withYamlKey(text: string, key: string, value: string | undefined): string {
  const entry = entryOf(text, key);
  if (entry) {
    if (value !== undefined) return text.slice(0, entry.value.start) + value + text.slice(entry.value.end);
    const from = text.lastIndexOf('\n', entry.key.start) + 1;
    const to = text.indexOf('\n', entry.value.end);
    return text.slice(0, from) + (to < 0 ? '' : text.slice(to + 1));
  }
  if (value === undefined) return text;
  const end = text === '' || text.endsWith('\n') ? '' : '\n';
  return `${text}${end}${key}: ${value}\n`;
}

function entryOf(text: string, key: string): YamlEntry | undefined {
  const { root, problems } = parseYamlTree(text);
  const [problem] = problems;
  if (problem) throw new YamlKeyError(problem.message);
  if (root === undefined || isEmpty(root)) return undefined;
  if (root.kind !== 'map') throw new YamlKeyError('it holds no settings');
  if (root.flow) throw new YamlKeyError('it is written as JSON, which is not changed line by line');
  return root.entries.find((one) => one.key.source === key);
}

function isEmpty(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}
