import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { stringifyJson } from '@slipway/kube';

/** JSON for people to read, indented by two spaces, as `JSON.stringify` writes it; with a yield for each element of a list. */
export function* prettyJson(document: unknown): Resumable<string> {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return stringifyJson(document, 2);
  const fields: string[] = [];
  for (const [name, value] of Object.entries(document)) {
    if (value === undefined) continue;
    fields.push(`  ${JSON.stringify(name)}: ${Array.isArray(value) ? yield* prettyList(value) : pretty(value, '  ')}`);
  }
  return fields.length === 0 ? '{}' : `{\n${fields.join(',\n')}\n}`;
}

function* prettyList(list: readonly unknown[]): Resumable<string> {
  const elements: string[] = [];
  for (const element of list) {
    elements.push(`    ${pretty(element, '    ')}`);
    yield;
  }
  return elements.length === 0 ? '[]' : `[\n${elements.join(',\n')}\n  ]`;
}

/** Strings have no line breaks in JSON: all that there are separate lines. */
function pretty(value: unknown, indent: string): string {
  return stringifyJson(value, 2).replaceAll('\n', `\n${indent}`);
}
