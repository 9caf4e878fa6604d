import { readFileSync } from 'node:fs';
import type { KubeObject } from '@slipway/kube';
import { expect, test } from 'vitest';
import { builtInSchema } from './type-table.js';

interface Sent {
  readonly kubectl: string;
  readonly command: string;
  readonly message: string;
  /** What kubectl sent, in base64. */
  readonly body: string;
  /** What the same command prints with --dry-run=client -o json. */
  readonly json: KubeObject;
}

const sent = JSON.parse(readFileSync(new URL('./testdata/kubectl-bodies.json', import.meta.url), 'utf8')) as Sent[];

test.each(sent)('decodeProtobuf() reads kubectl $kubectl $command', ({ message, body, json }) => {
  const schema = builtInSchema(message);
  const printed = structuredClone(json);
  schema.admit(printed);
  // kubectl leaves out of what it prints what it takes from its configuration.
  const read = schema.decodeProtobuf?.(Buffer.from(body, 'base64')) as KubeObject;
  delete read.metadata.namespace;
  expect(read).toEqual(printed);
});

test('decodeProtobuf() counts what is in all embedded texts together', () => {
  const owned = JSON.stringify({
    'f:data': Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`f:k${at}`, {}])),
  });
  const decode = (entries: number) => {
    // metadata { managedFields { fieldsV1 { raw } } }, again and again.
    const managed = Buffer.concat(new Array(entries).fill(field(17, field(7, field(1, Buffer.from(owned))))));
    const raw = field(2, field(1, managed));
    return builtInSchema('core.v1.ConfigMap').decodeProtobuf?.(Buffer.concat([Buffer.from('k8s\0'), raw]));
  };
  expect(decode(3)?.metadata.managedFields).toHaveLength(3);
  expect(() => decode(4)).toThrow('exceeded max number of values');
});

function field(number: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(content.length)]), content]);
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}
