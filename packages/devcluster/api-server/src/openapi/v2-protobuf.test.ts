import { runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import { expect, test } from 'vitest';
import { v2Protobuf } from './v2-protobuf.js';

test('a document has the bytes that gnostic, which clients read it with, makes of it', () => {
  const port = { type: 'object', properties: { port: { type: 'integer' } } };
  const thing = {
    description: 'A thing.',
    type: 'object',
    required: ['kind', 'size'],
    properties: {
      kind: { type: 'string', enum: ['a', 'b'], maxLength: 300, minLength: 1, pattern: '^a' },
      size: {
        description: 'How large.',
        type: 'integer',
        format: 'int32',
        multipleOf: 2,
        minimum: 1,
        maximum: 9.5,
        exclusiveMaximum: true,
      },
      ports: {
        type: 'array',
        items: { $ref: '#/definitions/Port' },
        maxItems: 5,
        uniqueItems: true,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['port'],
      },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      free: { type: 'object', additionalProperties: true },
    },
    'x-kubernetes-group-version-kind': [{ group: 'g', version: 'v1', kind: 'Thing' }],
  };
  const document = {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: 'v1.34.0' },
    paths: { '/apis': {} },
    definitions: { Port: port, Thing: thing },
  };
  expect(Buffer.from(runToCompletion(v2Protobuf(document))).toString('base64')).toBe(
    'CgMyLjASFQoKS3ViZXJuZXRlcxIHdjEuMzQuMEIASvQDCiwKBFBvcnQSJLIBCAoGb2JqZWN0ygEWChQKBHBvcnQSDLIBCQoHaW50ZWdlcgrDAwoFVGhpbmcSuQMiCEEgdGhpbmcumgEEa2luZJoBBHNpemWyAQgKBm9iamVjdMoBvAIKLgoEa2luZBImWKwCYAFqAl5hogEGEgQiYSIKogEGEgQiYiIKsgEICgZzdHJpbmcKRAoEc2l6ZRI8EgVpbnQzMiIKSG93IGxhcmdlLjEAAAAAAAAAQDkAAAAAAAAjQEABSQAAAAAAAPA/sgEJCgdpbnRlZ2VyCoIBCgVwb3J0cxJ5cAWAAQGyAQcKBWFycmF5ugEWChQKEiMvZGVmaW5pdGlvbnMvUG9ydPoBIgoWeC1rdWJlcm5ldGVzLWxpc3QtdHlwZRIIEgYibWFwIgr6ASkKGngta3ViZXJuZXRlcy1saXN0LW1hcC1rZXlzEgsSCVsicG9ydCJdCgolCgZsYWJlbHMSG6oBDQoLsgEICgZzdHJpbmeyAQgKBm9iamVjdAoYCgRmcmVlEhCqAQIQAbIBCAoGb2JqZWN0+gFTCh94LWt1YmVybmV0ZXMtZ3JvdXAtdmVyc2lvbi1raW5kEjASLlt7Imdyb3VwIjoiZyIsInZlcnNpb24iOiJ2MSIsImtpbmQiOiJUaGluZyJ9XQo=',
  );
});
