// Writes packages/devcluster/api-server/src/auth/bootstrap/roles.json, the roles and bindings that every cluster has, from the
// published Go modules. Oldest version first:
//
//     node tools/kubernetes-roles.mjs 1.34.5 1.35.4 1.36.3 1.37.2
//
// Facts only: names, verbs, groups, resources and subjects. `npm run test:real` compares them with the API servers of these versions.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { argv, exit, stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const versions = argv.slice(2);
if (versions.length === 0 || versions.some((version) => !/^1\.\d+\.\d+$/.test(version))) {
  stderr.write('usage: node tools/kubernetes-roles.mjs 1.34.5 1.35.4 1.36.3 1.37.2\n');
  exit(2);
}
const files = [
  'cluster-roles',
  'controller-roles',
  'cluster-role-bindings',
  'controller-role-bindings',
  'namespace-roles',
  'namespace-role-bindings',
];
const inModule = 'plugin/pkg/auth/authorizer/rbac/bootstrappolicy/testdata';
const target = '../packages/devcluster/api-server/src/auth/bootstrap/roles.json';
const minors = versions.map((version) => Number(version.split('.')[1]));

/** The lines of each object in each version, by its kind and name. */
const objects = new Map();
for (const [index, version] of versions.entries()) {
  for (const object of read(version)) {
    const texts = objects.get(firstLine(object)) ?? [];
    texts[index] = linesOf(object);
    objects.set(firstLine(object), texts);
  }
}
const entries = [...objects].flatMap(([first, texts]) =>
  spans(texts).map(({ when, lines }) => [`${first}${when}`, lines]),
);
writeFileSync(
  fileURLToPath(new URL(target, import.meta.url)),
  `${JSON.stringify(Object.fromEntries(entries), null, 1)}\n`,
);
stdout.write(`${objects.size} roles and bindings of ${versions.length} versions\n`);

function* read(version) {
  const out = execFileSync('go', ['mod', 'download', '-json', `k8s.io/kubernetes@v${version}`], { cwd: '/' });
  const folder = `${JSON.parse(out).Dir}/${inModule}`;
  for (const file of files) yield* parse(readFileSync(`${folder}/${file}.yaml`, 'utf8')).items;
}

function firstLine({ kind, metadata: { namespace, name } }) {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

function linesOf({ metadata, aggregationRule, rules, roleRef, subjects }) {
  const labels = Object.keys(metadata.labels).filter((label) => label !== 'kubernetes.io/bootstrapping');
  const selected = aggregationRule?.clusterRoleSelectors.flatMap(({ matchLabels }) => Object.keys(matchLabels)) ?? [];
  return [
    ...labels.map((label) => `label ${label}`),
    ...selected.map((label) => `aggregates ${label}`),
    ...(roleRef === undefined ? [] : [`role ${roleRef.name}`]),
    ...(subjects ?? []).map(
      ({ kind, namespace, name }) => `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`,
    ),
    ...(rules ?? []).map(ruleLine),
  ];
}

function ruleLine({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }) {
  const groups = apiGroups?.map((group) => group || 'core');
  const parts = nonResourceURLs
    ? [verbs, nonResourceURLs]
    : [verbs, groups, resources, ...(resourceNames ? [resourceNames] : [])];
  return `${parts.map((part) => part.join(' ')).join(' | ')}`;
}

/** Runs of versions with the same lines: ` 1.35-1.36` is added to those that are not there in all. */
function spans(texts) {
  const runs = [];
  for (const [index, minor] of minors.entries()) {
    const lines = texts[index];
    const last = runs.at(-1);
    if (last !== undefined && String(last.lines) === String(lines) && last.to === minors[index - 1]) last.to = minor;
    else if (lines !== undefined) runs.push({ lines, from: minor, to: minor });
  }
  return runs.map(({ lines, from, to }) => {
    const since = from === minors[0] ? '' : `1.${from}`;
    const until = to === minors.at(-1) ? '' : `1.${to}`;
    return { lines, when: since + until === '' ? '' : ` ${since}-${until}` };
  });
}
