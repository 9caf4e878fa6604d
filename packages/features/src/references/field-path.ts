/**
 * Where a field is, in every object of a resource: `a.b`, `a.b[*].c`,
 * `a.b[name=x].c`, `metadata.annotations["k"]`.
 */
export type FieldPath = readonly PathStep[];

export type PathStep =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'every' }
  | { readonly kind: 'item'; readonly key: string; readonly value: string };

/** A place in one object: keys and indexes from the root. */
export type Place = readonly (string | number)[];

/** The string is not a path. */
export class FieldPathError extends Error {
  override readonly name = 'FieldPathError';
}

const plainField = /[A-Za-z_$][A-Za-z0-9_$-]*/y;
const quotedKey = /\[("(?:[^"\\]|\\.)*")\]/y;
const everyItem = /\[\*\]/y;
const namedItem = /\[([A-Za-z][A-Za-z0-9]*)=([^\]\s]+)\]/y;

/** @throws FieldPathError that says at which character the path goes wrong. */
export function parseFieldPath(text: string): FieldPath {
  const steps: PathStep[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) at += match[0].length;
    return match;
  };
  while (at < text.length) {
    if (text[at] === '[') {
      const key = take(quotedKey)?.[1];
      const item = key === undefined ? take(namedItem) : null;
      if (key !== undefined) steps.push({ kind: 'field', name: JSON.parse(key) as string });
      else if (item) steps.push({ kind: 'item', key: item[1] ?? '', value: item[2] ?? '' });
      else if (take(everyItem)) steps.push({ kind: 'every' });
      else throw wrong(text, at, 'expected [*], [key=value] or ["key"]');
    } else {
      if (steps.length > 0 && text[at++] !== '.') throw wrong(text, at - 1, 'expected . or [');
      const name = take(plainField)?.[0];
      if (name === undefined) throw wrong(text, at, 'expected the name of a field');
      steps.push({ kind: 'field', name });
    }
  }
  if (steps[0]?.kind !== 'field') throw wrong(text, 0, 'expected the name of a field');
  return steps;
}

export function fieldPathText(path: FieldPath): string {
  return path
    .map((step, index) => {
      if (step.kind === 'every') return '[*]';
      if (step.kind === 'item') return `[${step.key}=${step.value}]`;
      plainField.lastIndex = 0;
      const isPlain = plainField.exec(step.name)?.[0] === step.name;
      return isPlain ? `${index === 0 ? '' : '.'}${step.name}` : `[${JSON.stringify(step.name)}]`;
    })
    .join('');
}

/** Every place of an object that the path leads to, in the order of the object. */
export function placesOf(path: FieldPath, object: unknown): readonly Place[] {
  return path
    .reduce<readonly { readonly place: Place; readonly value: unknown }[]>(
      (found, step) =>
        found.flatMap(({ place, value }) =>
          children(step, value).map((child) => ({ ...child, place: [...place, child.key] })),
        ),
      [{ place: [], value: object }],
    )
    .map(({ place }) => place);
}

/** Returns the value at a place; undefined when there is none. */
export function valueAt(place: Place, object: unknown): unknown {
  return place.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string | number, unknown>)[key]
        : undefined,
    object,
  );
}

/** The place as a JSON pointer. */
export function pointerOf(place: Place): string {
  return place.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/**
 * Orders places so that removing them one after the other removes the right ones:
 * higher indexes first, what lies inside before what it lies in.
 */
export function inRemovalOrder(places: readonly Place[]): readonly Place[] {
  return [...places].sort((a, b) => {
    for (let i = 0; i < Math.min(a.length, b.length); i++) {
      const [left, right] = [a[i], b[i]];
      if (left === right) continue;
      if (typeof left === 'number' && typeof right === 'number') return right - left;
      return String(left) < String(right) ? -1 : 1;
    }
    return b.length - a.length;
  });
}

function children(step: PathStep, value: unknown): { readonly key: string | number; readonly value: unknown }[] {
  if (step.kind === 'field') {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
    const field = (value as Record<string, unknown>)[step.name];
    return field === undefined || !Object.hasOwn(value, step.name) ? [] : [{ key: step.name, value: field }];
  }
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown, key) => {
    const fits =
      step.kind === 'every' ||
      (typeof item === 'object' && item !== null && String((item as Record<string, unknown>)[step.key]) === step.value);
    return fits ? [{ key, value: item }] : [];
  });
}

function wrong(text: string, at: number, expected: string): FieldPathError {
  return new FieldPathError(`path "${text}" is wrong at character ${at + 1}: ${expected}`);
}

/** Whether a path may lead to a place, in some object. */
export function isPlaceOf(path: FieldPath, place: Place): boolean {
  return (
    path.length === place.length &&
    path.every((step, at) => (step.kind === 'field' ? step.name === place[at] : typeof place[at] === 'number'))
  );
}
