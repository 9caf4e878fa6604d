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
