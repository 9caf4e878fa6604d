/** A value of a YAML text with its place, for tools that point at it or edit it and keep all else. */
export type YamlNode = YamlScalar | YamlList | YamlMap;

interface Placed {
  /** Offset of the first character. */
  readonly start: number;
  /** Offset behind the last character of the value itself; comments and line ends left out. */
  readonly end: number;
}

export interface YamlScalar extends Placed {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  /** As it is written, without quotes: `0127` stays `0127`. */
  readonly source: string;
}

export interface YamlList extends Placed {
  readonly kind: 'list';
  readonly items: readonly YamlNode[];
  /** Written with brackets on one line or more. */
  readonly flow: boolean;
}

export interface YamlMap extends Placed {
  readonly kind: 'map';
  readonly entries: readonly YamlEntry[];
  readonly flow: boolean;
}

export interface YamlEntry {
  readonly key: YamlScalar;
  readonly value: YamlNode;
}
