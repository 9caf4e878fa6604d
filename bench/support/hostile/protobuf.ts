import { body, type HostileInput, many, most } from './input.js';

const protobuf = body('application/vnd.kubernetes.protobuf');
const envelope = Buffer.concat([
  Buffer.from('k8s\0'),
  // typeMeta { apiVersion: "v1", kind: "ConfigMap" }
  Buffer.from([0x0a, 0x0f, 0x0a, 0x02, 0x76, 0x31, 0x12, 0x09]),
  Buffer.from('ConfigMap'),
]);
const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)]);
const field = (number: number, content: Uint8Array) =>
  Buffer.concat([Buffer.from(varint((number << 3) | 2)), Buffer.from(varint(content.length)), content]);
/** Fields that no message has, nested or flat. */
const unknownFields = Buffer.alloc(most - 100, Buffer.from([0xf8, 0x07, 0x01]));

/** Who owns fields, in texts within protobuf: none of them holds too much by itself. */
const ownedFields = field(
  17,
  field(7, field(1, Buffer.from(`{"f:data":{${many(12_000, (index) => `"f:${index}":{}`)}}}`))),
);

/** Bytes that are protobuf, or say so. */
export const hostileProtobuf: readonly HostileInput[] = [
  { what: 'protobuf: noise', headers: protobuf, body: Buffer.alloc(most, 0xff) },
  {
    what: 'protobuf: a length of 2 GiB',
    headers: protobuf,
    body: Buffer.concat([envelope, Buffer.from([0x12, 0xff, 0xff, 0xff, 0xff, 0x07, 0x0a, 0x01])]),
  },
  {
    what: 'protobuf: 3 MiB of unknown fields',
    headers: protobuf,
    body: Buffer.concat([envelope, field(2, unknownFields)]),
  },
  {
    what: 'protobuf: 1.5 million empty map entries',
    headers: protobuf,
    body: Buffer.concat([envelope, field(2, Buffer.alloc(most - 100, Buffer.from([0x12, 0x00])))]),
  },
  {
    what: 'protobuf: managedFields of 16 entries, 12,000 fields in each',
    headers: protobuf,
    body: Buffer.concat([envelope, field(2, field(1, Buffer.concat(new Array(16).fill(ownedFields))))]),
  },
];
