import { readFileSync } from 'node:fs';
import { newestMinor } from './supported-versions.js';

/** Facts of a field that only some readers need. */
export interface FieldFacts {
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
  /** Comma-separated, as in the tag of the source. */
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  readonly default?: unknown;
  readonly enum?: string;
  /** The first minor version that has the field; absent = all. */
  readonly since?: number;
  /** The last one; absent = all later ones. */
  readonly lastIn?: number;
  /** Gates, all of which must be on for the field to be stored; those that are on in all versions are left out. */
  readonly gates?: readonly string[];
}

/**
 * Number, JSON name, type, flags, facts. Flags: `r` repeated, `p` pointer, `o` omitempty,
 * `z` omitzero, `i` inline (a message in protobuf, part of its parent in JSON), `q` required.
 */
export type CompactField = [number: number, name: string, type: string, flags: string, facts?: FieldFacts];

/** A table of messages. `k8s-types.json` is one, packed as `PackedTable` says; `make-type-table.ts` writes it. */
export interface CompactTable {
  readonly origin: Readonly<Record<string, string>>;
  /** Short prefix of message ids (`apps.v1`) -> protobuf package. */
  readonly packages: Readonly<Record<string, string>>;
  /** Message id -> group, version, kind. */
  readonly kinds: Readonly<Record<string, readonly string[]>>;
  /** Message id -> the first minor version that has the kind; absent = all. */
  readonly kindsSince: Readonly<Record<string, number>>;
  /** Gates of fields that are off by default in a version -> the first minor version in which they are on; 0 = none. */
  readonly gates: Readonly<Record<string, number>>;
  readonly enums: Record<string, readonly string[]>;
  readonly messages: Record<
    string,
    {
      readonly encoding?: string;
      readonly typeMeta?: boolean;
      readonly atomic?: boolean;
      readonly fields: CompactField[];
    }
  >;
}

/** Types without a structure of their own on the wire. */
export type ScalarName = 'string' | 'bool' | 'int32' | 'int64' | 'double' | 'bytes';

/** Messages whose JSON is a single value rather than an object of their fields. */
export type Encoding =
  | 'time'
  | 'microTime'
  | 'duration'
  | 'quantity'
  | 'intOrString'
  | 'fieldsV1'
  | 'rawExtension'
  | 'json'
  | 'stringList'
  | 'schemaOrBool'
  | 'schemaOrArray'
  | 'schemaOrStringArray'
  | 'unknownEnvelope';

export interface Field {
  readonly number: number;
  readonly name: string;
  /** What one value is, or what the values of a map or a list are. */
  readonly scalar?: ScalarName;
  readonly message?: Message;
  readonly shape: 'single' | 'list' | 'map';
  readonly pointer: boolean;
  readonly omitempty: boolean;
  readonly omitzero: boolean;
  readonly inline: boolean;
  readonly required: boolean;
  readonly facts: FieldFacts;
  /** Gates of the field that are off by default in the version of the table; absent = none. */
  readonly offGates?: readonly string[];
}

const namesEmbeddedSince = 35;

/** A message, linked to the messages of its fields when they are first looked at. */
export class Message {
  /** For example `apps.v1.Deployment`. */
  readonly id: string;
  /** The last part of the id, which is also the name of the Go type. */
  readonly name: string;
  readonly encoding: Encoding | undefined;
  /** JSON objects of it carry apiVersion and kind; protobuf has them in the envelope. */
  readonly typeMeta: boolean;
  /** One writer owns the whole struct. */
  readonly atomic: boolean;
  readonly #own: () => readonly Field[];
  readonly #namesEmbedded: boolean;
  #embedded: ReadonlyMap<string, string> | undefined;
  #fields: readonly Field[] | undefined;
  #byName: ReadonlyMap<string, Field> | undefined;
  #byNumber: ReadonlyMap<number, Field> | undefined;
  #always: readonly Field[] | undefined;

  constructor(id: string, row: CompactTable['messages'][string], fields: () => readonly Field[], minor: number) {
    this.id = id;
    this.name = id.slice(id.lastIndexOf('.') + 1);
    this.encoding = row.encoding as Encoding | undefined;
    this.typeMeta = row.typeMeta === true;
    this.atomic = row.atomic === true;
    this.#own = fields;
    this.#namesEmbedded = minor >= namesEmbeddedSince;
  }

  /** Name as error messages of the decoder print it: `v1.Deployment`. */
  get goName(): string {
    return this.id.split('.').slice(-2).join('.');
  }

  /** Fields as they are in protobuf. */
  get fields(): readonly Field[] {
    this.#fields ??= this.#own();
    return this.#fields;
  }

