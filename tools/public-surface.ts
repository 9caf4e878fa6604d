import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { balloonCrds } from '@slipway/balloons';
import { featureCrds } from '@slipway/features';
import type { Command } from 'commander';
import { commandTree } from '../packages/cli/src/command-line.js';
import { exit } from '../packages/cli/src/runtime/exit.js';
import { printedSeries } from './printed-series.js';
import { packageFolders } from './release/package-folders.js';

/** Part of a structural schema, as far as names of fields are read from it. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly type?: string;
}

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

const repository = fileURLToPath(new URL('..', import.meta.url));

/**
 * Lists everything that docs/reference/stability.md promises to keep, one line each: fields of kinds, commands with
 * their flags, metrics with their labels, exit codes, and what packages export.
 */
export async function publicSurface(): Promise<readonly string[]> {
  return [
    ...([...featureCrds(), ...balloonCrds()] as unknown as Definition[]).flatMap(fieldsOf),
    ...commandsOf(await commandTree(), 'slipway'),
    ...[...printedSeries()].map(([name, labels]) => `metric ${name}{${[...labels].sort().join(',')}}`),
    ...Object.entries(exit).map(([name, code]) => `exit code ${code} ${name}`),
    ...(await exportsOfPackages()),
  ].sort();
}

function fieldsOf({ spec: { group, names, versions } }: Definition): readonly string[] {
  return versions.flatMap(({ name, schema }) => {
    const { metadata: _standard, ...own } = schema.openAPIV3Schema.properties ?? {};
    return walk({ properties: own }, '').map((path) => `kind ${group}/${name} ${names.kind}${path}`);
  });
}

function walk(schema: Schema, path: string): readonly string[] {
  const inner = schema.items ? `${path}[]` : schema.additionalProperties ? `${path}{}` : path;
  const below = schema.items ?? schema.additionalProperties ?? schema;
  const fields = Object.entries(below.properties ?? {});
  const own = path === '' ? [] : [`${path} ${schema.type ?? 'any'}`];
  return [...own, ...fields.flatMap(([name, field]) => walk(field, `${inner}.${name}`))];
}

function commandsOf(command: Command, path: string): readonly string[] {
  const words = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  );
  return [
    `command ${[path, ...words].join(' ')}`,
    ...command.options.map((option) => `flag ${path} ${option.flags}`),
    ...command.commands.flatMap((sub) => commandsOf(sub, `${path} ${sub.name()}`)),
  ];
}

/** Whether a package is a part of devcluster; docs/reference/stability.md promises nothing of those. */
const isInternal = (folder: string) => folder.startsWith('packages/devcluster/') && !folder.endsWith('/cluster');

async function exportsOfPackages(): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const folder of packageFolders(repository)) {
    const file = `${repository}${folder}/package.json`;
    const { name, exports = {} } = JSON.parse(readFileSync(file, 'utf8')) as {
      name: string;
      exports?: Record<string, { 'slipway-source'?: string; default?: string }>;
    };
    if (isInternal(folder)) continue;
    for (const [key, { 'slipway-source': source, default: published }] of Object.entries(exports)) {
      if (source === undefined || published === undefined) continue;
      const module: object = await import(/* @vite-ignore */ `${repository}${folder}/${source}`);
      for (const symbol of Object.keys(module)) lines.push(`export ${name}${key.slice(1)} ${symbol}`);
    }
  }
  return lines;
}
