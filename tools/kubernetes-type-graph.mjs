// Writes packages/features/src/references/kubernetes-type-graph.json from a table of Kubernetes' API messages:
//
//     node tools/kubernetes-type-graph.mjs testdata/kubernetes-types/k8s-types.json [OUT]
//
// `kinds` names the messages of each listable resource, `types` the fields of each message whose values are messages
// again, `[*]` behind the name of a list. Maps, metadata and status are left out: no path of a reference leads there.
import { readFileSync, writeFileSync } from 'node:fs';
import { argv, exit, stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';

const source = argv[2];
if (source === undefined) {
  stderr.write('usage: node tools/kubernetes-type-graph.mjs TYPES [OUT]\n');
  exit(2);
}
const { snapshot, kinds: recorded, messages } = JSON.parse(readFileSync(source, 'utf8'));

const kinds = new Map();
for (const { group, plural, message } of recorded) {
  if (plural === undefined) continue;
  const name = group === '' ? plural : `${plural}.${group}`;
  kinds.set(name, [...(kinds.get(name) ?? []), message]);
}

const types = new Map();
const add = (type) => {
  if (types.has(type)) return;
  const fields = fieldsOf(type);
  types.set(type, Object.fromEntries(fields));
  for (const [, below] of fields) add(below);
};
for (const type of [...kinds.values()].flat()) add(type);

const shipped = fileURLToPath(
  new URL('../packages/features/src/references/kubernetes-type-graph.json', import.meta.url),
);
const filled = [...types].filter(([, fields]) => Object.keys(fields).length > 0);
const text = `{
 "snapshot": ${JSON.stringify(snapshot)},
 "kinds": {\n${lines(kinds)}\n },
 "types": {\n${lines(filled)}\n }
}
`;
writeFileSync(argv[3] ?? shipped, text);
stdout.write(`${kinds.size} kinds, ${filled.length} types\n`);

/** Fields of a message that hold messages, those of inlined messages among them. */
function fieldsOf(type) {
  return (messages[type]?.fields ?? []).flatMap(({ name, type: below, repeated, inline, jsonIgnored }) => {
    if (inline) return fieldsOf(below);
    if (jsonIgnored || name === 'metadata' || name === 'status' || !messages[below]?.fields?.length) return [];
    return [[repeated ? `${name}[*]` : name, below]];
  });
}

/** One entry a line, sorted, so that a diff shows what a release changed. */
function lines(entries) {
  return [...entries]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`)
    .join(',\n');
}
