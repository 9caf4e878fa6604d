// Writes testdata/kubernetes-types/k8s-types.json, the facts of Kubernetes' API messages, from the published Go modules. Oldest version first:
//
//     node tools/kubernetes-types.mjs 1.34.13 1.35.10 1.36.6 1.37.2
//
// What a message is comes from the newest version that has it. `since` is the first minor version that has a message or a field, absent for
// the oldest one; `lastIn` is the last one, absent for the newest. Facts only: names, numbers, types and markers, no text of the sources.
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { argv, exit, stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { packages } from './kubernetes-types/packages.mjs';
import { readGates } from './kubernetes-types/read-gates.mjs';
import { readKinds } from './kubernetes-types/read-kinds.mjs';
import { readPackage } from './kubernetes-types/read-package.mjs';

const versions = argv.slice(2);
if (versions.length === 0 || versions.some((version) => !/^1\.\d+\.\d+$/.test(version))) {
  stderr.write('usage: node tools/kubernetes-types.mjs 1.34.13 1.35.10 1.36.6 1.37.2\n');
  exit(2);
}
const newest = versions.at(-1);
const minorOf = (version) => version.replace(/\.\d+$/, '');

const messages = {};
const enums = {};
const groups = {};
const registered = [];
for (const version of versions) read(version);
const sources = folderOf('kubernetes', `v${newest}`);
for (const { fields } of Object.values(messages)) {
  // Only types that are marked, and whose values stand in the same package, are enumerations.
  for (const field of fields) if (!enums[field.enum]?.length) delete field.enum;
}
for (const [id, values] of Object.entries(enums)) if (values.length === 0) delete enums[id];
const kinds = readKinds(
  registered.filter(({ message }) => messages[message]),
  `${sources}/api/openapi-spec/swagger.json`,
);
const fieldGates = Object.values(messages).flatMap(({ fields }) => fields.flatMap((field) => field.featureGates ?? []));
const gates = readGates(
  [
    `${sources}/pkg/features/kube_features.go`,
    `${folderOf('apiserver', staging(newest))}/pkg/features/kube_features.go`,
  ],
  fieldGates,
);

const target = fileURLToPath(new URL('../testdata/kubernetes-types/k8s-types.json', import.meta.url));
writeFileSync(target, printed());
stdout.write(`${packages.length} packages, ${Object.keys(messages).length} messages, ${kinds.length} kinds\n`);

/** The folder of a module in the cache, downloaded when it is not there. */
function folderOf(module, version) {
  const out = execFileSync('go', ['mod', 'download', '-json', `k8s.io/${module}@${version}`], { cwd: '/' });
  return JSON.parse(out).Dir;
}

function staging(version) {
  return version.replace(/^1/, 'v0');
}

/** Adds what a version has. */
function read(version) {
  const folders = {};
  for (const module of ['api', 'apimachinery', 'apiextensions-apiserver'])
    folders[module] = folderOf(module, staging(version));
  const minor = minorOf(version);
  const made = {};
  for (const one of packages) {
    const folder = `${folders[one.module]}/${one.path}`;
    if (!existsSync(folder)) continue;
    const read = readPackage(folder, one);
    Object.assign(made, read.messages);
    Object.assign(enums, read.enums);
    if (version === newest) registered.push(...read.kinds);
    groups[one.prefix] = read.group;
  }
  for (const [id, { aliasOf, ...message }] of Object.entries(made)) {
    messages[id] = withLife(messages[id], aliasOf ? made[aliasOf] : message, minor);
  }
  for (const [id, message] of Object.entries(messages)) {
    if (!made[id]) message.lastIn ??= minorBefore(minor);
  }
}

function minorBefore(minor) {
  return minor.replace(/\d+$/, (number) => String(number - 1));
}

/** A message with the versions since when it and its fields are there, and what it had before. */
function withLife(before, message, minor) {
  const isOldest = minor === minorOf(versions[0]);
  const known = new Map(before?.fields.map((field) => [`${field.number} ${field.name}`, field]));
  const fields = message.fields.map((field) => {
    const key = `${field.number} ${field.name}`;
    const old = known.get(key);
    known.delete(key);
    const since = before === undefined || old ? old?.since : minor;
    return { ...field, ...(since !== undefined && { since }) };
  });
  const gone = [...known.values()].map((field) => ({ ...field, lastIn: field.lastIn ?? minorBefore(minor) }));
  const since = before ? before.since : isOldest ? undefined : minor;
  return {
    ...(since !== undefined && { since }),
    ...message,
    // In the order of the Go struct, in which Kubernetes writes an object.
    fields: [...fields, ...gone],
  };
}

/** One field a line, so that a diff shows what a version changed. */
function printed() {
  const parts = {
    snapshot: JSON.stringify({ versions }),
    packages: listed(
      packages.map(({ prefix, proto }) => ({ prefix, proto, group: groups[prefix], version: prefix.split('.')[1] })),
    ),
    gates: named(gates),
    enums: named(enums),
    kinds: listed(kinds),
    messages: block(Object.keys(messages).sort().map(messageText)),
  };
  return `{\n${Object.entries(parts)
    .map(([key, text]) => ` "${key}": ${text}`)
    .join(',\n')}\n}\n`;
}

function messageText(id) {
  const { fields, ...message } = messages[id];
  const start = JSON.stringify(message).slice(1, -1);
  const rows = fields.map((field) => `   ${JSON.stringify(field)}`).join(',\n');
  return `"${id}": {${start && `${start},`}"fields": [${rows && `\n${rows}\n  `}]}`;
}

function listed(values) {
  return `[\n${values.map((value) => `  ${JSON.stringify(value)}`).join(',\n')}\n ]`;
}

function named(values) {
  return block(
    Object.keys(values)
      .sort()
      .map((key) => `"${key}": ${JSON.stringify(values[key])}`),
  );
}

function block(lines) {
  return `{\n${lines.map((line) => `  ${line}`).join(',\n')}\n }`;
}
