import { type OpenApiSchema, openapiType } from '@slipway/cel/kubernetes/openapi-type';
import { type CelType, dyn } from '@slipway/cel/values/cel-type';
import type { Transport } from '@slipway/kube';
import type { Kind } from './matched-kinds.js';

interface Document {
  readonly components?: { readonly schemas?: Readonly<Record<string, PublishedSchema>> };
}

interface PublishedSchema extends OpenApiSchema {
  readonly 'x-kubernetes-group-version-kind'?: readonly Kind[];
}

/** The type of the objects of a kind, from the schema that the API server publishes; undefined when it has none. */
export async function kindType(transport: Transport, kind: Kind, signal: AbortSignal): Promise<CelType | undefined> {
  const { group, version } = kind;
  const path = group === '' ? `/openapi/v3/api/${version}` : `/openapi/v3/apis/${group}/${version}`;
  const { status, body } = await transport.request({ method: 'GET', path, signal });
  if (status !== 200) return undefined;
  const schemas = (body as Document).components?.schemas ?? {};
  const isMeant = (other: Kind) => other.group === group && other.version === version && other.kind === kind.kind;
  const name = Object.keys(schemas).find((one) => schemas[one]?.['x-kubernetes-group-version-kind']?.some(isMeant));
  const type = name === undefined ? dyn : openapiType(schemas, name);
  return type === dyn ? undefined : type;
}
