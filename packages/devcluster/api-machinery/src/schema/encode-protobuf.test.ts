import { expect, test } from 'vitest';
import { decodeMessage, readEnvelope } from './decode-protobuf.js';
import { encodeAnswer } from './encode-protobuf.js';
import { shippedTable } from './message-table.js';

test('a refusal is encoded to the bytes that Kubernetes 1.36 sends', () => {
  const message =
    'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf';
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'NotAcceptable',
    code: 406,
  };
  // Recorded: shared/data/recordings, negotiation.accepts#08.
  expect(Buffer.from(encodeAnswer(status) ?? []).toString('base64')).toBe(
    'azhzAAoMCgJ2MRIGU3RhdHVzEpkBCgYKABIAGgASB0ZhaWx1cmUadG9ubHkgdGhlIGZvbGxvd2luZyBtZWRpYSB0eXBlcyBhcmUgYWNjZXB0ZWQ6IGFwcGxpY2F0aW9uL2pzb24sIGFwcGxpY2F0aW9uL3lhbWwsIGFwcGxpY2F0aW9uL3ZuZC5rdWJlcm5ldGVzLnByb3RvYnVmIg1Ob3RBY2NlcHRhYmxlMJYDGgAiAA==',
  );
});

test('a list of resources is read back as it was, with the verbs that are a message of their own', () => {
  const resources = [
    {
      name: 'gadgets',
      singularName: 'gadget',
      namespaced: true,
      kind: 'Gadget',
      verbs: ['get', 'list'],
      shortNames: ['gd'],
    },
    {
      name: 'gadgets/scale',
      singularName: '',
      namespaced: true,
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: [],
    },
  ];
  const list = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'rec.slipway.dev/v1', resources };
  const envelope = readEnvelope(encodeAnswer(list) ?? new Uint8Array());
  expect(envelope).toMatchObject({ apiVersion: 'v1', kind: 'APIResourceList' });
  const read = decodeMessage(shippedTable().message('meta.v1.APIResourceList'), envelope.raw);
  expect(read).toMatchObject({ groupVersion: 'rec.slipway.dev/v1', resources });
});

test('objects stay JSON: they are not encoded', () => {
  for (const kind of ['Pod', 'StatusDetails', '__proto__', 5]) expect(encodeAnswer({ kind })).toBeUndefined();
});
