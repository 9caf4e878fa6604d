import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { aggregation } from './aggregation-types.js';
import type { CompactField, CompactTable, FieldFacts } from './message-table.js';
import { minorOf } from './supported-versions.js';

/** Packages of the messages that devcluster serves or reads; what they refer to comes along. */
const served = [
  'core.v1',
  'apps.v1',
  'batch.v1',
  'autoscaling.v1',
  'autoscaling.v2',
  'policy.v1',
  'scheduling.v1',
  'coordination.v1',
  'events.v1',
  'rbac.v1',
  'authentication.v1',
  'authorization.v1',
  'admissionregistration.v1',
  'admissionregistration.v1beta1',
  'storage.v1',
  'node.v1',
  'discovery.v1',
  'flowcontrol.v1',
  'networking.v1',
  'certificates.v1',
  'storagemigration.v1',
  'resource.v1',
  'apiextensions.v1',
  'meta.v1',
  'runtime',
  'resource',
  'intstr',
];

interface SourceField extends Omit<FieldFacts, 'since' | 'lastIn' | 'gates'> {
  readonly number: number;
  readonly name: string;
  readonly type: string;
  readonly repeated?: boolean;
  readonly pointer?: boolean;
  readonly omitempty?: boolean;
  readonly omitzero?: boolean;
  readonly inline?: boolean;
  readonly required?: boolean;
  readonly since?: string;
  readonly lastIn?: string;
  readonly featureGates?: readonly string[];
}

interface SourceMessage {
  readonly encoding?: string;
  readonly typeMeta?: boolean;
  readonly structType?: string;
  readonly since?: string;
  readonly fields?: readonly SourceField[];
}

/** Form of the facts that the table is made from, as far as it is read here. */
export interface TypeFacts {
  /** The versions that the facts were read of, oldest first. */
  readonly snapshot: { readonly versions: readonly string[] };
  readonly packages: readonly { readonly prefix: string; readonly proto: string }[];
  /** Gates of fields: since which versions they are on or off by default. */
  readonly gates: Readonly<Record<string, readonly (readonly [version: string, isOn: boolean])[]>>;
  readonly enums: Readonly<Record<string, readonly string[]>>;
  readonly kinds: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    readonly message: string;
  }[];
  readonly messages: Readonly<Record<string, SourceMessage>>;
}

/**
 * Run by hand when the facts change, after a build, in packages/devcluster/api-machinery:
 * `node dist/schema/make-type-table.js <facts>/k8s-types.json src/schema/k8s-types.json`.
 *
 * Makes the table that ships from the full one of the data facts: the packages
 * served, as all its versions have them, in a form that parses in a few milliseconds.
 */
export function compactTable(source: TypeFacts): CompactTable {
  const prefix = (id: string) => id.slice(0, id.lastIndexOf('.'));
  const oldest = minorOf(source.snapshot.versions[0] ?? '');
  const gates = gatesOf(source, oldest);
  const messages: CompactTable['messages'] = {};
  const enums: CompactTable['enums'] = {};
  for (const [id, message] of Object.entries(source.messages)) {
    if (!served.includes(prefix(id))) continue;
    const fields: CompactField[] = [];
    for (const field of message.fields ?? []) {
      const type = field.type.replace(/^map<string,(.*)>$/, '$1');
      if (type.includes('.') && !served.includes(prefix(type))) continue;
      if (field.enum !== undefined) enums[field.enum] = source.enums[field.enum] ?? [];
      fields.push(compactField(field, gates));
    }
    messages[id] = {
      ...(message.encoding !== undefined && { encoding: message.encoding }),
      ...(message.typeMeta && { typeMeta: true }),
      ...(message.structType === 'atomic' && { atomic: true }),
      fields,
    };
  }
  return {
    origin: {
      what: 'facts of the Kubernetes API types: names, numbers, types and markers; no text of their sources',
      license: 'Apache-2.0',
      kubernetes: source.snapshot.versions.join(', '),
    },
    packages: Object.fromEntries(
      source.packages.filter((p) => served.includes(p.prefix)).map((p) => [p.prefix, p.proto]),
    ),
    kinds: Object.fromEntries(
      source.kinds.filter((k) => messages[k.message]).map((k) => [k.message, [k.group, k.version, k.kind]]),
    ),
    kindsSince: Object.fromEntries(
      source.kinds.flatMap(({ message }) => {
        const since = messages[message] && source.messages[message]?.since;
        return since === undefined ? [] : [[message, minorOf(since)]];
      }),
    ),
    gates,
    enums,
    messages,
  };
}

/** Gates that are off by default in a version, and the first minor version in which they are on; 0 for those that never are. */
function gatesOf({ gates }: TypeFacts, oldest: number): Readonly<Record<string, number>> {
  const since = Object.entries(gates).map(([name, stages]) => {
    const lastOff = stages.findLastIndex(([, isOn]) => !isOn);
    const [version] = stages[lastOff + 1] ?? [];
    return [name, version === undefined ? 0 : minorOf(version)] as const;
  });
  return Object.fromEntries(since.filter(([, minor]) => minor === 0 || minor > oldest));
}

/** The table with the messages that the facts do not have: those of the aggregation layer. */
export function withAggregation(table: CompactTable): CompactTable {
  return {
    ...table,
    packages: { ...table.packages, ...aggregation.packages },
    kinds: { ...table.kinds, ...aggregation.kinds },
    messages: { ...table.messages, ...aggregation.messages },
  };
}

function compactField(field: SourceField, known: CompactTable['gates']): CompactField {
  const flags = [
    field.repeated && 'r',
    field.pointer && 'p',
    field.omitempty && 'o',
    field.omitzero && 'z',
    field.inline && 'i',
    field.required && 'q',
  ]
    .filter(Boolean)
    .join('');
  const facts: Record<string, unknown> = {};
  for (const key of [
    'listType',
    'listMapKeys',
    'mapType',
    'patchStrategy',
    'patchMergeKey',
    'default',
    'enum',
  ] as const) {
    if (field[key] !== undefined) facts[key] = field[key];
  }
  const gates = field.featureGates?.filter((gate) => known[gate] !== undefined) ?? [];
  if (field.since !== undefined) facts.since = minorOf(field.since);
  if (field.lastIn !== undefined) facts.lastIn = minorOf(field.lastIn);
  if (gates.length > 0) facts.gates = gates;
  const start = [field.number, field.name, field.type, flags] as const;
  return Object.keys(facts).length === 0 ? [...start] : [...start, facts as FieldFacts];
}

/** The table as a `PackedTable` in JSON, one message per line, so that a change of the facts can be read in a diff. */
export function printTable(table: CompactTable): string {
  const { messages, ...head } = table;
  const lines = Object.entries(messages).map(
    ([id, message]) => `${JSON.stringify(id)}:${JSON.stringify(JSON.stringify(message))}`,
  );
  return `${JSON.stringify(head).slice(0, -1)},\n"messages":{\n${lines.join(',\n')}\n}}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [from = '', to = ''] = process.argv.slice(2);
  const facts = JSON.parse(readFileSync(from, 'utf8')) as TypeFacts;
  writeFileSync(to, printTable(withAggregation(compactTable(facts))));
}
