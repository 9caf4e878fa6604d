/**
 * Recordings hold `<rv:1>`, `<uid:2>` where the real server had values of its own.
 * Equal placeholders were equal values and different ones different values; what
 * they stand for here is learnt from our answers and put into later requests.
 */
export class Placeholders {
  readonly #values = new Map<string, string>();

  /** Learns what a placeholder stands for. False when it already stands for something else. */
  bind(placeholder: string, value: string): boolean {
    if (isLoose(placeholder)) {
      this.#values.set(placeholder, value);
      return true;
    }
    const known = this.#values.get(placeholder);
    if (known !== undefined) return known === value;
    const kind = placeholder.slice(0, placeholder.indexOf(':'));
    for (const [other, taken] of this.#values) {
      if (taken === value && other.startsWith(`${kind}:`)) return false;
    }
    this.#values.set(placeholder, value);
    return true;
  }

  /** The text with every placeholder replaced; one that stands for nothing yet becomes a value of its kind. */
  fill(text: string): string {
    return text.replaceAll(anyPlaceholder, (placeholder) => this.#values.get(placeholder) ?? fallback(placeholder));
  }

  has(placeholder: string): boolean {
    return this.#values.has(placeholder);
  }

  set(placeholder: string, value: string): void {
    this.#values.set(placeholder, value);
  }

  /** Whether `actual` is `expected` with its placeholders filled, learning them on the way. */
  matches(expected: string, actual: string): boolean {
    const found = [...expected.matchAll(anyPlaceholder)].map((match) => match[0]);
    if (found.length === 0) return expected === actual;
    let pattern = '';
    let from = 0;
    for (const match of expected.matchAll(anyPlaceholder)) {
      pattern += `${escapeRegExp(expected.slice(from, match.index))}(${shapeOf(match[0])})`;
      from = match.index + match[0].length;
    }
    const values = new RegExp(`^${pattern}${escapeRegExp(expected.slice(from))}$`, 's').exec(actual);
    return values !== null && found.every((placeholder, index) => this.bind(placeholder, values[index + 1] ?? ''));
  }
}

const anyPlaceholder = /<[a-z-]+(?::\d+)?>/g;

/** Times, addresses and audit IDs are not compared. */
function isLoose(placeholder: string): boolean {
  return !placeholder.includes(':') || placeholder.startsWith('<time:');
}

function shapeOf(placeholder: string): string {
  if (placeholder.startsWith('<rv')) return '\\d+';
  if (placeholder.startsWith('<time')) return '\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z';
  if (placeholder.startsWith('<rand')) return '[a-z0-9]{5}';
  return '.*?';
}

/** What no answer told: the recorder's address, uids of versions from 3 on (formats tell them apart), revision 1. */
function fallback(placeholder: string): string {
  if (placeholder === '<ip>') return '127.0.0.1';
  const [, uid] = /^<uid:(\d+)>$/.exec(placeholder) ?? [];
  if (uid) return `00000000-0000-${(Number(uid) + 2) % 10}000-8000-${uid.padStart(12, '0')}`;
  return /^<(rv|continue):0>$/.test(placeholder) ? '0' : '1';
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
