import { isJsonObject, own, setOwn } from '@slipway/api-machinery/json/json-value';

/** Reads `.spec.replicas`, the simple paths by which a scale subresource names fields. */
export function readPath(object: unknown, path: string): unknown {
  let value = object;
  for (const name of namesOf(path)) {
    if (!isJsonObject(value)) return undefined;
    value = own(value, name);
  }
  return value;
}

/** Sets such a field in place, making the objects on the way; `undefined` removes it. */
export function writePath(object: Record<string, unknown>, path: string, value: unknown): void {
  const names = namesOf(path);
  const last = names.pop() ?? '';
  let parent = object;
  for (const name of names) {
    const there = own(parent, name);
    const inner = isJsonObject(there) ? there : {};
    if (inner !== there) setOwn(parent, name, inner);
    parent = inner;
  }
  if (value === undefined) delete parent[last];
  else setOwn(parent, last, value);
}

function namesOf(path: string): string[] {
  return path.split('.').filter((name) => name !== '');
}
