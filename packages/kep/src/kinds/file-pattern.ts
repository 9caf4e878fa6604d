/** Where the documents of a kind lie: a path relative to the root in which `{number}`, `{slug}` and `{group}` stand for what differs. */
export interface FilePattern {
  readonly text: string;
  /** One for each folder, and one for the file. */
  readonly segments: readonly string[];
}

/** What a path says about a document. */
export interface PathParts {
  /** As it is written, with its leading zeros. */
  readonly number: string | undefined;
  readonly slug: string | undefined;
  readonly group: string | undefined;
}

const gap = /\{([^{}]*)\}/g;

/** Reads a pattern. @throws SyntaxError that says what is wrong */
export function readFilePattern(text: string): FilePattern {
  const segments = text.replace(/^\.\//, '').split('/');
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..'))
    throw new SyntaxError('is not a path below the root');
  if (!/\.md$/i.test(text)) throw new SyntaxError('does not end with .md');
  if (text.includes('*')) throw new SyntaxError('has a *; write {slug}, {number} or {group} for what differs');
  const names: string[] = [];
  for (const [whole, name = ''] of text.matchAll(gap)) {
    if (!/^(?:number(?::[1-9])?|slug|group)$/.test(name))
      throw new SyntaxError(`has ${whole}; there is {number}, {number:4}, {slug} and {group}`);
    const plain = name.replace(/:.*/, '');
    if (names.includes(plain)) throw new SyntaxError(`has {${plain}} twice`);
    names.push(plain);
  }
  if (/[{}]/.test(text.replace(gap, ''))) throw new SyntaxError('has a brace without its other');
  return { text, segments };
}

/** Reads the parts of a path that matches the pattern; undefined for other paths. Paths are relative to the root, with `/`. */
export function matchPath({ segments }: FilePattern, path: string): PathParts | undefined {
  const parts = path.split('/');
  if (parts.length !== segments.length) return undefined;
  const found: Record<string, string> = {};
  for (const [at, segment] of segments.entries()) {
    const groups = matchSegment(segment, parts[at] ?? '');
    if (!groups) return undefined;
    Object.assign(found, groups);
  }
  return { number: found.number, slug: found.slug, group: found.group };
}

/** The gaps of one segment as a name fills them; undefined when it is not like that. */
export function matchSegment(segment: string, name: string): Readonly<Record<string, string>> | undefined {
  const forms = { number: '(?<number>\\d{1,9})', slug: '(?<slug>[^/]+)', group: '(?<group>[^/]+)' };
  const source = segment
    .split(/(\{[^{}]*\})/)
    .map((part) => {
      const gapName = /^\{(\w+)/.exec(part)?.[1];
      return gapName ? forms[gapName as keyof typeof forms] : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    })
    .join('');
  const match = new RegExp(`^${source}$`).exec(name);
  return match ? { ...match.groups } : undefined;
}

/** Writes what is known into the gaps of a pattern or of a template; gaps of other names stay. */
export function fillGaps(text: string, values: Readonly<Record<string, string | undefined>>): string {
  return text.replace(gap, (whole, name: string) => {
    const [plain = '', width] = name.split(':');
    const value = Object.hasOwn(values, plain) ? values[plain] : undefined;
    return value === undefined ? whole : value.padStart(Number(width ?? 0) || 0, '0');
  });
}
