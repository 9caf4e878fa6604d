import { readdirSync, readFileSync } from 'node:fs';
import { messageId, prefixOfImport } from './packages.mjs';
import { marker, markers, readGo } from './read-go.mjs';
import { readProto } from './read-proto.mjs';

/** Messages whose JSON is a value of its own: their Go types write it by hand. */
const encodings = {
  'apiextensions.v1.JSON': 'json',
  'apiextensions.v1.JSONSchemaPropsOrArray': 'schemaOrArray',
  'apiextensions.v1.JSONSchemaPropsOrBool': 'schemaOrBool',
  'apiextensions.v1.JSONSchemaPropsOrStringArray': 'schemaOrStringArray',
  'intstr.IntOrString': 'intOrString',
  'meta.v1.Duration': 'duration',
  'meta.v1.FieldsV1': 'fieldsV1',
  'meta.v1.MicroTime': 'microTime',
  'meta.v1.Time': 'time',
  'resource.Quantity': 'quantity',
  'runtime.RawExtension': 'rawExtension',
  'runtime.Unknown': 'unknownEnvelope',
};

/** What a Go package declares, of all its files. */
class GoPackage {
  constructor(folder, prefix) {
    this.prefix = prefix;
    this.structs = {};
    this.types = {};
    this.values = [];
    const files = readdirSync(folder).filter((name) => name.endsWith('.go') && !/_test\.go$|generated/.test(name));
    for (const file of files) {
      const { imports, structs, types, values } = readGo(readFileSync(`${folder}/${file}`, 'utf8'));
      for (const struct of Object.values(structs)) struct.imports = imports;
      for (const type of Object.values(types)) type.imports = imports;
      Object.assign(this.structs, structs);
      Object.assign(this.types, types);
      this.values.push(...values);
    }
  }

  /** The id of a type as a file names it: `v1.Pod`, `Pod`; undefined for a type of the language, or of a package that is not read. */
  idOf(type, imports) {
    const [name, of] = type.split('.').reverse();
    if (!/^[A-Z]/.test(name)) return undefined;
    const prefix = of === undefined ? this.prefix : prefixOfImport(imports[of] ?? '');
    return prefix && `${prefix}.${name}`;
  }

  /** Enumerations by id, with their values in the order of the file. */
  enums() {
    const marked = Object.entries(this.types).filter(
      ([, { comments, of }]) =>
        of === 'string' && ['enum', 'k8s:enum'].some((name) => marker(comments, name) !== undefined),
    );
    const valuesOf = (name) => this.values.filter(({ type }) => type === name).map(({ value }) => value);
    return Object.fromEntries(marked.map(([name]) => [`${this.prefix}.${name}`, valuesOf(name)]));
  }
}

/** Reads a package: its messages by id, the values of its enumerations, and the kinds that it registers. */
export function readPackage(folder, { prefix }) {
  const go = new GoPackage(folder, prefix);
  const proto = readProto(readFileSync(`${folder}/generated.proto`, 'utf8'), (type) => messageId(type, prefix));
  const messages = Object.entries(proto).map(([name, fields]) => [`${prefix}.${name}`, messageOf(name, fields, go)]);
  const register = readdirSync(folder).includes('register.go') ? readFileSync(`${folder}/register.go`, 'utf8') : '';
  const group = /^(?:const |\t)GroupName\s*=\s*"([^"]*)"/m.exec(register)?.[1];
  const names = [...new Set([...register.matchAll(/&(\w+)\{\}/g)].map(([, kind]) => kind))];
  const version = prefix.split('.')[1];
  const kinds = names.map((kind) => ({
    group: groupOf(prefix, kind, group),
    version,
    kind,
    message: `${prefix}.${kind}`,
  }));
  return { messages: Object.fromEntries(messages), enums: go.enums(), kinds, group };
}

/** Options and answers of all groups are registered in the one without a name. */
function groupOf(prefix, kind, group) {
  return prefix === 'meta.v1' && !/^(PartialObjectMetadata|Table)/.test(kind) ? '' : group;
}

function messageOf(name, protoFields, go) {
  const id = `${go.prefix}.${name}`;
  const type = go.types[name];
  const alias = type && /^\w+\.[A-Z]\w*$/.test(type.of) ? go.idOf(type.of, type.imports) : undefined;
  const encoding = encodings[id] ?? (type?.of.startsWith('[]') ? 'stringList' : undefined);
  const { fields = [], comments = [], imports = {} } = go.structs[name] ?? {};
  const byNumber = new Map(fields.map((field) => [Number(field.tag('protobuf')?.split(',')[1]), field]));
  const isTyped = fields.some(({ type: of, tag }) => /(^|\.)TypeMeta$/.test(of) && tag('protobuf') === undefined);
  return {
    ...(encoding && { encoding }),
    ...(isTyped && { typeMeta: true }),
    ...((marker(comments, 'structType') ?? marker(comments, 'mapType')) === 'atomic' && { structType: 'atomic' }),
    ...(alias && { aliasOf: alias }),
    fields: protoFields.map((field) => {
      const found = byNumber.get(field.number);
      return found ? fieldOf(field, found, go, imports) : field;
    }),
  };
}

function fieldOf({ number, name: protoName, type, repeated }, field, go, imports) {
  const { comments, tag, type: goType } = field;
  const [given = '', ...options] = (tag('json') ?? protoName).split(',');
  const isInline = tag('json') !== undefined && given === '' && field.name === undefined;
  const isIgnored = given === '-';
  const has = (name) => marker(comments, name) !== undefined;
  const isOptional = !has('required') && (has('optional') || options.includes('omitempty'));
  const keys = markers(comments, 'listMapKey');
  const gates = new Set(markers(comments, 'featureGate').flatMap((list) => list.split(',')));
  const enumId = go.idOf(goType.replace(/^\*?(\[\]|map\[\w+\])?\*?/, ''), imports);
  const facts = {
    protoName: given === '' || isIgnored || given === protoName ? undefined : protoName,
    repeated,
    pointer: goType.startsWith('*'),
    omitempty: options.includes('omitempty'),
    omitzero: options.includes('omitzero'),
    inline: isInline,
    jsonIgnored: isIgnored,
    required: tag('json') !== undefined && !isInline && !isIgnored && !isOptional,
    listType: marker(comments, 'listType'),
    listMapKeys: keys.length > 0 && keys,
    mapType: marker(comments, 'mapType') ?? marker(comments, 'structType'),
    patchStrategy: tag('patchStrategy'),
    patchMergeKey: tag('patchMergeKey'),
    default: defaultOf(comments, go),
    enum: /^(map<string, ?)?string>?$/.test(type) && enumId,
    featureGates: gates.size > 0 && [...gates],
  };
  const name = given === '' || isIgnored ? protoName : given;
  const known = Object.entries(facts).filter(([key, value]) => value || (key === 'default' && value !== undefined));
  return { number, name, type, ...Object.fromEntries(known) };
}

/** The default that a marker gives, a JSON value or a constant of the package; null and {} are none. */
function defaultOf(comments, go) {
  const given = marker(comments, 'default');
  if (given === undefined) return undefined;
  const constant = /^ref\((\w+)\)$/.exec(given)?.[1];
  return constant === undefined ? JSON.parse(given) : go.values.find(({ name }) => name === constant)?.value;
}
