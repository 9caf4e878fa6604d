// Writes packages/features/src/releases/kubernetes-gates.json from a table of gate histories:
//
//     node tools/kubernetes-gates.mjs testdata/kubernetes-gates/kubernetes-features.json [OUT]
//
// The table names the commits that it was read at; they go along. One gate a line, sorted, so that a diff shows what a release changed.
import { readFileSync, writeFileSync } from 'node:fs';
import { argv, exit, stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';

const source = argv[2];
if (source === undefined) {
  stderr.write('usage: node tools/kubernetes-gates.mjs FACTS [OUT]\n');
  exit(2);
}
const { snapshot, gates, clientGates, formerGates } = JSON.parse(readFileSync(source, 'utf8'));
const all = Object.entries({ ...formerGates, ...clientGates, ...gates });
const lines = all
  .sort(([one], [other]) => (one < other ? -1 : 1))
  .map(([name, gate]) => `  ${JSON.stringify(name)}: ${JSON.stringify(shortened(gate))}`);

const shipped = fileURLToPath(new URL('../packages/features/src/releases/kubernetes-gates.json', import.meta.url));
const target = argv[3] ?? shipped;
writeFileSync(target, `{\n "snapshot": ${JSON.stringify(snapshot)},\n "gates": {\n${lines.join(',\n')}\n }\n}\n`);
stdout.write(`${all.length} gates\n`);

/** What is empty, false or unknown is left out. */
function shortened({ stages, components = [], keps = [], dependsOn = [], disableSupported, lastIn, lastSeenIn }) {
  return {
    stages: stages.map(({ version, preRelease, default: value, lockToDefault, minCompatibilityVersion }) => ({
      version,
      stage: preRelease,
      default: value,
      ...(lockToDefault && { locked: true }),
      ...(minCompatibilityVersion !== undefined && { minCompatibility: minCompatibilityVersion }),
    })),
    ...(components.length > 0 && { components }),
    ...(keps.length > 0 && { keps }),
    ...(dependsOn.length > 0 && { dependsOn }),
    ...(disableSupported !== undefined && { disable: disableSupported ? 'Supported' : 'Unsupported' }),
    ...(lastIn !== undefined && { lastIn }),
    ...(lastSeenIn !== undefined && { lastSeenIn: lastSeenIn.replace(/-dev$/, '') }),
  };
}