  /** Fields of the JSON object by name: those of inlined messages are its own. */
  get byName(): ReadonlyMap<string, Field> {
    this.#byName ??= new Map(
      this.fields.flatMap((field) =>
        field.inline ? [...(field.message as Message).byName] : [[field.name, field] as const],
      ),
    );
    return this.#byName;
  }

  /** A field by name, below the names of the Go structs that embed it: `VolumeSource.nfs`. Messages of the decoder say it so from 1.35 on. */
  goPath(name: string): string {
    if (!this.#namesEmbedded) return name;
    this.#embedded ??= new Map(
      this.fields.flatMap(({ inline, message }) => {
        if (!inline || !message) return [];
        return [...message.byName.keys()].map((each) => [each, `${message.name}.${message.goPath(each)}`] as const);
      }),
    );
    return this.#embedded.get(name) ?? name;
  }

  get byNumber(): ReadonlyMap<number, Field> {
    this.#byNumber ??= new Map(this.fields.map((field) => [field.number, field]));
    return this.#byNumber;
  }

  /** Fields that are written even when nothing was given. */
  get always(): readonly Field[] {
    this.#always ??= [...this.byName.values()].filter(
      (field) => !field.omitempty || (isStruct(field) && !field.omitzero),
    );
    return this.#always;
  }
}

/** Whether the field holds a struct itself, which Go never leaves out of JSON for being empty. */
export function isStruct(field: Field): boolean {
  const { shape, message, pointer } = field;
  return shape === 'single' && !pointer && message !== undefined && message.encoding !== 'stringList';
}

/** The messages of one table, by id. */
export interface MessageTable {
  /** @throws RangeError for a message that the table does not have: a mistake in a declaration. */
  message(id: string): Message;
  readonly head: TableHead;
  /** The minor version of Kubernetes that the table is of. */
  readonly minor: number;
}

/** What a table says beside its messages. */
export type TableHead = Omit<CompactTable, 'messages'>;

type Row = CompactTable['messages'][string];

/**
 * The rows of a table as linked messages, as minor version `minor` has them; they are read and linked one by one as they are used.
 */
export function messageTable(
  head: TableHead,
  rowOf: (id: string) => Row | undefined,
  minor = newestMinor,
): MessageTable {
  const messages = new Map<string, Message>();
  const message = (id: string): Message => {
    const known = messages.get(id);
    if (known) return known;
    const row = rowOf(id);
    if (!row) throw new RangeError(`the type table has no message ${id}`);
    const made = new Message(id, row, () => row.fields.filter(isThere).map(linked), minor);
    messages.set(id, made);
    return made;
  };
  const isThere = ([, , , , facts]: CompactField) =>
    (facts?.since ?? minor) <= minor && (facts?.lastIn ?? minor) >= minor;
  const linked = ([number, name, type, flags, facts]: CompactField): Field => {
    const offGates = facts?.gates?.filter((gate) => !head.gates[gate] || head.gates[gate] > minor) ?? [];
    const isMap = type.startsWith('map<');
    const value = isMap ? type.slice('map<string,'.length, -1) : type;
    return {
      number,
      name,
      ...(value.includes('.') ? { message: message(value) } : { scalar: value as ScalarName }),
      shape: isMap ? 'map' : flags.includes('r') ? 'list' : 'single',
      pointer: flags.includes('p'),
      omitempty: flags.includes('o'),
      omitzero: flags.includes('z'),
      inline: flags.includes('i'),
      required: flags.includes('q'),
      facts: facts ?? {},
      ...(offGates.length > 0 && { offGates }),
    };
  };
  const kinds = Object.entries(head.kinds).filter(([id]) => (head.kindsSince[id] ?? minor) <= minor);
  return { message, minor, head: { ...head, kinds: Object.fromEntries(kinds) } };
}

let shipped: PackedTable | undefined;
const tables = new Map<number, MessageTable>();

/** The table that ships with devcluster as a minor version has it, read on first use. Its facts never change, so all share it. */
export function shippedTable(minor = newestMinor): MessageTable {
  const known = tables.get(minor);
  if (known) return known;
  shipped ??= JSON.parse(readFileSync(new URL('./k8s-types.json', import.meta.url), 'utf8')) as PackedTable;
  const made = openTable(shipped, minor);
  tables.set(minor, made);
  return made;
}

/** Whether a gate of a field is on by default in a minor version; false for one that guards no field, or is on in all versions. */
export function isOnByDefault(gate: string, minor: number): boolean {
  const since = shippedTable(minor).head.gates[gate];
  return since !== undefined && since > 0 && since <= minor;
}

/** A table as it ships: each message is a text of its own. A cluster uses a small part of them, and parses only that. */
export interface PackedTable extends TableHead {
  readonly messages: Readonly<Record<string, string>>;
}

export function openTable({ messages, ...head }: PackedTable, minor = newestMinor): MessageTable {
  const rowOf = (id: string) => {
    const row = Object.hasOwn(messages, id) ? messages[id] : undefined;
    return row === undefined ? undefined : (JSON.parse(row) as Row);
  };
  return messageTable(head, rowOf, minor);
}
