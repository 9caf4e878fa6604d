/** A hostile request. */
export interface HostileInput {
  readonly what: string;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Requests that make what this one is about, sent before it is measured. */
  readonly before?: readonly HostileInput[];
  /** Requests that take away what others would be measured beside, sent afterwards. */
  readonly after?: readonly HostileInput[];
}

/** In bytes, as all sizes here. */
export const mebibyte = 1_048_576;
/** Just below what a body may have. */
export const most = 3 * mebibyte - 4_096;

export const configMaps = '/api/v1/namespaces/default/configmaps';

export const body = (type: string) => ({ 'content-type': type });

export const many = (count: number, make: (index: number) => string, separator = ',') =>
  Array.from({ length: count }, (_, index) => make(index)).join(separator);
/** As often as it fits into so many bytes. */
export const fill = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));
/** A config map in JSON, with this after its metadata. */
export const configMap = (more: string, name = 'x') =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"}${more}}`;
/** A config map in JSON, with this in its metadata. */
export const withMetadata = (more: string, name = 'x') =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}",${more}}}`;

/** The owner reference of this number, in JSON. */
export const ownerReference = (index: number) =>
  `{"apiVersion":"v1","kind":"A","name":"o","uid":"${String(index).padStart(8, '0')}"}`;
