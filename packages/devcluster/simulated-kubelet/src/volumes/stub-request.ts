import { generateKeyPair, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';

/** A new key, and the proof that its owner has it. */
export interface RequestedKey {
  /** PKCS #8 as PEM. */
  readonly privateKey: string;
  /** Base64 of a request (PKCS #10) for no name, signed with the key. */
  readonly stubRequest: string;
}

const generate = promisify(generateKeyPair);

// What a request begins with (RFC 2986), in DER: version 0, and a subject without names. At its end: no attributes.
const [versionAndSubject, noAttributes] = [Buffer.from('0201003000', 'hex'), Buffer.from('a000', 'hex')];
const [sequence, bitString] = [0x30, 0x03];

/** The algorithms that pods may ask for, each with the hash and the encoded identifier of its signatures. */
const algorithms: Readonly<
  Record<string, { readonly make: () => Promise<KeyPair>; readonly hash: string | null; readonly id: string }>
> = {
  RSA3072: { make: () => generate('rsa', { modulusLength: 3072 }), hash: 'sha256', id: '06092a864886f70d01010b0500' },
  RSA4096: { make: () => generate('rsa', { modulusLength: 4096 }), hash: 'sha256', id: '06092a864886f70d01010b0500' },
  ECDSAP256: { make: () => generate('ec', { namedCurve: 'P-256' }), hash: 'sha256', id: '06082a8648ce3d040302' },
  ECDSAP384: { make: () => generate('ec', { namedCurve: 'P-384' }), hash: 'sha384', id: '06082a8648ce3d040303' },
  ECDSAP521: { make: () => generate('ec', { namedCurve: 'P-521' }), hash: 'sha512', id: '06082a8648ce3d040304' },
  ED25519: { make: () => generate('ed25519'), hash: null, id: '06032b6570' },
};

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** Makes a key and its proof. @throws RangeError for a type of key that pods cannot ask for */
export async function requestKey(keyType: string): Promise<RequestedKey> {
  const algorithm = Object.hasOwn(algorithms, keyType) ? algorithms[keyType] : undefined;
  if (!algorithm) throw new RangeError(`unknown key type ${JSON.stringify(keyType)}`);
  const { publicKey, privateKey } = await algorithm.make();
  const named = publicKey.export({ format: 'der', type: 'spki' });
  const signed = der(sequence, Buffer.concat([versionAndSubject, named, noAttributes]));
  const signature = sign(algorithm.hash, signed, privateKey);
  const parts = [
    signed,
    der(sequence, Buffer.from(algorithm.id, 'hex')),
    der(bitString, Buffer.concat([Buffer.alloc(1), signature])),
  ];
  return {
    privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    stubRequest: der(sequence, Buffer.concat(parts)).toString('base64'),
  };
}

/** A value with its tag and length. */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const width = length < 0x80 ? 0 : length < 0x100 ? 1 : 2;
  const head = Buffer.alloc(2 + width);
  head.writeUInt8(tag);
  head.writeUInt8(width === 0 ? length : 0x80 | width, 1);
  if (width > 0) head.writeUIntBE(length, 2, width);
  return Buffer.concat([head, content]);
}
