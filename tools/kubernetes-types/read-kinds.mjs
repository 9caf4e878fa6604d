import { readFileSync } from 'node:fs';

/** Adds to the kinds that packages register the plural of those whose objects an OpenAPI document lists. */
export function readKinds(registered, document) {
  const { paths } = JSON.parse(readFileSync(document, 'utf8'));
  const plurals = new Map();
  for (const [path, { get }] of Object.entries(paths)) {
    if (get?.['x-kubernetes-action'] !== 'list') continue;
    plurals.set(keyOf(get['x-kubernetes-group-version-kind']), path.slice(path.lastIndexOf('/') + 1));
  }
  return registered.map((kind) => ({ ...kind, ...(plurals.has(keyOf(kind)) && { plural: plurals.get(keyOf(kind)) }) }));
}

function keyOf({ group, version, kind }) {
  return `${group}/${version}/${kind}`;
}
