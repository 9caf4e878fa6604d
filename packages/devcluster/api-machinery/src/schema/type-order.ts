import { sortedKeys } from '../json/go-text.js';
import { isJsonObject } from '../json/json-value.js';
import type { Field, Message } from './message-table.js';

/** Returns a JSON object with its fields in the order of its Go type, in which Kubernetes writes them: kind and apiVersion first, maps by key. */
export function inTypeOrder(message: Message, object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const ordered: Record<string, unknown> = {};
  const names = message.typeMeta ? ['kind', 'apiVersion', ...message.byName.keys()] : message.byName.keys();
  for (const name of names) {
    if (!Object.hasOwn(object, name)) continue;
    const field = message.byName.get(name);
    ordered[name] = field ? valueInOrder(field, object[name]) : object[name];
  }
  return ordered;
}

function valueInOrder({ message, shape }: Field, value: unknown): unknown {
  if (!message || message.encoding !== undefined) return shape === 'map' ? sortedKeys(value) : value;
  if (Array.isArray(value)) return value.map((element) => elementInOrder(message, element));
  if (!isJsonObject(value)) return value;
  if (shape !== 'map') return inTypeOrder(message, value);
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, elementInOrder(message, value[key])]));
}

function elementInOrder(message: Message, value: unknown): unknown {
  return isJsonObject(value) ? inTypeOrder(message, value) : value;
}
