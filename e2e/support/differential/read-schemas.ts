import type { Send } from './exchange.js';
import type { Schema, Schemas } from './schema-values.js';
import type { SentKind } from './sent-kinds.js';

interface Named extends Schema {
  readonly 'x-kubernetes-group-version-kind'?: readonly { group: string; version: string; kind: string }[];
}

/** Reads the schema of a kind, and those it refers to, from the OpenAPI document of a server. */
export async function readSchemas(send: Send, { object }: SentKind): Promise<{ schema: Schema; schemas: Schemas }> {
  const apiVersion = String(object.apiVersion);
  const root = apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`;
  const { text } = await send({ method: 'GET', path: `/openapi/v3/${root}` });
  const schemas: Record<string, Named> = JSON.parse(text).components.schemas;
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const isKind = (each: { group: string; version: string; kind: string }) =>
    each.group === group && each.version === version && each.kind === object.kind;
  const schema = Object.values(schemas).find((each) => each['x-kubernetes-group-version-kind']?.some(isKind));
  if (!schema) throw new Error(`${root} has no schema of ${String(object.kind)}`);
  return { schema, schemas };
}
