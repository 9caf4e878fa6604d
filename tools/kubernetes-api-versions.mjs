// Writes packages/features/src/releases/kubernetes-api-versions.json from the Go packages of the API types, one folder a minor version:
//
//     node tools/kubernetes-api-versions.mjs 1.33=path/to/api@v0.33.0 1.34=path/to/api@v0.34.0 ...
//
// What is stored in a version whose types are gone cannot be decoded any more. So of each kind that is not in every release there is
// written which releases have it, and of each version until when it is served. Oldest release first. One version a line, sorted.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { argv, exit, stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';

const releases = argv.slice(2).map((each) => each.split('='));
if (releases.length < 2 || releases.some(([, folder]) => folder === undefined || !existsSync(folder))) {
  stderr.write('usage: node tools/kubernetes-api-versions.mjs 1.33=FOLDER 1.34=FOLDER ...\n');
  exit(2);
}

const versions = new Map();
for (const [release, folder] of releases) {
  for (const group of foldersIn(folder)) {
    for (const version of foldersIn(`${folder}/${group}`)) {
      const types = `${folder}/${group}/${version}`;
      if (existsSync(`${types}/register.go`)) read(release, types, version);
    }
  }
}

const [oldest] = releases[0];
const [newest] = releases.at(-1);
const all = [...versions.values()].filter(
  ({ first, last, servedUntil }) => first !== oldest || last !== newest || minor(servedUntil ?? oldest) > minor(oldest),
);
const lines = all
  .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
  .map(({ group, version, kind, first, last, servedUntil }) =>
    JSON.stringify({
      group,
      version,
      kind,
      ...(first !== oldest && { firstIn: first }),
      ...(last !== newest && { lastIn: last }),
      ...(servedUntil && { removedIn: servedUntil }),
    }),
  );
const target = fileURLToPath(
  new URL('../packages/features/src/releases/kubernetes-api-versions.json', import.meta.url),
);
writeFileSync(
  target,
  `{\n "oldest": "${oldest}",\n "newest": "${newest}",\n "versions": [\n  ${lines.join(',\n  ')}\n ]\n}\n`,
);
stdout.write(`${lines.length} versions of kinds\n`);

function foldersIn(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** A kind that is stored has a list and metadata of its own; reviews, options and scales have not. */
function read(release, folder, version) {
  const register = readFileSync(`${folder}/register.go`, 'utf8');
  const group = /GroupName\s*=\s*"([^"]*)"/.exec(register)?.[1];
  const registered = new Set([...register.matchAll(/&(\w+)\{\}/g)].map(([, kind]) => kind));
  const lifecycleFile = `${folder}/zz_generated.prerelease-lifecycle.go`;
  const lifecycle = existsSync(lifecycleFile) ? readFileSync(lifecycleFile, 'utf8') : '';
  for (const kind of registered) {
    if (group === undefined || !registered.has(`${kind}List`)) continue;
    const removed = new RegExp(`\\*${kind}\\) APILifecycleRemoved\\(\\)[^{]*\\{\\s*return (\\d+), (\\d+)`).exec(
      lifecycle,
    );
    const key = keyOf({ group, version, kind });
    const known = versions.get(key) ?? { group, version, kind, first: release };
    versions.set(key, { ...known, last: release, servedUntil: removed ? `${removed[1]}.${removed[2]}` : undefined });
  }
}

function keyOf({ group, version, kind }) {
  return `${group}/${kind}/${version}`;
}

function minor(version) {
  return Number(version.split('.')[1]);
}
