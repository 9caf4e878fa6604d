import { parseYamlTree, placeOf, type YamlNode } from '@slipway/safe-yaml';
import { nearest } from '../document/nearest.js';
import { ConfigError } from './config-error.js';

interface ConfigFile {
  readonly path: string;
  readonly text: string;
}

/** A value of a configuration file with its name and its place, for errors that say where to look. */
export class ConfigValue {
  /** As people name it: `policy.release`; empty for the whole file. */
  readonly name: string;
  readonly #node: YamlNode | undefined;
  readonly #file: ConfigFile;
  /** Where the value stands, or would be expected. */
  readonly #at: number;

  private constructor(name: string, node: YamlNode | undefined, at: number, file: ConfigFile) {
    this.name = name;
    this.#node = node;
    this.#at = at;
    this.#file = file;
  }

  /** Reads a whole file; `path` is for the errors. @throws ConfigError for what is not YAML */
  static ofFile(text: string, path: string): ConfigValue {
    const { root, problems } = parseYamlTree(text);
    const [problem] = problems;
    if (problem) throw new ConfigError(`${path}:${problem.line}: ${problem.problem}`, undefined, { cause: problem });
    return new ConfigValue('', root, 0, { path, text });
  }

  /** Whether there is a value, null not counted. */
  get isThere(): boolean {
    const node = this.#node;
    return node !== undefined && !(node.kind === 'scalar' && node.value === null && node.source === '');
  }

  /** The values of a mapping under their keys; all of `known` are there, some with no value. @throws ConfigError for other keys */
  fields<K extends string>(known: readonly K[]): Readonly<Record<K, ConfigValue>> {
    const given = this.entries();
    for (const [key, value] of given) {
      if ((known as readonly string[]).includes(key)) continue;
      const near = nearest(key, known);
      throw value.error(`unknown setting ${value.name}`, near ? `did you mean ${near}?` : `use ${known.join(', ')}`);
    }
    const found = new Map(given);
    const fields = known.map((key) => [key, found.get(key) ?? this.#child(key, undefined, this.#at)]);
    return Object.fromEntries(fields) as Readonly<Record<K, ConfigValue>>;
  }

  /** The entries of a mapping in their order. @throws ConfigError for anything else */
  entries(): readonly (readonly [string, ConfigValue])[] {
    if (!this.isThere) return [];
    if (this.#node?.kind !== 'map') throw this.error(`${this.name || 'the file'} is not a mapping`);
    return this.#node.entries.map(({ key, value }) => [key.source, this.#child(key.source, value, key.start)] as const);
  }

  /** The items of a list. @throws ConfigError for anything else */
  items(hint?: string): readonly ConfigValue[] {
    if (!this.isThere) return [];
    if (this.#node?.kind !== 'list') throw this.error(`${this.name} is not a list`, hint);
    return this.#node.items.map((item, at) => new ConfigValue(`${this.name}[${at}]`, item, item.start, this.#file));
  }

  /** Whether the value is a list. */
  get isList(): boolean {
    return this.#node?.kind === 'list';
  }

  /** Whether the value is a mapping. */
  get isMapping(): boolean {
    return this.#node?.kind === 'map';
  }

  /** One value as it is written; undefined where there is none. @throws ConfigError for lists and mappings */
  text(): string | undefined {
    if (!this.isThere) return undefined;
    if (this.#node?.kind !== 'scalar') throw this.error(`${this.name} is not one value`);
    return this.#node.source.trim() || undefined;
  }

  /** The texts of a list. */
  texts(hint?: string): readonly string[] {
    return this.items(hint).flatMap((item) => item.text() ?? []);
  }

  /** @throws ConfigError for anything but true, false or nothing, which is false */
  flag(): boolean {
    const text = this.text();
    if (text !== undefined && text !== 'true' && text !== 'false')
      throw this.error(`${this.name}: ${text} is not true or false`);
    return text === 'true';
  }

  /** A whole number above 0. @throws ConfigError for anything else */
  count(): number | undefined {
    const text = this.text();
    if (text === undefined) return undefined;
    if (!/^[1-9]\d{0,9}$/.test(text)) throw this.error(`${this.name}: ${text} is not a whole number above 0`);
    return Number(text);
  }

  /** One of a few words. @throws ConfigError for others */
  oneOf<T extends string>(words: readonly T[]): T | undefined {
    const text = this.text();
    const word = words.find((each) => each === text);
    if (text !== undefined && word === undefined)
      throw this.error(`${this.name}: ${text} is not known`, `write ${words.join(', ')}`);
    return word;
  }

  /** An error about this value that names the file and the line. */
  error(problem: string, hint?: string): ConfigError {
    const { path, text } = this.#file;
    return new ConfigError(`${path}:${placeOf(text, this.#at).line}: ${problem}`, hint);
  }

  #child(key: string, node: YamlNode | undefined, at: number): ConfigValue {
    return new ConfigValue(this.name ? `${this.name}.${key}` : key, node, at, this.#file);
  }
}
