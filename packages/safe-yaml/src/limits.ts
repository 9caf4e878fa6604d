/** How much YAML is taken before it is refused. */
export interface YamlLimits {
  /** Size of the text as UTF-8. */
  readonly maxBytes: number;
  /** Lists and mappings within one another. Must stay below some 600, where the parser runs out of stack. */
  readonly maxDepth: number;
  /** Uses of anchors (`*name`), and what they amount to when anchors contain one another. */
  readonly maxAliases: number;
  /** Keys and elements, and lines that are no part of a longer text: what takes time to read. */
  readonly maxNodes: number;
}

/** Far above any document people write, far below what hurts. */
export const defaultLimits: YamlLimits = {
  maxBytes: 16 * 1024 * 1024,
  maxDepth: 200,
  maxAliases: 100,
  maxNodes: 1_000_000,
};
