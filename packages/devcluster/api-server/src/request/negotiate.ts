import { statusError } from '@slipway/api-machinery/errors/status-errors';

/** The form in which a client wants its answer. */
export interface Representation {
  readonly format: 'json' | 'yaml';
  /** What objects are turned into first. */
  readonly as: 'object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** Of meta.k8s.io, when `as` is not `object`. */
  readonly version: 'v1' | 'v1beta1';
  /** Indented, for people with a plain HTTP client. */
  readonly pretty: boolean;
}

const plain: Representation = { format: 'json', as: 'object', version: 'v1', pretty: false };

/** Answers about objects can be turned into tables and bare metadata, those about questions into bare metadata; others cannot. What discovery says comes as protobuf, too. */
export type Transformable = 'objects' | 'questions' | 'nothing' | 'discovery';

export const protobuf = 'application/vnd.kubernetes.protobuf';

/**
 * Picks the first form of an Accept header that this server can produce.
 *
 * @throws StatusError NotAcceptable when there is none.
 */
export function negotiate(accept: string | undefined, transformable: Transformable = 'objects'): Representation {
  if (accept === undefined || accept === '' || accept === 'application/json' || accept === '*/*') return plain;
  for (const clause of clausesOf(accept)) {
    const format =
      formats[clause.type] ?? (transformable === 'discovery' && clause.type === protobuf ? 'json' : undefined);
    if (format === undefined) continue;
    const { as, v, g } = clause.parameters;
    const pretty = clause.parameters.pretty === '1';
    if (as === undefined) return { ...plain, format, pretty };
    const isObject = transformable === 'objects' || (transformable === 'questions' && as !== 'Table');
    if (!isObject || g !== 'meta.k8s.io' || (v !== 'v1' && v !== 'v1beta1') || !isTransform(as)) {
      continue;
    }
    return { format, as, version: v, pretty };
  }
  throw notAcceptable();
}

/** 406, with the forms there are. */
export function notAcceptable() {
  const message =
    'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf';
  return statusError(406, 'NotAcceptable', message);
}

/**
 * The same for answers that come in a few forms only.
 *
 * @throws StatusError NotAcceptable, naming them.
 */
export function requireAcceptable(accept: string | undefined, available: readonly string[]): void {
  if (accept === undefined || accept === '') return;
  const wanted = clausesOf(accept).map(({ type }) => type);
  if (wanted.some((type) => type === '*/*' || type === 'application/*' || available.includes(type))) return;
  const message = `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`;
  throw statusError(406, 'NotAcceptable', message, {});
}

const formats: Readonly<Record<string, 'json' | 'yaml'>> = {
  'application/json': 'json',
  'application/*': 'json',
  '*/*': 'json',
  'application/yaml': 'yaml',
};

/** The media types that every answer comes in. */
export const formatNames: ReadonlySet<string> = new Set(Object.keys(formats));

function isTransform(as: string): as is Exclude<Representation['as'], 'object'> {
  return as === 'Table' || as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList';
}

export interface AcceptClause {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The clauses of an Accept header, best first. */
export function clausesOf(accept: string): AcceptClause[] {
  const clauses = accept.split(',').map((text) => {
    const [type = '', ...rest] = text.split(';').map((part) => part.trim());
    const parameters = Object.fromEntries(
      rest.map((pair) => {
        const equals = pair.indexOf('=');
        return equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
      }),
    );
    return { type: type.toLowerCase(), parameters };
  });
  const quality = (clause: AcceptClause) => Number(clause.parameters.q ?? 1);
  return clauses.sort((a, b) => quality(b) - quality(a));
}
